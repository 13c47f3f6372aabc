package captest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed-369ec62e/cap"
)

// Front is a way to call a registry, such as HTTP, seen from its caller's side.
type Front interface {
	// Name names it in the table.
	Name() string
	// Open serves a registry until the test ends, and returns what calls it.
	Open(t testing.TB, registry *cap.Registry) Caller
}

// Caller sends calls as the clients of a front do.
type Caller interface {
	// Call makes one call and gives what came back. When ctx ends, the caller goes away as such a client does.
	Call(ctx context.Context, t testing.TB, request Request) Answer
}

// Leaver is met by a front that cannot send some calls as they stand. Leaves returns why a case is left out, or "".
type Leaver interface{ Leaves(c Case) string }

// Request is one call.
type Request struct {
	Capability   string
	Args         json.RawMessage
	As           *cap.Principal // nil: anonymous
	Confirmation cap.Confirmation
}

// Answer is what a caller saw.
type Answer struct {
	Output json.RawMessage
	Cites  []cap.ObjectRef
	// Error is what came instead, put together from what the front sent. It is nil for a call that answered.
	Error *cap.Error
	// CodeOnly says that the front answered by itself, before it asked the registry, and told no more than a code. There are
	// no events then.
	CodeOnly bool
	// Gone says that the caller had gone away and saw nothing: only the events tell what happened.
	Gone bool
}

// InProcess is the front of plain Go callers. [Parity] compares the others with it.
func InProcess() Front { return inProcess{} }

type inProcess struct{ registry *cap.Registry }

func (inProcess) Name() string { return "in process" }

func (inProcess) Open(_ testing.TB, registry *cap.Registry) Caller { return inProcess{registry} }

func (f inProcess) Call(ctx context.Context, t testing.TB, request Request) Answer {
	t.Helper()
	result, err := f.registry.Invoke(ctx, request.Capability, request.Args, cap.CallOptions{
		Principal: request.As, Confirmation: request.Confirmation,
	})
	if err == nil {
		return Answer{Output: result.Output, Cites: result.Cites}
	}
	called, ok := errors.AsType[*cap.Error](err)
	if !ok {
		t.Errorf("captest: got %T, want *cap.Error: %v", err, err)
		return Answer{Gone: true}
	}
	return Answer{Error: called}
}
