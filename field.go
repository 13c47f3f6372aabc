package cap

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// FieldKind says what JSON a field holds.
type FieldKind string

// The kinds of a [Field].
const (
	FieldObject  FieldKind = "object"  // see Fields
	FieldMap     FieldKind = "map"     // an object with any names; see Elem
	FieldArray   FieldKind = "array"   // see Elem
	FieldString  FieldKind = "string"  // see Format
	FieldInteger FieldKind = "integer" // a number without a fraction
	FieldNumber  FieldKind = "number"
	FieldBoolean FieldKind = "boolean"
	FieldAny     FieldKind = "any" // any JSON value
)

// Field describes one value of an input or an output: what an adapter needs to make flags, parameters or columns of it.
// It never changes and is safe for concurrent use. A recursive type has endless fields: walk down only where you need to.
type Field struct {
	field *plan.Field // nil for the root and for elements
	plan  *plan.Plan
	rules *rules.Set
}

func rootField(p *plan.Plan) *Field { return &Field{plan: p} }

// Name is the JSON name; "" for the root and for elements.
func (f *Field) Name() string {
	if f.field == nil {
		return ""
	}
	return f.field.Name
}

// Kind says what JSON the field holds, null apart.
func (f *Field) Kind() FieldKind {
	if f.field != nil && f.field.AsString {
		return FieldString
	}
	switch p := held(f.plan); p.Kind {
	case plan.Struct:
		return FieldObject
	case plan.Map:
		return FieldMap
	case plan.Slice, plan.Array:
		return FieldArray
	case plan.Bool:
		return FieldBoolean
	case plan.Int, plan.Uint, plan.BigInt:
		return FieldInteger
	case plan.Float, plan.Number:
		return FieldNumber
	case plan.Any, plan.Raw:
		return FieldAny
	case plan.Custom:
		return customKind(p)
	default:
		return FieldString
	}
}

// customKind reads the kind of a type with a JSON form of its own from its schema.
func customKind(p *plan.Plan) FieldKind {
	var root struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(p.Schema, &root) != nil {
		return FieldAny
	}
	switch kind, _ := strconv.Unquote(string(root.Type)); FieldKind(kind) {
	case FieldString, FieldInteger, FieldNumber, FieldBoolean:
		return FieldKind(kind)
	default:
		return FieldAny
	}
}

// held follows pointers and Maybe to the plan of the value.
func held(p *plan.Plan) *plan.Plan {
	for p.Kind == plan.Pointer || p.Kind == plan.Maybe {
		p = p.Elem
	}
	return p
}

// Format is the JSON Schema format of a string, such as "date-time", or "".
func (f *Field) Format() string { return held(f.plan).Format }

// Encoding is the JSON Schema contentEncoding of a string: "base64" for bytes, or "".
func (f *Field) Encoding() string {
	if held(f.plan).Kind == plan.Bytes {
		return "base64"
	}
	return ""
}

// GoType is the type in Go, as its users write it, such as "time.Duration". Nothing on the wire depends on it.
func (f *Field) GoType() string { return typeName(f.plan.Type) }

// Description says what the field is, or "".
func (f *Field) Description() string {
	if f.field == nil {
		return ""
	}
	return f.field.Description
}

// Example is an example as JSON, or nil. The bytes are a copy.
func (f *Field) Example() json.RawMessage {
	if f.field == nil {
		return nil
	}
	return slices.Clone(f.field.Example)
}

// Default is what an absent field is set to, as JSON, or nil. The bytes are a copy.
func (f *Field) Default() json.RawMessage {
	if f.field == nil {
		return nil
	}
	return slices.Clone(f.field.Default)
}

// Enum are the values that a rule oneof allows, as JSON, in the order of the tag; nil if there is no such rule.
func (f *Field) Enum() []json.RawMessage {
	if f.rules == nil {
		return nil
	}
	for i := range f.rules.Rules {
		if rule := &f.rules.Rules[i]; rule.Name == "oneof" {
			return enumValues(rule, f.Kind())
		}
	}
	return nil
}

func enumValues(rule *rules.Rule, kind FieldKind) []json.RawMessage {
	values := make([]json.RawMessage, 0, len(rule.Choices))
	for _, choice := range rule.Choices {
		if kind == FieldString {
			quoted, err := json.Marshal(choice)
			if err != nil {
				continue
			}
			values = append(values, quoted)
			continue
		}
		values = append(values, json.RawMessage(choice))
	}
	return values
}

// Required reports whether the field must be present in an input.
func (f *Field) Required() bool { return f.field == nil || !f.field.Optional }

// Nullable reports whether null is taken.
func (f *Field) Nullable() bool {
	return f.plan.Kind == plan.Any || f.plan.Kind == plan.Raw || (f.field != nil && f.field.Nullable) || (f.field == nil && f.plan.Kind == plan.Pointer)
}

// Secret reports whether the value must never be shown, logged or echoed.
func (f *Field) Secret() bool { return f.field != nil && f.field.Secret }

// Cite reports whether the value names an object that an output speaks of.
func (f *Field) Cite() bool { return f.field != nil && f.field.Cite }

// Version reports whether the value is the version of the object that a call is about.
func (f *Field) Version() bool { return f.field != nil && f.field.Version }

// Deprecated says what to use instead, or "".
func (f *Field) Deprecated() string {
	if f.field == nil {
		return ""
	}
	return f.field.Deprecated
}

// Tag returns the value of a struct tag key of an adapter's own, such as cli.
func (f *Field) Tag(key string) (string, bool) {
	if f.field == nil {
		return "", false
	}
	return f.field.Tag.Lookup(key)
}

// Fields are the members of an object, in the order of their declaration; nil for every other kind.
func (f *Field) Fields() []*Field {
	p := held(f.plan)
	if p.Kind != plan.Struct {
		return nil
	}
	fields := make([]*Field, len(p.Fields))
	for i := range p.Fields {
		field := &p.Fields[i]
		fields[i] = &Field{field: field, plan: field.Plan, rules: field.Rules}
	}
	return fields
}

// Elem describes the elements of an array or the values of a map; nil for every other kind.
func (f *Field) Elem() *Field {
	p := held(f.plan)
	switch p.Kind {
	case plan.Slice, plan.Array, plan.Map:
		elem := &Field{plan: p.Elem}
		if f.rules != nil {
			elem.rules = f.rules.Elems
		}
		return elem
	default:
		return nil
	}
}
