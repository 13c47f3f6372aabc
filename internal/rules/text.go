package rules

import (
	"fmt"
	"math"
	"reflect"
	"slices"
)

// compileNumberText compiles the tags that hold of every number (or bool) and want text to look like one.
func (c *compiler) compileNumberText(name string, at target) (Rule, error) {
	kind := at.kind()
	number := isInt(kind) || isUint(kind) || isFloat(kind)
	switch {
	case name == "boolean" && kind == reflect.Bool:
		return Rule{Op: OpTrue, message: "must be true or false"}, nil
	case name != "boolean" && number:
		return Rule{Op: OpTrue, message: "must be a number"}, nil
	case kind != reflect.String:
		return Rule{}, wrongKind(name, "strings", at)
	case name == "boolean":
		choices := []string{"true", "false", "1", "0", "t", "f", "T", "F", "TRUE", "FALSE", "True", "False"}
		return Rule{Op: OpOneOf, Choices: choices, Texts: slices.Sorted(slices.Values(choices)), message: "must be true or false"}, nil
	case name == "number":
		return c.pattern("^[0-9]+$", "must contain only digits")
	default:
		return c.pattern(`^[-+]?[0-9]+(\.[0-9]+)?$`, "must be a number")
	}
}

// compileNumberCode compiles the tags that know numbers as well as their text.
func (c *compiler) compileNumberCode(name string, at target) (Rule, error) {
	kind := at.kind()
	integer := isInt(kind) && at.typ != durationType || isUint(kind)
	switch {
	case name == "latitude" && (integer || isFloat(kind)):
		return between(at, 90, "must be a latitude, -90 to 90"), nil
	case name == "longitude" && (integer || isFloat(kind)):
		return between(at, 180, "must be a longitude, -180 to 180"), nil
	case name == "port" && integer:
		return Rule{Op: OpAll, All: []Rule{bound(at, GreaterEqual, 1), bound(at, LessEqual, 65535)}, message: "must be a port, 1 to 65535"}, nil
	case name == "port":
		return Rule{}, wrongKind(name, "integers", at)
	case name == "luhn_checksum" && integer:
		return c.asking(name, Opaque, "must end in its Luhn check digit"), nil
	case integer:
		return c.compileNumericCodes(name, at)
	case kind != reflect.String || name == "iso4217_numeric":
		return Rule{}, wrongKind(name, "strings and numbers", at)
	case name == "latitude":
		return c.pattern(`^[-+]?([1-8]?[0-9](\.[0-9]+)?|90(\.0+)?)$`, "must be a latitude, -90 to 90")
	case name == "longitude":
		return c.pattern(`^[-+]?(180(\.0+)?|((1[0-7][0-9])|([1-9]?[0-9]))(\.[0-9]+)?)$`, "must be a longitude, -180 to 180")
	case name == "luhn_checksum":
		return c.askingWide(name, "^[0-9+-]{2,}$", "must end in its Luhn check digit")
	default:
		return c.askingWide(name, "^[-+]?[0-9]+$", "must be a numeric country code such as 276 (ISO 3166-1)")
	}
}

// between bounds a number on both sides.
func between(at target, limit int64, message string) Rule {
	r := Rule{Op: OpAll, All: []Rule{bound(at, LessEqual, limit)}, message: message}
	if !isUint(at.kind()) {
		r.All = append([]Rule{bound(at, GreaterEqual, -limit)}, r.All...)
	}
	if at.kind() == reflect.Float32 {
		r.Class = Wider
		for i := range r.All {
			r.Wide = append(r.Wide, aroundFloat32(&r.All[i])...)
		}
	}
	return r
}

func bound(at target, cmp Cmp, n int64) Rule {
	switch {
	case isInt(at.kind()):
		return Rule{Op: OpInt, Cmp: cmp, Int: n}
	case isUint(at.kind()):
		return Rule{Op: OpUint, Cmp: cmp, Uint: uint64(n)}
	default:
		return Rule{Op: OpFloat, Cmp: cmp, Float: float64(n)}
	}
}

// compileNumericCodes lists the numbers that validator knows. It takes country codes modulo 1000; only the codes
// themselves are accepted here, because a schema lists them.
func (c *compiler) compileNumericCodes(name string, at target) (Rule, error) {
	r := Rule{Op: OpOneOfInt, message: "must be a numeric currency code such as 978 (ISO 4217)"}
	if name != "iso4217_numeric" {
		r.message = "must be a numeric country code such as 276 (ISO 3166-1)"
	}
	for n := range 1000 {
		if c.engine.ask(reflect.ValueOf(n), name) {
			r.Ints = append(r.Ints, int64(n))
		}
	}
	if at.typ.Bits() < 16 {
		return Rule{}, wrongKind(name, "integers of 16 bits or more", at)
	}
	if isUint(at.kind()) {
		r.Op = OpOneOfUint
		for _, n := range r.Ints {
			r.Uints = append(r.Uints, uint64(n))
		}
		r.Ints = nil
	}
	return r, nil
}

