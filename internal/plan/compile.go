package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/seed-369ec62e/cap/internal/rules"
)

// Config sets a [Compiler] up.
type Config struct {
	// Rules compiles validate tags. Nil means the rules of validator alone.
	Rules *rules.Dictionary

	// Custom holds the schemas of types with a JSON or text form of their own.
	Custom map[reflect.Type]json.RawMessage

	Hooks Hooks
}

// Hooks tell the compiler about types that it may not import. Any may be nil.
type Hooks struct {
	// Marker reports whether t is an empty struct that carries a declaration and stays out of the JSON.
	Marker func(t reflect.Type) bool

	// Maybe reports whether t tells absent, null and a value of type elem apart.
	Maybe func(t reflect.Type) (elem reflect.Type, ok bool)

	// SetMaybe marks v, which is addressable, as null, or marks it as set and returns the addressable value to fill.
	SetMaybe func(v reflect.Value, null bool) (elem reflect.Value)

	// GetMaybe returns the value of v and its state.
	GetMaybe func(v reflect.Value) (elem reflect.Value, state MaybeState)

	// Ref is the type that names an object: cite may be on it, on a pointer to it and on a slice of it.
	Ref reflect.Type
}

// A Problem is a mistake in a type.
type Problem struct {
	Path     string // the Go field, such as "Items[].SKU"; "" for the type itself
	What, Do string
}

// A Compiler compiles types and keeps their plans. It is safe for concurrent use.
type Compiler struct {
	rules  *rules.Dictionary
	custom map[reflect.Type]json.RawMessage
	hooks  Hooks

	mu    sync.Mutex
	plans map[planKey]*Plan // finished plans only
}

// planKey tells plans apart: the format of a text marshaller is stated by the field, not by the type.
type planKey struct {
	t      reflect.Type
	format string
}

// New returns a Compiler. The maps and functions of config must not be changed afterwards.
func New(config Config) *Compiler {
	c := &Compiler{rules: config.Rules, custom: config.Custom, hooks: config.Hooks, plans: map[planKey]*Plan{}}
	if c.rules == nil {
		c.rules = rules.New(nil)
	}
	return c
}

// Compile returns the plan of t. It reports all problems at once, in the order of the fields; then the plan is nil.
func (c *Compiler) Compile(t reflect.Type) (*Plan, []Problem) {
	// Not under the lock: a JSONSchema method of the user's may have something compiled itself.
	w := &walk{Compiler: c, fresh: map[planKey]*Plan{}}
	p := w.held(t, "")
	w.finish()
	if len(w.problems) > 0 {
		return nil, w.problems
	}
	// Only now is every plan whole: a recursive one is seen by its own fields before.
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.plans, w.fresh)
	return p, nil
}

// finished returns a plan that was compiled before.
func (c *Compiler) finished(key planKey) (*Plan, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.plans[key]
	return p, ok
}

// walk is one run of the compiler over a type and what it holds.
type walk struct {
	*Compiler
	fresh    map[planKey]*Plan
	order    []*Plan // fresh, in the order of their making
	path     []string
	problems []Problem
	samples  []sample
}

// report notes a problem at the current path.
func (w *walk) report(do, what string, args ...any) {
	w.problems = append(w.problems, Problem{Path: strings.Join(w.path, ""), What: fmt.Sprintf(what, args...), Do: do})
}

// at runs f with step added to the path.
func (w *walk) at(step string, f func()) {
	if len(w.path) > 0 && step[0] != '[' {
		step = "." + step
	}
	w.path = append(w.path, step)
	f()
	w.path = w.path[:len(w.path)-1]
}

// plan returns the plan of t, or nil after a problem. format is what the field says of the text form.
func (w *walk) plan(t reflect.Type, format string) *Plan {
	key := planKey{t, format}
	if p, ok := w.finished(key); ok {
		return p
	}
	if p, ok := w.fresh[key]; ok && (!p.faulty || p.Kind == Struct) {
		return p // the problems of a struct are reported where it is met first, those of other types everywhere
	}
	// The plan is known before its parts are compiled, so that a recursive type finds itself.
	p := &Plan{Type: t, size: int64(t.Size())}
	w.fresh[key] = p
	w.order = append(w.order, p)
	before := len(w.problems)
	if !w.compile(p, format) && len(w.problems) == before {
		w.report("use a type that JSON can hold", "type %s has no JSON form", t)
	}
	p.faulty = len(w.problems) > before || p.Elem != nil && p.Elem.faulty
	return p
}

// held returns the plan of what is no field: there a Maybe could not be absent.
func (w *walk) held(t reflect.Type, format string) *Plan {
	p := w.plan(t, format)
	if p.Kind == Maybe {
		w.report("use a pointer", "type %s stands where nothing can be absent", t)
	}
	return p
}

