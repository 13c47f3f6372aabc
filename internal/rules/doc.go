// Package rules compiles the `validate` tag of one field, for one Go type, into rules that are data.
//
// go-playground/validator is the dictionary: its tags keep their names and their meaning. What JSON Schema 2020-12 says
// exactly is compiled into native checks; the rest, and the tags that the user registered, run through the user's own
// instance. A tag that validator would only refuse in a panic, at the first value that reaches it, is a [Problem] here.
//
// # How a plan uses a Set
//
// [Dictionary.Compile] takes the field's declared type, pointers included. While a document is read (or written):
//
//  1. Absent members are judged by no rule but those of [Set.Cross] that have [Rule.Absent].
//  2. null, where a pointer or Maybe takes it, is refused if [Set.Required]; otherwise it escapes every rule. any and
//     json.RawMessage take null as a value, and a rule of theirs refuses it.
//  3. A value that [Set.Skips] escapes Rules. Every other value is handed to [Rule.Check] of every rule, pointers followed.
//  4. Members of a slice, array or map are judged by Elems, names of a map by Keys, both with steps 2 and 3. They need not
//     be asked when nil. Nested structs are always checked by their own fields, whatever Skip says.
//  5. Once the struct is whole, each rule of Cross is judged by [Rule.CheckCross].
//
// Whether the field may be left out is the plan's to know: `required` beside an optional field is reported there. A bare
// bool or number that is required is reported here.
//
// Package schema reads the same operands and writes keywords; [Class] tells how far the two agree.
package rules
