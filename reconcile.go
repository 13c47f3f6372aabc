package cap

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// reconciler is a gate that settles outcomes which nobody knows.
type reconciler interface {
	Reconcile(ctx context.Context, action Action, approval string, find func(context.Context) (Outcome, error)) (Outcome, error)
}

// Reconcile asks the Reconcile companion of a Write or Host capability whether an action took effect after all, and has
// the gate record what it says. The input is needed again, because nothing keeps it; it must be the one that ran. An outcome
// that is known is returned without asking. It is for an operator's own code: no access rule is asked. Errors are an
// *[Error], [ErrNotGated], or what the gate or the companion says.
func (r *Registry) Reconcile(ctx context.Context, name string, args json.RawMessage, approvalID string) (Outcome, error) {
	c := r.newCall(ctx, name, slices.Clone(args), CallOptions{})
	c.approval = approvalID
	return c.settle()
}

// settle is the pipeline of Reconcile.
func (c *call) settle() (outcome Outcome, err error) {
	defer contain(&err)
	capability, ok := c.registry.byName[c.name]
	if !ok {
		failed := &Error{Code: CodeCapabilityNotFound}
		c.complete(failed)
		return Outcome{}, failed
	}
	c.capability = capability
	if capability.effect == EffectRead {
		return Outcome{}, ErrNotGated
	}
	gate, ok := c.registry.options.Gate.(reconciler)
	if !ok || capability.reconcile == nil {
		return Outcome{}, errCannotReconcile
	}
	_, input, failed := c.describe()
	if failed != nil {
		c.complete(failed)
		return Outcome{}, failed
	}
	return c.reconcile(gate, input)
}

var errCannotReconcile = errors.New("cap: this outcome cannot be found out (the service needs a Reconcile companion, and the gate a Reconcile method)")

func (c *call) reconcile(gate reconciler, input []byte) (Outcome, error) {
	canonical, err := jsonvalue.Canonical(nil, input)
	if err != nil {
		return Outcome{}, err
	}
	action := Action{Capability: c.name, Effect: c.capability.effect}
	if action.Input, err = c.inputDigest(canonical); err != nil {
		return Outcome{}, err
	}
	return gate.Reconcile(c, action, c.approval, func(context.Context) (Outcome, error) {
		in, failed := c.decode()
		if failed != nil {
			return Outcome{}, failed
		}
		found, err := c.capability.reconcile(c, in, c.approval)
		if err != nil {
			return Outcome{}, err
		}
		return c.checked(found)
	})
}

// checked holds what a Reconcile companion found against the contract.
func (c *call) checked(found Outcome) (Outcome, error) {
	if c.capability.out.HasSecrets() {
		found.Output = nil
	}
	if found.State == OutcomeSucceeded && found.Output != nil {
		value := reflect.New(c.capability.out.Type).Elem()
		if issues := c.capability.out.Decode(found.Output, value, c.registry.limits); issues != nil {
			return Outcome{}, &issuesError{"reconciled output", issues}
		}
	}
	return found, nil
}
