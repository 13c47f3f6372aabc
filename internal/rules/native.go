package rules

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

// nativeEntries are the tags whose meaning depends on the Go kind.
func nativeEntries() map[string]entry {
	return map[string]entry{
		"required":  {how: structural},
		"omitempty": {how: structural}, "omitnil": {how: structural}, "omitzero": {how: structural},
		"dive": {how: structural}, "keys": {how: structural}, "endkeys": {how: structural},
		"structonly": {how: structural}, "nostructlevel": {how: structural},

		"isdefault": {how: native},
		"len":       {how: native, param: needParam}, "min": {how: native, param: mayParam}, "max": {how: native, param: mayParam},
		"eq": {how: native, param: needParam}, "ne": {how: native, param: needParam},
		"lt": {how: native, param: mayParam}, "lte": {how: native, param: mayParam},
		"gt": {how: native, param: mayParam}, "gte": {how: native, param: mayParam},
		"eq_ignore_case": {how: native, param: needParam}, "ne_ignore_case": {how: native, param: needParam},
		"oneof": {how: native, param: needParam}, "oneofci": {how: native, param: needParam},
		"noneof": {how: native, param: needParam}, "noneofci": {how: native, param: needParam},
		"unique":  {how: native, param: mayParam},
		"numeric": {how: native}, "number": {how: native}, "boolean": {how: native},
		"contains": {how: native, param: needParam}, "containsany": {how: native, param: needParam}, "containsrune": {how: native, param: needParam},
		"excludes": {how: native, param: needParam}, "excludesall": {how: native, param: needParam}, "excludesrune": {how: native, param: needParam},
		"startswith": {how: native, param: needParam}, "endswith": {how: native, param: needParam},
		"startsnotwith": {how: native, param: needParam}, "endsnotwith": {how: native, param: needParam},
		"latitude": {how: native}, "longitude": {how: native}, "port": {how: native},
		"luhn_checksum": {how: native}, "iso4217_numeric": {how: native},
		"iso3166_1_alpha_numeric": {how: native}, "iso3166_1_alpha_numeric_eu": {how: native},
		"datetime": {how: native, param: needParam}, "spicedb": {how: native, param: mayParam},
		"ip": {how: native}, "ip_addr": {how: native}, "ipv6": {how: native}, "ip6_addr": {how: native},
		"email": {how: native}, "fqdn": {how: native},
	}
}

// compileNative compiles one of nativeEntries.
func (c *compiler) compileNative(name, param string, at target) (Rule, error) {
	switch name {
	case "isdefault":
		return compileIsDefault(at)
	case "len", "min", "max", "eq", "ne", "lt", "lte", "gt", "gte":
		return compileComparison(name, param, at)
	case "unique":
		return compileUnique(param, at)
	case "oneof", "noneof":
		return compileOneOf(name, param, at)
	case "numeric", "number", "boolean":
		return c.compileNumberText(name, at)
	case "latitude", "longitude", "port", "luhn_checksum", "iso4217_numeric", "iso3166_1_alpha_numeric", "iso3166_1_alpha_numeric_eu":
		return c.compileNumberCode(name, at)
	}
	if at.kind() != reflect.String {
		return Rule{}, wrongKind(name, "strings", at)
	}
	switch name {
	case "datetime", "spicedb", "ip", "ip_addr", "ipv6", "ip6_addr", "email", "fqdn":
		return c.compileText(name, param)
	default:
		return compileTextOperand(name, param)
	}
}

func wrongKind(name, judges string, at target) error {
	return fmt.Errorf("rule %q judges %s, not %s", name, judges, at.typ)
}

func compileIsDefault(at target) (Rule, error) {
	switch {
	case at.pointer || at.kind() == reflect.Slice || at.kind() == reflect.Map:
		return Rule{}, fmt.Errorf("rule \"isdefault\" leaves %s nothing that it could hold", at.typ)
	case at.kind() == reflect.String:
		return Rule{Op: OpLength, message: "must be empty"}, nil
	case isInt(at.kind()):
		return Rule{Op: OpInt, message: "must be 0"}, nil
	case isUint(at.kind()):
		return Rule{Op: OpUint, message: "must be 0"}, nil
	case isFloat(at.kind()):
		return Rule{Op: OpFloat, message: "must be 0"}, nil
	case at.kind() == reflect.Bool:
		return Rule{Op: OpBool, message: "must be false"}, nil
	default:
		return Rule{Op: OpNonZero, Not: true, Class: Opaque, message: "must be the zero value"}, nil
	}
}

