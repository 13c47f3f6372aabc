package plan

import "reflect"

// Encode appends the JSON of v to dst, after checking it against the JSON model and the rules of its fields. With issues
// the bytes that were appended mean nothing.
func (p *Plan) Encode(dst []byte, v reflect.Value, l Limits) ([]byte, *Issues) {
	return dst, &Issues{List: []Issue{{Rule: RuleSyntax, Message: "values are not written yet"}}}
}

// EncodeInput appends v as a caller's document: as [Plan.Encode], but the rules are left to whoever decodes it, and a field
// with a default that holds its zero value is left out.
func (p *Plan) EncodeInput(dst []byte, v reflect.Value, l Limits) ([]byte, *Issues) {
	return dst, &Issues{List: []Issue{{Rule: RuleSyntax, Message: "values are not written yet"}}}
}

// Cites returns the values of the fields that are tagged cite, in their order: of the type Hooks.Ref, pointers followed,
// slices one by one.
func (p *Plan) Cites(v reflect.Value) []reflect.Value { return nil }
