package cap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// Action is one Write or Host call, bound to its value: what a [Gate] lets begin or not. ID is the digest of all of it but
// Source and Reason. Digests are SHA-256, in hex, each with a label of its own; that of an input which holds secrets is
// an HMAC.
type Action struct {
	ID         string `json:"id"`
	Capability string `json:"capability"`
	Contract   string `json:"contract"` // digest of name, effect, access, reversibility and both schemas
	Input      string `json:"input"`    // digest of the input as it takes effect: RFC 8785, but integers keep every digit
	Shown      string `json:"shown"`    // digest of what a person is shown: Text without source, reason and code
	State      string `json:"state"`    // digest of the preconditions

	Effect        Effect         `json:"effect"`
	Reversible    bool           `json:"reversible"`
	Pending       PendingAction  `json:"pending"`
	Arguments     []Argument     `json:"arguments"` // what will take effect, in schema order
	Preconditions []Precondition `json:"preconditions,omitempty"`
	Requester     Principal      `json:"requester"` // ID, Kind, OnBehalfOf and Tenant; what a token carries beside them may change

	Source string `json:"source"`
	Reason string `json:"reason,omitempty"` // the caller's own words, unchecked
}

// Argument is one argument of an action as it will take effect.
type Argument struct {
	Name      string          `json:"name"`
	JSON      json.RawMessage `json:"json,omitempty"` // absent for a secret; secrets within are masked
	Defaulted bool            `json:"defaulted,omitempty"`
	Secret    bool            `json:"secret,omitempty"`
}

// ErrNotGated is what [Registry.Prepare] returns for a Read: there is nothing to agree to.
var ErrNotGated = errors.New("cap: a read needs no confirmation, so there is no action to prepare")

// Prepare decodes a Write or Host call, checks who may make it, and returns the action that a person would be asked to
// agree to. Nothing runs. The error is an *[Error], or [ErrNotGated] for a Read that has passed the same checks.
func (r *Registry) Prepare(ctx context.Context, name string, args json.RawMessage, options CallOptions) (Action, error) {
	c := r.newCall(ctx, name, args, options)
	action, failed := contained(c.prepare)
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
	c.args = slices.Clone(c.args)
	if _, failed := c.decode(); failed != nil {
		return Action{}, failed
	}
	if failed := c.allow(); failed != nil {
		return Action{}, failed
	}
	// A read has nothing to agree to, but its caller is told first what is wrong with the call.
	if c.capability.effect == EffectRead {
		return Action{Effect: EffectRead}, nil
	}
	return c.action()
}

// action binds the call to its value. Describe and Preconditions see copies of their own. Where only the preconditions
// cannot be read, the action comes beside the error: nothing can have agreed to it, but what ran before is known by it.
func (c *call) action() (Action, *Error) {
	action, input, failed := c.describe()
	if failed != nil {
		return Action{}, failed
	}
	facts, unread := c.facts()
	action.Preconditions = facts
	if err := action.seal(c, input, unread != nil); err != nil {
		return Action{}, &Error{Code: CodeExecutionFailed, cause: err}
	}
	return action, unread
}

// describe gives what is said of the call, and its input as it takes effect.
func (c *call) describe() (Action, []byte, *Error) {
	in, failed := c.decode()
	if failed != nil {
		return Action{}, nil, failed
	}
	input, issues := c.capability.in.Encode(nil, in.Elem(), c.registry.limits)
	if issues != nil {
		return Action{}, nil, &Error{Code: CodeExecutionFailed, cause: &issuesError{"input", issues}}
	}
	dropSecrets(in.Elem(), c.capability.in)
	pending, err := c.capability.describe(in)
	if err != nil {
		return Action{}, nil, &Error{Code: CodeExecutionFailed, cause: err}
	}
	if fault := pending.fault(); fault != "" {
		return Action{}, nil, &Error{Code: CodeOutputInvalid, cause: fmt.Errorf("cap: the pending action's %s", fault)}
	}
	pending.Args = maps.Clone(pending.Args)
	action := Action{
		Capability: c.name, Effect: c.capability.effect, Reversible: c.capability.Reversible(),
		Pending: pending, Arguments: c.arguments(input), Source: c.source, Reason: c.options.Reason,
	}
	if p := c.principal; p != nil {
		action.Requester = Principal{ID: p.ID, Kind: p.Kind, OnBehalfOf: p.OnBehalfOf, Tenant: p.Tenant}
	}
	return action, input, nil
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
func (c *call) arguments(effective []byte) []Argument {
	given := make(map[string]json.RawMessage)
	for name, raw := range jsonvalue.Members(c.args) {
		given[name] = raw
	}
	values := make(map[string]json.RawMessage)
	for name, raw := range jsonvalue.Members(effective) {
		values[name] = raw
	}
	var list []Argument
	for _, field := range rootField(c.capability.in).Fields() {
		raw, written := given[field.Name()]
		value, present := values[field.Name()]
		switch {
		case present:
		case written:
			// A zero value that the caller wrote is left out on the way back; it takes effect all the same.
			value = raw
		default:
			continue
		}
		argument := Argument{Name: field.Name(), Defaulted: !written && field.Default() != nil, Secret: field.Secret()}
		if !argument.Secret {
			argument.JSON = maskSecrets(nil, field, value)
		}
		list = append(list, argument)
	}
	return list
}

// seal fills in the digests. Preconditions that could not be read are those of no action.
func (a *Action) seal(c *call, input []byte, unread bool) error {
	canonical, err := jsonvalue.Canonical(nil, input)
	if err != nil {
		return err
	}
	if a.Input, err = c.inputDigest(canonical); err != nil {
		return err
	}
	if a.Contract, err = c.capability.digest(); err != nil {
		return err
	}
	label := "state"
	if unread {
		label = "state/unread"
	}
	if a.State, err = digestOf(label, a.Preconditions); err != nil {
		return err
	}
	a.Shown = digest("shown", []byte(a.facts()))
	bound := *a
	bound.ID, bound.Source, bound.Reason = "", "", ""
	a.ID, err = digestOf("action", bound)
	return err
}

// digest is that of the contract: all that a caller and an approver can know of it.
func (c *Capability) digest() (string, error) {
	c.render()
	parts := []any{
		c.name, c.effect, c.access, c.scopes, c.options.Reversible, c.options.Idempotent, c.options.Destructive,
		digest("schema", c.schemas.input), digest("schema", c.schemas.output),
	}
	for _, info := range c.failures {
		parts = append(parts, info.Tag, digest("schema", info.failure.schemaBytes()))
	}
	return digestOf("contract", parts)
}

// digestOf is the digest of a value's JSON. encoding/json writes equal values of these types as equal bytes: members in
// the order of their declaration, names of maps sorted.
func digestOf(label string, value any) (string, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return digest(label, data), nil
}

// digest keeps apart, by a label, what is digested for different ends.
func digest(label string, data []byte) string {
	h := sha256.New()
	h.Write([]byte("cap/" + label + "/v1\x00"))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
