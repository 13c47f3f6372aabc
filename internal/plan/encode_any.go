package plan

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// anyValue writes what an interface holds: JSON values only, of whatever named type, without methods of their own.
func (e *encoder) anyValue(v reflect.Value) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		e.null()
		return
	}
	switch x := v.Interface().(type) { // what decoding makes comes first
	case string:
		e.text(x)
	case float64:
		e.float(x, 64)
	case bool:
		e.dst = strconv.AppendBool(e.dst, x)
	case []any:
		e.anyList(v)
	case map[string]any:
		e.anyMap(v)
	case json.RawMessage:
		e.raw(x)
	case json.Number:
		e.anyJSONNumber(string(x))
	default:
		e.anyNamed(v)
	}
}

// anyNamed writes values of other types by their kind, unless they have a form of their own.
func (e *encoder) anyNamed(v reflect.Value) {
	if hasForm(v.Type()) {
		e.anyRefused()
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		e.dst = strconv.AppendBool(e.dst, v.Bool())
	case reflect.String:
		e.text(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.anyNumber(strconv.AppendInt(nil, v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.anyNumber(strconv.AppendUint(nil, v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		e.float(v.Float(), v.Type().Bits())
	case reflect.Slice, reflect.Array:
		e.anyList(v)
	case reflect.Map:
		e.anyMap(v)
	default:
		e.anyRefused()
	}
}

func (e *encoder) anyRefused() {
	e.bad(Issue{Rule: RuleType, Param: "value", Message: "must be null, a bool, a number, a text, a slice or a map"})
}

func (e *encoder) anyJSONNumber(literal string) {
	before, from := e.broken, len(e.dst)
	e.numberText(literal)
	if e.broken == before {
		e.checkPrecision(e.dst[from:])
	}
}

func (e *encoder) anyNumber(literal []byte) {
	e.dst = append(e.dst, literal...)
	e.checkPrecision(literal)
}

// checkPrecision refuses an integer that whoever reads the document into any would see changed.
func (e *encoder) checkPrecision(literal []byte) {
	r := jsonvalue.Reader{Data: literal}
	n, _ := r.Number()
	if f, _ := n.Float64(); n.IsInteger() && !n.HeldBy(f) {
		e.bad(precisionIssue())
	}
}

func (e *encoder) anyList(v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		e.anyRefused() // bytes would be base64 to one reader and numbers to another
		return
	}
	if !e.open('[') {
		return
	}
	e.path.Push()
	for i := range v.Len() {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.path.Index(i)
		e.anyValue(v.Index(i))
		if e.ended() {
			return
		}
	}
	e.path.Pop()
	e.close(']')
}

func (e *encoder) anyMap(v reflect.Value) {
	if v.Type().Key().Kind() != reflect.String || hasForm(v.Type().Key()) {
		e.anyRefused()
		return
	}
	if !e.open('{') {
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	e.path.Push()
	for i, key := range keys {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.path.Name(key.String())
		e.text(key.String())
		e.dst = append(e.dst, ':')
		e.anyValue(v.MapIndex(key))
		if e.ended() {
			return
		}
	}
	e.path.Forget()
	e.close('}')
}
