package rules

import (
	"reflect"
)

// A Set is what one `validate` tag says about values of one type. It is immutable and safe for concurrent use.
type Set struct {
	Tag string

	// Required says that the member must be present and not null, on top of the rules that `required` adds.
	Required bool

	// Skip tells which values escape Rules.
	Skip Skip

	// Rules are judged in order, and every one that fails is reported.
	Rules []Rule

	// Keys and Elems are the rules of a collection's names and members, nil when it has none.
	Keys, Elems *Set

	// Cross are the rules that read other fields of the struct, and the user's own, which may.
	Cross []Rule

	// Wider names the rules that refuse more than the schema can say, in the order of the tag, without repetition:
	// those of Rules and Cross, not those of Keys and Elems.
	Wider []string
}

// Skip tells which values escape the rules of a Set.
type Skip uint8

// What escapes. null, where the type takes it, always does, unless the set is Required.
const (
	SkipNone Skip = iota
	SkipZero      // the zero value of the kind: an empty text or collection, 0, false, the zero struct
)

// Skips reports whether v, pointers followed, escapes the rules of s.
func (s *Set) Skips(v reflect.Value) bool { return s.Skip.escapes(v) }

func (s Skip) escapes(v reflect.Value) bool {
	if s == SkipNone || !v.IsValid() {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

// Empty reports whether s says nothing at all. A nil Set is empty.
func (s *Set) Empty() bool {
	return s == nil || (!s.Required && len(s.Rules) == 0 && len(s.Cross) == 0 && s.Keys == nil && s.Elems == nil)
}

// Problem is a mistake in a tag: what it is, and what to do about it. The plan knows where.
type Problem struct {
	What, Do string
}

// Wire tells how values of a type are written in JSON, where that is not what their Go kind suggests.
type Wire uint8

// Forms on the wire.
const (
	WireKind  Wire = iota // as the Go kind: string, number, boolean, array, object
	WireText              // a JSON string of the type's own form: time, duration, uuid, netip, url, text marshallers, `,string`
	WireBytes             // []byte as base64
	WireRaw               // any JSON: json.RawMessage and any
	WireOwn               // a form of its own, described by the type's own schema; json.Number and big.Int too
)
