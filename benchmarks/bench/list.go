package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/benchmarks/many"
	"github.com/seed-369ec62e/cap/benchmarks/measure"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

const listLine = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"

// lists measures tools/list with n tools. All servers show the same schemas, which the peers are given as bytes.
func lists(s settings, n int) ([]measure.Figures, error) {
	registry := cap.New(cap.Options{Name: "bench", Version: "1.0.0"})
	if err := registry.Register(many.Services(n)...); err != nil {
		return nil, err
	}
	var subjects []measure.Subject
	for _, l := range []struct {
		name  string
		serve rows.LineServer
	}{{"go-sdk raw", sdkList(registry)}, {"cap", capList(registry)}, {"mcp-go raw", mcpGoList(registry)}, {"bytes at hand", boundList(registry)}} {
		client, err := rows.Lines(l.serve)
		if err != nil {
			return nil, err
		}
		defer client.Close()
		subjects = append(subjects, measure.Subject{Name: l.name, Do: func() error {
			answer, err := client.Raw(listLine)
			if err == nil && len(answer) < n*1000 {
				return fmt.Errorf("%s lists %d tools in %d bytes", l.name, n, len(answer))
			}
			return err
		}})
	}
	return measure.Compare(s.plan(), subjects)
}

func capList(registry *cap.Registry) rows.LineServer {
	return func(in io.ReadCloser, out io.WriteCloser) error {
		adapter, err := capmcp.New(registry, capmcp.Options{})
		if err != nil {
			return err
		}
		return adapter.ServeStdio(context.Background(), in, out)
	}
}

func sdkList(registry *cap.Registry) rows.LineServer {
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	for c := range registry.All() {
		s.AddTool(&sdk.Tool{Name: c.Name(), Description: c.Description(), InputSchema: c.InputSchema(), OutputSchema: c.OutputSchema()},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return nil, nil })
	}
	return func(in io.ReadCloser, out io.WriteCloser) error {
		return s.Run(context.Background(), &sdk.IOTransport{Reader: in, Writer: out})
	}
}

// boundList knows its answers beforehand: what is left is the pipe and the client.
func boundList(registry *cap.Registry) rows.LineServer {
	list := []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)
	for c := range registry.All() {
		list = append(append(list, c.InputSchema()...), ',')
		list = append(append(list, c.OutputSchema()...), ',')
	}
	list = append(list, "null]}}\n"...)
	return func(in io.ReadCloser, out io.WriteCloser) error {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			answer := []byte(`{"jsonrpc":"2.0","id":0,"result":{}}` + "\n")
			switch {
			case bytes.Contains(lines.Bytes(), []byte("tools/list")):
				answer = list
			case bytes.Contains(lines.Bytes(), []byte("notifications/")):
				continue
			}
			if _, err := out.Write(answer); err != nil {
				return err
			}
		}
		return nil
	}
}

func mcpGoList(registry *cap.Registry) rows.LineServer {
	s := server.NewMCPServer("bench", "1.0.0")
	for c := range registry.All() {
		tool := mcp.NewToolWithRawSchema(c.Name(), c.Description(), c.InputSchema())
		tool.RawOutputSchema = c.OutputSchema()
		s.AddTool(tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	}
	stdio := server.NewStdioServer(s)
	return func(in io.ReadCloser, out io.WriteCloser) error { return stdio.Listen(context.Background(), in, out) }
}
