package capmcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// Greet is the contract of the capability greet.
type Greet struct {
	cap.Read[Greeting] `cap:"Greet somebody; access=public"`

	Name string `json:"name" cap:"Whom to greet; example=Ana" validate:"required"`
}

// Greeting is the output of [Greet].
type Greeting struct {
	Text string `json:"text" cap:"What to say"`
}

func greet(_ context.Context, in Greet) (Greeting, error) {
	return Greeting{Text: "Hello, " + in.Name + "!"}, nil
}

func greeter() *capmcp.Adapter {
	registry := cap.New(cap.Options{Name: "greeter", Version: "1.0.0"})
	if err := registry.Register(cap.Func(greet)); err != nil {
		panic(err)
	}
	adapter, err := capmcp.New(registry, capmcp.Options{})
	if err != nil {
		panic(err)
	}
	return adapter
}

func ExampleAdapter_ServeStdio() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"shell","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ana"}}}
`)
	if err := greeter().ServeStdio(context.Background(), in, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},"protocolVersion":"2025-11-25","serverInfo":{"name":"greeter","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"text\":\"Hello, Ana!\"}"}],"structuredContent":{"text":"Hello, Ana!"}}}
}

func ExampleAdapter_Handler() {
	mux := http.NewServeMux()
	mux.Handle("/mcp", greeter().Handler())
	server := httptest.NewServer(mux)
	defer server.Close()

	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"}, nil)
	if err != nil {
		panic(err)
	}
	defer func() { _ = session.Close() }()
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "greet", Arguments: map[string]any{"nam": "Ana"}})
	if err != nil {
		panic(err)
	}
	_, issues, _ := strings.Cut(result.Content[0].(*mcp.TextContent).Text, `"issues":`)
	fmt.Println(result.IsError, issues)
	// Output:
	// true [{"pointer":"/nam","rule":"unknown","message":"unknown field; did you mean \"name\"?"},{"pointer":"/name","rule":"required","message":"is required"}]}
}
