package cap

import (
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// Registry holds capabilities and runs them. Make one with [New]. It is safe for concurrent use. It seals at its first use
// (a call, a look-up, a listing): registering later is an error, so that what adapters have shown never changes.
type Registry struct {
	options   Options
	hasLogger bool
	limits    plan.Limits
	contracts *contracts

	mu     sync.Mutex // guards what follows until the registry is sealed
	sealed atomic.Bool
	list   []*Capability
	byName map[string]*Capability
	byType map[reflect.Type][]*Capability

	lateReturns atomic.Int64
	secrets     secretKey
}

// New returns an empty registry. It copies what options holds, but not what they point to.
func New(options Options) *Registry {
	options.Observers = slices.Clone(options.Observers)
	custom := make(map[reflect.Type]json.RawMessage, len(options.Types))
	for _, t := range options.Types {
		custom[t.goType] = t.schema
	}
	return &Registry{
		options:   options,
		hasLogger: !isZeroLogger(options.Logger),
		limits:    plan.Limits(options.Limits),
		contracts: newContracts(plan.Config{Rules: rules.New(options.Validator), Custom: custom}),
		byName:    make(map[string]*Capability),
		byType:    make(map[reflect.Type][]*Capability),
	}
}

// Name is what the whole is called, from [Options].
func (r *Registry) Name() string { return r.options.Name }

// Version is the version of the whole, from [Options].
func (r *Registry) Version() string { return r.options.Version }

// Gate is the gate of the registry, or nil. Adapters show and decide what it holds if it is an [Approvals] too.
func (r *Registry) Gate() Gate { return r.options.Gate }

// LateReturns counts the handlers that came back after their call had ended with a timeout.
func (r *Registry) LateReturns() int64 { return r.lateReturns.Load() }

// Lookup returns the capability of that name.
func (r *Registry) Lookup(name string) (*Capability, bool) {
	r.seal()
	c, ok := r.byName[name]
	return c, ok
}

// All yields every capability in the order of registration: service by service, handlers as they stand in the source.
func (r *Registry) All() iter.Seq[*Capability] {
	r.seal()
	return slices.Values(r.list)
}

// Len is the number of capabilities.
func (r *Registry) Len() int {
	r.seal()
	return len(r.list)
}

func (r *Registry) seal() {
	if r.sealed.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sealed.Store(true)
}

// errSealed is returned when a registry is extended after its first use.
var errSealed = errors.New("cap: the registry has been used already, so nothing more can be registered (register everything before the first call or listing)")

// Register adds every capability of the services: pointers to structs whose exported methods are handlers, and what [Func]
// returns. It is all or nothing: with any problem in any service it registers none of them and returns a
// *[RegistrationError] that lists every problem. The services are kept, their types are read once.
func (r *Registry) Register(services ...any) error {
	if r.sealed.Load() {
		return errSealed
	}
	// Companions and hooks of the user's are asked without the lock: they may ask the registry themselves.
	found := &registration{registry: r}
	if len(services) == 0 {
		found.problems = append(found.problems, located{Problem: Problem{Where: "Register", What: "no service is given", Do: "pass the services that hold the handlers"}})
	}
	for _, service := range services {
		found.service++
		found.add(service)
	}
	found.issueProblems()
	if err := found.locked(found.checkNames); err != nil {
		return err
	}
	kept := found.overridden(found.sorted())
	return found.locked(func() {
		found.checkNames() // again: the lock was free meanwhile
		if len(found.problems) > 0 {
			return
		}
		for _, c := range kept {
			r.keep(c)
		}
	})
}

func (r *Registry) keep(c *Capability) {
	r.list = append(r.list, c)
	r.byName[c.name] = c
	r.byType[c.in.Type] = append(r.byType[c.in.Type], c)
}

// override applies the operator's word, and reports whether c is disabled.
func (c *Capability) override(o Override) (disabled bool) {
	if o.Timeout > 0 && (c.timeout == 0 || o.Timeout < c.timeout) {
		c.timeout = o.Timeout
	}
	for _, scope := range o.Scopes {
		if !slices.Contains(c.scopes, scope) {
			c.scopes = append(slices.Clone(c.scopes), scope)
		}
	}
	return o.Disable
}
