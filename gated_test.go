package cap_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

var writeArgs = raw(`{"note":"N-1","text":"secret text"}`)

func TestWithoutAGateNothingGatedRuns(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{Write: func(context.Context, WriteNote) error { panic("must not run") }}, cap.Options{})
	_, err := registry.Invoke(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person()})
	e := failed(t, err, cap.CodeConfirmationRequired)
	assert.Nil(t, e.Confirmation, "nobody can agree")
	assert.Empty(t, e.Effect)
	_, err = cap.Invoke(t.Context(), registry, WriteNote{Note: "N-1"}, cap.CallOptions{Principal: person()})
	failed(t, err, cap.CodeConfirmationRequired)
}

func TestTheGateSeesTheAction(t *testing.T) {
	t.Parallel()
	gate := &openGate{}
	var approval string
	registry := newNotes(t, &Notes{Write: func(ctx context.Context, _ WriteNote) error {
		approval = cap.CallFrom(ctx).Approval
		return nil
	}}, cap.Options{Gate: gate})
	result, err := registry.Invoke(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person(), Reason: "tidy up"})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(result.Output))
	assert.Equal(t, "approval-1", result.Approval)
	assert.Equal(t, "approval-1", approval)

	require.Len(t, gate.actions, 1)
	action := gate.actions[0]
	assert.Equal(t, "write_note", action.Capability)
	assert.True(t, action.Reversible)
	assert.Equal(t, "write", action.Pending.Verb)
	assert.Equal(t, "ana", action.Requester.ID)
	assert.Equal(t, "tidy up", action.Reason)
	require.Len(t, action.Arguments, 2)
	assert.JSONEq(t, `"N-1"`, string(action.Arguments[0].JSON))
	assert.True(t, action.Arguments[1].Secret)
	assert.Nil(t, action.Arguments[1].JSON, "a secret is never shown")
	assert.Equal(t, []cap.Outcome{{State: cap.OutcomeSucceeded, Output: raw(`{}`)}}, gate.outcomes)

	prepared, err := registry.Prepare(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person()})
	require.NoError(t, err)
	assert.Equal(t, action.ID, prepared.ID, "the same action has the same id, whatever the reason")
	other, err := registry.Prepare(t.Context(), "write_note", raw(`{"note":"N-1","text":"another"}`), cap.CallOptions{Principal: person()})
	require.NoError(t, err)
	assert.NotEqual(t, action.ID, other.ID, "a secret is bound in, though it is not shown")
}

func TestPrepareRunsNothing(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{Write: func(context.Context, WriteNote) error { panic("must not run") }}, cap.Options{})
	_, err := registry.Prepare(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person()})
	require.NoError(t, err, "preparing needs no gate")
	_, err = registry.Prepare(t.Context(), "write_note", raw(`{}`), cap.CallOptions{Principal: person()})
	failed(t, err, cap.CodeInputInvalid)
	_, err = registry.Prepare(t.Context(), "write_note", writeArgs, cap.CallOptions{})
	failed(t, err, cap.CodeUnauthenticated)
	_, err = registry.Prepare(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.ErrorIs(t, err, cap.ErrNotGated)
	_, err = registry.Prepare(t.Context(), "get_note", raw(`{"x":1}`), cap.CallOptions{})
	failed(t, err, cap.CodeInputInvalid)
}

