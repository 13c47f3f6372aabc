package cap

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// defaultRegistry is what Register fills. It is made when first asked for.
var defaultRegistry struct {
	mu       sync.Mutex
	registry *Registry
}

// Default returns the registry that [Register] fills.
func Default() *Registry {
	defaultRegistry.mu.Lock()
	defer defaultRegistry.mu.Unlock()
	if defaultRegistry.registry == nil {
		defaultRegistry.registry = New(Options{})
	}
	return defaultRegistry.registry
}

// Configure sets the default registry up. It must come before the first Register, and before anything that uses
// [Default].
func Configure(options Options) error {
	defaultRegistry.mu.Lock()
	defer defaultRegistry.mu.Unlock()
	if defaultRegistry.registry != nil {
		return fmt.Errorf("cap: the default registry is in use already (call Configure before Register and Default)")
	}
	defaultRegistry.registry = New(options)
	return nil
}

// Register adds the capabilities of services to the default registry; see [Registry.Register].
func Register(services ...any) error { return Default().Register(services...) }

// MustRegister is [Register] for a program that cannot start without. It panics with every problem.
func MustRegister(services ...any) {
	if err := Register(services...); err != nil {
		panic(err)
	}
}

// A Declaration is something that can be registered besides a service; see [Func].
type Declaration interface{ declare(*registration) }

// Func makes a capability of a function, for libraries and tests. Register what it returns. A function has no companions,
// so its contract cannot say access=rule.
func Func[In Contract[Out], Out any](function func(context.Context, In) (Out, error)) Declaration {
	return functionOf(reflect.TypeFor[In](), reflect.TypeFor[Out](), function == nil, callFunction(function))
}

// Handle registers one handler of a service through a typed closure, with its companions: a call then spends nothing on
// reflection. The service's other handlers are not registered.
//
//	err := cap.Handle(registry, orders, (*Orders).CancelOrder)
func Handle[Svc any, In Contract[Out], Out any](registry *Registry, service Svc, handler func(Svc, context.Context, In) (Out, error)) error {
	bound := func(ctx context.Context, in In) (Out, error) { return handler(service, ctx, in) }
	return registry.Register(&handlerDeclaration{
		service: service, in: reflect.TypeFor[In](), missing: handler == nil, handle: callFunction(bound),
	})
}

// Invoke is the typed form of [Registry.Invoke]: it takes a contract, returns its output, and goes through the same
// pipeline. A declared failure comes back as its Go type for errors.As. At most one CallOptions is used.
//
//	order, err := cap.Invoke(ctx, cap.Default(), GetOrder{Order: "SO-1042"})
//
// in is read before the call begins and never kept. A field with a default that holds its zero value counts as left out.
func Invoke[In Contract[Out], Out any](ctx context.Context, registry *Registry, in In, options ...CallOptions) (Out, error) {
	var out Out
	result, capability, err := registry.invokeTyped(ctx, reflect.ValueOf(&in).Elem(), options)
	if err != nil {
		return out, err
	}
	return out, capability.decodeOutput(result.Output, reflect.ValueOf(&out).Elem(), registry.ownAnswer)
}

// InvokeAs is [Invoke] for a contract that is mounted under several names: name says which is meant.
func InvokeAs[In Contract[Out], Out any](ctx context.Context, registry *Registry, name string, in In, options ...CallOptions) (Out, error) {
	var out Out
	result, capability, err := registry.invokeNamed(ctx, name, reflect.ValueOf(&in).Elem(), options)
	if err != nil {
		return out, err
	}
	return out, capability.decodeOutput(result.Output, reflect.ValueOf(&out).Elem(), registry.ownAnswer)
}

// invokeTyped finds the capability of a contract value, and calls it.
func (r *Registry) invokeTyped(ctx context.Context, in reflect.Value, options []CallOptions) (*Result, *Capability, error) {
	r.seal()
	capability, err := r.ofType(deref(in.Type()))
	switch {
	case err != nil:
		return nil, nil, err
	case capability == nil:
		c := r.newCall(ctx, "", nil, optionsOf(options))
		return nil, nil, c.refuse(&Error{Code: CodeCapabilityNotFound, cause: fmt.Errorf("cap: no capability has the contract %s", typeName(deref(in.Type())))})
	default:
		return r.invokeValue(ctx, capability, in, options)
	}
}

// invokeNamed calls the capability of that name, whose contract is that of the value.
func (r *Registry) invokeNamed(ctx context.Context, name string, in reflect.Value, options []CallOptions) (*Result, *Capability, error) {
	capability, ok := r.Lookup(name)
	switch {
	case !ok: // answered by the pipeline, with its events
		result, err := r.Invoke(ctx, name, nil, optionsOf(options))
		return result, nil, err
	case capability.in.Type != deref(in.Type()):
		return nil, nil, fmt.Errorf("cap: %s has the contract %s, not %s", name, capability.contract, typeName(deref(in.Type())))
	default:
		return r.invokeValue(ctx, capability, in, options)
	}
}

