package approval_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

type closing struct {
	approval.Store
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

func TestLazy(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) approval.Store {
		return approval.NewLazy(func(context.Context) (approval.Store, error) { return approval.Memory(), nil })
	})

	var opened, closed int
	fail := errors.New("no such folder")
	err := fail
	lazy := approval.NewLazy(func(context.Context) (approval.Store, error) {
		opened++
		return closing{approval.Memory(), &closed}, err
	})
	gate, newErr := approval.New(lazy, approval.Options{})
	require.NoError(t, newErr)
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(&storetest.Shop{}))
	assert.Zero(t, opened, "nothing was needed yet")
	_, failed := callCancel(t, registry, storetest.Bot, cap.Confirmation{})
	requireCode(t, failed, cap.CodeExecutionFailed)
	require.ErrorIs(t, failed, fail)
	err = nil
	_ = storetest.Ask(t, registry, "cancel_order", cancel, storetest.Bot)
	_, listErr := gate.List(t.Context(), cap.ApprovalQuery{})
	require.NoError(t, listErr)
	assert.Equal(t, 2, opened, "it is opened again only after it could not be")
	require.NoError(t, lazy.Close())
	require.NoError(t, lazy.Close())
	assert.Equal(t, 1, closed)
	_, listErr = gate.List(t.Context(), cap.ApprovalQuery{})
	require.Error(t, listErr)

	never := approval.NewLazy(func(context.Context) (approval.Store, error) { return nil, nil })
	require.NoError(t, never.Close(), "it was never opened")
	none := approval.NewLazy(func(context.Context) (approval.Store, error) { return nil, nil })
	require.Error(t, none.View(t.Context(), func(approval.Tx) error { return nil }))
}
