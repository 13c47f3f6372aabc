package rules

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Check reports whether v keeps the rule. v is the value itself, pointers already followed, of the type that the rule was
// compiled for. It never panics: a user's rule that does refuses the value. Native operations do not allocate.
func (r *Rule) Check(v reflect.Value) bool {
	switch r.Op {
	case OpTrue:
		return true
	case OpNonZero:
		return !v.IsZero() != r.Not
	case OpNonNull:
		if v.Kind() == reflect.Interface {
			return !v.IsNil()
		}
		return string(v.Bytes()) != "null"
	case OpLength:
		return r.checkLength(v.String()) != r.Not
	case OpCount:
		return within(int64(v.Len()), r.Lo, r.Hi) != r.Not
	case OpInt, OpUint, OpFloat, OpBool, OpOneOfInt, OpOneOfUint:
		return r.checkNumber(v) != r.Not
	case OpUnique, OpUniqueField:
		return isUnique(v, r.Field)
	case OpNow:
		return r.checkNow(v)
	case OpAll:
		for i := range r.All {
			if !r.All[i].Check(v) {
				return false
			}
		}
		return true
	case OpAny:
		for i := range r.Any {
			if r.Any[i].Check(v) {
				return true
			}
		}
		return false
	case OpVar:
		return r.checkVar(v)
	case OpCross:
		return true // judged by CheckCross
	default:
		return r.checkText(v.String()) != r.Not
	}
}

func (r *Rule) checkNumber(v reflect.Value) bool {
	switch r.Op {
	case OpInt:
		return compare(v.Int(), r.Int, r.Cmp)
	case OpUint:
		return compare(v.Uint(), r.Uint, r.Cmp)
	case OpFloat:
		return compare(v.Float(), r.Float, r.Cmp)
	case OpBool:
		return v.Bool() == (r.Int == 1)
	case OpOneOfInt:
		_, found := slices.BinarySearch(r.Ints, v.Int())
		return found
	default:
		_, found := slices.BinarySearch(r.Uints, v.Uint())
		return found
	}
}

func (r *Rule) checkText(s string) bool {
	switch r.Op {
	case OpOneOf:
		_, found := slices.BinarySearch(r.Texts, s)
		return found
	case OpFold:
		for _, text := range r.Texts {
			if strings.EqualFold(text, s) {
				return true
			}
		}
		return false
	case OpContains:
		return strings.Contains(s, r.Texts[0])
	case OpContainsAny:
		return strings.ContainsAny(s, r.Texts[0])
	case OpPrefix:
		return strings.HasPrefix(s, r.Texts[0])
	case OpSuffix:
		return strings.HasSuffix(s, r.Texts[0])
	case OpPattern:
		return r.Pattern.Match(s)
	case OpIP:
		ip, err := netip.ParseAddr(s)
		return err == nil && ip.Zone() == ""
	case OpIPv6:
		ip, err := netip.ParseAddr(s)
		return err == nil && ip.Zone() == "" && !ip.Is4() && !ip.Is4In6()
	default:
		return false
	}
}

func (r *Rule) checkLength(s string) bool {
	// A character is one byte at least and four at most, so most lengths need no counting.
	n := int64(len(s))
	if n < r.Lo || n/utf8.UTFMax > r.Hi {
		return false
	}
	if r.Hi >= n && (n+utf8.UTFMax-1)/utf8.UTFMax >= r.Lo {
		return true
	}
	return within(int64(utf8.RuneCountInString(s)), r.Lo, r.Hi)
}

func within(n, lo, hi int64) bool { return lo <= n && n <= hi }

func compare[T int64 | uint64 | float64](a, b T, by Cmp) bool {
	switch by {
	case Less:
		return a < b
	case LessEqual:
		return a <= b
	case Greater:
		return a > b
	case GreaterEqual:
		return a >= b
	default:
		return a == b
	}
}

func (r *Rule) checkNow(v reflect.Value) bool {
	if v.Type() != timeType {
		v = v.Convert(timeType)
	}
	if !v.CanInterface() {
		return false
	}
	t, _ := v.Interface().(time.Time)
	return compare(int64(t.Compare(time.Now())), 0, r.Cmp)
}

func (r *Rule) checkVar(v reflect.Value) bool {
	if r.sure != nil && v.Kind() == reflect.String && r.sure.Match(v.String()) {
		return true
	}
	return r.engine.ask(v, r.tag)
}

// CheckCross reports whether a rule of Set.Cross holds. parent is the whole struct that declares the field, field the field
// as declared, pointer not followed. It applies Skip; the caller leaves out rules without Absent when the field is absent
// or null. It never panics.
func (r *Rule) CheckCross(parent, field reflect.Value) bool {
	value := field
	for value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	if r.Skip.escapes(value) {
		return true
	}
	return r.engine.askWith(presenceOf(r, field), whole(parent), r.tag)
}

// presenceOf returns what validator is shown of a field. Of a struct, required_if and its kin ask only whether it is there,
// but validator skips the rules of a struct that is no field of another: a bool stands in for it.
func presenceOf(r *Rule, field reflect.Value) reflect.Value {
	switch {
	case r.Absent && isPlainStruct(field):
		return reflect.ValueOf(field.Kind() == reflect.Pointer || !field.IsZero())
	case field.Kind() == reflect.Interface:
		// A nil interface would lose its type; behind a pointer it keeps it.
		p := reflect.New(field.Type())
		p.Elem().Set(field)
		return p
	default:
		return field
	}
}

// whole returns parent as a value that validator may look at: a copy of its exported fields when it was reached through an
// unexported embedded struct.
func whole(parent reflect.Value) reflect.Value {
	if parent.CanInterface() {
		return parent
	}
	t := parent.Type()
	copied := reflect.New(t).Elem()
	for i := range t.NumField() {
		if from := parent.Field(i); from.CanInterface() {
			copied.Field(i).Set(from)
		}
	}
	return copied
}
