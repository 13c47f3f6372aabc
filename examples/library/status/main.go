// Command status shows one capability of the library of tickets, under a name of its own, and nothing else.
//
//	go run ./examples/library/status show 1
package main

import (
	"log"
	"os"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/examples/library/tickets"
)

// compose mounts one export.
func compose() (*cap.Registry, error) {
	desk := tickets.NewDesk("The printer is on fire")
	return cap.Compose(cap.Options{Name: "status", Version: "1.0.0"}, tickets.Library(desk).Export("find_ticket").As("show"))
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
