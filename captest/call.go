package captest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/seed-369ec62e/cap"
)

// Person returns a principal that is a person.
func Person(id string, scopes ...string) *cap.Principal {
	return &cap.Principal{ID: id, Kind: cap.KindHuman, Scopes: slices.Clone(scopes)}
}

// Agent returns a principal that is an agent and acts for a person.
func Agent(id, onBehalfOf string, scopes ...string) *cap.Principal {
	return &cap.Principal{ID: id, Kind: cap.KindAgent, OnBehalfOf: onBehalfOf, Scopes: slices.Clone(scopes)}
}

// Call calls the capability of a contract as a principal, nil for an anonymous caller, and returns its output. The test ends
// if there is none. The call goes through the whole pipeline, as one from outside does.
func Call[In cap.Contract[Out], Out any](t testing.TB, registry *cap.Registry, as *cap.Principal, in In) Out {
	t.Helper()
	out, err := Try(t, registry, as, in)
	if err != nil {
		t.Fatalf("captest: %T did not answer: %s", in, explain(err))
	}
	return out
}

// Try is [Call] for a call that may not answer.
func Try[In cap.Contract[Out], Out any](t testing.TB, registry *cap.Registry, as *cap.Principal, in In) (Out, error) {
	t.Helper()
	return cap.Invoke(t.Context(), registry, in, cap.CallOptions{Principal: as})
}

// RequireFailure returns the declared failure of type F, by value or by pointer, that a call ended with. The test ends if
// it ended in another way.
func RequireFailure[F error](t testing.TB, err error) F {
	t.Helper()
	var failure F
	switch called, ok := errors.AsType[*cap.Error](err); {
	case err == nil:
		t.Fatalf("captest: the call answered, want the failure %T", failure)
	case !ok || called == nil || called.Code != cap.CodeCapabilityFailed || !errors.As(err, &failure):
		t.Fatalf("captest: want the failure %T, got %s", failure, explain(err))
	}
	return failure
}

// RequireCode returns what the error of a call says. The test ends if its code is another.
func RequireCode(t testing.TB, err error, code cap.Code) cap.Error {
	t.Helper()
	called, ok := errors.AsType[*cap.Error](err)
	switch {
	case err == nil:
		t.Fatalf("captest: the call answered, want %s", code)
	case !ok || called == nil || called.Code != code:
		t.Fatalf("captest: want %s, got %s", code, explain(err))
	}
	return *called
}

// explain says what a caller sees, and what only the process knows.
func explain(err error) string {
	text := err.Error()
	if cause := errors.Unwrap(err); cause != nil {
		text += "\n  cause: " + cause.Error()
	}
	return text
}

// OpenGate is a gate for tests of handlers: it lets every action begin, without asking anybody, and keeps what it saw. It
// must never be in a program. The zero value works.
type OpenGate struct {
	mu       sync.Mutex
	actions  []cap.Action
	outcomes []cap.Outcome
}

var _ cap.Gate = (*OpenGate)(nil)

// Begin implements cap.Gate.
func (g *OpenGate) Begin(_ context.Context, action cap.Action, _ cap.Confirmation) (cap.Attempt, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.actions = append(g.actions, action)
	return openAttempt{g}, nil
}

// Actions are those that began, in their order.
func (g *OpenGate) Actions() []cap.Action {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.actions)
}

// Outcomes are how they ended, in the order of their ends.
func (g *OpenGate) Outcomes() []cap.Outcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.outcomes)
}

type openAttempt struct{ gate *OpenGate }

func (openAttempt) Approval() string { return "captest" }

func (a openAttempt) Finish(_ context.Context, outcome cap.Outcome) error {
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()
	a.gate.outcomes = append(a.gate.outcomes, outcome)
	return nil
}
