package main

import (
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/adapters/http/swaggerui"
	"github.com/seed-369ec62e/cap/app"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/sqlstore/sqlite"
)

// MustRegister registers the shop. It panics with every problem of its contracts.
func MustRegister(store *Store) *cap.Registry {
	store.approvals = approval.NewLazy(store.openApprovals)
	gate, err := approval.New(store.approvals, approval.Options{Audience: "orders"})
	if err != nil {
		panic(err)
	}
	registry := cap.New(cap.Options{Name: "orders", Version: "1.0.0", Gate: gate})
	if err := registry.Register(&Orders{Store: store}); err != nil {
		panic(err)
	}
	return registry
}

// openApprovals opens the file that keeps approvals, beside the shop's.
func (s *Store) openApprovals(ctx context.Context) (approval.Store, error) {
	return sqlite.Open(ctx, strings.TrimSuffix(s.Path, ".db")+".approvals.db")
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
		HTTP:     caphttp.Options{Authenticate: owner()},
		Docs:     swaggerui.New(swaggerui.Options{Title: "Orders"}),
		Close:    store.Close,
	}
}

// ownerKey names the variable that holds the key of the shop's owner.
const ownerKey = "ORDERS_OWNER_KEY"

// owner lets the shop's owner in over HTTP, with the key of the variable. Without it nobody is known there, and what is not
// public is refused. The key is a person's: it must not be given to an agent.
func owner() func(*http.Request) (*cap.Principal, error) {
	key := os.Getenv(ownerKey)
	if key == "" {
		return nil
	}
	authenticate, err := caphttp.APIKeys(caphttp.APIKey{
		Hash: caphttp.HashAPIKey(key), Principal: cap.Principal{ID: "owner", Kind: cap.KindHuman},
	})
	if err != nil {
		return func(*http.Request) (*cap.Principal, error) { return nil, err }
	}
	return authenticate
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
