package schema

import (
	"strconv"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// What a float32 takes: everything nearer to its largest value than to the next power of two.
const float32Limit = "340282356779733661637539395458142568448"

// Patterns of numbers that are written as strings.
const (
	quotedInt   = `^(0|-?[1-9][0-9]*)$`
	quotedUint  = `^(0|[1-9][0-9]*)$`
	quotedFloat = `^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`
)

// value writes what p and the rules of set admit, null left aside.
func (w *writer) value(p *plan.Plan, set *rules.Set, quoted bool) *node {
	p = base(p)
	if quoted {
		return w.ruled(w.quoted(p), p, set, true)
	}
	name, defined := w.names.of[p]
	if defined && (set == nil || set.Keys == nil && set.Elems == nil) {
		return w.ruled(keyword("$ref", text("#/$defs/"+name)), p, set, false)
	}
	return w.inline(p, set, false)
}

// inline is value without a reference at its root.
func (w *writer) inline(p *plan.Plan, set *rules.Set, quoted bool) *node {
	return w.ruled(w.plain(p, set), p, set, quoted)
}

// plain writes the form of p. Of set it reads the rules of members and names.
func (w *writer) plain(p *plan.Plan, set *rules.Set) *node {
	switch p.Kind {
	case plan.Bool:
		return typed("boolean")
	case plan.Int, plan.Uint:
		low, high := bounds(p)
		return typed("integer").set("minimum", low).set("maximum", high)
	case plan.BigInt:
		return typed("integer")
	case plan.Float:
		n := typed("number")
		if p.Bits == 32 {
			n.set("exclusiveMinimum", "-"+float32Limit).set("exclusiveMaximum", float32Limit)
		}
		return n
	case plan.Number:
		return typed("number")
	case plan.String:
		return typed("string")
	case plan.Struct:
		return w.object(p)
	case plan.Slice, plan.Array:
		return w.array(p, set)
	case plan.Map:
		return w.mapping(p, set)
	case plan.Any, plan.Raw:
		return &node{}
	case plan.Custom:
		return custom(p)
	default:
		return w.form(p)
	}
}

func typed(name string) *node { return keyword("type", text(name)) }

// bounds returns the least and greatest integer of p.
func bounds(p *plan.Plan) (low, high string) {
	if p.Kind == plan.Uint {
		return "0", strconv.FormatUint(1<<p.Bits-1, 10)
	}
	return strconv.FormatInt(-1<<(p.Bits-1), 10), strconv.FormatInt(1<<(p.Bits-1)-1, 10)
}

// quoted writes a number or bool that is a string on the wire.
func (w *writer) quoted(p *plan.Plan) *node {
	n := typed("string")
	switch p.Kind {
	case plan.Bool:
		return n.set("enum", `["true","false"]`)
	case plan.Int:
		return n.set("pattern", text(quotedInt))
	case plan.Uint:
		return n.set("pattern", text(quotedUint))
	default:
		return n.set("pattern", text(quotedFloat))
	}
}

// form writes a text form.
func (w *writer) form(p *plan.Plan) *node {
	if p.Kind == plan.Addr {
		return typed("string").set("anyOf", list([]string{
			keyword("format", `"ipv4"`).set("pattern", text(ipv4Pattern)).String(),
			keyword("format", `"ipv6"`).set("pattern", text(ipv6Shape)).String(),
		}))
	}
	n := typed("string")
	if p.Kind == plan.Bytes {
		n.set("contentEncoding", `"base64"`)
	} else if p.Format != "" {
		n.set("format", text(p.Format))
	}
	if p.Pattern != "" {
		n.set("pattern", text(p.Pattern))
	}
	return n
}

func (w *writer) array(p *plan.Plan, set *rules.Set) *node {
	n := typed("array").set("items", w.member(p.Elem, elems(set)).String())
	if p.Kind == plan.Array {
		length := strconv.Itoa(p.Len)
		n.set("minItems", length).set("maxItems", length)
	}
	return n
}

func (w *writer) mapping(p *plan.Plan, set *rules.Set) *node {
	n := typed("object").set("additionalProperties", w.member(p.Elem, elems(set)).String())
	var keys *rules.Set
	if set != nil {
		keys = set.Keys
	}
	if names := w.mapNames(p.Key, keys); !names.empty() {
		n.set("propertyNames", names.String())
	}
	return n
}

// mapNames writes what the names of a map may be, {} for anything.
func (w *writer) mapNames(key *plan.Plan, set *rules.Set) *node {
	n := &node{}
	wider, words := []string{plan.RuleDuplicate}, "must not stand for the same key as another name"
	switch key.Kind {
	case plan.String:
		wider, words = nil, ""
	case plan.Int, plan.Uint:
		n.set("pattern", text(key.Pattern))
		low, high := bounds(key)
		wider, words = []string{plan.RuleFormat}, "must be an integer, "+low+" to "+high
	default:
		n = w.form(key)
		if key.Wider != "" || key.Kind == plan.Text {
			wider, words = append(wider, plan.RuleFormat), formWords(key)+", and "+words
		}
	}
	w.constrain(n, key, set)
	w.name(n, set, wider, words)
	return n
}

func elems(set *rules.Set) *rules.Set {
	if set == nil {
		return nil
	}
	return set.Elems
}

// member writes an element of a collection.
func (w *writer) member(p *plan.Plan, set *rules.Set) *node {
	n := w.value(p, set, false)
	if p.Kind == plan.Pointer && (set == nil || !set.Required) {
		return nullable(n)
	}
	return n
}

// nullable adds null to what n admits. The description stays outside.
func nullable(n *node) *node {
	outer := &node{}
	if description, ok := n.get("description"); ok {
		outer.set("description", description)
		n.remove("description")
	}
	outer.set("anyOf", list([]string{n.String(), `{"type":"null"}`}))
	return outer
}

func (n *node) remove(key string) {
	for i := range n.members {
		if n.members[i].key == key {
			n.members = append(n.members[:i:i], n.members[i+1:]...)
			return
		}
	}
}

// object writes a struct.
func (w *writer) object(p *plan.Plan) *node {
	properties := &node{unordered: true}
	var required []string
	for i := range p.Fields {
		f := &p.Fields[i]
		properties.set(f.Name, w.property(f).String())
		if w.mustBePresent(f) {
			required = append(required, f.Name)
		}
	}
	n := typed("object").set("properties", properties.String())
	if len(required) > 0 {
		n.set("required", texts(required))
	}
	return n.set("additionalProperties", "false")
}

func (w *writer) mustBePresent(f *plan.Field) bool {
	if w.input {
		return !f.Optional
	}
	return !f.OmitEmpty && !f.OmitZero && f.Plan.Kind != plan.Maybe
}

// takesNull reports whether null may stand for f.
func (w *writer) takesNull(f *plan.Field) bool {
	switch {
	case f.Plan.Kind == plan.Maybe:
		return true
	case f.Rules.Required:
		return false
	case w.input:
		return f.Nullable
	default:
		return f.Plan.Kind == plan.Pointer && !f.OmitEmpty && !f.OmitZero
	}
}

// property writes one field with all that is said about it.
func (w *writer) property(f *plan.Field) *node {
	n := w.value(f.Plan, f.Rules, f.AsString)
	said, _ := n.get("description")
	n.remove("description")
	if w.takesNull(f) {
		n = nullable(n)
	}
	if description := described(f, said); description != "" {
		n.set("description", text(description))
	}
	if f.Default != nil && w.input {
		n.set("default", string(f.Default))
	}
	if f.Example != nil {
		n.set("examples", list([]string{string(f.Example)}))
	}
	if f.Deprecated != "" {
		n.set("deprecated", "true")
	}
	if f.Secret && w.input {
		n.set("writeOnly", "true")
	}
	return n
}
