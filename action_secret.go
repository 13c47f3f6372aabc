package cap

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strconv"
	"sync"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/plan"
)

// keyedGate is a gate that digests secrets with a key of its own.
type keyedGate interface {
	MAC(ctx context.Context, message []byte) ([]byte, error)
}

// secretKey is the key of a registry whose gate has none.
type secretKey struct {
	once sync.Once
	key  [sha256.Size]byte
	err  error
}

func (k *secretKey) mac(message []byte) ([]byte, error) {
	k.once.Do(func() { _, k.err = rand.Read(k.key[:]) })
	h := hmac.New(sha256.New, k.key[:])
	h.Write(message)
	return h.Sum(nil), k.err
}

// inputDigest digests an input, given in canonical form. One that holds secrets is digested with a key, because a short
// secret can be guessed from a plain digest.
func (c *call) inputDigest(canonical []byte) (string, error) {
	if !c.capability.in.HasSecrets() {
		return digest("input", canonical), nil
	}
	message := append([]byte("cap/input/v1\x00"+c.name+"\x00"), canonical...)
	keyed, ok := c.registry.options.Gate.(keyedGate)
	if !ok {
		sum, err := c.registry.secrets.mac(message)
		return hex.EncodeToString(sum), err
	}
	sum, err := keyed.MAC(c, message)
	return hex.EncodeToString(sum), err
}

// maskSecrets appends the JSON of a value with everything secret in it masked.
func maskSecrets(dst []byte, f *Field, raw []byte) []byte {
	if f.Secret() {
		if string(raw) == "null" {
			return append(dst, raw...)
		}
		return strconv.AppendQuote(dst, secretText)
	}
	if !f.plan.HasSecrets() {
		return append(dst, raw...)
	}
	switch f.Kind() {
	case FieldObject, FieldMap:
		return maskObject(dst, f, raw)
	case FieldArray:
		return maskArray(dst, f.Elem(), raw)
	default:
		return strconv.AppendQuote(dst, secretText)
	}
}

func maskObject(dst []byte, f *Field, raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return append(dst, raw...)
	}
	members := make(map[string]*Field)
	for _, member := range f.Fields() {
		members[member.Name()] = member
	}
	dst = append(dst, '{')
	first := true
	for name, value := range jsonvalue.Members(raw) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst, _ = jsonvalue.AppendText(dst, name)
		dst = append(dst, ':')
		member := members[name]
		if member == nil {
			member = f.Elem()
		}
		if member == nil {
			dst = strconv.AppendQuote(dst, secretText)
			continue
		}
		dst = maskSecrets(dst, member, value)
	}
	return append(dst, '}')
}

func maskArray(dst []byte, elem *Field, raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '[' {
		return append(dst, raw...)
	}
	r := jsonvalue.Reader{Data: raw, MaxDepth: len(raw)}
	dst = append(dst, '[')
	_ = r.Open()
	for more, i := r.First(']'), 0; more; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		r.Space()
		start := r.Pos
		if r.Skip(nil) != jsonvalue.OK {
			break
		}
		dst = maskSecrets(dst, elem, json.RawMessage(raw[start:r.Pos]))
		more, _ = r.Next(']')
	}
	return append(dst, ']')
}

// dropSecrets sets everything secret in v, which is addressable and nobody else's, to its zero value. What cannot be
// changed in part is emptied as a whole.
func dropSecrets(v reflect.Value, p *plan.Plan) {
	switch {
	case !p.HasSecrets():
	case p.Kind == plan.Struct:
		for i := range p.Fields {
			field := v.FieldByIndex(p.Fields[i].Index)
			if p.Fields[i].Secret {
				field.SetZero()
				continue
			}
			dropSecrets(field, p.Fields[i].Plan)
		}
	case p.Kind == plan.Pointer:
		if !v.IsNil() {
			dropSecrets(v.Elem(), p.Elem)
		}
	case p.Kind == plan.Slice || p.Kind == plan.Array:
		for i := range v.Len() {
			dropSecrets(v.Index(i), p.Elem)
		}
	default:
		v.SetZero()
	}
}
