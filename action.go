package cap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/plan"
)

// Action is one Write or Host call, bound to its value: what a [Gate] lets begin or not. ID is the digest of all of it but
// Source and Reason. Digests are SHA-256, in hex.
type Action struct {
	ID         string `json:"id"`
	Capability string `json:"capability"`
	Contract   string `json:"contract"` // digest of name, effect, access, reversibility and both schemas
	Input      string `json:"input"`    // digest of the input as it takes effect
	Shown      string `json:"shown"`    // digest of what a person is shown
	State      string `json:"state"`    // digest of the preconditions

	Effect        Effect         `json:"effect"`
	Reversible    bool           `json:"reversible"`
	Pending       PendingAction  `json:"pending"`
	Arguments     []Argument     `json:"arguments"` // what will take effect, in schema order
	Preconditions []Precondition `json:"preconditions,omitempty"`
	Requester     Principal      `json:"requester"`

	Source string `json:"source"`
	Reason string `json:"reason,omitempty"` // the caller's own words, unchecked
}

// Argument is one argument of an action as it will take effect.
type Argument struct {
	Name      string          `json:"name"`
	JSON      json.RawMessage `json:"json,omitempty"` // absent for a secret
	Defaulted bool            `json:"defaulted,omitempty"`
	Secret    bool            `json:"secret,omitempty"`
}

// ErrNotGated is what [Registry.Prepare] returns for a Read: there is nothing to agree to.
var ErrNotGated = errors.New("cap: a read needs no confirmation, so there is no action to prepare")

// Prepare decodes a Write or Host call, checks who may make it, and returns the action that a person would be asked to
// agree to. Nothing runs. The error is an *[Error], or [ErrNotGated] for a Read that has passed the same checks.
func (r *Registry) Prepare(ctx context.Context, name string, args json.RawMessage, options CallOptions) (Action, error) {
	c := r.newCall(ctx, name, args, options)
	action, failed := c.prepare()
	if failed != nil {
		c.complete(failed)
		return Action{}, failed
	}
	if action.Effect == EffectRead {
		return Action{}, ErrNotGated
	}
	return action, nil
}

func (c *call) prepare() (Action, *Error) {
	if failed := c.admit(); failed != nil {
		return Action{}, failed
	}
	if _, failed := c.decode(); failed != nil {
		return Action{}, failed
	}
	if failed := c.allow(); failed != nil {
		return Action{}, failed
	}
	if c.capability.effect == EffectRead {
		return Action{Effect: EffectRead}, nil
	}
	return c.action()
}

// action binds the call to its value. Describe and Preconditions see copies of their own.
func (c *call) action() (Action, *Error) {
	in, failed := c.decode()
	if failed != nil {
		return Action{}, failed
	}
	data, issues := c.capability.in.EncodeInput(nil, in.Elem(), c.registry.limits)
	if issues != nil {
		return Action{}, inputInvalid(issues)
	}
	pending, err := c.capability.describe(in)
	if err != nil {
		return Action{}, &Error{Code: CodeExecutionFailed, cause: err}
	}
	if fault := pending.fault(); fault != "" {
		return Action{}, &Error{Code: CodeOutputInvalid, cause: fmt.Errorf("cap: the pending action's %s", fault)}
	}
	facts, failed := c.facts()
	if failed != nil {
		return Action{}, failed
	}
	action := Action{
		Capability: c.name, Effect: c.capability.effect, Reversible: c.capability.Reversible(),
		Pending: pending, Preconditions: facts, Source: c.source, Reason: c.options.Reason,
	}
	if c.principal != nil {
		action.Requester = *c.principal.clone()
	}
	action.Arguments, err = c.arguments(data)
	if err != nil {
		return Action{}, &Error{Code: CodeExecutionFailed, cause: err}
	}
	if err := action.seal(c.capability, data); err != nil {
		return Action{}, &Error{Code: CodeExecutionFailed, cause: err}
	}
	return action, nil
}

// facts asks the Preconditions companion.
func (c *call) facts() ([]Precondition, *Error) {
	if c.capability.preconditions == nil {
		return nil, nil
	}
	in, failed := c.decode()
	if failed != nil {
		return nil, failed
	}
	facts, err := c.capability.preconditions(c, in)
	if err != nil {
		return nil, c.classify(err, nil)
	}
	for _, fact := range facts {
		if nameFault(fact.Label) != "" || !validTexts(fact.Value) {
			return nil, &Error{Code: CodeOutputInvalid, cause: errors.New("cap: a precondition has no label, or is not UTF-8")}
		}
	}
	return slices.Clone(facts), nil
}

// arguments lists what takes effect, in schema order, with what the caller left to a default marked.
func (c *call) arguments(effective []byte) ([]Argument, error) {
	given := make(map[string]bool)
	for name := range jsonvalue.Members(c.args) {
		given[name] = true
	}
	values := make(map[string]json.RawMessage)
	for name, raw := range jsonvalue.Members(effective) {
		values[name] = slices.Clone(raw)
	}
	var list []Argument
	for _, field := range rootField(c.capability.in).Fields() {
		value, present := values[field.Name()]
		if !present {
			if value = field.Default(); value == nil {
				continue
			}
		}
		argument := Argument{Name: field.Name(), JSON: value, Defaulted: !given[field.Name()], Secret: field.Secret()}
		if argument.Secret {
			argument.JSON = nil
		}
		list = append(list, argument)
	}
	return list, nil
}

// seal fills in the digests.
func (a *Action) seal(c *Capability, input []byte) error {
	canonical, err := jsonvalue.Canonical(nil, input)
	if err != nil {
		return err
	}
	a.Input = digest("input", canonical)
	c.render()
	a.Contract, err = digestOf("contract", []any{c.name, c.effect, c.access, c.options.Reversible, c.schemas.input, c.schemas.output})
	if err != nil {
		return err
	}
	if a.State, err = digestOf("state", a.Preconditions); err != nil {
		return err
	}
	if a.Shown, err = digestOf("shown", []any{a.Pending, a.Arguments, a.Preconditions}); err != nil {
		return err
	}
	bound := *a
	bound.ID, bound.Source, bound.Reason = "", "", ""
	a.ID, err = digestOf("action", bound)
	return err
}

// digestOf is the digest of a value's canonical JSON.
func digestOf(label string, value any) (string, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	canonical, err := jsonvalue.Canonical(nil, data)
	if err != nil {
		return "", err
	}
	return digest(label, canonical), nil
}

// digest keeps apart, by a label, what is digested for different ends.
func digest(label string, data []byte) string {
	h := sha256.New()
	h.Write([]byte("cap/" + label + "/v1\x00"))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// encodeOutput writes an output, wrapped where its JSON is no object.
func (c *Capability) encodeOutput(out reflect.Value, limits plan.Limits) (json.RawMessage, *plan.Issues) {
	if c.wrapped != nil {
		wrapper := reflect.New(c.wrapped).Elem()
		wrapper.Field(0).Set(out)
		out = wrapper
	}
	return c.out.Encode(nil, out, limits)
}
