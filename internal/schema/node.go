package schema

import (
	"math/big"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// A node is one schema: keywords with their JSON, written in a fixed order.
type node struct {
	members   []member
	all       []*node // alternatives to a keyword that is taken already
	unordered bool    // the members are not keywords and stay as they were set
}

type member struct{ key, json string }

func (n *node) get(key string) (string, bool) {
	for _, m := range n.members {
		if m.key == key {
			return m.json, true
		}
	}
	return "", false
}

// set gives key a value, in place of the one it had.
func (n *node) set(key, json string) *node {
	for i := range n.members {
		if n.members[i].key == key {
			n.members[i].json = json
			return n
		}
	}
	n.members = append(n.members, member{key, json})
	return n
}

func (n *node) empty() bool { return len(n.members) == 0 && len(n.all) == 0 }

// and adds the constraints of other, which must all hold besides those of n.
func (n *node) and(other *node) {
	if other == nil || other.empty() {
		return
	}
	for _, m := range other.members {
		if have, taken := n.get(m.key); taken && have != m.json && !isBound(m.key) {
			n.all = append(n.all, other)
			return
		}
	}
	for _, m := range other.members {
		if have, taken := n.get(m.key); taken {
			m.json = tighter(m.key, have, m.json)
		}
		n.set(m.key, m.json)
	}
	n.all = append(n.all, other.all...)
}

// isBound reports whether two values of the keyword make one.
func isBound(key string) bool { return strings.HasPrefix(key, "min") || strings.HasPrefix(key, "max") }

// tighter returns the stronger of two bounds.
func tighter(key, a, b string) string {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	if !okX || !okY || (x.Cmp(y) >= 0) == strings.HasPrefix(key, "min") {
		return a
	}
	return b
}

// keywordOrder is how people read a schema: what it is, what is in it, what limits it, the rest.
var keywordOrder = []string{
	"$schema", "$id", "$ref", "title", "description", "type", "enum", "const", "format", "contentEncoding", "contentMediaType",
	"properties", "required", "additionalProperties", "propertyNames", "items",
	"minLength", "maxLength", "pattern", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	"anyOf", "not", "allOf", "default", "examples", "deprecated", "writeOnly", "x-cap-rules", "$defs",
}

func rank(key string) int { return slices.Index(keywordOrder, key) }

// String returns the JSON of n.
func (n *node) String() string {
	members := n.members
	if len(n.all) > 0 {
		parts := make([]string, len(n.all))
		for i, one := range n.all {
			parts[i] = one.String()
		}
		members = append(slices.Clip(members), member{"allOf", list(parts)})
	}
	if !n.unordered {
		members = slices.Clone(members)
		slices.SortStableFunc(members, func(a, b member) int { return rank(a.key) - rank(b.key) })
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text(m.key))
		b.WriteByte(':')
		b.WriteString(m.json)
	}
	b.WriteByte('}')
	return b.String()
}

func text(s string) string {
	b, _ := jsonvalue.AppendText(nil, s) // what is not UTF-8 was refused with the tag that said it
	return string(b)
}

func texts(all []string) string {
	parts := make([]string, len(all))
	for i, s := range all {
		parts[i] = text(s)
	}
	return list(parts)
}

func list(parts []string) string { return "[" + strings.Join(parts, ",") + "]" }

// keyword returns a node of one keyword.
func keyword(key, json string) *node { return (&node{}).set(key, json) }

// anyOf returns a node that admits what one of the alternatives does.
func anyOf(alternatives ...*node) *node {
	parts := make([]string, len(alternatives))
	for i, one := range alternatives {
		parts[i] = one.String()
	}
	return keyword("anyOf", list(parts))
}

// not returns a node that admits what n does not.
func not(n *node) *node { return keyword("not", n.String()) }
