// Package sdk registers the thousand tools with the official SDK. They are built with the tag peers only.
package sdk

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type registration func(s *mcp.Server, i int)

// Register registers the first n tools and returns what holds them. It returns nil if they were not built.
func Register(n int) any {
	if len(registrations) < n {
		return nil
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	for i, register := range registrations[:n] {
		register(s, i)
	}
	return s
}

func register[In, Out any](s *mcp.Server, i int) {
	mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("create_order_%04d", i)},
		func(context.Context, *mcp.CallToolRequest, In) (r *mcp.CallToolResult, out Out, err error) { return })
}
