// Package rows does the job in every way that is measured. Rows whose names begin with "cap" are this project, those with
// "hand" are what one writes without a framework, the others are its peers.
package rows

import (
	"errors"
	"fmt"
)

// Row is one way to do the job.
type Row struct {
	Name string
	New  func() (Caller, error)
}

// Caller does the job with one body. It serves one call after the other.
type Caller interface {
	// Call returns what comes back, good until the next call. A body with faults is ErrRefused; the answer is there as well.
	Call(body []byte) (answer []byte, err error)
	Close()
}

// ErrRefused says that the input was found to be faulty.
var ErrRefused = errors.New("refused")

// Group is a set of rows that are measured together, round by round.
type Group struct {
	Name, Title string
	Base        string // the row that ratios are to
	Rows        []Row
}

// Groups are all rows. Ratios in a table are to the same row everywhere: hand.
func Groups() []Group {
	hand := Row{"hand", newHand}
	return []Group{
		{"engine", "Bytes to bytes, in process", "hand", []Row{
			hand,
			{"cap invoke", newInvoke},
			{"cap handle", newHandle},
		}},
		{"http", "HTTP POST, in process (ServeHTTP)", "hand", []Row{
			hand,
			{"hand http", inProcess(handHTTP, "/orders")},
			{"cap http", inProcess(capHTTP, "/capabilities/create_order")},
			{"huma", inProcess(humaHTTP, "/orders")},
			{"fuego", inProcess(fuegoHTTP, "/orders")},
		}},
		{"loopback", "HTTP POST, one connection over loopback, client in the same process", "hand", []Row{
			hand,
			{"hand http", overLoopback(handHTTP, "/orders")},
			{"cap http", overLoopback(capHTTP, "/capabilities/create_order")},
			{"huma", overLoopback(humaHTTP, "/orders")},
			{"fuego", overLoopback(fuegoHTTP, "/orders")},
		}},
		{"mcp lines", "MCP tools/call, lines over pipes in process (what stdio does), bare client", "hand", []Row{
			hand,
			{"cap", overLines(capLines)},
			{"go-sdk typed", overLines(sdkLines(sdkTyped))},
			{"go-sdk raw", overLines(sdkLines(sdkRaw))},
			{"mcp-go typed", overLines(mcpGoLines)},
		}},
		{"mcp memory", "MCP tools/call, the SDK's client over its in-memory transport", "hand", []Row{
			hand,
			{"cap", inMemory(capMemory)},
			{"go-sdk typed", inMemory(sdkMemory(sdkTyped))},
			{"go-sdk raw", inMemory(sdkMemory(sdkRaw))},
		}},
		{"mcp http", "MCP tools/call, stateless HTTP, in process (ServeHTTP)", "hand", []Row{
			hand,
			{"cap", mcpInProcess(capMCP)},
			{"go-sdk typed", mcpInProcess(sdkHTTP(sdkTyped))},
			{"go-sdk raw", mcpInProcess(sdkHTTP(sdkRaw))},
			{"mcp-go typed", mcpInProcess(mcpGoHTTP)},
		}},
		{"mcp loopback", "MCP tools/call, stateless HTTP, one connection over loopback", "hand", []Row{
			hand,
			{"cap", mcpLoopback(capMCP)},
			{"go-sdk typed", mcpLoopback(sdkHTTP(sdkTyped))},
			{"mcp-go typed", mcpLoopback(mcpGoHTTP)},
		}},
	}
}

// Find returns the row of that group and name.
func Find(group, name string) (Row, error) {
	for _, g := range Groups() {
		for _, r := range g.Rows {
			if g.Name == group && r.Name == name {
				return r, nil
			}
		}
	}
	return Row{}, fmt.Errorf("no row %q in group %q", name, group)
}
