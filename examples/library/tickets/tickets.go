// Package tickets publishes capabilities about tickets as a library. Programs compose it under names of their own; see the
// programs support and status beside it.
package tickets

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-369ec62e/cap"
)

// Version is that of the library.
const Version = "1.2.0"

// Library returns the capabilities find_ticket, list_tickets and close_ticket over a desk.
func Library(desk *Desk) *cap.Library { return cap.NewLibrary("acme/tickets", Version, desk) }

// FindTicket is the contract of find_ticket.
type FindTicket struct {
	cap.Read[Ticket] `cap:"Find a ticket by its number; access=public"`

	_ cap.Fails[TicketNotFound]

	Number int `json:"number" cap:"Number of the ticket; example=1" cli:"arg" validate:"min=1"`
}

// ListTickets is the contract of list_tickets.
type ListTickets struct {
	cap.Read[[]Ticket] `cap:"List the tickets that are open; access=public"`
}

// CloseTicket is the contract of close_ticket.
type CloseTicket struct {
	cap.Write[Ticket] `cap:"Close a ticket; access=authenticated; reversible"`

	_ cap.Fails[TicketNotFound]

	Number int `json:"number" cap:"Number of the ticket; example=1" cli:"arg" validate:"min=1"`
}

// Describe implements [cap.Describer].
func (in CloseTicket) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "close", Target: refOf(in.Number)}
}

// Ticket is what the capabilities return.
type Ticket struct {
	Ticket cap.ObjectRef `json:"ticket" cap:"The ticket; cite"`
	Title  string        `json:"title" cap:"What it is about"`
	Closed bool          `json:"closed" cap:"Whether it is done"`
}

// TicketNotFound is a failure of find_ticket and close_ticket.
type TicketNotFound struct {
	_      cap.Failure `cap:"No ticket has this number; fix=List the open tickets and pick one." http:"status=404"`
	Number int         `json:"number"`
}

func (f TicketNotFound) Error() string { return fmt.Sprintf("There is no ticket %d.", f.Number) }

// Desk keeps tickets in memory. It is safe for concurrent use.
type Desk struct {
	mu      sync.Mutex
	tickets []Ticket
}

// NewDesk returns a desk with tickets of these titles, numbered from 1.
func NewDesk(titles ...string) *Desk {
	desk := &Desk{}
	for i, title := range titles {
		desk.tickets = append(desk.tickets, Ticket{Ticket: refOf(i + 1), Title: title})
	}
	return desk
}

// FindTicket handles find_ticket.
func (d *Desk) FindTicket(_ context.Context, in FindTicket) (Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in.Number > len(d.tickets) {
		return Ticket{}, TicketNotFound{Number: in.Number}
	}
	return d.tickets[in.Number-1], nil
}

// ListTickets handles list_tickets.
func (d *Desk) ListTickets(context.Context, ListTickets) ([]Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var open []Ticket
	for _, ticket := range d.tickets {
		if !ticket.Closed {
			open = append(open, ticket)
		}
	}
	return open, nil
}

// CloseTicket handles close_ticket.
func (d *Desk) CloseTicket(_ context.Context, in CloseTicket) (Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if in.Number > len(d.tickets) {
		return Ticket{}, TicketNotFound{Number: in.Number}
	}
	d.tickets[in.Number-1].Closed = true
	return d.tickets[in.Number-1], nil
}

func refOf(number int) cap.ObjectRef {
	return cap.ObjectRef{Product: "tickets", Kind: "ticket", ID: fmt.Sprint(number)}
}
