package cap

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// Invoke is the typed form of [Registry.Invoke]: it takes a contract, returns its output, and goes through the same
// pipeline. A declared failure comes back as its Go type for errors.As. At most one CallOptions is used.
//
//	order, err := cap.Invoke(ctx, cap.Default(), GetOrder{Order: "SO-1042"})
//
// in is read before the call begins and never kept. A field with a default that holds its zero value counts as left out.
// A contract that is mounted under several names is an error that names them; see [InvokeAs].
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
