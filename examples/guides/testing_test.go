package guides

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/captest"
)

// docs:call
func TestReadNote(t *testing.T) {
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(newNotes()))
	ana := captest.Person("ana", "notes")

	note := captest.Call(t, registry, ana, ReadNote{ID: "n1"})
	assert.Equal(t, "Buy tea", note.Text)

	_, err := captest.Try(t, registry, ana, ReadNote{ID: "n2"})
	assert.Equal(t, "n2", captest.RequireFailure[NoteNotFound](t, err).ID)

	_, err = captest.Try(t, registry, captest.Person("ben", "notes"), ReadNote{ID: "n1"})
	captest.RequireCode(t, err, cap.CodeForbidden)
}

// docs:end

// docs:write
func TestDeleteNote(t *testing.T) {
	gate := new(captest.OpenGate) // lets everything begin, and keeps what it saw
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(newNotes()))

	captest.Call(t, registry, captest.Person("ana", "notes"), DeleteNote{ID: "n1"})
	assert.Equal(t, "delete", gate.Actions()[0].Pending.Verb)
	assert.Equal(t, cap.OutcomeSucceeded, gate.Outcomes()[0].State)
}

// docs:end

// docs:contracts
func TestContracts(t *testing.T) {
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(newNotes()))

	captest.Check(t, registry)                                  // findings of the doctor
	captest.Locked(t, registry, "testdata/contracts.lock.json") // what callers were promised
}

// docs:end

// docs:service
func TestHandlerAlone(t *testing.T) {
	note, err := newNotes().ReadNote(t.Context(), ReadNote{ID: "n1"})
	require.NoError(t, err)
	assert.Equal(t, "ana", note.Owner)
}

// docs:end
