package rules

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
)

// A Dictionary knows every rule, baked in or registered by the user, and compiles tags. It is safe for concurrent use.
type Dictionary struct {
	engine   *engine
	entries  map[string]entry
	compiled cache[cacheKey, compiled]
	patterns cache[string, *Pattern] // by source
	lists    cache[string, []string] // by tag
}

// cacheKey tells sets apart. Most read no other field, and are the same for every struct.
type cacheKey struct {
	tag    string
	typ    reflect.Type
	wire   Wire
	owned  bool
	parent reflect.Type // if owned
}

type compiled struct {
	set      *Set
	problems []Problem
}

// New returns a Dictionary over v, which must not be changed any more. nil stands for a new instance with
// WithRequiredStructEnabled. Rules and aliases of v are asked; functions that it holds for whole structs or for types of
// their own (RegisterStructValidation, RegisterCustomTypeFunc) are not.
func New(v *validator.Validate) *Dictionary {
	e := &engine{validate: v, foreign: v != nil}
	if v == nil {
		e.validate = validator.New(validator.WithRequiredStructEnabled())
	}
	return &Dictionary{engine: e, entries: allEntries()}
}

// NewForeign returns a Dictionary for those who describe a contract of somebody else's: rules that it does not know are
// taken for rules that the callee registered. They keep their place in the schema and let every value pass.
func NewForeign() *Dictionary {
	d := New(nil)
	d.engine.trusting = true
	return d
}

// Compile reads tag for a value of type t, pointers included, as declared. parent is the struct that declares the field, nil
// for a value that is no field. It reports every mistake at once. The Set is never nil; equal arguments share one.
func (d *Dictionary) Compile(tag string, t reflect.Type, wire Wire, parent reflect.Type) (*Set, []Problem) {
	shared, owned := cacheKey{tag: tag, typ: t, wire: wire}, cacheKey{tag, t, wire, true, parent}
	for _, key := range []cacheKey{shared, owned} {
		if got, ok := d.compiled.get(key); ok {
			return got.set, got.problems
		}
	}
	c := &compiler{dictionary: d, engine: d.engine, parent: parent}
	set := &Set{}
	if tag != "" && tag != "-" {
		set = c.compileSet(strings.Split(tag, ","), targetOf(t, wire))
	}
	set.Tag = tag
	key := shared
	if c.owned {
		key = owned
	}
	got := d.compiled.put(key, compiled{set, c.problems})
	return got.set, got.problems
}

func (d *Dictionary) pattern(source string) (*Pattern, error) {
	if p, ok := d.patterns.get(source); ok {
		return p, nil
	}
	p, err := newPattern(source)
	if err != nil {
		return nil, err
	}
	return d.patterns.put(source, p), nil
}

func (d *Dictionary) codes(name string, find func(string) []string) []string {
	if codes, ok := d.lists.get(name); ok {
		return codes
	}
	return d.lists.put(name, find(name))
}

// engine asks validator. Whatever panics in there, a user's rule among them, refuses the value.
type engine struct {
	validate *validator.Validate
	foreign  bool // the user made it
	trusting bool // rules that validate does not know are somebody else's
}

// ask reports whether v keeps tag.
func (e *engine) ask(v reflect.Value, tag string) bool {
	ok, _ := e.try(v, reflect.Value{}, tag)
	return ok
}

// askWith reports whether v keeps tag as a field of parent.
func (e *engine) askWith(v, parent reflect.Value, tag string) bool {
	ok, _ := e.try(v, parent, tag)
	return ok
}

// try is ask, or askWith if parent is valid. panicked is what validator threw, "" for nothing.
func (e *engine) try(v, parent reflect.Value, tag string) (ok bool, panicked string) {
	defer func() {
		if thrown := recover(); thrown != nil {
			// The panic's own text may come from a user's method, which may panic again.
			ok, panicked = false, show(thrown)
			if e.trusting {
				ok, panicked = true, ""
			}
		}
	}()
	value := v.Interface()
	switch {
	case isPlainStruct(v):
		// A named value, because validator skips the rules of a nameless struct; nostructlevel, because its fields are
		// checked elsewhere.
		return e.validate.VarWithKey("value", value, tag+",nostructlevel") == nil, ""
	case parent.IsValid():
		return e.validate.VarWithValue(value, parent.Interface(), tag) == nil, ""
	default:
		return e.validate.Var(value, tag) == nil, ""
	}
}

func show(thrown any) (text string) {
	defer func() {
		if recover() != nil {
			text = "a panic without a text"
		}
	}()
	return fmt.Sprint(thrown)
}

// knows reports whether validator has a rule or an alias of that name.
func (e *engine) knows(name string) bool {
	_, panicked := e.try(reflect.ValueOf((*string)(nil)), reflect.Value{}, "omitnil,"+name)
	return panicked == ""
}

// isPlainStruct reports whether validator would treat v as a struct to descend into.
func isPlainStruct(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v.Kind() == reflect.Struct && !v.Type().ConvertibleTo(timeType)
}
