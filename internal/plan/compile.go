package plan

import (
	"encoding/json"
	"reflect"
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
	return nil, []Problem{{What: "plans are not compiled yet", Do: "wait for the compiler"}}
}
