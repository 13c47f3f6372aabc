package cap_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// Vet has every companion that a write may have; its mood says what they do.
type Vet struct {
	cap.Write[Vetted] `cap:"Vet; access=rule; irreversible"`

	Mood string `json:"mood" cap:"Mood"`
}

type Vetted struct {
	Mark int `json:"mark" cap:"Mark" validate:"min=1"`
}

func (in Vet) Describe() cap.PendingAction {
	pending := cap.PendingAction{Verb: "vet", Target: cap.ObjectRef{Product: "p", Kind: "k", ID: "i"}}
	switch in.Mood {
	case "no target":
		pending.Target.ID = ""
	case "nameless fact":
		pending.Args = map[string]string{"": "x"}
	case "fact that is no text":
		pending.Args = map[string]string{"x": "\xff"}
	}
	return pending
}

type Vets struct {
	found func() (cap.Outcome, error)
}

func (v *Vets) Vet(context.Context, Vet) (Vetted, error) { return Vetted{Mark: 1}, nil }

func (v *Vets) AllowVet(_ context.Context, in Vet) (bool, error) { return in.Mood != "forbidden", nil }

func (v *Vets) PreconditionsVet(_ context.Context, in Vet) ([]cap.Precondition, error) {
	switch in.Mood {
	case "nameless":
		return []cap.Precondition{{Value: "x"}}, nil
	case "no text":
		return []cap.Precondition{{Label: "x", Value: "\xff"}}, nil
	case "unread":
		return nil, errors.New("canary")
	case "panic":
		panic("canary")
	default:
		return []cap.Precondition{{Label: "mood", Value: in.Mood}}, nil
	}
}

func (v *Vets) ReconcileVet(_ context.Context, in Vet, approval string) (cap.Outcome, error) {
	if in.Mood != "good" || approval != "a-1" {
		return cap.Outcome{}, errors.New("asked of another call")
	}
	return v.found()
}

// settling is a gate that has whatever is asked of it settled.
type settling struct{ openGate }

func (*settling) Reconcile(ctx context.Context, _ cap.Action, _ string, find func(context.Context) (cap.Outcome, error)) (cap.Outcome, error) {
	return find(ctx)
}

func newVets(t *testing.T, gate cap.Gate, found func() (cap.Outcome, error)) *cap.Registry {
	t.Helper()
	registry := newNotes(t, &Notes{}, cap.Options{Gate: gate})
	require.NoError(t, registry.Register(&Vets{found: found}))
	return registry
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	succeeded := cap.Outcome{State: cap.OutcomeSucceeded, Output: raw(`{"mark":3}`)}
	for _, tt := range []struct {
		name, capability, args string
		gate                   cap.Gate
		found                  cap.Outcome
		err                    error
		panics                 bool
		want                   string // of the error; "" for an outcome
	}{
		{name: "it succeeded", found: succeeded},
		{name: "a state is enough", found: cap.Outcome{State: cap.OutcomeSucceeded}},
		{name: "it failed", found: cap.Outcome{State: cap.OutcomeFailed}},
		{name: "nobody knows", found: cap.Outcome{State: cap.OutcomeUnknown}},
		{name: "an output that does not fit", found: cap.Outcome{State: cap.OutcomeSucceeded, Output: raw(`{"mark":0}`)}, want: "cap: reconciled output; /mark must be at least 1"},
		{name: "an output of another form", found: cap.Outcome{State: cap.OutcomeSucceeded, Output: raw(`{`)}, want: "cap: reconciled output"},
		{name: "the companion errs", err: errors.New("no answer"), want: "no answer"},
		{name: "the companion panics", panics: true, want: "panic: gone"},
		{name: "no such capability", capability: "vett", want: "CAPABILITY_NOT_FOUND"},
		{name: "a read", capability: "get_note", want: cap.ErrNotGated.Error()},
		{name: "no companion", capability: "write_note", args: `{"note":"N-1","text":"x"}`, want: "cannot be found out"},
		{name: "a gate that settles nothing", gate: &openGate{}, want: "cannot be found out"},
		{name: "an input that does not fit", args: `{}`, want: "/mood: is required"},
		{name: "another input", args: `{"mood":"bad"}`, want: "asked of another call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.capability == "" {
				tt.capability = "vet"
			}
			if tt.args == "" {
				tt.args = `{"mood":"good"}`
			}
			if tt.gate == nil {
				tt.gate = &settling{}
			}
			registry := newVets(t, tt.gate, func() (cap.Outcome, error) {
				if tt.panics {
					panic("gone")
				}
				return tt.found, tt.err
			})
			got, err := registry.Reconcile(t.Context(), tt.capability, raw(tt.args), "a-1")
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.found, got)
		})
	}
}

// What is shown and bound must be sound, or nothing is asked of anybody.
func TestActionsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for mood, code := range map[string]cap.Code{
		"forbidden":            cap.CodeUnauthenticated,
		"no target":            cap.CodeOutputInvalid,
		"nameless fact":        cap.CodeOutputInvalid,
		"fact that is no text": cap.CodeOutputInvalid,
		"nameless":             cap.CodeOutputInvalid,
		"no text":              cap.CodeOutputInvalid,
		"unread":               cap.CodeExecutionFailed,
		"panic":                cap.CodeExecutionFailed,
	} {
		gate := &openGate{}
		registry := newVets(t, gate, nil)
		_, err := registry.Prepare(t.Context(), "vet", raw(`{"mood":"`+mood+`"}`), cap.CallOptions{})
		assert.NotContains(t, publicText(t, failed(t, err, code)), "canary", mood)
		_, err = cap.Invoke(t.Context(), registry, Vet{Mood: mood})
		assert.Empty(t, failed(t, err, code).Effect, mood)
		assert.Empty(t, gate.actions, mood)
	}
}
