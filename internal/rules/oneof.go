package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// compileOneOf compiles oneof and noneof on strings and integers.
func compileOneOf(name, param string, at target) (Rule, error) {
	choices := words(param)
	r := Rule{Not: name == "noneof", Choices: choices}
	if len(choices) == 0 {
		return Rule{}, fmt.Errorf("rule %q has nothing as its parameter", name)
	}
	switch kind := at.kind(); {
	case kind == reflect.String:
		r.Op, r.Texts = OpOneOf, slices.Compact(slices.Sorted(slices.Values(choices)))
	case at.typ == durationType:
		return Rule{}, wrongKind(name, "strings and integers", at)
	case isInt(kind):
		r.Op = OpOneOfInt
		for _, text := range choices {
			n, err := strconv.ParseInt(text, 10, at.typ.Bits())
			if err != nil || strconv.FormatInt(n, 10) != text {
				return Rule{}, notNumber(name, text, "how "+at.typ.String()+" is written in decimal")
			}
			r.Ints = append(r.Ints, n)
		}
		slices.Sort(r.Ints)
	case isUint(kind):
		r.Op = OpOneOfUint
		for _, text := range choices {
			n, err := strconv.ParseUint(text, 10, at.typ.Bits())
			if err != nil || strconv.FormatUint(n, 10) != text {
				return Rule{}, notNumber(name, text, "how "+at.typ.String()+" is written in decimal")
			}
			r.Uints = append(r.Uints, n)
		}
		slices.Sort(r.Uints)
	default:
		return Rule{}, wrongKind(name, "strings and integers", at)
	}
	r.message = "must be one of " + strings.Join(choices, ", ")
	if r.Not {
		r.message = "must not be one of " + strings.Join(choices, ", ")
	}
	return r, nil
}

// words splits the parameter of oneof at blanks; single quotes hold a text together.
func words(param string) []string {
	var list []string
	for i := 0; i < len(param); {
		if isSpace(param[i]) {
			i++
			continue
		}
		if param[i] == '\'' {
			if end := strings.IndexByte(param[i+1:], '\''); end >= 0 {
				list = append(list, param[i+1:i+1+end])
				i += end + 2
				continue
			}
		}
		end := i
		for end < len(param) && !isSpace(param[end]) {
			end++
		}
		list = append(list, strings.ReplaceAll(param[i:end], "'", ""))
		i = end
	}
	return list
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }
