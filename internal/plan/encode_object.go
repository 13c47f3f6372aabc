package plan

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// zeroForm tells how omitzero judges a value.
type zeroForm uint8

const (
	zeroOfKind zeroForm = iota
	zeroOfTime          // IsZero of time.Time
	zeroMethod          // an IsZero method of the type
)

type isZeroer interface{ IsZero() bool }

func zeroFormOf(t reflect.Type) zeroForm {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return zeroOfTime
	case t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && t.Implements(reflect.TypeFor[isZeroer]()):
		return zeroMethod
	default:
		return zeroOfKind
	}
}

// isZero reports whether omitzero leaves v out. A panic in the type's own method counts as no.
func (f *Field) isZero(v reflect.Value) (zero bool) {
	if f.zero == zeroOfKind {
		return v.IsZero()
	}
	defer func() {
		if recover() != nil {
			zero = false
		}
	}()
	z, ok := v.Interface().(isZeroer)
	return ok && z.IsZero()
}

// isEmpty reports whether omitempty leaves v out, as encoding/json has it.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}

// omits reports whether the value of f is left out.
func (e *encoder) omits(f *Field, v reflect.Value) bool {
	return f.leavesOut(v) || e.purpose == asInput && f.Default != nil && v.IsZero()
}

// leavesOut reports whether the tag of f, or a Maybe that is absent, keeps v out of the JSON.
func (f *Field) leavesOut(v reflect.Value) bool {
	switch {
	case f.OmitEmpty && isEmpty(v), f.OmitZero && f.isZero(v):
		return true
	case f.Plan.Kind == Maybe:
		_, state := f.Plan.hooks.GetMaybe(v)
		return state == MaybeAbsent
	default:
		return false
	}
}

// object writes the struct v.
func (e *encoder) object(p *Plan, v reflect.Value) {
	if !e.open('{') {
		return
	}
	broken, first := e.broken, true
	var seen members
	seen.grow(len(p.Fields))
	e.path.Push()
	for i := range p.Fields {
		f := &p.Fields[i]
		field := f.in(v)
		if f.Optional && e.omits(f, field) {
			continue
		}
		if !first {
			e.dst = append(e.dst, ',')
		}
		first = false
		e.dst = append(e.dst, f.prefix...)
		seen.see(i)
		e.path.Name(f.Name)
		e.field(f, field)
		if e.ended() {
			return
		}
	}
	if p.cross && e.purpose == asOutput && e.broken == broken {
		e.crossed(p, v, &seen)
	}
	e.path.Pop()
	e.close('}')
}

func (e *encoder) field(f *Field, v reflect.Value) {
	set := f.Rules
	if !f.judged {
		set = nil
	}
	if !f.AsString || f.Plan.Kind == Pointer && v.IsNil() {
		e.value(f.Plan, v, set)
		return
	}
	e.dst = append(e.dst, '"')
	before := len(e.dst)
	e.value(f.Plan, v, set)
	if string(e.dst[before:]) == "null" { // a Maybe that says so
		e.dst = append(e.dst[:before-1], "null"...)
		return
	}
	e.dst = append(e.dst, '"')
}

func (e *encoder) crossed(p *Plan, v reflect.Value, seen *members) {
	for i := range p.Fields {
		f := &p.Fields[i]
		if len(f.Rules.Cross) == 0 {
			continue
		}
		for r := range f.brokenCross(v, seen.has(i)) {
			e.path.Name(f.Name)
			e.add(e.path, nil, ruleIssue(r))
		}
	}
}

// list writes a slice or an array. A nil slice is [].
func (e *encoder) list(p *Plan, v reflect.Value, set *rules.Set) {
	if !e.open('[') {
		return
	}
	elems := elemsOf(set)
	e.path.Push()
	for i := range v.Len() {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.path.Index(i)
		e.value(p.Elem, v.Index(i), elems)
		if e.ended() {
			return
		}
	}
	e.path.Pop()
	e.close(']')
}

// entry is an entry of a map that is being sorted.
type entry struct {
	name  string
	named bool // the key has a form as a name
	key   reflect.Value
	value reflect.Value
}

// sortedEntries returns the entries of the map v in the order of their names.
func (p *Plan) sortedEntries(v reflect.Value) []entry {
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, ok := p.Key.keyName(iter.Key())
		entries = append(entries, entry{name, ok, iter.Key(), iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries
}

// mapping writes a map in the order of its names. A nil map is {}.
func (e *encoder) mapping(p *Plan, v reflect.Value, set *rules.Set) {
	if !e.open('{') {
		return
	}
	e.path.Push()
	entries := p.sortedEntries(v)
	for i, entry := range entries {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.path.Name(entry.name)
		switch {
		case !entry.named:
			e.bad(formatIssue(p.Key))
		case i > 0 && entries[i-1].name == entry.name:
			e.Fault(jsonvalue.Duplicate, 0)
		}
		e.text(entry.name)
		e.dst = append(e.dst, ':')
		if set != nil && set.Keys != nil && e.purpose == asOutput {
			e.judge(set.Keys, entry.key)
		}
		e.value(p.Elem, entry.value, elemsOf(set))
		if e.ended() {
			return
		}
	}
	e.path.Forget()
	e.close('}')
}

// keyName returns the name that a key of a map has in JSON.
func (p *Plan) keyName(key reflect.Value) (string, bool) {
	switch p.Kind {
	case String:
		return key.String(), true
	case Int:
		return strconv.FormatInt(key.Int(), 10), true
	case Uint:
		return strconv.FormatUint(key.Uint(), 10), true
	default:
		return p.textOf(key)
	}
}
