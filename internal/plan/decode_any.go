package plan

import (
	"reflect"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// any reads any JSON value as encoding/json would, but refuses integers that a double would change.
func (d *decoder) any(v reflect.Value) bool {
	value, ok := d.anyValue()
	if ok && value != nil {
		v.Set(reflect.ValueOf(value))
	}
	return ok
}

func (d *decoder) anyValue() (any, bool) {
	switch c := d.Peek(); c {
	case '{':
		return d.anyObject()
	case '[':
		return d.anyArray()
	case '"':
		start := d.Pos + 1
		text, ok, more := d.token()
		if !ok {
			return nil, more
		}
		return d.copied(text, start), true
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return nil, d.word("null")
	default:
		return d.anyNumber()
	}
}

func (d *decoder) anyNumber() (any, bool) {
	n, fault := d.Number()
	if fault == jsonvalue.Syntax {
		return nil, d.fatal(fault)
	}
	var f float64
	if fault == jsonvalue.OK {
		f, fault = n.Float64()
	}
	switch {
	case fault != jsonvalue.OK:
		d.Fault(fault, 0)
	case n.IsInteger() && !n.HeldBy(f):
		d.bad(precisionIssue())
	}
	return f, true
}

func precisionIssue() Issue {
	return Issue{Rule: RulePrecision, Message: "is an integer that a double cannot hold exactly: write it as a string"}
}

func (d *decoder) anyArray() (any, bool) {
	if fault := d.Open(); fault != jsonvalue.OK {
		return nil, d.fatal(fault)
	}
	list := []any{}
	if !d.First(']') {
		return list, true
	}
	d.Path.Push()
	for more := true; more; {
		d.Path.Index(len(list))
		value, ok := d.anyValue()
		if !ok {
			return nil, false
		}
		list = append(list, value)
		var fault jsonvalue.Fault
		if more, fault = d.Next(']'); fault != jsonvalue.OK {
			return nil, d.fatal(fault)
		}
	}
	d.Path.Pop()
	return list, true
}

// anyMapSize is about what an empty map costs.
const anyMapSize = 64

func (d *decoder) anyObject() (any, bool) {
	if fault := d.Open(); fault != jsonvalue.OK {
		return nil, d.fatal(fault)
	}
	object := map[string]any{}
	if !d.spend(anyMapSize) {
		return nil, false
	}
	if !d.First('}') {
		return object, true
	}
	d.Path.Push()
	for more := true; more; {
		name, ok := d.anyName(object)
		if !ok {
			return nil, false
		}
		value, ok := d.anyValue()
		if !ok {
			return nil, false
		}
		object[name] = value
		var fault jsonvalue.Fault
		if more, fault = d.Next('}'); fault != jsonvalue.OK {
			return nil, d.fatal(fault)
		}
	}
	d.Path.Pop()
	return object, true
}

func (d *decoder) anyName(object map[string]any) (string, bool) {
	text, start, fault := d.Name()
	if fault == jsonvalue.Syntax {
		return "", d.fatal(fault)
	}
	d.Path.Literal(start)
	if fault != jsonvalue.OK {
		d.Fault(fault, 0)
		return "\ufffd", true
	}
	if _, twice := object[string(text)]; twice {
		d.Fault(jsonvalue.Duplicate, start)
	}
	return string(text), true
}
