package cap

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap/internal/method"
	"github.com/seed-369ec62e/cap/tags"
)

// add reads one service, or one declaration.
func (g *registration) add(service any) {
	if d, ok := service.(Declaration); ok {
		g.declare(d)
		return
	}
	value := reflect.ValueOf(service)
	if !g.isUsable(value) {
		return
	}
	var taken []reflect.Type
	hooks := methodHooks()
	hooks.Contract = func(t reflect.Type) (string, bool) {
		name, ok := isContract(t)
		if ok {
			taken = append(taken, t)
		}
		return name, ok
	}
	handlers, problems := method.Scan(value.Type(), hooks)
	for _, p := range problems {
		g.report(Problem(p))
	}
	g.checkEmbedded(value, handlers)
	defaults := g.readService(deref(value.Type()))
	for _, h := range handlers {
		g.bind(bindingOf(value, h, defaults, problems))
	}
	g.checkContracts(taken)
}

// checkEmbedded reports what the handlers would panic on.
func (g *registration) checkEmbedded(service reflect.Value, handlers []method.Handler) {
	if path, found := method.NilEmbedded(service, handlers); found {
		g.report(Problem{Where: path, What: "embedded pointer is nil", Do: "set it before registering: the handlers behind it would panic"})
	}
}

// checkContracts reports the problems of every contract that a method of a service takes, also of one whose handler has a
// problem itself: all at once means the contract's too.
func (g *registration) checkContracts(taken []reflect.Type) {
	if len(g.problems) == 0 {
		return
	}
	for _, t := range taken {
		for _, p := range g.registry.contracts.lookup(t).problems {
			if !slices.ContainsFunc(g.problems, func(known located) bool { return known.String() == p.String() }) {
				g.report(p)
			}
		}
	}
}

func methodHooks() method.Hooks {
	return method.Hooks{Contract: isContract, Precondition: preconditionType, Outcome: outcomeType}
}

// speaksOf reports whether p is about the method of that name, or suggests it.
func speaksOf(p method.Problem, name string) bool {
	return strings.HasSuffix(p.Where, "."+name) || strings.Contains(p.Do, strconv.Quote(name))
}

// isUsable reports whether value can be a service.
func (g *registration) isUsable(value reflect.Value) bool {
	switch {
	case !value.IsValid():
		g.report(Problem{Where: "Register", What: "service is nil", Do: "pass a pointer to the struct that holds the handlers"})
	case value.Kind() == reflect.Pointer && value.IsNil():
		g.report(Problem{Where: typeName(value.Type().Elem()), What: "service is a nil pointer", Do: "pass a pointer to a value"})
	default:
		return true
	}
	return false
}

// serviceDefaults are what a service states for its capabilities. If its tag is garbled, what it leaves out is not held
// against them.
type serviceDefaults struct {
	tags.Service
	garbled bool
}

// readService reads the defaults of a service, if it states any.
func (g *registration) readService(t reflect.Type) serviceDefaults {
	var defaults serviceDefaults
	if t.Kind() != reflect.Struct {
		return defaults
	}
	found := false
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type != serviceType {
			continue
		}
		if f.Name != "_" {
			g.report(Problem{Where: typeName(t), What: fmt.Sprintf("cap.Service is field %s", f.Name), Do: "make it a blank field: _ cap.Service"})
		}
		if found {
			g.report(Problem{Where: typeName(t), What: "has a second cap.Service field", Do: "keep one"})
		}
		found = true
		tag, problems := tags.Parse(string(f.Tag))
		text, _ := tag.Lookup("cap")
		options, more := tags.ParseService(text)
		for _, p := range slices.Concat(problems, more) {
			g.report(Problem{Where: typeName(t), What: p.What, Do: p.Do})
			defaults.garbled = true
		}
		defaults.Service = options
	}
	return defaults
}

