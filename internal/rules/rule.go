package rules

// A Rule is one item of a tag, compiled for one Go type. It is data: package schema reads the operands that Check does.
type Rule struct {
	Name, Param string
	Class       Class
	Op          Op
	Not         bool // the rule is the opposite of Op: ne, noneof, excludes…

	Lo, Hi int64    // OpLength, OpCount: inclusive; Hi is math.MaxInt64 without an upper bound
	Cmp    Cmp      // OpInt, OpUint, OpFloat
	Int    int64    // OpInt, and OpBool: 1 is true
	Uint   uint64   // OpUint
	Float  float64  // OpFloat
	Texts  []string // OpOneOf (sorted), OpFold, OpContains, OpContainsAny, OpPrefix, OpSuffix
	Ints   []int64  // OpOneOfInt (sorted)
	Uints  []uint64 // OpOneOfUint (sorted)
	Field  []int    // OpUniqueField: the field of the members

	Pattern *Pattern // OpPattern
	All     []Rule   // OpAll: every one must hold
	Any     []Rule   // OpAny: `a|b`

	// What the schema may say of a rule that is not Exact. None of it refuses a value that the rule accepts.
	Wide []Rule

	// Format is the JSON Schema format that admits every value that the rule accepts, "" for none.
	Format string

	// Choices are the texts of oneof in the order of the tag.
	Choices []string

	// Absent says that a rule of Set.Cross is judged also when its field is absent or null: required_if and its kin.
	Absent bool
	// Skip tells which values escape a rule of Set.Cross.
	Skip Skip

	sure    *Pattern // values that match pass without asking validator
	tag     string   // OpVar, OpCross: what validator is asked
	engine  *engine
	message string
}

// Class tells how far the schema agrees with a rule.
type Class uint8

// Classes of rules.
const (
	Exact  Class = iota // keywords accept what the rule accepts
	Wider               // keywords accept more; the rule is named in x-cap-rules
	Opaque              // no keyword says anything useful; the rule is named in x-cap-rules
)

// Op is what a rule compares.
type Op uint8

// Operations.
const (
	OpTrue        Op = iota // always holds: `number` on a number
	OpNonZero               // not the zero value of the kind
	OpNonNull               // any or json.RawMessage that is not null
	OpLength                // characters of a string within Lo..Hi
	OpCount                 // members of a slice, array or map, or bytes, within Lo..Hi
	OpInt                   // integer compared with Int
	OpUint                  // unsigned integer compared with Uint
	OpFloat                 // float compared with Float
	OpBool                  // bool equal to Int == 1
	OpOneOf                 // string among Texts
	OpOneOfInt              // integer among Ints
	OpOneOfUint             // unsigned integer among Uints
	OpFold                  // string equal to one of Texts whatever the case
	OpContains              // string contains Texts[0]
	OpContainsAny           // string contains a character of Texts[0]
	OpPrefix                // string starts with Texts[0]
	OpSuffix                // string ends with Texts[0]
	OpUnique                // no two members are equal
	OpUniqueField           // no two members have an equal Field
	OpPattern               // string matches Pattern
	OpIP                    // textual IP address, either family
	OpIPv6                  // textual IPv6 address that is not IPv4-mapped
	OpNow                   // time compared with now by Cmp
	OpAll                   // every rule of All
	OpAny                   // one rule of Any
	OpVar                   // asked of validator, value alone
	OpCross                 // asked of validator, with the struct around it
)

// Cmp is a comparison.
type Cmp uint8

// Comparisons.
const (
	Equal Cmp = iota
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Message says what the rule asks for, for people and models: "must be at least 3 characters long". It never contains the
// value.
func (r *Rule) Message() string { return r.message }
