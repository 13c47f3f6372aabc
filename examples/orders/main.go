// Command orders is a shop's orders as capabilities over HTTP, MCP and the command line, kept in one SQLite file.
//
//	go run ./examples/orders get-order --order SO-1001
//	go run ./examples/orders serve --addr 127.0.0.1:8080
//	go run ./examples/orders mcp
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func main() { os.Exit(run()) }

func run() int {
	store := &Store{Path: "orders.db"}
	defer store.Close()
	registry := cap.New(cap.Options{Name: "orders", Version: "1.0.0"})
	if err := registry.Register(&Orders{Store: store}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return capcli.ExitDefect
	}
	program, err := capcli.New(registry, capcli.Options{
		Summary: "Orders of a small shop",
		Flags: []capcli.Flag{{
			Name: "db", Placeholder: "FILE", Default: store.Path, Help: "The SQLite file; made and filled when missing",
			Set: func(path string) error { store.Path = path; return nil },
		}},
		Commands: []capcli.Command{
			{
				Name: "serve", Summary: "Serve HTTP at /capabilities and MCP at /mcp",
				Flags: []capcli.Flag{{Name: "addr", Placeholder: "ADDRESS", Default: "127.0.0.1:8080", Help: "Where to listen"}},
				Run: func(ctx context.Context, call capcli.Invocation) error {
					return serve(ctx, registry, call)
				},
			},
			{
				Name: "mcp", Summary: "Serve MCP on standard input and output",
				Run: func(ctx context.Context, call capcli.Invocation) error {
					return serveMCP(ctx, registry, call)
				},
			},
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return capcli.ExitDefect
	}
	return program.Main()
}

// serve serves until ctx ends. Nobody is authenticated here, so what is not public is refused.
func serve(ctx context.Context, registry *cap.Registry, call capcli.Invocation) error {
	api, err := caphttp.New(registry, caphttp.Options{})
	if err != nil {
		return err
	}
	tools, err := capmcp.New(registry, capmcp.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = tools.Close(context.WithoutCancel(ctx)) }()
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.Handle("/mcp", tools.Handler())
	listener, err := net.Listen("tcp", call.Text("addr"))
	if err != nil {
		return err
	}
	fmt.Fprintf(call.Streams.Err, "listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// serveMCP serves one client, on behalf of the user who started the process.
func serveMCP(ctx context.Context, registry *cap.Registry, call capcli.Invocation) error {
	user, err := capcli.SystemUser(ctx)
	if err != nil {
		return err
	}
	tools, err := capmcp.New(registry, capmcp.Options{Principal: user})
	if err != nil {
		return err
	}
	return tools.ServeStdio(ctx, call.Streams.In, call.Streams.Out)
}
