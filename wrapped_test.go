package cap_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

type ListNotes struct {
	cap.Read[[]Note] `cap:"List the notes; access=public"`
}

// An output that is no object is wrapped, and what its elements cite is cited all the same.
func TestWrappedOutputsCite(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, ListNotes) ([]Note, error) {
		return []Note{aNote("N-1", "a"), aNote("N-2", "b")}, nil
	})))
	result, err := registry.Invoke(t.Context(), "list_notes", nil, cap.CallOptions{})
	require.NoError(t, err)
	assert.Equal(t, []cap.ObjectRef{aNote("N-1", "").ID, aNote("N-2", "").ID}, result.Cites)
	notes, err := cap.Invoke(t.Context(), registry, ListNotes{})
	require.NoError(t, err)
	assert.Equal(t, "b", notes[1].Text)
}
