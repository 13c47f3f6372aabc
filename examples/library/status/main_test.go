package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/captest"
	"github.com/seed-369ec62e/cap/examples/library/tickets"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	registry, err := compose()
	require.NoError(t, err)
	captest.Locked(t, registry, "testdata/contracts.lock.json")
	assert.Equal(t, "The printer is on fire", captest.Call(t, registry, nil, tickets.FindTicket{Number: 1}).Title)
	_, err = captest.Try(t, registry, captest.Person("ana"), tickets.CloseTicket{Number: 1})
	captest.RequireCode(t, err, cap.CodeCapabilityNotFound)
}
