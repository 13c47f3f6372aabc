package contracts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

// version is that of the lock file's format.
const version = 1

// Lock is what the callers of a registry were promised. Its capabilities are in the byte order of their names.
type Lock struct {
	Version      int          `json:"lockVersion"`
	Capabilities []Capability `json:"capabilities"`
}

// Capability is one contract in a [Lock].
type Capability struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Deprecated  string          `json:"deprecated,omitempty"`
	Effect      cap.Effect      `json:"effect"`
	Access      cap.Access      `json:"access"`
	Scopes      []string        `json:"scopes,omitempty"`
	Timeout     string          `json:"timeout,omitempty"` // a Go duration
	Reversible  bool            `json:"reversible,omitempty"`
	Idempotent  bool            `json:"idempotent,omitempty"`
	Destructive bool            `json:"destructive,omitempty"`
	OpenWorld   bool            `json:"openWorld,omitempty"`
	Tags        []Tag           `json:"tags,omitempty"`
	Input       json.RawMessage `json:"input"`
	Output      json.RawMessage `json:"output"`
	Failures    []Failure       `json:"failures,omitempty"` // in the byte order of their tags
	// Digest is that of everything above. A lock whose digests do not fit was edited by hand.
	Digest string `json:"digest,omitempty"`
}

// Tag is what a struct tag tells one adapter: where callers of that front find a capability or a field.
type Tag struct {
	// Field is "", or the pointer of a member: "input /order", "output /order".
	Field string `json:"field,omitempty"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Failure is a declared failure.
type Failure struct {
	Tag         string          `json:"tag"`
	Description string          `json:"description"`
	Fix         string          `json:"fix,omitempty"`
	Retry       string          `json:"retry,omitempty"`
	Tags        []Tag           `json:"tags,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

// adapterKeys are the tag keys that a lock holds.
var adapterKeys = [...]string{"cli", "http", "mcp"}

// described is what a capability and a contract without its handler say of themselves.
type described interface {
	Name() string
	Title() string
	Description() string
	Deprecated() string
	Effect() cap.Effect
	Access() cap.Access
	Scopes() []string
	Timeout() time.Duration
	Reversible() bool
	Idempotent() bool
	Destructive() bool
	OpenWorld() bool
	Tag(key string) (string, bool)
	Input() *cap.Field
	Output() *cap.Field
	InputSchema() json.RawMessage
	OutputSchema() json.RawMessage
	Failures() []cap.FailureInfo
}

// Of locks every capability of a registry.
func Of(registry *cap.Registry) *Lock {
	lock := &Lock{Version: version}
	for c := range registry.All() {
		lock.add(c)
	}
	return lock.sorted()
}

// OfContracts locks contracts without their handlers, as a client knows them.
func OfContracts(infos ...*cap.ContractInfo) *Lock {
	lock := &Lock{Version: version}
	for _, info := range infos {
		lock.add(info)
	}
	return lock.sorted()
}

// Parse reads a lock file. It refuses a file that [Lock.Bytes] did not write: what callers were promised is no matter for a
// text editor.
func Parse(data []byte) (*Lock, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	lock := new(Lock)
	if err := decoder.Decode(lock); err != nil {
		return nil, fmt.Errorf("contracts: the lock cannot be read: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("contracts: something follows the lock")
	}
	if lock.Version != version {
		return nil, fmt.Errorf("contracts: the lock has version %d, this program reads %d", lock.Version, version)
	}
	for i := range lock.Capabilities {
		c := &lock.Capabilities[i]
		if err := c.compactSchemas(); err != nil {
			return nil, err
		}
		if c.Digest != c.digest() {
			return nil, fmt.Errorf("contracts: the digest of %q does not fit what the lock says of it (it was edited by hand; write the lock again)", c.Name)
		}
		if i > 0 && lock.Capabilities[i-1].Name >= c.Name {
			return nil, fmt.Errorf("contracts: the lock has %q twice or out of order (write the lock again)", c.Name)
		}
	}
	// The decoder takes names in another case, and the last of two alike. Some tools write line ends of their own.
	if !bytes.Equal(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), lock.Bytes()) {
		return nil, errors.New("contracts: the lock is not as it was written (it was edited by hand; write the lock again)")
	}
	return lock, nil
}

// Bytes writes the lock file: indented JSON, the same bytes for the same contracts.
func (l *Lock) Bytes() []byte {
	var b bytes.Buffer
	if json.Indent(&b, encode(l), "", "  ") != nil {
		return nil // encode wrote it, so it is JSON
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func (l *Lock) add(c described) {
	locked := Capability{
		Name: c.Name(), Title: c.Title(), Description: c.Description(), Deprecated: c.Deprecated(),
		Effect: c.Effect(), Access: c.Access(), Scopes: c.Scopes(),
		Reversible: c.Reversible(), Idempotent: c.Idempotent(), Destructive: c.Destructive(), OpenWorld: c.OpenWorld(),
		Tags:  tagsOf("", c.Tag),
		Input: c.InputSchema(), Output: c.OutputSchema(),
	}
	slices.Sort(locked.Scopes)
	if c.Timeout() > 0 {
		locked.Timeout = c.Timeout().String()
	}
	for _, f := range c.Input().Fields() {
		locked.Tags = append(locked.Tags, tagsOf("input /"+f.Name(), f.Tag)...)
	}
	for _, f := range c.Output().Fields() {
		locked.Tags = append(locked.Tags, tagsOf("output /"+f.Name(), f.Tag)...)
	}
	for _, f := range c.Failures() {
		locked.Failures = append(locked.Failures, Failure{
			Tag: f.Tag, Description: f.Description, Fix: f.Fix, Retry: f.Retry, Tags: tagsOf("", f.Lookup), Schema: f.Schema,
		})
	}
	slices.SortFunc(locked.Failures, func(a, b Failure) int { return strings.Compare(a.Tag, b.Tag) })
	locked.Digest = locked.digest()
	l.Capabilities = append(l.Capabilities, locked)
}

func (l *Lock) sorted() *Lock {
	slices.SortFunc(l.Capabilities, func(a, b Capability) int { return strings.Compare(a.Name, b.Name) })
	return l
}

func tagsOf(field string, lookup func(key string) (string, bool)) []Tag {
	var list []Tag
	for _, key := range adapterKeys {
		if value, ok := lookup(key); ok {
			list = append(list, Tag{Field: field, Key: key, Value: value})
		}
	}
	return list
}

// compactSchemas takes the indentation of the lock file out of the schemas, which are then the bytes that were locked.
func (c *Capability) compactSchemas() error {
	schemas := []*json.RawMessage{&c.Input, &c.Output}
	for i := range c.Failures {
		schemas = append(schemas, &c.Failures[i].Schema)
	}
	for _, schema := range schemas {
		var b bytes.Buffer
		if err := json.Compact(&b, *schema); err != nil {
			return fmt.Errorf("contracts: a schema of %q is missing in the lock (write the lock again)", c.Name)
		}
		*schema = b.Bytes()
	}
	return nil
}

func (c *Capability) digest() string {
	bare := *c
	bare.Digest = ""
	sum := sha256.Sum256(encode(bare))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// encode writes JSON without escapes for HTML, which would be noise in a file that people read.
func encode(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return nil // the types of this package always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
