package plan

// customForm tells which methods read and write a type with a form of its own.
type customForm uint8

const (
	formNone customForm = iota
	formText
	formJSON
)

// rootTypes is a set of JSON types.
type rootTypes uint8

// zeroForm tells how omitzero judges a value.
type zeroForm uint8
