package plan

import (
	"encoding/json"
	"reflect"

	"github.com/seed-369ec62e/cap/internal/rules"
	"github.com/seed-369ec62e/cap/tags"
)

// A Plan says how values of one Go type are read and written. It is immutable and safe for concurrent use. Plans of
// recursive types are cyclic.
type Plan struct {
	Type reflect.Type
	Kind Kind

	// Fields are the members of a Struct, in the order of their declaration, embedded structs flattened.
	Fields []Field

	// Elem is what a Slice, Array, Map, Pointer or Maybe holds; Key is the name of a Map's member.
	Elem, Key *Plan

	// Len is the length of an Array.
	Len int

	// Bits is the size of an Int, Uint or Float.
	Bits int

	// Format is the JSON Schema format of a text form, "" for none.
	Format string

	// Pattern admits every text that a text form or a map's name may have: RE2 and ECMA-262 alike, "" for none.
	Pattern string

	// Wider names the rule by which the decoder refuses texts that Format and Pattern admit, "" if they say it all.
	Wider string

	// Schema is the JSON Schema of a Custom, as it was declared.
	Schema json.RawMessage

	lookup  map[string]int // JSON name to index in Fields
	size    int64          // bytes of a value of Type
	room    int            // bytes that a document of a Struct will probably take
	empty   reflect.Value  // of a Slice
	cites   bool           // a field that is tagged cite lies below
	secrets bool           // a field that is tagged secret lies below
	cross   bool           // a field has rules that read other fields
	custom  customForm     // which methods read and write a Text or Custom
	roots   rootTypes      // JSON types that the schema of a Custom allows
	wants   string         // what a text form must be, for messages
	hooks   *Hooks         // of a Maybe
	faulty  bool           // a problem was reported: such a plan never leaves the compiler
}

// A Field is one member of a struct.
type Field struct {
	Name   string // in JSON
	GoName string // as a selector from the struct, such as "Base.ID" through an embedded struct
	Index  []int  // for reflect.Value.FieldByIndex; no pointer lies on the way

	Plan  *Plan
	Rules *rules.Set // never nil

	Optional bool // may be absent from an input
	Nullable bool // takes null, because it is a pointer that is not optional or a Maybe

	OmitEmpty, OmitZero bool
	AsString            bool // a number or bool that is written as a string

	// Default and Example are JSON, compact, nil for none.
	Default, Example json.RawMessage

	Description, Deprecated string

	Secret, Cite, Version bool

	// Tag is the whole tag, for adapters that read keys of their own.
	Tag tags.StructTag

	prefix       []byte        // the name as it is written: "name":
	parent       []int         // the index of the struct that declares the field, empty for the struct itself
	zero         zeroForm      // how omitzero is judged
	defaultValue reflect.Value // set where a copy of it shares nothing
	judged       bool          // Rules has something to say about a value that is present
}

// Kind tells how a type is written.
type Kind uint8

// Kinds.
const (
	Invalid  Kind = iota
	Bool          // true, false
	Int           // integer of Bits bits
	Uint          // unsigned integer of Bits bits
	Float         // number; Bits is 32 or 64
	String        // text
	Struct        // object with Fields
	Slice         // array of Elem
	Array         // array of exactly Len Elem
	Map           // object of Elem, with names of the form Key: String, Int, Uint or Text
	Pointer       // null or Elem
	Maybe         // absent, null or Elem; only as a field
	Any           // any JSON value
	Raw           // json.RawMessage: any JSON value, kept as it is written
	Number        // json.Number: a number, kept as it is written
	BigInt        // big.Int: an integer of any size
	Bytes         // []byte: padded standard base64
	Time          // time.Time: RFC 3339
	Duration      // time.Duration: text such as 1h30m
	UUID          // uuid.UUID
	Addr          // netip.Addr, without a zone
	Prefix        // netip.Prefix
	AddrPort      // netip.AddrPort
	URL           // url.URL: text
	Text          // text marshaller whose field says format=
	Custom        // JSON form of its own, described by Schema
)

// MaybeState tells the states of a Maybe apart.
type MaybeState uint8

// States of a Maybe; the zero value is absent.
const (
	MaybeAbsent MaybeState = iota
	MaybeNull
	MaybeSet
)

// Limits bounds a document. Zero means the default.
type Limits struct {
	Depth  int // levels of nesting: 64
	Bytes  int // size, of what is read as of what is written: 10 MiB
	Issues int // issues that are listed, the rest are counted: 100
}

// An Issue is one fault of a document. It never holds the value.
type Issue struct {
	Pointer string // JSON Pointer (RFC 6901); "" is the document
	Rule    string // a validate tag, or a rule of the model's own: see the constants
	Param   string
	Message string
}

// Issues are the faults of a document, in its order. Omitted counts those beyond the limit.
type Issues struct {
	List    []Issue
	Omitted int
}

// Rules of the model's own, as [Issue.Rule] names them. The rules of the user's tags keep the names of their tags.
const (
	RuleSyntax       = "syntax"        // not JSON; reading ends here
	RuleSize         = "size"          // more bytes than the limit, or more memory than the document is worth; reading ends here
	RuleDepth        = "depth"         // nested deeper than the limit, or a cycle; reading ends here
	RuleUTF8         = "utf8"          // invalid UTF-8
	RuleSurrogate    = "surrogate"     // half of a surrogate pair
	RuleDuplicate    = "duplicate"     // a name appears twice
	RuleUnknown      = "unknown"       // no such field
	RuleRequired     = "required"      // absent, or null where the tag says required
	RuleType         = "type"          // another JSON type; Param is the one that is expected
	RuleInteger      = "integer"       // a number with a fraction, where an integer is expected
	RuleRange        = "range"         // an integer that the type cannot hold; Param is "-128..127"
	RuleNegativeZero = "negative_zero" // -0
	RuleOverflow     = "overflow"      // a number too large for a double (or float32)
	RuleUnderflow    = "underflow"     // a number that is not zero, too small for a double (or float32)
	RuleDigits       = "digits"        // a number written with more than 1,100 characters
	RulePrecision    = "precision"     // an integer that any would change
	RuleFinite       = "finite"        // NaN or an infinity, in an output
	RuleLength       = "length"        // an array of another length; Param is the one that is expected
	RuleFormat       = "format"        // a text that is not of its form; Param is the form
)
