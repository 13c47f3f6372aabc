package plan

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"sync"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// Encode appends the JSON of v to dst, after checking it against the JSON model and the rules of its fields. With issues
// the bytes that were appended mean nothing.
func (p *Plan) Encode(dst []byte, v reflect.Value, l Limits) ([]byte, *Issues) {
	return p.encode(dst, v, l, asOutput)
}

// EncodeInput appends v as a caller's document: as [Plan.Encode], but the rules are left to whoever decodes it, and a field
// with a default that holds its zero value is left out.
func (p *Plan) EncodeInput(dst []byte, v reflect.Value, l Limits) ([]byte, *Issues) {
	return p.encode(dst, v, l, asInput)
}

// purpose tells what a value is written for.
type purpose uint8

const (
	asOutput purpose = iota
	asInput
)

func (p *Plan) encode(dst []byte, v reflect.Value, l Limits, purpose purpose) ([]byte, *Issues) {
	if !v.IsValid() || v.Type() != p.Type {
		return dst, p.strange()
	}
	l = l.orDefault()
	if dst == nil {
		dst = make([]byte, 0, p.room)
	}
	e, _ := encoders.Get().(*encoder)
	e.dst, e.start, e.purpose, e.depthLeft, e.maxBytes = dst, len(dst), purpose, l.Depth, l.Bytes
	e.collector = collector{limit: l.Issues, room: maxIssueBytes}
	e.value(p, v, nil)
	if len(e.dst)-e.start > l.Bytes {
		e.tooLarge()
	}
	dst, issues := e.dst, e.issues
	*e = encoder{path: e.path[:0]}
	encoders.Put(e)
	return dst, issues
}

// encoders keeps the paths of finished encoders.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encoder writes one document.
type encoder struct {
	collector
	dst       []byte
	start     int
	purpose   purpose
	path      jsonvalue.Path
	depthLeft int
	maxBytes  int
	stopped   bool // too large or too deep: nothing more is written
}

// Fault takes a fault. One inside a raw value is reported at the place of the value: the names in it are not our fields.
func (e *encoder) Fault(f jsonvalue.Fault, _ int) { e.bad(faultIssue(f)) }

func (e *encoder) bad(issue Issue) {
	e.broken++
	e.add(e.path, nil, issue)
}

// open begins an object or array. It returns false if that would be too deep, which is also how a cycle ends.
func (e *encoder) open(c byte) bool {
	if e.depthLeft == 0 || e.stopped {
		if !e.stopped {
			e.Fault(jsonvalue.Depth, 0)
		}
		e.stopped = true
		return false
	}
	if len(e.dst)-e.start > e.maxBytes {
		e.tooLarge()
		return false
	}
	e.depthLeft--
	e.dst = append(e.dst, c)
	return true
}

func (e *encoder) tooLarge() {
	if !e.stopped {
		e.path = e.path[:0]
		e.bad(Issue{Rule: RuleSize, Param: strconv.Itoa(e.maxBytes), Message: fmt.Sprintf("must be at most %d bytes long", e.maxBytes)})
	}
	e.stopped = true
}

// ended reports whether nothing more is written. It is asked behind every member, because a few texts that are met again
// and again make a document without end.
func (e *encoder) ended() bool {
	if len(e.dst)-e.start > e.maxBytes {
		e.tooLarge()
	}
	return e.stopped
}

func (e *encoder) close(c byte) {
	e.depthLeft++
	e.dst = append(e.dst, c)
}

// value writes v and judges it by set, which may be nil.
func (e *encoder) value(p *Plan, v reflect.Value, set *rules.Set) {
	broken := e.broken
	switch p.Kind {
	case String:
		e.text(v.String())
	case Int:
		e.dst = strconv.AppendInt(e.dst, v.Int(), 10)
	case Uint:
		e.dst = strconv.AppendUint(e.dst, v.Uint(), 10)
	case Float:
		e.float(v.Float(), p.Bits)
	case Bool:
		e.dst = strconv.AppendBool(e.dst, v.Bool())
	case Struct:
		e.object(p, v)
	case Slice, Array:
		e.list(p, v, set)
	case Map:
		e.mapping(p, v, set)
	case Pointer:
		e.pointer(p, v, set)
		return
	case Maybe:
		e.maybe(p, v, set)
		return
	case Any:
		e.anyValue(v)
	case Raw:
		e.raw(v.Bytes())
	case Number:
		e.numberText(v.String())
	case BigInt:
		e.bigInt(v)
	case Bytes:
		e.dst = append(e.dst, '"')
		e.dst = base64.StdEncoding.AppendEncode(e.dst, v.Bytes())
		e.dst = append(e.dst, '"')
	case Custom:
		e.custom(p, v)
	default:
		e.form(p, v)
	}
	if set != nil && e.purpose == asOutput && e.broken == broken {
		e.judge(set, v)
	}
}

