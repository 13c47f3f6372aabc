package app_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/app"
)

// Break ends with a defect whose text tries to steer a terminal.
type Break struct {
	cap.Read[cap.None] `cap:"Break down; access=public"`
}

type Breaking struct{}

func (Breaking) Break(context.Context, Break) (cap.None, error) {
	return cap.None{}, errors.New("canary \x1b[31m\u202e \u009b\U000e0001")
}

// errorLog is what a program wrote to standard error. It is safe for concurrent use.
type errorLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *errorLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *errorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// logged is the line of the defect, without what differs from run to run.
const logged = `"capability":"break","cause":"canary \u001b[31m\u202e \u009b\udb40\udc01","time":"`

func breaking(t *testing.T, options app.Options) *capcli.Program {
	t.Helper()
	registry := cap.New(cap.Options{Name: "shop"})
	require.NoError(t, registry.Register(Breaking{}))
	program, err := app.New(registry, options)
	require.NoError(t, err)
	return program
}

func TestCommandsLogTheCausesOfDefects(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		var errs errorLog
		code := breaking(t, app.Options{}).Run(t.Context(), []string{"break", "--output", format}, capcli.Streams{Out: &out, Err: &errs})
		assert.Equal(t, capcli.ExitDefect, code)
		assert.Empty(t, out.String())
		line, answer, _ := strings.Cut(errs.String(), "\n")
		assert.Contains(t, line, logged)
		assert.NotContains(t, answer, "canary")
		_, id, _ := strings.Cut(line, `"requestId":"`)
		id, _, _ = strings.Cut(id, `"`)
		assert.Contains(t, answer, id, "the answer says which line is its own")
	}
}

// TestServersLogTheCausesOfDefects holds that the operator reads the cause, and no caller does.
func TestServersLogTheCausesOfDefects(t *testing.T) {
	t.Parallel()
	addresses := make(chan net.Addr, 1)
	var errs errorLog
	options := app.Options{
		Serve: caphttp.ServeOptions{Listening: func(addr net.Addr) { addresses <- addr }},
		HTTP: caphttp.Options{Authenticate: func(r *http.Request) (*cap.Principal, error) {
			if r.Header.Get("Authorization") != "" {
				return nil, errors.New("no directory")
			}
			return nil, nil
		}},
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	program := breaking(t, options)
	go func() {
		ended <- program.Run(ctx, []string{"serve", "--addr", "127.0.0.1:0"}, capcli.Streams{Err: &errs})
	}()
	base := "http://" + (<-addresses).String()
	post := func(authorization string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/capabilities/break", strings.NewReader("{}"))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		if authorization != "" {
			request.Header.Set("Authorization", authorization)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		assert.Equal(t, http.StatusInternalServerError, response.StatusCode)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}
	assert.NotContains(t, post(""), "canary")
	assert.NotContains(t, post("Bearer x"), "directory")

	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + "/mcp"}, nil)
	require.NoError(t, err)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "break"})
	require.NoError(t, err)
	assert.True(t, result.IsError)
	for _, content := range result.Content {
		text, ok := content.(*mcp.TextContent)
		require.True(t, ok)
		assert.NotContains(t, text.Text, "canary")
	}
	require.NoError(t, session.Close())
	stop()
	assert.Equal(t, capcli.ExitOK, <-ended)
	assert.Equal(t, 2, strings.Count(errs.String(), logged), "one over HTTP and one over MCP in %s", errs.String())
	assert.Contains(t, errs.String(), `"cause":"caphttp: authenticate: no directory"`)
}

func TestStdioLogsTheCausesOfDefects(t *testing.T) {
	t.Parallel()
	const calls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"break","arguments":{}}}
`
	var out, errs errorLog
	code := breaking(t, app.Options{}).Run(t.Context(), []string{"mcp"}, capcli.Streams{In: strings.NewReader(calls), Out: &out, Err: &errs})
	assert.Equal(t, capcli.ExitOK, code)
	assert.Contains(t, out.String(), "EXECUTION_FAILED")
	assert.NotContains(t, out.String(), "canary")
	assert.Equal(t, 1, strings.Count(errs.String(), logged), errs.String())
}

func TestExposedServersNameTheFlag(t *testing.T) {
	t.Parallel()
	var errs errorLog
	code := breaking(t, app.Options{}).Run(t.Context(), []string{"serve", "--addr", "0.0.0.0:0"}, capcli.Streams{Err: &errs})
	assert.Equal(t, capcli.ExitUsage, code)
	assert.Equal(t, "error: --addr 0.0.0.0:0 can be reached from other machines, and nobody finds out who calls "+
		"(set Options.HTTP.Authenticate, or say --exposed if that is meant)\n", errs.String())
}
