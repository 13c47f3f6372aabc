package cap

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-369ec62e/cap/internal/method"
	"github.com/seed-369ec62e/cap/internal/plan"
)

// The functions of this file call the user's code. Each contains panics: they come back as errors.

func contain(err *error) {
	if value := recover(); value != nil {
		*err = &panicError{value}
	}
}

// decodeInput reads a document into a new value of the contract. Plans contain what the methods of the user's types
// do; what they cannot, such as a map key that Go cannot hash, ends here.
func (d *description) decodeInput(data []byte, limits plan.Limits) (in reflect.Value, issues *plan.Issues, err error) {
	defer contain(&err)
	in = reflect.New(d.in.Type)
	return in, d.in.Decode(data, in.Elem(), limits), nil
}

// writeInput writes a contract value as a caller's document.
func (d *description) writeInput(in reflect.Value, limits plan.Limits) (data json.RawMessage, issues *plan.Issues, err error) {
	defer contain(&err)
	data, issues = d.in.EncodeInput(nil, in, limits)
	return data, issues, nil
}

// encodeOutput writes an output, wrapped where its JSON is no object.
func (d *description) encodeOutput(out reflect.Value, limits plan.Limits) (data json.RawMessage, err error) {
	defer contain(&err)
	data, issues := d.out.Encode(nil, d.wrap(out), limits)
	if issues != nil {
		return nil, &issuesError{"output", issues}
	}
	return data, nil
}

// wrap gives an output as its plan takes it: in a struct where its JSON is no object.
func (d *description) wrap(out reflect.Value) reflect.Value {
	if d.wrapped == nil {
		return out
	}
	wrapper := reflect.New(d.wrapped).Elem()
	wrapper.Field(0).Set(out)
	return wrapper
}

// contextOf gives ctx as the method takes it. reflect allocates where it has to make an interface of a value, so the call
// keeps one at hand.
func contextOf(ctx context.Context) reflect.Value {
	if c, ok := ctx.(*call); ok {
		return reflect.ValueOf(&c.self).Elem()
	}
	return reflect.ValueOf(ctx)
}

// argument gives in, a pointer to the contract, as the method takes it.
func argument(in reflect.Value, pointer bool) reflect.Value {
	if pointer {
		return in
	}
	return in.Elem()
}

// errorOf gives the error among a method's results.
func errorOf(result reflect.Value) error {
	err, _ := result.Interface().(error)
	return err
}

func callHandler(service reflect.Value, h method.Handler) func(context.Context, reflect.Value) (reflect.Value, error) {
	function := h.Method.Func
	return func(ctx context.Context, in reflect.Value) (out reflect.Value, err error) {
		defer contain(&err)
		results := function.Call([]reflect.Value{service, contextOf(ctx), argument(in, h.InPointer)})
		return results[0], errorOf(results[1])
	}
}

func callAllow(service reflect.Value, c *method.Companion) func(context.Context, reflect.Value) (bool, error) {
	return func(ctx context.Context, in reflect.Value) (allowed bool, err error) {
		defer contain(&err)
		results := c.Method.Func.Call([]reflect.Value{service, contextOf(ctx), argument(in, c.InPointer)})
		return results[0].Bool(), errorOf(results[1])
	}
}

func callPreconditions(service reflect.Value, c *method.Companion) func(context.Context, reflect.Value) ([]Precondition, error) {
	return func(ctx context.Context, in reflect.Value) (facts []Precondition, err error) {
		defer contain(&err)
		results := c.Method.Func.Call([]reflect.Value{service, contextOf(ctx), argument(in, c.InPointer)})
		facts, _ = results[0].Interface().([]Precondition)
		return facts, errorOf(results[1])
	}
}

func callReconcile(service reflect.Value, c *method.Companion) func(context.Context, reflect.Value, string) (Outcome, error) {
	return func(ctx context.Context, in reflect.Value, approval string) (outcome Outcome, err error) {
		defer contain(&err)
		results := c.Method.Func.Call([]reflect.Value{service, contextOf(ctx), argument(in, c.InPointer), reflect.ValueOf(approval)})
		outcome, _ = results[0].Interface().(Outcome)
		return outcome, errorOf(results[1])
	}
}

// callFunction is the typed form: no reflection on the way to the handler.
func callFunction[In, Out any](function func(context.Context, In) (Out, error)) func(context.Context, reflect.Value) (reflect.Value, error) {
	return func(ctx context.Context, in reflect.Value) (out reflect.Value, err error) {
		defer contain(&err)
		var typed In
		switch pointer := in.Interface().(type) {
		case *In:
			typed = *pointer
		case In:
			typed = pointer
		}
		result, err := function(ctx, typed)
		return reflect.ValueOf(&result).Elem(), err
	}
}

// describePending calls the Describe companion of a contract.
func describePending(in reflect.Value) (pending PendingAction, err error) {
	defer contain(&err)
	if d, ok := in.Interface().(Describer); ok {
		pending = d.Describe().trimmed()
	}
	return pending, nil
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

// citesOf calls the Cites companion of an output.
func citesOf(out reflect.Value) (cites []ObjectRef, err error) {
	defer contain(&err)
	if !out.CanAddr() {
		addressable := reflect.New(out.Type()).Elem()
		addressable.Set(out)
		out = addressable
	}
	if citer, ok := out.Addr().Interface().(Citer); ok {
		cites = citer.Cites()
	}
	return cites, nil
}
