package contracts

import (
	"encoding/json"
	"math/big"
	"strings"
)

// bound is one end of what is admitted.
type bound struct {
	key   string
	value *big.Rat // nil for none
	open  bool     // the value itself is left out
	text  string   // "" for none
}

// ends are the pairs of keywords that bound a value.
var ends = []struct {
	closed, open string
	low          bool
}{
	{"minimum", "exclusiveMinimum", true},
	{"maximum", "exclusiveMaximum", false},
	{"minLength", "", true},
	{"maxLength", "", false},
	{"minItems", "", true},
	{"maxItems", "", false},
	{"minProperties", "", true},
	{"maxProperties", "", false},
}

func (w *walker) bounds(at string, was, is schema) {
	for _, end := range ends {
		before, okBefore := boundOf(was, end.closed, end.open, end.low)
		after, okAfter := boundOf(is, end.closed, end.open, end.low)
		what := boundText(before, after)
		if !okBefore || !okAfter {
			if before.key != after.key || before.text != after.text {
				w.report(at, other, what)
			}
			continue
		}
		switch tighter := compareBounds(before, after, end.low); {
		case tighter > 0:
			w.report(at, wider, what)
		case tighter < 0:
			w.report(at, narrower, what)
		}
	}
}

func boundText(before, after bound) string {
	switch {
	case before.text == "":
		return after.key + " " + after.text + " is new"
	case after.text == "":
		return before.key + " " + before.text + " is gone"
	case before.key == after.key:
		return before.key + " " + before.text + " became " + after.text
	default:
		return before.key + " " + before.text + " became " + after.key + " " + after.text
	}
}

// boundOf reads the stronger of the two keywords of one end. ok is false for what is no sensible number.
func boundOf(s schema, closed, open string, low bool) (bound, bool) {
	b, ok := readBound(s, closed)
	if open == "" || !ok {
		return b, ok
	}
	exclusive, ok := readBound(s, open)
	exclusive.open = true
	if !ok || compareBounds(exclusive, b, low) > 0 {
		return exclusive, ok
	}
	return b, true
}

func readBound(s schema, key string) (bound, bool) {
	v, has := s[key]
	if !has {
		return bound{key: key}, true
	}
	b := bound{key: key, text: canonical(v)}
	number, isNumber := v.(json.Number)
	// An exponent can make a short text an enormous number.
	text := number.String()
	if !isNumber || len(text) > 400 || len(text[strings.IndexAny(text+"e", "eE"):]) > 4 {
		return b, false
	}
	value, ok := new(big.Rat).SetString(text)
	b.value = value
	return b, ok
}

// compareBounds is above 0 where a is stronger than b.
func compareBounds(a, b bound, low bool) int {
	switch {
	case a.value == nil && b.value == nil:
		return 0
	case a.value == nil:
		return -1
	case b.value == nil:
		return 1
	}
	order := a.value.Cmp(b.value)
	if !low {
		order = -order
	}
	switch {
	case order != 0 || a.open == b.open:
		return order
	case a.open:
		return 1
	default:
		return -1
	}
}