// bindingOf makes a binding of a handler that was found by name.
func bindingOf(service reflect.Value, h method.Handler, defaults serviceDefaults, problems []method.Problem) binding {
	b := binding{
		where: typeName(deref(service.Type())) + "." + h.Name, file: h.File, line: h.Line,
		in: h.In, out: h.Out, defaults: defaults,
		handle:    callHandler(service, h),
		nearAllow: slices.ContainsFunc(problems, func(p method.Problem) bool { return speaksOf(p, "Allow"+h.Name) }),
	}
	if h.Allow != nil {
		b.allow = callAllow(service, h.Allow)
	}
	if h.Preconditions != nil {
		b.preconditions = callPreconditions(service, h.Preconditions)
	}
	if h.Reconcile != nil {
		b.reconcile = callReconcile(service, h.Reconcile)
	}
	return b
}

// binding is a handler with its companions, before it is held against its contract.
type binding struct {
	where     string
	file      string
	line      int
	in, out   reflect.Type
	defaults  serviceDefaults
	nearAllow bool // a problem speaks of the Allow companion already
	isFunc    bool // a function, which has no companions

	handle        func(context.Context, reflect.Value) (reflect.Value, error)
	allow         func(context.Context, reflect.Value) (bool, error)
	preconditions func(context.Context, reflect.Value) ([]Precondition, error)
	reconcile     func(context.Context, reflect.Value, string) (Outcome, error)
}

// bind holds a handler against its contract, and keeps the capability that the two make.
func (g *registration) bind(b binding) {
	c := g.registry.contracts.lookup(b.in)
	for _, p := range c.problems {
		p.File, p.Line = b.file, b.line
		g.report(p)
	}
	report := func(what, do string) {
		g.report(Problem{Where: b.where, What: what, Do: do, File: b.file, Line: b.line})
	}
	if c.outType != nil && deref(b.out) != c.outType {
		report(fmt.Sprintf("returns %s, but the marker of %s says %s", b.out, c.contract, c.outType), "make the two the same")
	}
	capability := &Capability{description: c.description, where: b.where, handle: b.handle, allow: b.allow, preconditions: b.preconditions, reconcile: b.reconcile}
	capability.inherit(b.defaults.Service)
	if !c.garbled && !b.defaults.garbled && c.effect != "" {
		checkAccess(capability, b, report)
	}
	if c.effect == EffectRead && (b.preconditions != nil || b.reconcile != nil) {
		report("has a Preconditions or Reconcile companion, but reads only", "remove it, or make the contract a cap.Write or cap.Host")
	}
	if c.in != nil && c.out != nil {
		g.capabilities = append(g.capabilities, place[*Capability]{thing: capability, service: g.service, file: b.file, line: b.line})
	}
}

// inherit fills in what the contract left to its service.
func (c *Capability) inherit(defaults tags.Service) {
	if c.access == "" {
		c.access = Access(defaults.Access)
	}
	if len(c.scopes) == 0 && c.access != AccessPublic {
		c.scopes = slices.Clone(defaults.Scopes)
	}
	if c.timeout == 0 {
		c.timeout = defaults.Timeout
	}
}

func checkAccess(c *Capability, b binding, report func(what, do string)) {
	name := handlerName(baseTypeName(b.in))
	switch {
	case c.access == "":
		report("does not say who may call it", fmt.Sprintf("add access=public, access=authenticated or access=rule to the tag of %s, or a default to its service", c.contract))
	case c.access == AccessRule && b.allow == nil && b.nearAllow:
		// What is there instead of the companion has been reported.
	case c.access == AccessRule && b.isFunc:
		report("access=rule, but a function has no companions", fmt.Sprintf("register a service with the methods %s and Allow%s, or choose another access", name, name))
	case c.access == AccessRule && b.allow == nil:
		report(fmt.Sprintf("access=rule, but there is no companion Allow%s", name), fmt.Sprintf("add func Allow%s(ctx context.Context, in %s) (bool, error)", name, c.contract))
	case c.access != AccessRule && b.allow != nil:
		report(fmt.Sprintf("has the companion Allow%s, but access=%s never asks it", name, c.access), "say access=rule, or remove the companion")
	case c.access == AccessPublic && len(c.scopes) > 0:
		report("access=public, but it wants scopes", "say access=authenticated, or remove the scopes")
	}
}
