package cap

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// A Gate decides whether a [Write] or [Host] action may begin. The core asks the registry's Gate inside every call of
// such a capability, from any adapter and in process; with no Gate configured the call is refused.
//
// A Gate may have two more methods. Both are optional:
//
//	MAC(ctx context.Context, message []byte) ([]byte, error)
//	Reconcile(ctx context.Context, action Action, approval string, find func(context.Context) (Outcome, error)) (Outcome, error)
//
// MAC digests inputs that hold secrets with a key of the gate's own; without it each registry makes a key, and such an action
// can be agreed to only in the process that asked. Reconcile settles an outcome that nobody knows; see [Registry.Reconcile].
// Of the action that it gets, only Capability and Input are set.
type Gate interface {
	// Begin reports whether this exact action was agreed to, and marks it started, once, before the effect. Otherwise it
	// returns a *[ConfirmationRequired], a *[ConfirmationInvalid] or an *[AlreadyRan]; any other error is a defect and
	// nothing runs. It must be safe for concurrent use.
	Begin(ctx context.Context, action Action, given Confirmation) (Attempt, error)
}

// An Attempt is one run of an action that a [Gate] let begin.
type Attempt interface {
	// Approval is the id of the approval that was used, or "" where the gate keeps none. Handlers read it from
	// [CallFrom] and may use it as an idempotency key.
	Approval() string
	// Finish records what came of it. It is called exactly once, also after a panic, and with a context that the caller's
	// cancellation does not reach.
	Finish(ctx context.Context, outcome Outcome) error
}

// Confirmation is what a caller holds: the id of an approval, or the challenge that it was given for this action.
type Confirmation struct {
	Approval  string `json:"approval,omitempty"`
	Challenge string `json:"challenge,omitempty"`
}

// OutcomeState says how a started action ended.
type OutcomeState string

const (
	// OutcomeSucceeded means the handler returned its output.
	OutcomeSucceeded OutcomeState = "succeeded"
	// OutcomeFailed means the handler returned a declared failure.
	OutcomeFailed OutcomeState = "failed"
	// OutcomeUnknown means nobody knows whether the effect happened. It is never run again by itself.
	OutcomeUnknown OutcomeState = "unknown"
)

// Outcome is what came of an action. A Reconcile companion returns one as well: a State alone is enough there.
type Outcome struct {
	State OutcomeState `json:"state"`
	// Output and Cites are the answer of an action that succeeded.
	Output json.RawMessage `json:"output,omitempty"`
	Cites  []ObjectRef     `json:"cites,omitempty"`
	// Code says how it ended otherwise.
	Code Code `json:"code,omitempty"`
	// Failure, Tag, Reason and Fix are the declared failure of an action that failed.
	Failure json.RawMessage `json:"failure,omitempty"`
	Tag     string          `json:"tag,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Fix     string          `json:"fix,omitempty"`
}

// ConfirmationRequired says that an action has not been agreed to yet, and how it can be.
type ConfirmationRequired struct {
	Action    Action    `json:"action"`
	Approval  string    `json:"approval,omitempty"`  // the request that waits for an approver
	Challenge string    `json:"challenge,omitempty"` // what the requesting person's own client may send back
	Expires   time.Time `json:"expires,omitzero"`
}

func (e *ConfirmationRequired) Error() string { return messageOf(CodeConfirmationRequired) }

// ConfirmationInvalid says that what the caller holds does not agree to this action. It tells nobody which part differed.
type ConfirmationInvalid struct{}

func (e *ConfirmationInvalid) Error() string { return messageOf(CodeConfirmationInvalid) }

// AlreadyRan says that the approval which the call names was used before; Outcome is what came of it.
type AlreadyRan struct{ Outcome Outcome }

func (e *AlreadyRan) Error() string { return "the action has run already" }

// errNoGate is the cause inside CONFIRMATION_REQUIRED when nobody can agree.
var errNoGate = errors.New("cap: the registry has no Gate, so write and host capabilities are refused (set Options.Gate)")
