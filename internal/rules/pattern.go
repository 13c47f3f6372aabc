package rules

// A Pattern is a regular expression of the common subset of RE2 and ECMA-262 with the u flag, compiled to a table.
type Pattern struct {
	Source string
}
