package rules

import (
	"reflect"
	"sync"

	"github.com/go-playground/validator/v10"
)

// A Dictionary knows every rule, baked in or registered by the user, and compiles tags. It is safe for concurrent use.
type Dictionary struct {
	engine *engine
	cache  sync.Map // cacheKey to compiled
}

// engine asks validator. It contains whatever panics.
type engine struct {
	validate *validator.Validate
}

type cacheKey struct {
	tag    string
	typ    reflect.Type
	wire   Wire
	parent reflect.Type
	field  string
}

type compiled struct {
	set      *Set
	problems []Problem
}

// New returns a Dictionary over v, which must not be changed any more. nil stands for a new instance with
// WithRequiredStructEnabled.
func New(v *validator.Validate) *Dictionary {
	if v == nil {
		v = validator.New(validator.WithRequiredStructEnabled())
	}
	return &Dictionary{engine: &engine{validate: v}}
}

// Compile reads tag for a value of type t, pointers included, as declared. parent is the struct that declares the field
// goField: nil and "" for a value that is no field. It reports every mistake at once. The Set is never nil; equal
// arguments share one.
func (d *Dictionary) Compile(tag string, t reflect.Type, wire Wire, parent reflect.Type, goField string) (*Set, []Problem) {
	key := cacheKey{tag, t, wire, parent, goField}
	if got, ok := d.cache.Load(key); ok {
		return got.(compiled).set, got.(compiled).problems
	}
	return &Set{Tag: tag}, nil
}
