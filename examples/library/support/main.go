// Command support composes the library of tickets with a capability of its own.
//
//	go run ./examples/library/support ticket 1
package main

import (
	"context"
	"log"
	"os"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/examples/library/tickets"
)

// OnCall is the contract of on_call.
type OnCall struct {
	cap.Read[string] `cap:"Say who is on call; access=public"`

	_ cap.Fails[NobodyOnCall]
}

// NobodyOnCall is a failure of on_call.
type NobodyOnCall struct {
	_ cap.Failure `cap:"Nobody is on call; fix=Write a ticket."`
}

func (NobodyOnCall) Error() string { return "Nobody is on call." }

// Support is the service of this program.
type Support struct{ Rota []string }

// OnCall handles on_call.
func (s *Support) OnCall(context.Context, OnCall) (string, error) {
	if len(s.Rota) == 0 {
		return "", NobodyOnCall{}
	}
	return s.Rota[0], nil
}

// compose mounts the whole library, two of its capabilities under shorter names.
func compose() (*cap.Registry, error) {
	desk := tickets.NewDesk("The printer is on fire", "The coffee is cold")
	return cap.Compose(cap.Options{Name: "support", Version: "1.0.0"},
		cap.Local(&Support{Rota: []string{"ana", "bob"}}),
		tickets.Library(desk).Rename("find_ticket", "ticket").Rename("list_tickets", "open"),
	)
}

func main() {
	registry, err := compose()
	if err != nil {
		log.Fatal(err)
	}
	program, err := capcli.New(registry, capcli.Options{})
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(program.Main())
}
