// Package jsonvalue reads and writes JSON strictly: the primitives on which plans stand.
//
// A document is RFC 8259 in UTF-8. Beyond that, a [Reader] finds what two readers could understand differently: names that
// appear twice, invalid UTF-8, halves of surrogate pairs, negative zero, numbers that a double cannot hold. Every step is
// linear in the bytes that it reads.
package jsonvalue

import (
	"fmt"
	"strconv"
)

// Fault is what is wrong with a piece of JSON.
type Fault uint8

// Faults. After Syntax and Depth nothing more can be read; the others concern one value and reading goes on.
const (
	OK           Fault = iota
	Syntax             // not RFC 8259
	Depth              // nested deeper than the limit
	UTF8               // invalid UTF-8 in a string
	Surrogate          // half of a surrogate pair
	NegativeZero       // -0, however it is spelled
	Overflow           // too large for a double
	Underflow          // not zero, but too small for a double
	Digits             // a number of more than MaxNumber bytes
	Duplicate          // a name appears twice in one object
	Fraction           // no integer, where one is asked for
	Range              // an integer that does not fit
)

// MaxNumber bounds the length of a number, in bytes. The exact value of the smallest double takes 1,077.
const MaxNumber = 1100

// DefaultDepth is how deep a document may be nested where nothing else is said.
const DefaultDepth = 64

var faultTexts = [...]string{
	OK:           "nothing is wrong",
	Syntax:       "not JSON",
	Depth:        "nested too deep",
	UTF8:         "invalid UTF-8",
	Surrogate:    "half of a surrogate pair",
	NegativeZero: "negative zero",
	Overflow:     "number too large",
	Underflow:    "number too small",
	Digits:       "number too long",
	Duplicate:    "repeated name",
	Fraction:     "not an integer",
	Range:        "integer out of range",
}

// String says it in a few words.
func (f Fault) String() string {
	if int(f) < len(faultTexts) {
		return faultTexts[f]
	}
	return "fault " + strconv.Itoa(int(f))
}

// An Error is the first fault of a document.
type Error struct {
	Fault   Fault
	Offset  int    // in bytes
	Pointer string // JSON Pointer
	Reason  string // what was expected, for Syntax
}

// Error never gives the value.
func (e *Error) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("%s at byte %d: %s", e.Fault, e.Offset, e.Reason)
	}
	return fmt.Sprintf("%s at byte %d", e.Fault, e.Offset)
}
