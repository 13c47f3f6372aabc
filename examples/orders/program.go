package main

import (
	"context"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/app"
	"github.com/seed-369ec62e/cap/approval"
)

// MustRegister registers the shop. It panics with every problem of its contracts.
func MustRegister(store *Store) *cap.Registry {
	gate, err := approval.New(&lazyApprovals{shop: store}, approval.Options{Audience: "orders"})
	if err != nil {
		panic(err)
	}
	registry := cap.New(cap.Options{Name: "orders", Version: "1.0.0", Gate: gate})
	if err := registry.Register(&Orders{Store: store}); err != nil {
		panic(err)
	}
	return registry
}

// options are what the program has beside the capabilities.
func options(store *Store) app.Options {
	return app.Options{
		Summary: "Orders of a small shop",
		Flags: []capcli.Flag{{
			Name: "db", Placeholder: "FILE", Default: store.Path, File: true, Help: "The SQLite file; made and filled when missing",
			Set: func(path string) error { store.Path = path; return nil },
		}},
		Complete: store.complete,
		Close:    store.Close,
	}
}

// complete names the orders that a shell may offer.
func (s *Store) complete(ctx context.Context, _ *cap.Capability, field, _ string) []string {
	if field != "order" {
		return nil
	}
	lines, err := s.List(ctx, "", 100)
	if err != nil {
		return nil
	}
	var numbers []string
	for _, line := range lines {
		numbers = append(numbers, line.Order+"\t"+line.Status+", "+line.Customer)
	}
	return numbers
}
