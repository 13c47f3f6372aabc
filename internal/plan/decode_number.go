package plan

import (
	"math/big"
	"reflect"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

func startsNumber(c byte) bool { return c-'0' <= 9 || c == '-' }

func (d *decoder) number(p *Plan, v reflect.Value) bool {
	if c := d.Peek(); !startsNumber(c) {
		return d.mismatch(p, false)
	}
	n, fault := d.Number()
	switch fault {
	case jsonvalue.OK:
		d.setNumber(p, v, &n)
		return true
	case jsonvalue.Syntax:
		return d.fatal(fault)
	default:
		d.Fault(fault, 0)
		return true
	}
}

// setNumber stores n in v, or reports why it does not fit.
func (d *decoder) setNumber(p *Plan, v reflect.Value, n *jsonvalue.Number) {
	var fault jsonvalue.Fault
	switch p.Kind {
	case Int:
		var i int64
		if i, fault = n.Int64(p.Bits); fault == jsonvalue.OK {
			v.SetInt(i)
		}
	case Uint:
		var u uint64
		if u, fault = n.Uint64(p.Bits); fault == jsonvalue.OK {
			v.SetUint(u)
		}
	case Float:
		fault = setFloat(p, v, n)
	case Number:
		if fault = n.Check(); fault == jsonvalue.OK {
			v.SetString(string(n.Literal))
		}
	default:
		fault = setBigInt(v, n)
	}
	switch fault {
	case jsonvalue.OK:
	case jsonvalue.Range:
		d.bad(rangeIssue(p))
	default:
		d.Fault(fault, 0)
	}
}

func setFloat(p *Plan, v reflect.Value, n *jsonvalue.Number) jsonvalue.Fault {
	if p.Bits == 32 {
		f, fault := n.Float32()
		if fault == jsonvalue.OK {
			v.SetFloat(float64(f))
		}
		return fault
	}
	f, fault := n.Float64()
	if fault == jsonvalue.OK {
		v.SetFloat(f)
	}
	return fault
}

// setBigInt takes integers as large as a double reaches, so that they pass through every other part of the model.
func setBigInt(v reflect.Value, n *jsonvalue.Number) jsonvalue.Fault {
	if fault := n.Check(); fault != jsonvalue.OK {
		return fault
	}
	digits, exponent := n.Decimal()
	if exponent < 0 {
		return jsonvalue.Fraction
	}
	for range exponent {
		digits = append(digits, '0')
	}
	if len(digits) == 0 {
		digits = []byte{'0'}
	}
	i, ok := v.Addr().Interface().(*big.Int)
	if !ok {
		return jsonvalue.Fraction
	}
	i.SetString(string(digits), 10)
	if n.Negative {
		i.Neg(i)
	}
	return jsonvalue.OK
}

// quoted reads a number or bool that is written as a string.
func (d *decoder) quoted(f *Field, v reflect.Value) bool {
	p := f.Plan.base()
	if c := d.Peek(); c != '"' {
		if c != 'n' || !f.Nullable {
			return d.mismatch(p, true)
		}
		return d.value(f.Plan, v, f.Rules, true) // null
	}
	text, ok, more := d.token()
	if !ok {
		return more
	}
	switch f.Plan.Kind {
	case Pointer:
		elem := reflect.New(p.Type)
		v.Set(elem)
		v = elem.Elem()
	case Maybe:
		if v = f.Plan.hooks.SetMaybe(v, false); !v.IsValid() || !v.CanSet() {
			return d.mismatch(p, true)
		}
	default: // the value itself
	}
	broken := d.broken
	d.setQuoted(p, v, text)
	if d.broken == broken {
		judge(d, f.Rules, v)
	}
	return true
}

func (d *decoder) setQuoted(p *Plan, v reflect.Value, text []byte) {
	if p.Kind == Bool {
		switch string(text) {
		case "true":
			v.SetBool(true)
		case "false":
		default:
			d.bad(typeIssue(p, true, false))
		}
		return
	}
	inner := jsonvalue.Reader{Data: text}
	n, fault := inner.Number()
	switch {
	case fault == jsonvalue.Syntax, inner.Pos != len(text), p.Kind != Float && !n.Plain:
		d.bad(typeIssue(p, true, false))
	case fault != jsonvalue.OK:
		d.Fault(fault, 0)
	default:
		d.setNumber(p, v, &n)
	}
}
