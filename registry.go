package cap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
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

// locked runs f under the lock of the registry, if that is not sealed, and gives what is wrong then.
func (g *registration) locked(f func()) error {
	g.registry.mu.Lock()
	defer g.registry.mu.Unlock()
	if g.registry.sealed.Load() {
		return errSealed
	}
	f()
	return g.err()
}

// overridden asks the operator's hook about every capability, and gives those that are not disabled. A hook that panics
// might have disabled something: that is a problem.
func (g *registration) overridden(list []*Capability) []*Capability {
	hook := g.registry.options.Override
	if hook == nil {
		return list
	}
	return slices.DeleteFunc(list, func(c *Capability) (disabled bool) {
		defer func() {
			if v := recover(); v != nil {
				g.report(Problem{Where: c.contract, What: "Options.Override panicked: " + safeText(&panicError{v}), Do: "return the zero Override for what stays as it is"})
			}
		}()
		return c.override(hook(c))
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

// registration collects what one Register found.
type registration struct {
	registry     *Registry
	service      int // counts the services that were read
	capabilities []place[*Capability]
	problems     []located

	// What declarations of libraries add; see Compose.
	issues    []CompositionIssue
	libraries map[*Library]*importedLibrary
	origins   map[*Capability]Provenance
}

// place says where in the source a thing was found, to put things in order.
type place[T any] struct {
	thing   T
	service int
	file    string
	line    int
}

type located struct {
	Problem
	service int
}

func (g *registration) report(p Problem) {
	g.problems = append(g.problems, located{Problem: p, service: g.service})
}

// checkNames reports every name that two capabilities have.
func (g *registration) checkNames() {
	type owner struct {
		where string
		in    reflect.Type
	}
	owners := make(map[string]owner)
	for _, c := range g.registry.list {
		owners[c.name] = owner{c.where, c.in.Type}
	}
	g.sorted()
	for _, p := range g.capabilities {
		c := p.thing
		first, taken := owners[c.name]
		if !taken {
			owners[c.name] = owner{c.where, c.in.Type}
			continue
		}
		do := "give one of them another with name="
		if first.in == c.in.Type {
			do = "a contract has one handler in a registry: register one of the two, or give the second a contract of its own"
		}
		g.service = p.service
		g.report(Problem{Where: c.where, What: fmt.Sprintf("name %q is taken by %s", c.name, first.where), Do: do, File: p.file, Line: p.line})
	}
}

func (g *registration) sorted() []*Capability {
	slices.SortStableFunc(g.capabilities, func(a, b place[*Capability]) int {
		return cmp.Or(cmp.Compare(a.service, b.service), strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	list := make([]*Capability, len(g.capabilities))
	for i, c := range g.capabilities {
		list[i] = c.thing
	}
	return list
}

func (g *registration) err() error { return problemError(g.listed()) }

// listed gives all problems in their fixed order: by service, then by the handler's file and line, then as they were found,
// which is field order. A problem that several capabilities share is listed once.
func (g *registration) listed() []Problem {
	slices.SortStableFunc(g.problems, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.service, b.service), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	var problems []Problem
	seen := make(map[string]bool)
	for _, p := range g.problems {
		if text := p.String(); !seen[text] {
			seen[text] = true
			problems = append(problems, p.Problem)
		}
	}
	return problems
}