// compileComparison compiles the tags that compare a length, a number or a time.
func compileComparison(name, param string, at target) (Rule, error) {
	kind := at.kind()
	if at.typ != timeType && param == "" && kind != reflect.String {
		return Rule{}, fmt.Errorf("rule %q has no parameter", name)
	}
	equality := name == "eq" || name == "ne"
	switch {
	case kind == reflect.String && equality:
		return compileTextOperand(name, param)
	case kind == reflect.String:
		return compileLength(name, param, OpLength, at)
	case isCollection(kind) && at.wire == WireText:
		return Rule{}, fmt.Errorf("rule %q would count members that %s does not show in JSON", name, at.typ)
	case isCollection(kind):
		return compileLength(name, param, OpCount, at)
	case isInt(kind):
		return compileInt(name, param, at)
	case isUint(kind):
		return compileUint(name, param)
	case isFloat(kind):
		return compileFloat(name, param, kind)
	case kind == reflect.Bool && equality:
		return compileBool(name, param)
	case kind == reflect.Struct && at.typ.ConvertibleTo(timeType):
		return compileNow(name, param, at)
	default:
		return Rule{}, wrongKind(name, "strings, numbers and collections", at)
	}
}

func compileUint(name, param string) (Rule, error) {
	n, err := strconv.ParseUint(param, 0, 64)
	if err != nil {
		return Rule{}, notNumber(name, param, "an unsigned integer")
	}
	return compared(name, Rule{Op: OpUint, Uint: n}, strconv.FormatUint(n, 10)), nil
}

func compileBool(name, param string) (Rule, error) {
	b, err := strconv.ParseBool(param)
	if err != nil {
		return Rule{}, notNumber(name, param, "true or false")
	}
	r := Rule{Op: OpBool, Not: name == "ne", message: "must be " + strconv.FormatBool(b == (name == "eq"))}
	if b {
		r.Int = 1
	}
	return r, nil
}

func notNumber(name, param, want string) error {
	return fmt.Errorf("rule %q has the parameter %q, which is not %s", name, param, want)
}

// compared completes a comparison of numbers.
func compared(name string, r Rule, shown string) Rule {
	switch name {
	case "len", "eq":
		r.Cmp, r.message = Equal, "must be "+shown
	case "ne":
		r.Cmp, r.Not, r.message = Equal, true, "must not be "+shown
	case "min", "gte":
		r.Cmp, r.message = GreaterEqual, "must be at least "+shown
	case "max", "lte":
		r.Cmp, r.message = LessEqual, "must be at most "+shown
	case "gt":
		r.Cmp, r.message = Greater, "must be greater than "+shown
	case "lt":
		r.Cmp, r.message = Less, "must be less than "+shown
	}
	return r
}

func compileInt(name, param string, at target) (Rule, error) {
	if at.typ == durationType {
		if d, err := time.ParseDuration(param); err == nil {
			return compared(name, Rule{Op: OpInt, Int: int64(d)}, param), nil
		}
	}
	n, err := strconv.ParseInt(param, 0, 64)
	if err != nil {
		want := "an integer"
		if at.typ == durationType {
			want = "a duration"
		}
		return Rule{}, notNumber(name, param, want)
	}
	shown := strconv.FormatInt(n, 10)
	if at.typ == durationType {
		shown = time.Duration(n).String()
	}
	return compared(name, Rule{Op: OpInt, Int: n}, shown), nil
}

func compileFloat(name, param string, kind reflect.Kind) (Rule, error) {
	bits := 64
	if kind == reflect.Float32 {
		bits = 32
	}
	f, err := strconv.ParseFloat(param, bits)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return Rule{}, notNumber(name, param, "a number")
	}
	r := compared(name, Rule{Op: OpFloat, Float: f}, strconv.FormatFloat(f, 'g', -1, bits))
	if kind == reflect.Float32 {
		r.Class, r.Wide = Wider, aroundFloat32(&r)
	}
	return r, nil
}

// aroundFloat32 widens a comparison by the numbers that round to the operand, which the schema sees before they do.
func aroundFloat32(r *Rule) []Rule {
	below := Rule{Op: OpFloat, Cmp: GreaterEqual, Float: float64(math.Nextafter32(float32(r.Float), float32(math.Inf(-1))))}
	above := Rule{Op: OpFloat, Cmp: LessEqual, Float: float64(math.Nextafter32(float32(r.Float), float32(math.Inf(1))))}
	if math.IsInf(below.Float, 0) || math.IsInf(above.Float, 0) {
		return nil
	}
	switch {
	case r.Not:
		return nil
	case r.Cmp == Equal:
		return []Rule{below, above}
	case r.Cmp == Greater || r.Cmp == GreaterEqual:
		return []Rule{below}
	default:
		return []Rule{above}
	}
}

