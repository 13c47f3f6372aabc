// Package plan compiles Go types into plans: data that says how a type is read from JSON, written as JSON and described by
// JSON Schema, so that the three cannot drift apart.
//
// A type is walked once, by [Compiler.Compile], which reports every mistake at once. Then [Plan.Decode] reads a document in
// one pass over its bytes, [Plan.Encode] writes one, and package schema walks the same data.
//
// # Presence
//
// Presence comes from the JSON, never from zero values.
//
//   - A field is optional if its json tag has omitempty or omitzero, if it has a default, or if it is a Maybe. Every other
//     field must be present.
//   - A pointer that is not optional is required and nullable; an optional one may be absent and is not null. Elements of a
//     collection that are pointers are nullable. any and json.RawMessage take null as the value that it is.
//   - Rules judge what is on the wire: an absent optional member is judged by no rule, a present zero by all. null, where
//     the type takes it, escapes the rules unless they say required.
//   - Nested values are always checked.
//
// In an output a field is left out only by omitempty or omitzero, which mean what encoding/json makes of them, or as an
// absent Maybe. A nil slice is [], a nil map {}.
//
// # Text forms
//
// What goes over the wire as a string with a form of its own has a [Plan.Format] and, where it can be stated, a
// [Plan.Pattern] that admits all that the decoder does. [Plan.Wider] names the rule by which the decoder refuses more than
// format and pattern say.
//
// # Custom forms
//
// A type with methods for its own JSON or text form is accepted only if its schema is known: the types listed by [Kind],
// text marshallers whose field says format=, types with a JSONSchema method, and those of [Config.Custom]. What their
// methods write is read again, strictly, before it is let out, and their panics are contained.
package plan
