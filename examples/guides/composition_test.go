package guides

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/captest"
	"github.com/seed-369ec62e/cap/examples/library/tickets"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	registry, err := compose()
	require.NoError(t, err)
	assert.Equal(t, 3, registry.Len())
	ticket, err := findTicket(t.Context(), registry)
	require.NoError(t, err)
	assert.Equal(t, "The printer is on fire", ticket.Title)
	assert.Equal(t, 1, captest.Call(t, registry, nil, CountNotes{}).Notes)
}

func compose() (*cap.Registry, error) {
	// docs:compose
	lib := tickets.Library(tickets.NewDesk("The printer is on fire")) // acme/tickets 1.2.0
	notes := newNotes()

	registry, err := cap.Compose(cap.Options{Name: "support", Version: "1.0.0"},
		cap.Func(notes.CountNotes), // one function
		lib.Select("find_ticket", "list_tickets").Rename("find_ticket", "t"), // some of a library, one under another name
	)
	// docs:end
	return registry, err
}

func findTicket(ctx context.Context, registry *cap.Registry) (tickets.Ticket, error) {
	// docs:invoke
	ticket, err := cap.Invoke(ctx, registry, tickets.FindTicket{Number: 1}) // found by its contract, whatever it is called here
	// docs:end
	return ticket, err
}
