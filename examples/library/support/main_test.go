package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/captest"
	"github.com/seed-369ec62e/cap/examples/library/tickets"
)

func TestSupport(t *testing.T) {
	t.Parallel()
	registry, err := compose()
	require.NoError(t, err)
	captest.Locked(t, registry, "testdata/contracts.lock.json")

	assert.Equal(t, "ana", captest.Call(t, registry, nil, OnCall{}))
	// The contract is the library's; what it is called is this program's business.
	ticket := captest.Call(t, registry, nil, tickets.FindTicket{Number: 2})
	assert.Equal(t, "The coffee is cold", ticket.Title)
	_, err = captest.Try(t, registry, nil, tickets.FindTicket{Number: 3})
	assert.Equal(t, 3, captest.RequireFailure[tickets.TicketNotFound](t, err).Number)
}
