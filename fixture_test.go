package cap_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// The fixture is one service of notes, with a capability for each road through the pipeline.

type Note struct {
	ID   cap.ObjectRef `json:"id" cap:"The note; cite"`
	Text string        `json:"text" cap:"What it says" validate:"max=20"`
	Tags []string      `json:"tags" cap:"Its tags"`
}

type GetNote struct {
	cap.Read[Note] `cap:"Read one note; title=Get note; access=public; idempotent" http:"GET /notes/{note}"`

	_ cap.Fails[NoteNotFound]
	_ cap.Fails[*NoteLocked]

	Note  string   `json:"note" cap:"Number of the note; example=N-1" validate:"required,startswith=N-"`
	Lines int      `json:"lines" cap:"How many lines; default=3" validate:"min=1,max=9"`
	Tags  []string `json:"tags,omitempty" cap:"Only with these tags"`
}

type NoteNotFound struct {
	_    cap.Failure `cap:"No note has this number; fix=List the notes and pick one." http:"status=404"`
	Note string      `json:"note"`
}

func (f NoteNotFound) Error() string { return "note " + f.Note + " was not found" }

type NoteLocked struct {
	_  cap.Failure `cap:"Somebody else writes in it; tag=Locked; retry=30s"`
	By string      `json:"by" validate:"required"`
}

func (f *NoteLocked) Error() string { return "locked" }

// Fix depends on who holds the lock.
func (f *NoteLocked) Fix() string { return "Ask " + f.By + "." }

type WriteNote struct {
	cap.Write[cap.None] `cap:"Write a note; access=authenticated; reversible; scope=notes.write"`

	Note string `json:"note" cap:"Number"`
	Text string `json:"text" cap:"Text; secret"`
}

func (in WriteNote) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "write", Target: cap.ObjectRef{Product: "notes", Kind: "note", ID: in.Note}}
}

type WhoAmI struct {
	cap.Read[string] `cap:"Name the caller; access=authenticated"`
}

type Guarded struct {
	cap.Read[cap.None] `cap:"Guarded by a rule; access=rule"`

	Door string   `json:"door" cap:"Which door"`
	Keys []string `json:"keys,omitempty" cap:"Keys"`
}

// Notes answers by functions, so that each test decides what happens.
type Notes struct {
	Get   func(context.Context, GetNote) (Note, error)
	Write func(context.Context, WriteNote) error
	Rule  func(context.Context, *Guarded) (bool, error)
	Enter func(context.Context, Guarded) error
}

func (n *Notes) GetNote(ctx context.Context, in GetNote) (Note, error) { return n.Get(ctx, in) }

func (n *Notes) WriteNote(ctx context.Context, in WriteNote) (cap.None, error) {
	return cap.None{}, n.Write(ctx, in)
}

func (n *Notes) WhoAmI(ctx context.Context, _ WhoAmI) (string, error) {
	return cap.CallFrom(ctx).Principal.ID, nil
}

func (n *Notes) Guarded(ctx context.Context, in Guarded) (*cap.None, error) {
	return &cap.None{}, n.Enter(ctx, in)
}

func (n *Notes) AllowGuarded(ctx context.Context, in *Guarded) (bool, error) { return n.Rule(ctx, in) }

func aNote(id, text string) Note {
	return Note{ID: cap.ObjectRef{Product: "notes", Kind: "note", ID: id}, Text: text}
}

// newNotes registers notes whose handlers succeed unless the test says otherwise.
func newNotes(t *testing.T, notes *Notes, options cap.Options) *cap.Registry {
	t.Helper()
	if notes.Get == nil {
		notes.Get = func(_ context.Context, in GetNote) (Note, error) { return aNote(in.Note, "hello"), nil }
	}
	if notes.Write == nil {
		notes.Write = func(context.Context, WriteNote) error { return nil }
	}
	if notes.Enter == nil {
		notes.Enter = func(context.Context, Guarded) error { return nil }
	}
	if notes.Rule == nil {
		notes.Rule = func(context.Context, *Guarded) (bool, error) { return true, nil }
	}
	registry := cap.New(options)
	require.NoError(t, registry.Register(notes))
	return registry
}

// recorder keeps events.
type recorder struct {
	mu     sync.Mutex
	events []cap.Event
}

func (r *recorder) observe(_ context.Context, event cap.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
}

func (r *recorder) types() []cap.EventType {
	r.mu.Lock()
	defer r.mu.Unlock()
	var types []cap.EventType
	for _, e := range r.events {
		types = append(types, e.Type)
	}
	return types
}

// openGate lets every action begin, and keeps what it saw.
type openGate struct {
	mu       sync.Mutex
	actions  []cap.Action
	outcomes []cap.Outcome
	refuse   error
}

func (g *openGate) Begin(_ context.Context, action cap.Action, _ cap.Confirmation) (cap.Attempt, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.actions = append(g.actions, action)
	if g.refuse != nil {
		return nil, g.refuse
	}
	return openAttempt{g}, nil
}

type openAttempt struct{ gate *openGate }

func (openAttempt) Approval() string { return "approval-1" }

func (a openAttempt) Finish(_ context.Context, outcome cap.Outcome) error {
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()
	a.gate.outcomes = append(a.gate.outcomes, outcome)
	return nil
}

// person is a principal who may do everything in the fixture.
func person() *cap.Principal {
	return &cap.Principal{ID: "ana", Kind: cap.KindHuman, Scopes: []string{"notes.write"}}
}

// failed requires that err is an *Error of that code.
func failed(t *testing.T, err error, code cap.Code) *cap.Error {
	t.Helper()
	require.Error(t, err)
	e, ok := errors.AsType[*cap.Error](err)
	require.Truef(t, ok, "got %T, want *cap.Error: %v", err, err)
	require.Equalf(t, code, e.Code, "cause: %v", errors.Unwrap(e))
	return e
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
