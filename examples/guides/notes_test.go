package guides

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
)

// docs:service
// Notes is the service of this guide. What its marker says holds for each capability that does not say otherwise.
type Notes struct {
	_ cap.Service `cap:"Notes of a team; access=authenticated; scope=notes"`

	mu    sync.Mutex
	notes map[string]Note
}

// docs:end

// docs:rule
// ReadNote is the contract of read_note. Who may call it depends on the note, so that it has a rule.
type ReadNote struct {
	cap.Read[Note] `cap:"Read one note of yours, with its version; title=Read note; access=rule; scope=notes" http:"GET /notes/{id}"`

	_ cap.Fails[NoteNotFound]

	ID string `json:"id" cap:"Which note; example=n1" cli:"arg" validate:"required"`
}

// AllowReadNote lets the people of a note read it. Only (true, nil) allows.
func (n *Notes) AllowReadNote(ctx context.Context, in ReadNote) (bool, error) {
	note, err := n.find(in.ID)
	return err == nil && note.Owner == cap.CallFrom(ctx).Principal.ID, err
}

// docs:end

// docs:write
// DeleteNote is the contract of delete_note.
type DeleteNote struct {
	cap.Write[cap.None] `cap:"Delete a note for good; title=Delete note; irreversible; destructive; timeout=5s" http:"DELETE /notes/{id}"`

	_ cap.Fails[NoteNotFound]

	ID string `json:"id" cap:"Which note; example=n1" cli:"arg" validate:"required"`
}

// Describe is what a person is asked to agree to. It sees the input and nothing else.
func (in DeleteNote) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "delete", Target: cap.ObjectRef{Product: "notes", Kind: "note", ID: in.ID}}
}

// PreconditionsDeleteNote are facts that the approver sees. If one of them has changed, the agreement is void.
func (n *Notes) PreconditionsDeleteNote(_ context.Context, in DeleteNote) ([]cap.Precondition, error) {
	note, err := n.find(in.ID)
	return []cap.Precondition{{Label: "version", Value: strconv.Itoa(note.Version)}}, err
}

// ReconcileDeleteNote says whether it happened after all, when the answer was lost.
func (n *Notes) ReconcileDeleteNote(_ context.Context, in DeleteNote, _ string) (cap.Outcome, error) {
	if _, err := n.find(in.ID); err == nil {
		return cap.Outcome{State: cap.OutcomeFailed}, nil
	}
	return cap.Outcome{State: cap.OutcomeSucceeded, Output: []byte("{}")}, nil
}

// docs:end

// Note is the output of [ReadNote].
type Note struct {
	ID      string `json:"id" cap:"Which note"`
	Owner   string `json:"owner" cap:"Whose it is"`
	Text    string `json:"text" cap:"What it says"`
	Version int    `json:"version" cap:"Its version; version" validate:"min=0,max=1000000"`
}

// docs:failure
// NoteNotFound is a declared failure: data for the caller, with a fix.
type NoteNotFound struct {
	_  cap.Failure `cap:"No note has this id; fix=List the notes and pick one." http:"status=404"`
	ID string      `json:"id"`
}

func (f NoteNotFound) Error() string { return "There is no note " + f.ID + "." }

// docs:end

// ReadNote handles [ReadNote].
func (n *Notes) ReadNote(_ context.Context, in ReadNote) (Note, error) { return n.find(in.ID) }

// DeleteNote handles [DeleteNote].
func (n *Notes) DeleteNote(_ context.Context, in DeleteNote) (cap.None, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.notes, in.ID)
	return cap.None{}, nil
}

func (n *Notes) find(id string) (Note, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if note, found := n.notes[id]; found {
		return note, nil
	}
	return Note{}, NoteNotFound{ID: id}
}

// CountNotes is the contract of count_notes, which takes its time and says how far it is.
type CountNotes struct {
	cap.Read[Count] `cap:"Say how many notes the team has; title=Count notes; access=public; timeout=2s" http:"GET /notes/count"`
}

// Count is the output of [CountNotes].
type Count struct {
	Notes int `json:"notes" cap:"How many there are" validate:"min=0,max=1000000"`
}

// docs:progress
// CountNotes handles [CountNotes].
func (n *Notes) CountNotes(ctx context.Context, _ CountNotes) (Count, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	cap.Progress(ctx, 1, 2, "Counting")
	return Count{Notes: len(n.notes)}, ctx.Err()
}

// docs:end

func newNotes() *Notes {
	return &Notes{notes: map[string]Note{"n1": {ID: "n1", Owner: "ana", Text: "Buy tea", Version: 3}}}
}

// newGate is a gate in memory.
func newGate(t *testing.T) *approval.Gate {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{Audience: "notes", WriteTTL: time.Hour})
	require.NoError(t, err)
	return gate
}

func newRegistry(t *testing.T, options cap.Options) *cap.Registry {
	t.Helper()
	registry := cap.New(options)
	require.NoError(t, registry.Register(newNotes()))
	return registry
}
