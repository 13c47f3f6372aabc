package plan

import (
	"reflect"
	"strconv"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// members notes which fields of an object were seen.
type members struct {
	few  [2]uint64 // for most structs no memory is needed
	many []uint64
}

func (m *members) grow(fields int) {
	if fields > 64*len(m.few) {
		m.many = make([]uint64, (fields+63)/64)
	}
}

func (m *members) words() []uint64 {
	if m.many != nil {
		return m.many
	}
	return m.few[:]
}

// see notes field i and reports whether it is seen for the first time.
func (m *members) see(i int) bool {
	word, bit := &m.words()[i>>6], uint64(1)<<(i&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

func (m *members) has(i int) bool { return m.words()[i>>6]&(1<<(i&63)) != 0 }

// object reads an object into the struct v.
func (d *decoder) object(p *Plan, v reflect.Value) bool {
	if d.Peek() != '{' {
		return d.mismatch(p, false)
	}
	if fault := d.Open(); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	broken := d.broken
	var seen members
	seen.grow(len(p.Fields))
	count, next := 0, 0 // most documents keep the order of the fields
	d.Path.Push()
	for more := d.First('}'); more; {
		text, start, fault := d.Name()
		if fault == jsonvalue.Syntax {
			return d.fatal(fault)
		}
		i := p.find(text, next)
		switch {
		case fault != jsonvalue.OK:
			d.Path.Literal(start)
			d.Fault(fault, 0)
			i = -1
		case i < 0:
			d.unknown(p, text, start)
		case !seen.see(i):
			d.Path.Name(p.Fields[i].Name)
			d.Fault(jsonvalue.Duplicate, start)
			i = -1
		}
		if i < 0 {
			if fault := d.Skip(nil); fault != jsonvalue.OK {
				return d.fatal(fault)
			}
		} else {
			f := &p.Fields[i]
			next = i + 1
			count++
			d.Path.Name(f.Name)
			if !d.field(f, f.in(v)) {
				return false
			}
		}
		if more, fault = d.Next('}'); fault != jsonvalue.OK {
			return d.fatal(fault)
		}
	}
	if count < len(p.Fields) && !d.absent(p, v, &seen) {
		return false
	}
	if p.cross && d.broken == broken && !d.answer {
		d.crossed(p, v, &seen)
	}
	d.Path.Pop()
	return true
}

// find returns the index of the field of that name, -1 if there is none.
func (p *Plan) find(text []byte, next int) int {
	if next < len(p.Fields) && p.Fields[next].Name == string(text) {
		return next
	}
	if i, ok := p.lookup[string(text)]; ok {
		return i
	}
	return -1
}

// in returns the field of v.
func (f *Field) in(v reflect.Value) reflect.Value {
	v = v.Field(f.Index[0])
	for _, i := range f.Index[1:] {
		v = v.Field(i)
	}
	return v
}

func (d *decoder) unknown(p *Plan, text []byte, start int) {
	d.Path.Literal(start)
	if d.full() {
		d.bad(Issue{})
		return
	}
	d.bad(unknownIssue(p, string(text)))
}

// absent reports members that are missing and gives the others their defaults.
func (d *decoder) absent(p *Plan, v reflect.Value, seen *members) bool {
	for i := range p.Fields {
		f := &p.Fields[i]
		switch {
		case seen.has(i):
		case !f.Optional:
			d.Path.Name(f.Name)
			d.bad(Issue{Rule: RuleRequired, Message: "is required"})
		case f.Default != nil && !d.answer:
			if !d.setDefault(f, f.in(v)) {
				return false
			}
		}
	}
	return true
}

// setDefault gives v a copy of the default of its own. It was decoded and judged when the plan was made.
func (d *decoder) setDefault(f *Field, v reflect.Value) bool {
	if f.defaultValue.IsValid() {
		v.Set(f.defaultValue)
		return true
	}
	if !d.spend(f.Plan.size + int64(len(f.Default))) {
		return false
	}
	f.decodeAlone(f.Default, v)
	return true
}

// crossed judges the rules that read other fields, once all are there.
func (d *decoder) crossed(p *Plan, v reflect.Value, seen *members) {
	for i := range p.Fields {
		f := &p.Fields[i]
		if len(f.Rules.Cross) == 0 {
			continue
		}
		present := seen.has(i)
		for r := range f.brokenCross(v, present) {
			d.Path.Name(f.Name)
			d.add(d.Path, d.Data, ruleIssue(r))
		}
	}
}

// brokenCross iterates over the rules of Cross that f, in the struct v, breaks.
func (f *Field) brokenCross(v reflect.Value, present bool) func(yield func(*rules.Rule) bool) {
	return func(yield func(*rules.Rule) bool) {
		field, parent := f.in(v), v
		for _, i := range f.parent {
			parent = parent.Field(i)
		}
		present = present && (field.Kind() != reflect.Pointer || !field.IsNil())
		for i := range f.Rules.Cross {
			r := &f.Rules.Cross[i]
			if (present || r.Absent) && !r.CheckCross(parent, field) && !yield(r) {
				return
			}
		}
	}
}

// slice reads an array into the slice v.
func (d *decoder) slice(p *Plan, v reflect.Value, set *rules.Set) bool {
	if d.Peek() != '[' {
		return d.mismatch(p, false)
	}
	if fault := d.Open(); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	if !d.First(']') {
		v.Set(p.empty)
		return true
	}
	elems := elemsOf(set)
	nullable := p.Elem.Kind == Pointer
	d.Path.Push()
	n, room := 0, 0
	for more := true; more; n++ {
		if n == room {
			if !d.spend(p.Elem.size * int64(max(n, firstRoom))) {
				return false
			}
			v.Grow(max(n, firstRoom))
			room = v.Cap()
		}
		v.SetLen(n + 1)
		d.Path.Index(n)
		if !d.value(p.Elem, v.Index(n), elems, nullable) {
			return false
		}
		var fault jsonvalue.Fault
		if more, fault = d.Next(']'); fault != jsonvalue.OK {
			return d.fatal(fault)
		}
	}
	d.Path.Pop()
	return true
}

// firstRoom is how many elements a slice gets room for at first.
const firstRoom = 4

func elemsOf(set *rules.Set) *rules.Set {
	if set == nil {
		return nil
	}
	return set.Elems
}

// array reads an array of a fixed length.
func (d *decoder) array(p *Plan, v reflect.Value, set *rules.Set) bool {
	if d.Peek() != '[' {
		return d.mismatch(p, false)
	}
	if fault := d.Open(); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	elems := elemsOf(set)
	d.Path.Push()
	n := 0
	for more := d.First(']'); more; n++ {
		d.Path.Index(n)
		if n < p.Len {
			if !d.value(p.Elem, v.Index(n), elems, p.Elem.Kind == Pointer) {
				return false
			}
		} else if fault := d.Skip(nil); fault != jsonvalue.OK {
			return d.fatal(fault)
		}
		var fault jsonvalue.Fault
		if more, fault = d.Next(']'); fault != jsonvalue.OK {
			return d.fatal(fault)
		}
	}
	d.Path.Pop()
	if n != p.Len {
		length := strconv.Itoa(p.Len)
		d.bad(Issue{Rule: RuleLength, Param: length, Message: "must have exactly " + length + " elements"})
	}
	return true
}

// entrySize is about what one entry of a map costs beside its value.
const entrySize = 48

// mapping reads an object into the map v.
func (d *decoder) mapping(p *Plan, v reflect.Value, set *rules.Set) bool {
	if d.Peek() != '{' {
		return d.mismatch(p, false)
	}
	if fault := d.Open(); fault != jsonvalue.OK {
		return d.fatal(fault)
	}
	m := reflect.MakeMap(p.Type)
	v.Set(m)
	if !d.First('}') {
		return true
	}
	key, elem := reflect.New(p.Key.Type).Elem(), reflect.New(p.Elem.Type).Elem()
	d.Path.Push()
	for more := true; more; {
		if !d.spend(entrySize + p.Elem.size) {
			return false
		}
		good, ok := d.mapName(p.Key, key, set)
		if !ok {
			return false
		}
		elem.SetZero()
		if !d.value(p.Elem, elem, elemsOf(set), p.Elem.Kind == Pointer) {
			return false
		}
		if good {
			d.setEntry(m, key, elem)
		}
		var fault jsonvalue.Fault
		if more, fault = d.Next('}'); fault != jsonvalue.OK {
			return d.fatal(fault)
		}
	}
	d.Path.Pop()
	return true
}

// setEntry stores an entry. A name that is there already does not make the map longer.
func (d *decoder) setEntry(m, key, elem reflect.Value) {
	before := m.Len()
	m.SetMapIndex(key, elem)
	if m.Len() == before {
		d.Fault(jsonvalue.Duplicate, 0)
	}
}

// mapName reads a name into key. good tells whether it is of its form; ok whether reading goes on.
func (d *decoder) mapName(p *Plan, key reflect.Value, set *rules.Set) (good, ok bool) {
	text, start, fault := d.Name()
	if fault == jsonvalue.Syntax {
		return false, d.fatal(fault)
	}
	d.Path.Literal(start)
	if fault != jsonvalue.OK {
		d.Fault(fault, 0)
		return false, true
	}
	if issue, good := p.setKey(text, key); !good {
		d.bad(issue)
		return false, true
	}
	if set != nil && set.Keys != nil {
		judge(d, set.Keys, key)
	}
	return true, true
}

// setKey stores the name of a map's entry.
func (p *Plan) setKey(text []byte, key reflect.Value) (Issue, bool) {
	switch p.Kind {
	case String:
		key.SetString(string(text))
		return Issue{}, true
	case Int, Uint:
		return p.setIntKey(text, key)
	default:
		key.SetZero()
		return formatIssue(p), p.parse(text, key)
	}
}

// setIntKey takes canonical decimals only: "01" and "+1" would collide with "1".
func (p *Plan) setIntKey(text []byte, key reflect.Value) (Issue, bool) {
	s := string(text)
	if p.Kind == Int {
		i, err := strconv.ParseInt(s, 10, p.Bits)
		key.SetInt(i)
		if err == nil && strconv.FormatInt(i, 10) == s {
			return Issue{}, true
		}
	} else {
		u, err := strconv.ParseUint(s, 10, p.Bits)
		key.SetUint(u)
		if err == nil && strconv.FormatUint(u, 10) == s {
			return Issue{}, true
		}
	}
	low, high := p.bounds()
	return Issue{Rule: RuleFormat, Param: "integer", Message: "must be the name of an integer between " + low + " and " + high}, false
}