// compileText compiles the remaining tags about strings.
func (c *compiler) compileText(name, param string) (Rule, error) {
	switch name {
	case "datetime":
		return c.compileDatetime(param)
	case "spicedb":
		return c.compileSpiceDB(param)
	case "ip", "ip_addr":
		return Rule{Op: OpIP, message: "must be an IP address"}, nil
	case "ipv6", "ip6_addr":
		return Rule{Op: OpIPv6, Class: Wider, Format: "ipv6", message: "must be an IPv6 address such as 2001:db8::1"}, nil
	case "email":
		return c.both(mailPattern, 254, "email", "must be an e-mail address", func(r *Rule) error {
			local, err := c.pattern(mailLocal, "")
			r.All = append(r.All, local)
			return err
		})
	default: // fqdn
		return c.both(fqdnPattern, 0, "", "must be a fully qualified domain name", func(r *Rule) error {
			// 253 characters, and one for a final dot.
			dotted, err := c.pattern(`\.$`, "")
			r.All = append(r.All, Rule{Op: OpAny, Any: []Rule{
				{Op: OpLength, Hi: 253},
				{Op: OpAll, All: []Rule{{Op: OpLength, Hi: 254}, dotted}},
			}})
			return err
		})
	}
}

// both returns a rule of a pattern, a bound of the length and what more adds.
func (c *compiler) both(source string, longest int64, format, message string, more func(*Rule) error) (Rule, error) {
	p, err := c.pattern(source, "")
	r := Rule{Op: OpAll, All: []Rule{p}, Format: format, message: message}
	if err != nil {
		return r, err
	}
	if longest > 0 {
		r.All = append(r.All, Rule{Op: OpLength, Hi: longest})
	}
	if more != nil {
		err = more(&r)
	}
	return r, err
}

func (c *compiler) compileDatetime(layout string) (Rule, error) {
	if layout == "2006-01-02" {
		r, err := c.askingWide("datetime="+layout, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "must be a date such as 2026-01-31")
		// The format says the rest: which days a month has.
		r.Class, r.Format = Exact, "date"
		return r, err
	}
	return c.asking("datetime="+escapeParam(layout), Opaque, "must be a time written as "+layout), nil
}

func (c *compiler) compileSpiceDB(param string) (Rule, error) {
	switch param {
	case "permission":
		return c.pattern("^([a-z][a-z0-9_]{1,62}[a-z0-9])?$", "must be a SpiceDB permission")
	case "type":
		return c.pattern("^([a-z][a-z0-9_]{1,61}[a-z0-9]/)?[a-z][a-z0-9_]{1,62}[a-z0-9]$", "must be a SpiceDB type")
	case "id", "":
		return c.pattern(`^(([a-zA-Z0-9/_|\-=+]{1,})|\*)$`, "must be a SpiceDB id")
	default:
		return Rule{}, notNumber("spicedb", param, "one of permission, type, id")
	}
}

// lists returns the codes that validator accepts for one of the tags of how listed. They are found by asking, so that the
// list cannot drift from the library's.
func (c *compiler) lists(name string) []string {
	length := 3
	if name == "iso3166_1_alpha2" || name == "iso3166_1_alpha2_eu" {
		length = 2
	}
	var codes []string
	code := make([]byte, length)
	total := int(math.Pow(26, float64(length)))
	for n := range total {
		for i, rest := length-1, n; i >= 0; i, rest = i-1, rest/26 {
			code[i] = 'A' + byte(rest%26)
		}
		if text := string(code); c.engine.ask(reflect.ValueOf(text), name) {
			codes = append(codes, text)
		}
	}
	return codes
}

func (c *compiler) listed(name string, e entry) (Rule, error) {
	codes := c.dictionary.codes(name, c.lists)
	if len(codes) == 0 {
		return Rule{}, fmt.Errorf("rule %q knows no code", name)
	}
	return Rule{Op: OpOneOf, Texts: codes, Choices: codes, message: e.says}, nil
}

// pattern returns a rule of one pattern.
func (c *compiler) pattern(source, message string) (Rule, error) {
	p, err := c.dictionary.pattern(source)
	return Rule{Op: OpPattern, Pattern: p, message: message}, err
}

// asking returns a rule that validator judges.
func (c *compiler) asking(tag string, class Class, message string) Rule {
	return Rule{Op: OpVar, Class: class, tag: tag, engine: c.engine, message: message}
}

// askingWide returns a rule that validator judges, and of which source admits everything.
func (c *compiler) askingWide(tag, source, message string) (Rule, error) {
	wide, err := c.pattern(source, "")
	r := c.asking(tag, Wider, message)
	r.Wide = []Rule{wide}
	return r, err
}
