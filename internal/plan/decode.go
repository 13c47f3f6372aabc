package plan

import (
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// Decode reads one document into v, which must be addressable and zero, strictly. It returns nil if the document is
// accepted; otherwise v is partly filled and must not be used. v shares no memory with data.
func (p *Plan) Decode(data []byte, v reflect.Value, l Limits) *Issues {
	if !v.CanSet() || v.Type() != p.Type {
		return p.strange()
	}
	return decode(data, l, func(d *decoder) bool { return d.value(p, v, nil, p.Kind == Pointer) })
}

// strange is the answer to a value that the plan is not of: a mistake in our own code, but no reason to panic.
func (p *Plan) strange() *Issues {
	return &Issues{List: []Issue{{Rule: RuleType, Param: "value", Message: "is no value of the type that was compiled"}}}
}

// DecodeAnswer reads back what [Plan.Encode] wrote. It is as strict as Decode about JSON and types, but judges no rules,
// which Encode did, and sets no defaults, which are an input's. The document is our own: its size and the memory that it
// takes are not bounded.
func (p *Plan) DecodeAnswer(data []byte, v reflect.Value, l Limits) *Issues {
	return p.decodeAnswer(data, v, l, math.MaxInt64)
}

// DecodeForeignAnswer is DecodeAnswer for a document that another process wrote. It may take memory like any large answer,
// but not without end.
func (p *Plan) DecodeForeignAnswer(data []byte, v reflect.Value, l Limits) *Issues {
	return p.decodeAnswer(data, v, l, foreignMemory+memoryPerByte*int64(len(data)))
}

func (p *Plan) decodeAnswer(data []byte, v reflect.Value, l Limits, memory int64) *Issues {
	if !v.CanSet() || v.Type() != p.Type {
		return p.strange()
	}
	l.Bytes = max(len(data), 1)
	return decode(data, l, func(d *decoder) bool {
		d.answer, d.memory = true, memory
		return d.value(p, v, nil, p.Kind == Pointer)
	})
}

// decodeAlone reads the value of one field, with its rules.
func (f *Field) decodeAlone(data []byte, v reflect.Value) *Issues {
	return decode(data, Limits{}, func(d *decoder) bool { return d.field(f, v) })
}

func decode(data []byte, l Limits, read func(*decoder) bool) *Issues {
	l = l.orDefault()
	if len(data) > l.Bytes {
		return &Issues{List: []Issue{{Rule: RuleSize, Param: fmt.Sprint(l.Bytes), Message: fmt.Sprintf("must be at most %d bytes long", l.Bytes)}}}
	}
	d, _ := decoders.Get().(*decoder)
	d.Reset(data, l.Depth)
	d.collector = collector{limit: l.Issues, room: maxIssueBytes}
	d.memory = baseMemory + memoryPerByte*int64(len(data))
	if read(d) {
		if fault := d.End(); fault != jsonvalue.OK {
			d.Path = d.Path[:0]
			d.fatal(fault)
		}
	}
	issues := d.issues
	d.Release()
	*d = decoder{Reader: d.Reader}
	decoders.Put(d)
	return issues
}

// decoders keeps the buffers of finished decoders. Nothing of a document stays in them.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// What a document may make us allocate beyond its own size: a small one that fills an array with large structs would
// otherwise cost far more than it is worth.
const (
	baseMemory    = 1 << 20
	memoryPerByte = 64
	foreignMemory = 64 << 20
)

// decoder reads one document. The methods that read a value return false when reading cannot go on.
type decoder struct {
	jsonvalue.Reader
	collector
	memory   int64
	answer   bool   // the document is an output that is read back: no rules, no defaults
	shared   string // a copy of a part of the document, from sharedAt on
	sharedAt int
}

// Fault takes a fault that the reader met in a value which is kept as it is.
func (d *decoder) Fault(f jsonvalue.Fault, _ int) {
	d.broken++
	d.add(d.Path, d.Data, faultIssue(f))
}

// bad reports an issue of the value at the current path.
func (d *decoder) bad(issue Issue) {
	d.broken++
	d.add(d.Path, d.Data, issue)
}

// fatal reports what ends the reading. It returns false.
func (d *decoder) fatal(f jsonvalue.Fault) bool {
	issue := faultIssue(f)
	if f == jsonvalue.Syntax {
		issue.Message = fmt.Sprintf("is not JSON at byte %d: %s", d.Pos, d.Reason)
		d.Path = d.Path[:0] // the document is at fault, not a value
	}
	d.bad(issue)
	return false
}

// spend counts memory that the document makes us allocate.
func (d *decoder) spend(bytes int64) bool {
	d.memory -= bytes
	if d.memory >= 0 {
		return true
	}
	d.bad(Issue{Rule: RuleSize, Message: "would take more memory than the document is worth"})
	return false
}

// mismatch reports a value of another type, and passes over it.
func (d *decoder) mismatch(p *Plan, asString bool) bool {
	c := d.Peek()
	if fault := d.Skip(nil); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	d.bad(typeIssue(p, asString, c == 'n'))
	return true
}

// field reads the value of a field.
func (d *decoder) field(f *Field, v reflect.Value) bool {
	if f.AsString {
		return d.quoted(f, v)
	}
	if !f.judged || d.answer {
		return d.value(f.Plan, v, nil, f.Nullable)
	}
	return d.value(f.Plan, v, f.Rules, f.Nullable)
}

// value reads one value into v and judges it by set, which may be nil. nullable tells whether a pointer takes null here.
func (d *decoder) value(p *Plan, v reflect.Value, set *rules.Set, nullable bool) bool {
	broken := d.broken
	var ok bool
	switch p.Kind {
	case String:
		ok = d.text(p, v)
	case Int, Uint, Float, Number, BigInt:
		ok = d.number(p, v)
	case Bool:
		ok = d.bool(p, v)
	case Struct:
		ok = d.object(p, v)
	case Slice:
		ok = d.slice(p, v, set)
	case Array:
		ok = d.array(p, v, set)
	case Map:
		ok = d.mapping(p, v, set)
	case Pointer:
		return d.pointer(p, v, set, nullable)
	case Maybe:
		return d.maybe(p, v, set)
	case Any:
		ok = d.any(v)
	case Raw:
		ok = d.raw(v)
	case Bytes:
		ok = d.bytes(p, v)
	case Custom:
		ok = d.customValue(p, v)
	case Invalid:
		return d.mismatch(p, false)
	default:
		ok = d.form(p, v)
	}
	if ok && set != nil && d.broken == broken {
		judge(d, set, v)
	}
	return ok
}

// judge reports every rule of set that v, present and not null, breaks.
func judge(d *decoder, set *rules.Set, v reflect.Value) {
	if set.Skip != rules.SkipNone && set.Skips(v) {
		return
	}
	for i := range set.Rules {
		if r := &set.Rules[i]; !r.Check(v) {
			d.add(d.Path, d.Data, ruleIssue(r))
		}
	}
}

// null passes over null.
func (d *decoder) null() bool {
	if fault := d.Word("null"); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	return true
}

// refuseNull reports null where the tag says required.
func (d *decoder) refuseNull() { d.bad(Issue{Rule: RuleRequired, Message: "must not be null"}) }

func (d *decoder) pointer(p *Plan, v reflect.Value, set *rules.Set, nullable bool) bool {
	if d.Peek() == 'n' && nullable {
		if set != nil && set.Required {
			d.refuseNull()
		}
		return d.null()
	}
	if !d.spend(p.Elem.size) {
		return false
	}
	elem := reflect.New(p.Elem.Type)
	v.Set(elem)
	return d.value(p.Elem, elem.Elem(), set, false)
}

func (d *decoder) maybe(p *Plan, v reflect.Value, set *rules.Set) bool {
	if d.Peek() == 'n' {
		p.hooks.SetMaybe(v, true)
		return d.null()
	}
	elem := p.hooks.SetMaybe(v, false)
	if !elem.IsValid() || !elem.CanSet() {
		return d.mismatch(p, false)
	}
	return d.value(p.Elem, elem, set, false)
}

func (d *decoder) bool(p *Plan, v reflect.Value) bool {
	switch d.Peek() {
	case 't':
		v.SetBool(true)
		return d.word("true")
	case 'f':
		return d.word("false")
	default:
		return d.mismatch(p, false)
	}
}

func (d *decoder) word(word string) bool {
	if fault := d.Word(word); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	return true
}

// token reads a string. ok tells whether its text is good; more whether reading goes on.
func (d *decoder) token() (text []byte, ok, more bool) {
	text, fault := d.Text()
	if fault == jsonvalue.OK {
		return text, true, true
	}
	if fault == jsonvalue.Syntax {
		return nil, false, d.fatal(fault)
	}
	d.Fault(fault, 0)
	return nil, false, true
}

func (d *decoder) text(p *Plan, v reflect.Value) bool {
	if d.Peek() != '"' {
		return d.mismatch(p, false)
	}
	start := d.Pos + 1
	text, ok, more := d.token()
	if ok {
		v.SetString(d.copied(text, start))
	}
	return more
}

// Short texts that stand near each other share one copy of their surroundings: one allocation instead of many. Whoever keeps
// one of them keeps at most sharedBytes alive.
const (
	sharedText  = 64
	sharedBytes = 512
)

// copied returns text, which begins at start in the document unless it had escapes, as a string.
func (d *decoder) copied(text []byte, start int) string {
	n := len(text)
	if n > sharedText || n != d.Pos-1-start {
		return string(text)
	}
	if start < d.sharedAt || start+n > d.sharedAt+len(d.shared) {
		d.shared, d.sharedAt = string(d.Data[start:min(start+sharedBytes, len(d.Data))]), start
	}
	return d.shared[start-d.sharedAt:][:n]
}

func (d *decoder) bytes(p *Plan, v reflect.Value) bool {
	if d.Peek() != '"' {
		return d.mismatch(p, false)
	}
	text, ok, more := d.token()
	if !ok {
		return more
	}
	b, ok := decodeBase64(text)
	if !ok {
		d.bad(formatIssue(p))
		return true
	}
	v.SetBytes(b)
	return true
}

// form reads a text form.
func (d *decoder) form(p *Plan, v reflect.Value) bool {
	if d.Peek() != '"' {
		return d.mismatch(p, false)
	}
	text, ok, more := d.token()
	if ok && !p.parse(text, v) {
		d.bad(formatIssue(p))
	}
	return more
}

// raw keeps a value as it is written, after looking through it.
func (d *decoder) raw(v reflect.Value) bool {
	d.Space()
	start := d.Pos
	if fault := d.Skip(d); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	v.SetBytes(append([]byte(nil), d.Data[start:d.Pos]...))
	return true
}

// customValue hands a value to the type's own method, once it is known to be in the model and of a type that the schema
// allows.
func (d *decoder) customValue(p *Plan, v reflect.Value) bool {
	if c := d.Peek(); !p.roots.allows(c) {
		return d.mismatch(p, false)
	}
	start, broken := d.Pos, d.broken
	if fault := d.Skip(d); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	if d.broken != broken {
		return true
	}
	raw := append([]byte(nil), d.Data[start:d.Pos]...)
	if p.custom == formText {
		inner := jsonvalue.Reader{Data: raw}
		text, _ := inner.Text()
		raw = append([]byte(nil), text...)
	}
	if !p.read(raw, v) {
		d.bad(formatIssue(p))
	}
	return true
}
