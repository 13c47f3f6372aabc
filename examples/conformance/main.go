// Command conformance serves the fixtures of the official MCP conformance suite. Its tools are ordinary capabilities; what
// has no counterpart in a registry (prompts, resources, completion, tools that ask the client) is added to the server under
// the adapter. "make conformance" runs the suite against it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to serve HTTP")
	stdio := flag.Bool("stdio", false, "serve standard input and output instead")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, *stdio); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string, stdio bool) error {
	adapter, err := newAdapter()
	if err != nil {
		return err
	}
	if stdio {
		return adapter.ServeStdio(ctx, nil, nil)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr()) // what the suite is pointed at
	server := &http.Server{Handler: adapter.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	go touchResource(ctx, adapter.Server())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func newAdapter() (*capmcp.Adapter, error) {
	registry := cap.New(cap.Options{Name: "cap-conformance", Version: "1.0.0"})
	if err := registry.Register(&Fixtures{}); err != nil {
		return nil, err
	}
	adapter, err := capmcp.New(registry, capmcp.Options{Title: "Conformance fixtures", Configure: configure})
	if err != nil {
		return nil, err
	}
	addTools(adapter.Server())
	addAskingTools(adapter.Server())
	addResources(adapter.Server())
	addPrompts(adapter.Server())
	return adapter, nil
}

// configure allows what the fixtures outside the registry need: lists that change, subscriptions and completion.
func configure(options *mcp.ServerOptions) {
	options.Capabilities = &mcp.ServerCapabilities{}
	options.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	options.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	options.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}
