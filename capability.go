package cap

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/schema"
	"github.com/seed-369ec62e/cap/tags"
)

// Access says who may call a capability.
type Access string

const (
	// AccessPublic lets everybody call.
	AccessPublic Access = "public"
	// AccessAuthenticated lets every principal call.
	AccessAuthenticated Access = "authenticated"
	// AccessRule asks the Allow companion of the handler.
	AccessRule Access = "rule"
)

// Capability is one operation of a registry: its contract, its handler, and what adapters need to serve it. It never
// changes and is safe for concurrent use.
type Capability struct {
	description

	where string // the handler, as its author writes it

	handle        func(ctx context.Context, in reflect.Value) (reflect.Value, error)
	allow         func(ctx context.Context, in reflect.Value) (bool, error)
	preconditions func(ctx context.Context, in reflect.Value) ([]Precondition, error)
	reconcile     func(ctx context.Context, in reflect.Value, approval string) (Outcome, error)
}

// ContractInfo describes a contract without its handler: what clients, documentation and tests stand on. See [ContractOf].
// It never changes and is safe for concurrent use.
type ContractInfo struct {
	description
}

// description is what a contract says of itself. Its methods are those of [Capability] and [ContractInfo].
type description struct {
	name, title, text, long string
	contract                string // the Go type, as its users write it
	effect                  Effect
	access                  Access
	scopes                  []string
	timeout                 time.Duration
	options                 tags.Contract
	tag                     tags.StructTag

	in, out  *plan.Plan
	outType  reflect.Type // what the handler returns, pointers followed
	wrapped  reflect.Type // the struct that wraps an output whose JSON is no object, or nil
	describe func(in reflect.Value) (PendingAction, error)
	citer    bool // the output has a Cites companion
	failures []FailureInfo
	schemas  *schemas
}

// schemas are rendered when first asked for: a program that only calls never needs them.
type schemas struct {
	once          sync.Once
	input, output json.RawMessage
}

// Name is the capability's name; it matches ^[a-zA-Z0-9_-]{1,64}$.
func (d *description) Name() string { return d.name }

// Title is a short name for people, or "".
func (d *description) Title() string { return d.title }

// Description says in a sentence what the capability does.
func (d *description) Description() string { return d.text }

// Doc is the long description in Markdown, from the contract's Doc companion, or "".
func (d *description) Doc() string { return d.long }

// ContractType is the Go type of the contract, such as "orders.CancelOrder".
func (d *description) ContractType() string { return d.contract }

// Effect says what a call does to the world, and so who must agree to it.
func (d *description) Effect() Effect { return d.effect }

// Access says who may call.
func (d *description) Access() Access { return d.access }

// Scopes are what a caller's credential must all be issued for. The slice is a copy.
func (d *description) Scopes() []string { return slices.Clone(d.scopes) }

// Timeout is how long the handler may run; 0 is for ever.
func (d *description) Timeout() time.Duration { return d.timeout }

// Reversible reports whether what a Write or Host call does can be undone.
func (d *description) Reversible() bool { return d.options.Reversible }

// Idempotent reports whether a repeated call with equal input has no further effect.
func (d *description) Idempotent() bool { return d.options.Idempotent }

// Destructive reports whether a call may delete or overwrite.
func (d *description) Destructive() bool { return d.options.Destructive }

// OpenWorld reports whether a call reaches systems beyond the service's own.
func (d *description) OpenWorld() bool { return d.options.OpenWorld }

// Deprecated says what to use instead, or "".
func (d *description) Deprecated() string { return d.options.Deprecated }

// Tag returns the value of a struct tag key of an adapter's own, such as http, on the contract's marker.
func (d *description) Tag(key string) (string, bool) { return d.tag.Lookup(key) }

// Failures are the declared failures, in the contract's order. The slice is a copy.
func (d *description) Failures() []FailureInfo {
	failures := slices.Clone(d.failures)
	for i := range failures {
		failures[i].Schema = slices.Clone(failures[i].failure.schemaBytes())
	}
	return failures
}

// InputSchema is the JSON Schema (draft 2020-12) of the input. The bytes are a copy and the same in every run.
func (d *description) InputSchema() json.RawMessage {
	d.render()
	return slices.Clone(d.schemas.input)
}

// OutputSchema is the JSON Schema (draft 2020-12) of the output. The bytes are a copy and the same in every run.
func (d *description) OutputSchema() json.RawMessage {
	d.render()
	return slices.Clone(d.schemas.output)
}

func (d *description) render() {
	d.schemas.once.Do(func() {
		d.schemas.input = schema.Input(d.in, schema.Options{})
		d.schemas.output = schema.Output(d.out, schema.Options{})
	})
}

// Input is the root of the input's fields.
func (d *description) Input() *Field { return rootField(d.in) }

// Output is the root of the output's fields.
func (d *description) Output() *Field { return rootField(d.out) }