func (e *encoder) judge(set *rules.Set, v reflect.Value) {
	if set.Skip != rules.SkipNone && set.Skips(v) {
		return
	}
	for i := range set.Rules {
		if r := &set.Rules[i]; !r.Check(v) {
			e.add(e.path, nil, ruleIssue(r))
		}
	}
}

func (e *encoder) text(s string) {
	var ok bool
	if e.dst, ok = jsonvalue.AppendText(e.dst, s); !ok {
		e.Fault(jsonvalue.UTF8, 0)
	}
}

func (e *encoder) float(f float64, bits int) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		e.bad(Issue{Rule: RuleFinite, Message: "must be a finite number"})
	case f == 0 && math.Signbit(f):
		e.Fault(jsonvalue.NegativeZero, 0)
	default:
		e.dst = jsonvalue.AppendFloat(e.dst, f, bits)
	}
}

func (e *encoder) pointer(p *Plan, v reflect.Value, set *rules.Set) {
	if !v.IsNil() {
		e.value(p.Elem, v.Elem(), set)
		return
	}
	if set != nil && set.Required && e.purpose == asOutput {
		e.bad(Issue{Rule: RuleRequired, Message: "must not be null"})
	}
	e.null()
}

func (e *encoder) null() { e.dst = append(e.dst, "null"...) }

// maybe writes a Maybe that is not absent; the object leaves the others out.
func (e *encoder) maybe(p *Plan, v reflect.Value, set *rules.Set) {
	elem, state := p.hooks.GetMaybe(v)
	if state != MaybeSet || !elem.IsValid() {
		e.null()
		return
	}
	e.value(p.Elem, elem, set)
}

// form writes a text form.
func (e *encoder) form(p *Plan, v reflect.Value) {
	e.dst = append(e.dst, '"')
	dst, ok := p.appendForm(e.dst, v)
	if ok {
		e.dst = append(dst, '"')
		return
	}
	if p.Kind != Text && p.Kind != URL {
		e.bad(formatIssue(p))
		return
	}
	// Other texts may need escapes.
	e.dst = e.dst[:len(e.dst)-1]
	text, ok := p.textOf(v)
	if !ok {
		e.bad(formatIssue(p))
		return
	}
	e.text(text)
}

// numberText writes a json.Number as it is, if it is a number of the model. An empty one is 0, as encoding/json has it.
func (e *encoder) numberText(s string) {
	if s == "" {
		e.dst = append(e.dst, '0')
		return
	}
	r := jsonvalue.Reader{Data: []byte(s)}
	n, fault := r.Number()
	if fault == jsonvalue.OK {
		fault = n.Check()
	}
	switch {
	case fault == jsonvalue.Syntax || r.Pos != len(s):
		e.bad(Issue{Rule: RuleType, Param: "number", Message: "must be a number"})
	case fault != jsonvalue.OK:
		e.Fault(fault, 0)
	default:
		e.dst = append(e.dst, s...)
	}
}

// maxIntegerBits is how large an integer a double reaches.
const maxIntegerBits = 1024

func (e *encoder) bigInt(v reflect.Value) {
	i, ok := addressed(v).Addr().Interface().(*big.Int)
	switch {
	case !ok:
		e.bad(Issue{Rule: RuleType, Param: "integer", Message: "must be an integer"})
	case i.BitLen() > maxIntegerBits:
		e.Fault(jsonvalue.Overflow, 0)
	default:
		before := len(e.dst)
		e.dst = i.Append(e.dst, 10)
		r := jsonvalue.Reader{Data: e.dst, Pos: before}
		if n, _ := r.Number(); n.Check() != jsonvalue.OK {
			e.Fault(jsonvalue.Overflow, 0)
		}
	}
}

// raw writes JSON that somebody else made, after reading it as strictly as an input. Nil is null.
func (e *encoder) raw(data []byte) {
	if data == nil {
		e.null()
		return
	}
	e.scan(data)
}

// scan appends data without white space if it is good.
func (e *encoder) scan(data []byte) {
	broken := e.broken
	r := jsonvalue.Reader{Data: data, MaxDepth: e.depthLeft}
	fault := r.Skip(e)
	if fault == jsonvalue.OK {
		fault = r.End()
	}
	if fault != jsonvalue.OK {
		e.Fault(fault, 0)
	}
	if e.broken == broken {
		e.dst = jsonvalue.AppendCompact(e.dst, data)
	}
}

// custom writes what the type's own method gives, if it is good JSON of a type that the schema allows.
func (e *encoder) custom(p *Plan, v reflect.Value) {
	raw, ok := p.written(v)
	if !ok {
		e.bad(formatIssue(p))
		return
	}
	if p.custom == formText {
		e.text(string(raw))
		return
	}
	r := jsonvalue.Reader{Data: raw}
	c := r.Peek()
	integer := true
	if startsNumber(c) && p.roots&rootNumber == 0 {
		n, fault := r.Number()
		integer = fault == jsonvalue.OK && n.IsInteger()
	}
	if !p.roots.allows(c) || !integer {
		e.bad(typeIssue(p, false, c == 'n'))
		return
	}
	e.scan(raw)
}