// Whatever the gate says or does other than letting the action begin, nothing runs.
func TestAnUnwillingGate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		gate cap.Gate
		code cap.Code
	}{
		{"asks", gateFunc(func() (cap.Attempt, error) { return nil, &cap.ConfirmationRequired{Approval: "a-1"} }), cap.CodeConfirmationRequired},
		{"refuses", gateFunc(func() (cap.Attempt, error) { return nil, &cap.ConfirmationInvalid{} }), cap.CodeConfirmationInvalid},
		{"errs", gateFunc(func() (cap.Attempt, error) { return nil, errors.New("canary") }), cap.CodeExecutionFailed},
		{"panics", gateFunc(func() (cap.Attempt, error) { panic("canary") }), cap.CodeExecutionFailed},
		{"says nothing", gateFunc(func() (cap.Attempt, error) { return nil, nil }), cap.CodeExecutionFailed},
		{"knows no outcome", gateFunc(func() (cap.Attempt, error) { return nil, &cap.AlreadyRan{} }), cap.CodeExecutionFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := newNotes(t, &Notes{Write: func(context.Context, WriteNote) error { panic("must not run") }}, cap.Options{Gate: tt.gate})
			_, err := registry.Invoke(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person()})
			e := failed(t, err, tt.code)
			assert.NotContains(t, publicText(t, e), "canary")
			if tt.name == "asks" {
				assert.Equal(t, "a-1", e.Confirmation.Approval)
			}
		})
	}
}

type gateFunc func() (cap.Attempt, error)

func (g gateFunc) Begin(context.Context, cap.Action, cap.Confirmation) (cap.Attempt, error) {
	return g()
}

func TestReplay(t *testing.T) {
	t.Parallel()
	outcome := cap.Outcome{State: cap.OutcomeSucceeded, Output: raw(`{}`)}
	registry := newNotes(t, &Notes{}, cap.Options{Gate: gateFunc(func() (cap.Attempt, error) { return nil, &cap.AlreadyRan{Outcome: outcome} })})
	result, err := registry.Invoke(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person()})
	require.NoError(t, err)
	assert.True(t, result.Replayed)
}

// A handler that had started and did not answer leaves the effect unknown.
func TestEffectUnknown(t *testing.T) {
	t.Parallel()
	gate := &openGate{}
	for name, handler := range map[string]func(context.Context, WriteNote) error{
		"defect": func(context.Context, WriteNote) error { return errors.New("half done") },
		"panic":  func(context.Context, WriteNote) error { panic("half done") },
	} {
		registry := newNotes(t, &Notes{Write: handler}, cap.Options{Gate: gate})
		_, err := registry.Invoke(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person()})
		e := failed(t, err, cap.CodeExecutionFailed)
		assert.Equalf(t, cap.EffectUnknown, e.Effect, "after a %s", name)
	}
	for _, outcome := range gate.outcomes {
		assert.Equal(t, cap.OutcomeUnknown, outcome.State)
	}
	assert.Len(t, gate.outcomes, 2)
}

// Blanks at the ends of what Describe takes from the input are cut off, as every name is trimmed that people are shown.
func TestDescribeIsTrimmed(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(f[BadAction]()))
	action, err := registry.Prepare(t.Context(), "bad_action", raw(`{"verb":" paint "}`), cap.CallOptions{})
	require.NoError(t, err)
	assert.Equal(t, "paint", action.Pending.Verb)
}

type BadAction struct {
	cap.Write[none] `cap:"Describe is broken; access=public; reversible"`

	Verb string `json:"verb" cap:"Verb"`
}

func (in BadAction) Describe() cap.PendingAction {
	if in.Verb == "panic" {
		panic("canary")
	}
	return cap.PendingAction{Verb: in.Verb, Target: cap.ObjectRef{Product: "p", Kind: "k", ID: "i"}}
}

// A pending action that breaks its rules is the capability's fault, and nothing runs.
func TestBrokenDescribe(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{Gate: &openGate{}})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, BadAction) (none, error) { panic("must not run") })))
	for verb, code := range map[string]cap.Code{
		"": cap.CodeOutputInvalid, "  ": cap.CodeOutputInvalid, strings.Repeat("x", 201): cap.CodeOutputInvalid, "panic": cap.CodeExecutionFailed,
	} {
		_, err := cap.Invoke(t.Context(), registry, BadAction{Verb: verb})
		e := failed(t, err, code)
		assert.Empty(t, e.Effect, "the handler had not started")
		assert.NotContains(t, publicText(t, e), "canary")
	}
}
