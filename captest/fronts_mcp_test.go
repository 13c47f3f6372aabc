package captest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/captest"
)

// mcpVersion needs neither a handshake nor a session.
const mcpVersion = "2026-07-28"

// toolCall writes the request of a call. Only a program sends the id of an approval: no model can.
func toolCall(t testing.TB, request captest.Request) []byte {
	t.Helper()
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    mcpVersion,
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
	if request.Confirmation.Approval != "" {
		meta["cap/approval"] = request.Confirmation.Approval
	}
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": request.Capability, "arguments": request.Args, "_meta": meta},
	})
	require.NoError(t, err)
	return line
}

// toolAnswer reads a reply to a call.
func toolAnswer(t testing.TB, line []byte) captest.Answer {
	t.Helper()
	var reply struct {
		Result *struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
			Meta              struct {
				Cites []cap.ObjectRef `json:"cap/cites"`
			} `json:"_meta"`
		}
	}
	require.NoError(t, json.Unmarshal(line, &reply), "%s", line)
	require.NotNil(t, reply.Result, "%s", line)
	if !reply.Result.IsError {
		return captest.Answer{Output: reply.Result.StructuredContent, Cites: reply.Result.Meta.Cites}
	}
	failed := new(cap.Error)
	require.NoError(t, json.Unmarshal([]byte(reply.Result.Content[0].Text), failed), "%s", line)
	return captest.Answer{Error: failed}
}

// mcpStdioFront starts a server for each call: the principal is that of the process.
type mcpStdioFront struct{ registry *cap.Registry }

func (mcpStdioFront) Name() string { return "MCP stdio" }

func (mcpStdioFront) Open(_ testing.TB, registry *cap.Registry) captest.Caller {
	return mcpStdioFront{registry}
}

func (f mcpStdioFront) Call(ctx context.Context, t testing.TB, request captest.Request) captest.Answer {
	t.Helper()
	adapter, err := capmcp.New(f.registry, capmcp.Options{Principal: request.As})
	require.NoError(t, err)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- adapter.ServeStdio(context.WithoutCancel(ctx), in, out)
		_ = out.Close()
	}()
	replies := make(chan []byte, 1)
	go func() {
		lines := bufio.NewScanner(fromServer)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			replies <- bytes.Clone(lines.Bytes())
		}
		close(replies)
	}()
	_, err = fmt.Fprintf(toServer, "%s\n", toolCall(t, request))
	require.NoError(t, err)
	answer := captest.Answer{Gone: true}
	select {
	case reply := <-replies:
		answer = toolAnswer(t, reply)
	case <-ctx.Done():
		_, err = fmt.Fprintln(toServer, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		require.NoError(t, err)
	}
	require.NoError(t, toServer.Close())
	for late := range replies {
		assert.Empty(t, string(late), "an answer to a call that was cancelled, or a second one")
	}
	require.NoError(t, <-served)
	return answer
}

// mcpHTTPFront posts calls.
type mcpHTTPFront struct{ url string }

func (*mcpHTTPFront) Name() string { return "MCP HTTP" }

func (*mcpHTTPFront) Open(t testing.TB, registry *cap.Registry) captest.Caller {
	t.Helper()
	adapter, err := capmcp.New(registry, capmcp.Options{Authenticate: principalOf})
	require.NoError(t, err)
	server := httptest.NewServer(adapter.Handler())
	t.Cleanup(server.Close)
	return &mcpHTTPFront{url: server.URL}
}

func (f *mcpHTTPFront) Call(ctx context.Context, t testing.TB, request captest.Request) captest.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(toolCall(t, request)))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": mcpVersion, "Mcp-Method": "tools/call", "Mcp-Name": request.Capability,
	} {
		r.Header.Set(name, value)
	}
	setPrincipal(t, r.Header, request.As)
	response, err := http.DefaultClient.Do(r)
	if ctx.Err() != nil {
		return captest.Answer{Gone: true}
	}
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	switch response.StatusCode { // as OAuth asks, so that clients get a token, or a better one
	case http.StatusUnauthorized:
		return captest.Answer{CodeOnly: true, Error: &cap.Error{Code: cap.CodeUnauthenticated}}
	case http.StatusForbidden:
		return captest.Answer{CodeOnly: true, Error: &cap.Error{Code: cap.CodeForbidden}}
	}
	for line := range bytes.Lines(body) { // a stream of events, if it is one
		if payload, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			body = payload
		}
	}
	return toolAnswer(t, body)
}
