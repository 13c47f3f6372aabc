package cap

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

// executeGated runs a Write or Host call: only what the registry's gate lets begin, and its outcome is recorded.
func (c *call) executeGated(in reflect.Value) (*Result, *Error) {
	if c.registry.options.Gate == nil {
		return nil, &Error{Code: CodeConfirmationRequired, cause: errNoGate}
	}
	action, failed := c.action()
	if failed != nil {
		return c.recall(action, failed)
	}
	attempt, err := c.begin(action)
	if err != nil {
		return c.notBegun(err)
	}
	return c.attempted(attempt, in)
}

// attempted runs the handler. What came of it is recorded even if the handler ends its goroutine.
func (c *call) attempted(attempt Attempt, in reflect.Value) (result *Result, failed *Error) {
	defer func() { c.record(attempt, result, failed) }()
	result, failed = c.execute(in)
	if result != nil {
		result.Approval = c.approval
	}
	return result, failed
}

// recall gives the stored answer of an approval that the call names, though its preconditions can no longer be read: the
// action itself may have seen to that. Nothing runs.
func (c *call) recall(action Action, failed *Error) (*Result, *Error) {
	if action.ID == "" || c.options.Confirmation == (Confirmation{}) {
		return nil, failed
	}
	attempt, err := c.begin(action)
	if ran, ok := errors.AsType[*AlreadyRan](err); ok {
		return c.replay(ran.Outcome)
	}
	if attempt != nil {
		c.record(attempt, nil, failed)
	}
	return nil, failed
}

// begin asks the gate. What it panics with is an error like any other: nothing runs.
func (c *call) begin(action Action) (attempt Attempt, err error) {
	defer func() {
		if value := recover(); value != nil {
			attempt, err = nil, &panicError{value}
		}
	}()
	attempt, err = c.registry.options.Gate.Begin(c, action, c.options.Confirmation)
	if err != nil {
		return nil, err
	}
	if attempt == nil {
		return nil, errors.New("cap: the gate returned neither an attempt nor an error")
	}
	c.approval = attempt.Approval()
	return attempt, nil
}

// notBegun turns what the gate said into the call's answer.
func (c *call) notBegun(err error) (*Result, *Error) {
	if required, ok := errors.AsType[*ConfirmationRequired](err); ok {
		return nil, &Error{Code: CodeConfirmationRequired, Confirmation: required, cause: err}
	}
	if _, ok := errors.AsType[*ConfirmationInvalid](err); ok {
		return nil, &Error{Code: CodeConfirmationInvalid, cause: err}
	}
	if ran, ok := errors.AsType[*AlreadyRan](err); ok {
		return c.replay(ran.Outcome)
	}
	if c.Err() != nil {
		return nil, cancelled(err, ReasonCaller)
	}
	return nil, &Error{Code: CodeExecutionFailed, cause: err}
}

// replay gives the stored answer of an action that ran before.
func (c *call) replay(outcome Outcome) (*Result, *Error) {
	switch outcome.State {
	case OutcomeSucceeded:
		if outcome.Output == nil {
			return nil, &Error{Code: CodeOutputInvalid, Message: "The action has run, but its answer was not kept.", cause: errNotKept}
		}
		approval := c.options.Confirmation.Approval
		return &Result{Output: outcome.Output, Cites: outcome.Cites, Approval: approval, Replayed: true}, nil
	case OutcomeFailed:
		if outcome.Tag == "" {
			return nil, &Error{Code: CodeCapabilityFailed, Message: "The action was begun, but took no effect."}
		}
		return nil, &Error{
			Code: CodeCapabilityFailed, Message: outcome.Reason, Reason: outcome.Reason,
			Tag: outcome.Tag, Fix: outcome.Fix, Failure: outcome.Failure, cause: c.storedFailure(outcome),
		}
	default:
		code := outcome.Code
		if code == "" {
			code = CodeExecutionFailed
		}
		return nil, &Error{Code: code, Effect: EffectUnknown, cause: errUnknownOutcome}
	}
}

var (
	errUnknownOutcome = errors.New("cap: the action was started before and nobody knows how it ended")
	errNotKept        = errors.New("cap: the output holds secrets, or somebody else found out that the action had succeeded")
)

// storedFailure makes the Go type of a stored failure again, for errors.As.
func (c *call) storedFailure(outcome Outcome) error {
	for _, info := range c.capability.failures {
		if info.Tag != outcome.Tag {
			continue
		}
		if value, err := info.failure.decode(outcome.Failure, c.registry.ownAnswer); err == nil {
			return &declaredError{value: value, original: fmt.Errorf("cap: stored failure %s", info.Tag)}
		}
	}
	return nil
}

// record tells the gate what came of the attempt, whatever has happened to the caller meanwhile.
func (c *call) record(attempt Attempt, result *Result, failed *Error) {
	defer func() {
		if value := recover(); value != nil {
			c.logContained("the gate panicked while the outcome was recorded", &panicError{value})
		}
	}()
	if err := attempt.Finish(context.WithoutCancel(c), c.outcomeOf(result, failed)); err != nil {
		c.logContained("the outcome of an action could not be recorded", err)
	}
}

// outcomeOf is what is stored of an answer: nothing that is secret.
func (c *call) outcomeOf(result *Result, failed *Error) Outcome {
	switch {
	case result != nil:
		if c.capability.out.HasSecrets() {
			return Outcome{State: OutcomeSucceeded}
		}
		return Outcome{State: OutcomeSucceeded, Output: result.Output, Cites: result.Cites}
	case failed == nil:
		return Outcome{State: OutcomeUnknown, Code: CodeExecutionFailed}
	case failed.Code == CodeCapabilityFailed:
		return c.failedOutcome(failed)
	case !c.handlerStarted:
		return Outcome{State: OutcomeFailed, Code: failed.Code}
	default:
		return Outcome{State: OutcomeUnknown, Code: failed.Code}
	}
}

func (c *call) failedOutcome(failed *Error) Outcome {
	outcome := Outcome{
		State: OutcomeFailed, Code: failed.Code,
		Failure: failed.Failure, Tag: failed.Tag, Reason: failed.Reason, Fix: failed.Fix,
	}
	for _, info := range c.capability.failures {
		if info.Tag == failed.Tag && info.failure.plan.HasSecrets() {
			outcome.Failure = nil
		}
	}
	return outcome
}
