package captest_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/captest"
	"github.com/seed-369ec62e/cap/contracts"
)

// names are the capabilities of the desk in the order of its source.
var names = []string{"find_book", "my_books", "open_shelf", "wait_for_you", "read_slowly", "lend_book", "burn_book"}

// route is a way from a service into a registry.
type route struct {
	name    string
	name2   func(string) string // what a capability is mounted as
	compose func(*Desk) []cap.Declaration
}

func same(name string) string { return name }

func routes() []route {
	library := func(desk *Desk) *cap.Library { return cap.NewLibrary("acme/desk", "1.4.0", desk) }
	other := func(name string) string { return "desk_" + name }
	return []route{
		{"local", same, func(d *Desk) []cap.Declaration { return []cap.Declaration{cap.Local(d)} }},
		{"exported", same, func(d *Desk) []cap.Declaration {
			var list []cap.Declaration
			lib := library(d)
			for _, name := range names {
				list = append(list, lib.Export(name))
			}
			return list
		}},
		{"library", same, func(d *Desk) []cap.Declaration { return []cap.Declaration{library(d)} }},
		{"remapped", other, func(d *Desk) []cap.Declaration {
			selection := library(d).Select(names...)
			for _, name := range names {
				selection = selection.Rename(name, other(name))
			}
			return []cap.Declaration{selection}
		}},
		{"exported as", other, func(d *Desk) []cap.Declaration {
			var list []cap.Declaration
			lib := library(d)
			for _, name := range names {
				list = append(list, lib.Export(name).As(other(name)))
			}
			return list
		}},
	}
}

// cases are the ways in which a call can end.
func cases(begun <-chan struct{}, name func(string) string) []captest.Case {
	ana, bob := captest.Person("ana", "books"), captest.Person("bob")
	boss := captest.Person("boss")
	list := []captest.Case{
		{Name: "success", Capability: "find_book", Args: json.RawMessage(`{"number":"B-1"}`)},
		{Name: "success as a principal", Capability: "my_books", As: ana},
		{Name: "bad input", Capability: "find_book", Args: json.RawMessage(`{"number":"x","copies":0,"Copies":1,"more":null}`), Code: cap.CodeInputInvalid},
		{Name: "bad output", Capability: "find_book", Args: json.RawMessage(`{"number":"B-long"}`), Code: cap.CodeOutputInvalid},
		{Name: "unauthenticated", Capability: "my_books", Code: cap.CodeUnauthenticated},
		{Name: "unauthenticated by a rule", Capability: "open_shelf", Args: json.RawMessage(`{"reader":"ana"}`), Code: cap.CodeUnauthenticated},
		{Name: "forbidden", Capability: "my_books", As: bob, Code: cap.CodeForbidden},
		{Name: "forbidden by a rule", Capability: "open_shelf", Args: json.RawMessage(`{"reader":"ana"}`), As: bob, Code: cap.CodeForbidden},
		{Name: "declared failure", Capability: "find_book", Args: json.RawMessage(`{"number":"B-0"}`), Code: cap.CodeCapabilityFailed},
		{Name: "defect", Capability: "find_book", Args: json.RawMessage(`{"number":"B-defect"}`), Code: cap.CodeExecutionFailed},
		{Name: "panic", Capability: "find_book", Args: json.RawMessage(`{"number":"B-panic"}`), Code: cap.CodeExecutionFailed},
		{Name: "caller cancels", Capability: "wait_for_you", Cancel: begun, Code: cap.CodeCancelled},
		{Name: "timeout", Capability: "read_slowly", Code: cap.CodeCancelled},
		{Name: "write, gated", Capability: "lend_book", Args: json.RawMessage(`{"number":"B-1"}`), As: ana, Code: cap.CodeConfirmationRequired},
		{Name: "write, bad input before the gate", Capability: "lend_book", As: ana, Code: cap.CodeInputInvalid},
		{Name: "write, approved", Capability: "lend_book", Args: json.RawMessage(`{"number":"B-2"}`), As: ana, Approver: boss},
		{Name: "write, approved, fails", Capability: "lend_book", Args: json.RawMessage(`{"number":"B-0"}`), As: ana, Approver: boss, Code: cap.CodeCapabilityFailed},
		{Name: "host, gated", Capability: "burn_book", Args: json.RawMessage(`{"number":"B-1"}`), As: ana, Code: cap.CodeConfirmationRequired},
		{Name: "host, approved", Capability: "burn_book", Args: json.RawMessage(`{"number":"B-2"}`), As: ana, Approver: boss},
	}
	for i := range list {
		list[i].Capability = name(list[i].Capability)
	}
	return list
}

// TestParity holds that every call ends in the same way over every front, however its capability came into the registry.
func TestParity(t *testing.T) {
	t.Parallel()
	for _, r := range routes() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			begun := make(chan struct{}, 1)
			build := func(options cap.Options) *cap.Registry {
				options.Gate = newGate(t)
				registry, err := cap.Compose(options, r.compose(newDesk(begun))...)
				require.NoError(t, err)
				return registry
			}
			captest.Parity(t, build, cases(begun, r.name2), &httpFront{}, mcpStdioFront{}, &mcpHTTPFront{}, &cliFront{})
		})
	}
}

// All routes lead to the same capabilities and the same calls of the handlers.
func TestParityOfRoutes(t *testing.T) {
	t.Parallel()
	type seen struct {
		locked []contracts.Capability
		counts map[string]int
	}
	var want seen
	for _, r := range routes() {
		begun := make(chan struct{}, 1)
		desk := newDesk(begun)
		registry, err := cap.Compose(cap.Options{Gate: newGate(t)}, r.compose(desk)...)
		require.NoError(t, err)
		captest.Parity(t, func(options cap.Options) *cap.Registry {
			options.Gate = newGate(t)
			registry, err := cap.Compose(options, r.compose(desk)...)
			require.NoError(t, err)
			return registry
		}, cases(begun, r.name2))

		got := seen{locked: contracts.Of(registry).Capabilities, counts: maps.Clone(desk.calls)}
		for i := range got.locked { // the name is all that may differ
			got.locked[i].Name, got.locked[i].Digest = "", ""
		}
		if want.counts == nil {
			want = got
		}
		assert.Equal(t, want, got, r.name)
		assert.Equal(t, 5, registry.Len()-2, "none is lost")
	}
	assert.Equal(t, map[string]int{"FindBook": 5, "MyBooks": 1, "WaitForYou": 1, "ReadSlowly": 1, "LendBook": 2, "BurnBook": 1}, want.counts)
}