func optionsOf(options []CallOptions) CallOptions {
	if len(options) == 0 {
		return CallOptions{}
	}
	return options[0]
}

// invokeValue writes a contract value as JSON and calls.
func (r *Registry) invokeValue(ctx context.Context, capability *Capability, in reflect.Value, options []CallOptions) (*Result, *Capability, error) {
	args, failed := capability.encodeInput(in, r.limits)
	c := r.newCall(ctx, capability.name, args, optionsOf(options))
	c.encoding = failed
	result, err := r.invoke(c)
	return result, capability, err
}

// ofType finds the one capability whose contract is t, or nil.
func (r *Registry) ofType(t reflect.Type) (*Capability, error) {
	switch list := r.byType[t]; len(list) {
	case 1:
		return list[0], nil
	case 0:
		return nil, nil
	default:
		var names []string
		for _, c := range list {
			names = append(names, c.name)
		}
		return nil, fmt.Errorf("cap: contract %s is mounted as %s, so its type alone does not say which to call", typeName(t), strings.Join(names, " and "))
	}
}

// encodeInput writes a contract value as a caller's document.
func (d *description) encodeInput(in reflect.Value, limits plan.Limits) (json.RawMessage, *Error) {
	if in.Kind() == reflect.Pointer {
		if in.IsNil() {
			return nil, &Error{Code: CodeInputInvalid, Issues: []Issue{{Rule: plan.RuleRequired, Message: "must not be nil"}}}
		}
		in = in.Elem()
	}
	data, issues, err := d.writeInput(in, limits)
	switch {
	case err != nil:
		return nil, &Error{Code: CodeInputInvalid, cause: err}
	case issues != nil:
		return nil, inputInvalid(issues)
	default:
		return data, nil
	}
}

// readAnswer is how an output or a failure is read back: our own, or one of another process.
type readAnswer func(*plan.Plan, []byte, reflect.Value) *plan.Issues

// contained reads an answer into v. The methods of the user's types are asked: what they panic with is an error.
func (read readAnswer) contained(what string, p *plan.Plan, data []byte, v reflect.Value) (err error) {
	defer contain(&err)
	if issues := read(p, data, v); issues != nil {
		return &issuesError{what, issues}
	}
	return nil
}

// ownAnswer reads what this registry has encoded.
func (r *Registry) ownAnswer(p *plan.Plan, data []byte, v reflect.Value) *plan.Issues {
	return p.DecodeAnswer(data, v, r.limits)
}

// decodeOutput reads an encoded output into out, which is addressable and of the contract's output type or a pointer to it.
func (d *description) decodeOutput(data json.RawMessage, out reflect.Value, read readAnswer) error {
	if out.Kind() == reflect.Pointer {
		out.Set(reflect.New(out.Type().Elem()))
		out = out.Elem()
	}
	target := out
	if d.wrapped != nil {
		target = reflect.New(d.wrapped).Elem()
	}
	if err := read.contained("output", d.out, data, target); err != nil {
		return &Error{Code: CodeOutputInvalid, Message: messageOf(CodeOutputInvalid), Capability: d.name, cause: err}
	}
	if d.wrapped != nil {
		out.Set(target.Field(0))
	}
	return nil
}

// issuesError says inside the process what was wrong with a value that is no caller's fault.
type issuesError struct {
	what   string
	issues *plan.Issues
}

func (e *issuesError) Error() string {
	var b strings.Builder
	b.WriteString("cap: " + e.what)
	for _, issue := range e.issues.List {
		fmt.Fprintf(&b, "; %s %s", pointerText(issue.Pointer), issue.Message)
	}
	if e.issues.Omitted > 0 {
		fmt.Fprintf(&b, "; and %d more", e.issues.Omitted)
	}
	return b.String()
}

// cites collects what an output cites, checked.
func (c *Capability) cites(out reflect.Value) ([]ObjectRef, error) {
	var refs []ObjectRef
	switch {
	case c.citer:
		found, err := citesOf(out)
		if err != nil {
			return nil, err
		}
		refs = slices.Clone(found)
	case c.out.HasCites():
		for _, v := range c.out.Cites(c.wrap(out)) {
			if ref, ok := v.Interface().(ObjectRef); ok {
				refs = append(refs, ref)
			}
		}
	}
	for _, ref := range refs {
		if fault := ref.fault(); fault != "" {
			return nil, fmt.Errorf("cap: a citation's %s", fault)
		}
	}
	return refs, nil
}
