package main

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/app"
	"github.com/seed-369ec62e/cap/captest"
	after "github.com/seed-369ec62e/cap/examples/existing/after"
	before "github.com/seed-369ec62e/cap/examples/existing/before"
)

// Whoever called the service in Go goes on as before, and its JSON stays what it was.
func TestCallersNoticeNothing(t *testing.T) {
	t.Parallel()
	was := before.New(before.Item{SKU: "TEA-01", Shelf: "A-01", Count: 12})
	is := after.New(after.Item{SKU: "TEA-01", Shelf: "A-01", Count: 12})

	old, err := was.MoveItem(t.Context(), &before.MoveItemRequest{SKU: "TEA-01", Shelf: "B-07"})
	require.NoError(t, err)
	item, err := is.MoveItem(t.Context(), &after.MoveItemRequest{SKU: "TEA-01", Shelf: "B-07"})
	require.NoError(t, err)
	assert.Equal(t, jsonOf(t, old), jsonOf(t, item))
	assert.Equal(t, jsonOf(t, before.MoveItemRequest{SKU: "x"}), jsonOf(t, after.MoveItemRequest{SKU: "x"}))

	_, err = is.FindItem(t.Context(), after.FindItem{SKU: "?"})
	notFound, ok := errors.AsType[*after.NotFound](err)
	require.True(t, ok)
	assert.Equal(t, jsonOf(t, before.NotFound{SKU: "?"}), jsonOf(t, *notFound))
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	registry, err := newRegistry()
	require.NoError(t, err)
	captest.Check(t, registry)
	require.NoError(t, app.Check(registry, app.Options{}))

	assert.Equal(t, 12, captest.Call(t, registry, nil, after.FindItem{SKU: "TEA-01"}).Count)
	_, err = captest.Try(t, registry, nil, after.FindItem{SKU: "TEA-02"})
	assert.Equal(t, "TEA-02", captest.RequireFailure[*after.NotFound](t, err).SKU)
	_, err = captest.Try(t, registry, captest.Person("ana"), after.MoveItemRequest{SKU: "TEA-01", Shelf: "B-07"})
	captest.RequireCode(t, err, cap.CodeConfirmationRequired)
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}
