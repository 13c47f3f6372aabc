package lint

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-369ec62e/cap"
)

// node is what the rules read of a schema.
type node struct {
	Type                 string            `json:"type"`
	Properties           map[string]*node  `json:"properties"`
	AdditionalProperties json.RawMessage   `json:"additionalProperties"`
	Items                *node             `json:"items"`
	AnyOf                []*node           `json:"anyOf"`
	Ref                  string            `json:"$ref"`
	Defs                 map[string]*node  `json:"$defs"`
	Enum                 []json.RawMessage `json:"enum"`
	Minimum              *json.Number      `json:"minimum"`
	Maximum              *json.Number      `json:"maximum"`
}

// schema reads a schema as the registry shows it. One that cannot be read says nothing.
func schema(text json.RawMessage) *node {
	n := &node{}
	if json.Unmarshal(text, n) != nil {
		return &node{}
	}
	return n
}

// visit yields a schema and everything below it, with the way to it; references are not followed.
func (n *node) visit(path string, yield func(path string, n *node) bool) bool {
	if n == nil {
		return true
	}
	if !yield(path, n) {
		return false
	}
	for _, name := range sortedNames(n.Properties) {
		separator := "."
		if !strings.Contains(path, " ") {
			separator = " "
		}
		if !n.Properties[name].visit(path+separator+plain(name), yield) {
			return false
		}
	}
	var more *node
	if len(n.AdditionalProperties) > 0 && n.AdditionalProperties[0] == '{' {
		more = schema(n.AdditionalProperties)
	}
	for _, below := range append([]*node{n.Items, more}, n.AnyOf...) {
		suffix := "[]"
		if slices.Contains(n.AnyOf, below) {
			suffix = ""
		}
		if !below.visit(path+suffix, yield) {
			return false
		}
	}
	for _, name := range sortedNames(n.Defs) {
		if !n.Defs[name].visit("type "+plain(name), yield) {
			return false
		}
	}
	return true
}

func sortedNames(m map[string]*node) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// schemas are the two of a capability.
func (k *checker) schemas(visit func(path string, n *node)) {
	for _, s := range []struct {
		what string
		text json.RawMessage
	}{{"input", k.capability.InputSchema()}, {"output", k.capability.OutputSchema()}} {
		schema(s.text).visit(s.what, func(path string, n *node) bool {
			visit(path, n)
			return true
		})
	}
}

// maxSafe is the largest integer that JavaScript, and with it many JSON readers, holds exactly.
var maxSafe = big.NewInt(1<<53 - 1)

func checkNumbers(k *checker) {
	k.schemas(func(path string, n *node) {
		if n.Type == "integer" && (isUnsafe(n.Minimum) || isUnsafe(n.Maximum)) {
			k.report(Warning, path, "may be larger than 2^53, and JavaScript reads such an integer as another",
				"bound it with validate, or write it as a string with json:\",string\"")
		}
	})
}

// isUnsafe reports whether a bound lets integers through that JavaScript changes.
func isUnsafe(bound *json.Number) bool {
	if bound == nil {
		return true
	}
	value, ok := new(big.Float).SetString(bound.String())
	if !ok {
		return false
	}
	whole, _ := value.Int(nil)
	return whole.CmpAbs(maxSafe) > 0
}

// clientName is what names of members must match for the strictest clients.
var clientName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`) })

func checkNames(k *checker) {
	schema(k.capability.InputSchema()).visit("input", func(path string, n *node) bool {
		for _, name := range sortedNames(n.Properties) {
			if !clientName().MatchString(name) {
				k.report(Error, path, fmt.Sprintf("its member %s is refused by clients that want %s", plain(name), clientName()), "give it another JSON name")
			}
		}
		return true
	})
}

const (
	maxLevels     = 5         // of objects and lists
	maxProperties = 100       // of one input
	maxEnum       = 500       // values of one field
	maxSchema     = 32 * 1024 // bytes
)

func checkDepth(k *checker) {
	for p := range places("input", k.capability.Input()) {
		isNested := p.Kind() == cap.FieldObject || p.Kind() == cap.FieldArray || p.Kind() == cap.FieldMap
		if isNested && p.depth == maxLevels {
			k.report(Warning, p.path, fmt.Sprintf("nests deeper than %d levels, which strict clients refuse", maxLevels), "make the input flatter")
			return
		}
	}
}

func checkSize(k *checker) {
	text := k.capability.InputSchema()
	if len(text) > maxSchema {
		k.report(Warning, "input", fmt.Sprintf("its schema has %d bytes, which a model reads with every request", len(text)), "split the capability, or shorten descriptions")
	}
	properties := 0
	schema(text).visit("input", func(path string, n *node) bool {
		properties += len(n.Properties)
		if len(n.Enum) > maxEnum {
			k.report(Warning, path, fmt.Sprintf("lists %d values, and strict clients take at most %d", len(n.Enum), maxEnum), "take a text and look it up")
		}
		return true
	})
	if properties > maxProperties {
		k.report(Warning, "input", fmt.Sprintf("has %d fields, and strict clients take at most %d", properties, maxProperties), "split the capability")
	}
}

func checkRecursion(k *checker) {
	root := schema(k.capability.InputSchema())
	for _, name := range sortedNames(root.Defs) {
		if root.reaches(name, name, make(map[string]bool)) {
			k.report(Warning, "input", "holds the type "+plain(name)+", which holds itself; some clients refuse that", "bound it, or take it as text")
		}
	}
}

// reaches reports whether the type from refers, however indirectly, to the type to.
func (n *node) reaches(from, to string, seen map[string]bool) bool {
	if seen[from] || n.Defs[from] == nil {
		return false
	}
	seen[from] = true
	found := false
	n.Defs[from].visit("", func(_ string, below *node) bool {
		name, isRef := strings.CutPrefix(below.Ref, "#/$defs/")
		if isRef && (name == to || n.reaches(name, to, seen)) {
			found = true
		}
		return !found
	})
	return found
}
