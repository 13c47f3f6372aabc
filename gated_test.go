package cap_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"
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

// What ran before and did not answer is told as it was, or as nobody knowing.
func TestReplayOfFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		outcome cap.Outcome
		code    cap.Code
		message string
		effect  string
	}{
		{"an answer that was not kept", cap.Outcome{State: cap.OutcomeSucceeded}, cap.CodeOutputInvalid, "The action has run, but its answer was not kept.", ""},
		{"no effect", cap.Outcome{State: cap.OutcomeFailed, Code: cap.CodeExecutionFailed}, cap.CodeCapabilityFailed, "The action was begun, but took no effect.", ""},
		{"a declared failure", cap.Outcome{State: cap.OutcomeFailed, Tag: "NoteNotFound", Reason: "gone", Fix: "Look.", Failure: raw(`{"note":"N-1"}`)}, cap.CodeCapabilityFailed, "gone", ""},
		{"a failure that is declared no more", cap.Outcome{State: cap.OutcomeFailed, Tag: "Gone", Reason: "gone", Fix: "Look.", Failure: raw(`{}`)}, cap.CodeCapabilityFailed, "gone", ""},
		{"unknown", cap.Outcome{State: cap.OutcomeUnknown, Code: cap.CodeCancelled}, cap.CodeCancelled, "Capability execution was cancelled.", cap.EffectUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			gate := gateFunc(func() (cap.Attempt, error) { return nil, &cap.AlreadyRan{Outcome: tt.outcome} })
			registry := newSlow(t, cap.Options{Gate: gate}, func(context.Context) error { panic("must not run") })
			_, err := registry.Invoke(t.Context(), "slow_write", nil, cap.CallOptions{})
			e := failed(t, err, tt.code)
			assert.Equal(t, tt.message, e.Message)
			assert.Equal(t, tt.effect, e.Effect)
			assert.Equal(t, tt.outcome.Failure, e.Failure)
			_, ok := errors.AsType[NoteNotFound](err)
			assert.Equal(t, tt.outcome.Tag == "NoteNotFound", ok, "the failure comes back as its Go type")
		})
	}
}

type Rotate struct {
	cap.Write[Rotated] `cap:"Rotate a key; access=public; irreversible"`

	_ cap.Fails[StillInUse]

	Key string `json:"key" cap:"Key"`
}

type Rotated struct {
	Secret string `json:"secret" cap:"The new one; secret"`
}

type StillInUse struct {
	_   cap.Failure `cap:"The key is in use; fix=Wait."`
	Old string      `json:"old" cap:"The old one; secret"`
}

func (StillInUse) Error() string { return "in use" }

func (in Rotate) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "rotate", Target: cap.ObjectRef{Product: "p", Kind: "key", ID: in.Key}}
}

// What a gate is told to keep holds no secret, of an output or of a failure.
func TestOutcomesHoldNoSecrets(t *testing.T) {
	t.Parallel()
	gate := &openGate{}
	var answer error
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Rotate) (Rotated, error) { return Rotated{Secret: "canary"}, answer })))
	out, err := cap.Invoke(t.Context(), registry, Rotate{Key: "k"})
	require.NoError(t, err)
	assert.Equal(t, "canary", out.Secret, "the caller gets it, once")
	answer = StillInUse{Old: "canary"}
	_, err = cap.Invoke(t.Context(), registry, Rotate{Key: "k"})
	failed(t, err, cap.CodeCapabilityFailed)
	assert.Equal(t, []cap.Outcome{
		{State: cap.OutcomeSucceeded},
		{State: cap.OutcomeFailed, Code: cap.CodeCapabilityFailed, Tag: "StillInUse", Reason: "in use", Fix: "Wait."},
	}, gate.outcomes)
}

// unwilling is an attempt that does not record its outcome.
type unwilling struct{ finish func() error }

func (unwilling) Approval() string                            { return "a-1" }
func (u unwilling) Finish(context.Context, cap.Outcome) error { return u.finish() }

// An outcome that cannot be recorded is logged: what ran has run, and the caller has its answer.
func TestOutcomesThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	for want, finish := range map[string]func() error{
		"the outcome of an action could not be recorded":   func() error { return errors.New("no disk") },
		"the gate panicked while the outcome was recorded": func() error { panic("no disk") },
		`"approval":"a-1","message":"told"`:                func() error { return nil },
	} {
		var log bytes.Buffer
		gate := gateFunc(func() (cap.Attempt, error) { return unwilling{finish}, nil })
		registry := newNotes(t, &Notes{Write: func(ctx context.Context, _ WriteNote) error {
			zerolog.Ctx(ctx).Info().Str("approval", cap.CallFrom(ctx).Approval).Msg("told")
			return nil
		}}, cap.Options{Gate: gate, Logger: zerolog.New(&log)})
		_, err := registry.Invoke(t.Context(), "write_note", writeArgs, cap.CallOptions{Principal: person()})
		require.NoError(t, err, want)
		assert.Contains(t, log.String(), want)
		assert.NotContains(t, log.String(), "secret text")
	}
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
