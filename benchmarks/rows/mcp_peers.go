package rows

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap/benchmarks/job"
)

// sdkTyped is a tool with inferred schemas, whose handler asks validator: an inferred schema knows no rules.
func sdkTyped() (*sdk.Server, error) {
	h := newHandler()
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "create_order", Description: "Create an order"},
		func(_ context.Context, _ *sdk.CallToolRequest, in job.Order) (*sdk.CallToolResult, job.Receipt, error) {
			if err := h.validate.Struct(&in); err != nil {
				return nil, job.Receipt{}, err
			}
			return nil, job.Add(&in), nil
		})
	return s, nil
}

// sdkRaw is a tool that reads and writes by hand.
func sdkRaw() (*sdk.Server, error) {
	h := newHandler()
	registry, err := newRegistry()
	if err != nil {
		return nil, err
	}
	capability, _ := registry.Lookup("create_order")
	s := sdk.NewServer(&sdk.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	s.AddTool(&sdk.Tool{Name: "create_order", Description: "Create an order", InputSchema: capability.InputSchema()},
		func(_ context.Context, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			answer, err := h.Call(request.Params.Arguments)
			if err != nil {
				return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}, nil
			}
			return &sdk.CallToolResult{
				Content: []sdk.Content{&sdk.TextContent{Text: string(answer)}}, StructuredContent: json.RawMessage(answer),
			}, nil
		})
	return s, nil
}

func sdkHTTP(build func() (*sdk.Server, error)) func() (http.Handler, error) {
	return func() (http.Handler, error) {
		s, err := build()
		if err != nil {
			return nil, err
		}
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
			&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), nil
	}
}

// newMCPGo is a tool with typed arguments, whose handler asks validator.
func newMCPGo() *server.MCPServer {
	h := newHandler()
	s := server.NewMCPServer("bench", "1.0.0")
	s.AddTool(mcp.NewTool("create_order", mcp.WithDescription("Create an order"), mcp.WithInputSchema[job.Order](), mcp.WithOutputSchema[job.Receipt]()),
		mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in job.Order) (job.Receipt, error) {
			if err := h.validate.Struct(&in); err != nil {
				return job.Receipt{}, err
			}
			return job.Add(&in), nil
		}))
	return s
}

func mcpGoHTTP() (http.Handler, error) {
	return server.NewStreamableHTTPServer(newMCPGo(), server.WithStateLess(true)), nil
}

// LineServer serves one client over two streams until the input ends.
type LineServer func(in io.ReadCloser, out io.WriteCloser) error

func capLines() (LineServer, error) {
	adapter, err := newMCP()
	if err != nil {
		return nil, err
	}
	return func(in io.ReadCloser, out io.WriteCloser) error {
		return adapter.ServeStdio(context.Background(), in, out)
	}, nil
}

func sdkLines(build func() (*sdk.Server, error)) func() (LineServer, error) {
	return func() (LineServer, error) {
		s, err := build()
		if err != nil {
			return nil, err
		}
		return func(in io.ReadCloser, out io.WriteCloser) error {
			return s.Run(context.Background(), &sdk.IOTransport{Reader: in, Writer: out})
		}, nil
	}
}

func mcpGoLines() (LineServer, error) {
	s := server.NewStdioServer(newMCPGo())
	s.SetErrorLogger(log.New(io.Discard, "", 0))
	return func(in io.ReadCloser, out io.WriteCloser) error {
		return s.Listen(context.Background(), in, out)
	}, nil
}

// LineServers are the servers that are also measured as processes of their own.
func LineServers() map[string]func() error {
	servers := map[string]func() error{}
	for name, build := range map[string]func() (LineServer, error){
		"cap": capLines, "go-sdk typed": sdkLines(sdkTyped), "go-sdk raw": sdkLines(sdkRaw), "mcp-go typed": mcpGoLines,
	} {
		servers[name] = func() error {
			serve, err := build()
			if err != nil {
				return err
			}
			return serve(standardInput(), standardOutput())
		}
	}
	return servers
}