func compileNow(name, param string, at target) (Rule, error) {
	r := compared(name, Rule{Op: OpNow, Class: Opaque}, "")
	switch {
	case r.Cmp == Equal:
		return Rule{}, wrongKind(name, "strings, numbers and collections", at)
	case param != "":
		return Rule{}, fmt.Errorf("rule %q compares a time with now and would ignore the parameter %q", name, param)
	case r.Cmp == Greater || r.Cmp == GreaterEqual:
		r.message = "must be in the future"
	default:
		r.message = "must be in the past"
	}
	return r, nil
}

// compileLength compiles a comparison of a count of characters or members.
func compileLength(name, param string, op Op, at target) (Rule, error) {
	n, err := strconv.ParseInt(param, 0, 64)
	if err != nil {
		return Rule{}, notNumber(name, param, "an integer")
	}
	r := Rule{Op: op, Hi: math.MaxInt64}
	switch name {
	case "len", "eq":
		r.Lo, r.Hi = n, n
	case "ne":
		r.Lo, r.Hi, r.Not = n, n, true
	case "min", "gte":
		r.Lo = n
	case "max", "lte":
		r.Hi = n
	case "gt":
		r.Lo = saturated(n, 1)
	case "lt":
		r.Hi = saturated(n, -1)
	}
	r.Lo = max(r.Lo, 0)
	if r.Hi < 0 {
		if !r.Not {
			return Rule{}, fmt.Errorf("rule %q has the parameter %q, which no length can keep", name, param)
		}
		r = Rule{Op: OpTrue}
	}
	r.message = lengthMessage(&r, at)
	return r, nil
}

func saturated(n, by int64) int64 {
	if (by > 0 && n == math.MaxInt64) || (by < 0 && n == math.MinInt64) {
		return n
	}
	return n + by
}

func lengthMessage(r *Rule, at target) string {
	verb, one, many := "be", "character long", "characters long"
	switch {
	case at.wire == WireBytes:
		one, many = "byte long", "bytes long"
	case r.Op == OpCount:
		verb, one, many = "have", "member", "members"
	}
	count := func(n int64) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.FormatInt(n, 10) + " " + many
	}
	switch {
	case r.Not:
		return "must not " + verb + " " + count(r.Lo)
	case r.Lo == r.Hi:
		return "must " + verb + " " + count(r.Lo)
	case r.Hi == math.MaxInt64:
		return "must " + verb + " at least " + count(r.Lo)
	default:
		return "must " + verb + " at most " + count(r.Hi)
	}
}

// compileTextOperand compiles the tags that look for their parameter in a string.
func compileTextOperand(name, param string) (Rule, error) {
	if !utf8.ValidString(param) {
		return Rule{}, fmt.Errorf("rule %q has a parameter that is not UTF-8", name)
	}
	op, not, verb := textOperation(name)
	r := Rule{Op: op, Not: not, Texts: []string{param}}
	switch name {
	case "oneofci", "noneofci":
		r.Texts = words(param)
	case "containsrune", "excludesrune":
		first, size := utf8.DecodeRuneInString(param)
		if first == utf8.RuneError {
			return Rule{}, fmt.Errorf("rule %q has no character as its parameter", name)
		}
		r.Texts = []string{param[:size]}
	}
	if len(r.Texts) == 0 || r.Texts[0] == "" && op != OpOneOf {
		return Rule{}, fmt.Errorf("rule %q has nothing as its parameter", name)
	}
	shown := strings.Join(r.Texts, ", ")
	if shown == "" {
		shown = "empty"
	}
	r.message = "must " + verb + " " + shown
	if not {
		r.message = "must not " + verb + " " + shown
	}
	return r, nil
}

// textOperation returns what a tag of compileTextOperand does, and how a message says it.
func textOperation(name string) (op Op, not bool, verb string) {
	switch name {
	case "eq", "ne":
		return OpOneOf, name == "ne", "be"
	case "eq_ignore_case", "ne_ignore_case":
		return OpFold, name == "ne_ignore_case", "be, in any case,"
	case "oneofci", "noneofci":
		return OpFold, name == "noneofci", "be, in any case, one of"
	case "contains", "excludes", "containsrune", "excludesrune":
		return OpContains, strings.HasPrefix(name, "exclude"), "contain"
	case "containsany", "excludesall":
		return OpContainsAny, name == "excludesall", "contain any of"
	case "startswith", "startsnotwith":
		return OpPrefix, name == "startsnotwith", "start with"
	default:
		return OpSuffix, name == "endsnotwith", "end with"
	}
}

func isInt(k reflect.Kind) bool   { return reflect.Int <= k && k <= reflect.Int64 }
func isUint(k reflect.Kind) bool  { return reflect.Uint <= k && k <= reflect.Uint64 }
func isFloat(k reflect.Kind) bool { return k == reflect.Float32 || k == reflect.Float64 }

func isCollection(k reflect.Kind) bool {
	return k == reflect.Slice || k == reflect.Map || k == reflect.Array
}