// compile fills p. It returns false after a problem; without one of its own, plan reports that the type has no JSON form.
func (w *walk) compile(p *Plan, format string) bool {
	if done, ok := w.compileKnown(p, format); done {
		return ok
	}
	switch p.Type.Kind() {
	case reflect.Bool:
		p.Kind = Bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.Kind, p.Bits = Int, p.Type.Bits()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.Kind, p.Bits = Uint, p.Type.Bits()
	case reflect.Float32, reflect.Float64:
		p.Kind, p.Bits = Float, p.Type.Bits()
	case reflect.String:
		p.Kind = String
	case reflect.Struct:
		return w.compileStruct(p)
	case reflect.Slice:
		return w.compileSlice(p, format)
	case reflect.Array:
		p.Kind, p.Len = Array, p.Type.Len()
		return w.compileElem(p, format)
	case reflect.Map:
		return w.compileMap(p, format)
	case reflect.Pointer:
		return w.compilePointer(p, format)
	case reflect.Interface:
		return w.compileInterface(p)
	default:
		return false
	}
	return true
}

func (w *walk) compileElem(p *Plan, format string) bool {
	w.at("[]", func() { p.Elem = w.held(p.Type.Elem(), format) })
	return true
}

func (w *walk) compileSlice(p *Plan, format string) bool {
	elem := p.Type.Elem()
	if elem.Kind() == reflect.Uint8 && !hasForm(elem) {
		p.Kind, p.Format, p.Pattern = Bytes, "base64", PatternBase64
		return true
	}
	p.Kind = Slice
	p.empty = reflect.MakeSlice(p.Type, 0, 0)
	return w.compileElem(p, format)
}

func (w *walk) compilePointer(p *Plan, format string) bool {
	p.Kind = Pointer
	p.Elem = w.held(p.Type.Elem(), format)
	switch p.Elem.Kind {
	case Pointer, Any, Raw:
		w.report("point to the value itself, or use cap.Maybe to tell absent and null apart",
			"type %s has two ways to say null", p.Type)
		return false
	default:
		return true
	}
}

func (w *walk) compileInterface(p *Plan) bool {
	if p.Type.NumMethod() > 0 {
		w.report("use a struct, or any for any JSON value", "type %s is an interface with methods: JSON cannot tell what is behind it", p.Type)
		return false
	}
	p.Kind = Any
	return true
}

func (w *walk) compileMap(p *Plan, format string) bool {
	p.Kind = Map
	w.at("[key]", func() { p.Key = w.compileKey(p.Type.Key(), format) })
	return w.compileElem(p, format)
}

// compileKey returns the plan of a map's names.
func (w *walk) compileKey(t reflect.Type, format string) *Plan {
	if t.Implements(textMarshalerType) && !isKnown(t) && w.custom[t] == nil {
		if !reflect.PointerTo(t).Implements(textUnmarshalerType) {
			w.report("give it an UnmarshalText method", "map key type %s can be written but not read", t)
			return &Plan{Type: t}
		}
		return &Plan{Type: t, Kind: Text, Format: format, custom: formText, wants: "text of its form"}
	}
	key := &Plan{Type: t}
	switch kind := t.Kind(); {
	case isKnown(t), kind == reflect.String, reflect.Int <= kind && kind <= reflect.Uint64:
		w.compile(key, "")
	}
	switch key.Kind {
	case String, Duration, UUID, Addr, Prefix, AddrPort:
	case Int:
		key.Pattern = patternIntKey
	case Uint:
		key.Pattern = patternUintKey
	default:
		w.report("use strings or integers as keys", "map key type %s has no form as a JSON name", t)
	}
	return key
}

// finish does what needs plans to be whole.
func (w *walk) finish() {
	for changed := true; changed; {
		changed = false
		for _, p := range w.order {
			if !p.cites && p.below(func(f *Field) bool { return f.Cite }, (*Plan).HasCites) {
				p.cites, changed = true, true
			}
			if !p.secrets && p.below(func(f *Field) bool { return f.Secret }, (*Plan).HasSecrets) {
				p.secrets, changed = true, true
			}
		}
	}
	for _, s := range slices.Backward(w.samples) { // backward, so that the places of those before do not move
		if s.plan.Fields[s.field].Plan.faulty {
			continue
		}
		if problem, ok := s.check(); !ok {
			w.problems = slices.Insert(w.problems, s.order, problem)
		}
	}
}

// below reports whether a field of p is tagged so, or a plan that p holds is known to have such a field.
func (p *Plan) below(tagged func(*Field) bool, known func(*Plan) bool) bool {
	if p.Elem != nil && known(p.Elem) {
		return true
	}
	for i := range p.Fields {
		if f := &p.Fields[i]; tagged(f) || known(f.Plan) {
			return true
		}
	}
	return false
}

// isFlat reports whether a copy of a value shares no memory that can be changed. Structs and arrays hold others by value, so
// that there are no cycles.
func (p *Plan) isFlat() bool {
	switch p.Kind {
	case Slice, Map, Pointer, Maybe, Any, Raw, BigInt, Bytes, URL, Text, Custom:
		return false
	case Array:
		return p.Elem.isFlat()
	case Struct:
		return p.Type.NumField() == len(p.Fields) && !slices.ContainsFunc(p.Fields, func(f Field) bool { return !f.Plan.isFlat() })
	default:
		return true
	}
}
