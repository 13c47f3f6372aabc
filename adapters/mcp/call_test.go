package capmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// Values go through as they are written: numbers exact, no escapes that JSON does not ask for, members in their order.
func TestOutputIsExact(t *testing.T) {
	t.Parallel()
	handler := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{}).Handler()
	const tail = `"nothing":null`
	rows := []struct{ name, args, want string }{
		{"zero values", `{` + tail + `}`, `{"quoted":"0","bytes":"","span":"0s","byNumber":{},` + tail + `}`},
		{
			"raw JSON keeps its numbers", `{"raw":{"n":9007199254740993,"e":1.5},` + tail + `}`,
			`{"raw":{"n":9007199254740993,"e":1.5},"quoted":"0","bytes":"","span":"0s","byNumber":{},` + tail + `}`,
		},
		{
			"texts of other types", `{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","address":"::1","quoted":"9223372036854775807","bytes":"AP8=","span":"1h30m",` + tail + `}`,
			`{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","address":"::1","quoted":"9223372036854775807","bytes":"AP8=","span":"1h30m0s","byNumber":{},` + tail + `}`,
		},
		{
			"a type that refers to itself, and numbers as names", `{"tree":{"name":"<a>","children":[{"name":"b&\u2028"}]},"byNumber":{"2":"b","1":"a"},` + tail + `}`,
			`{"quoted":"0","bytes":"","span":"0s","tree":{"name":"<a>","children":[{"name":"b&` + "\u2028" + `"}]},"byNumber":{"1":"a","2":"b"},` + tail + `}`,
		},
	}
	for _, r := range rows {
		for _, version := range []string{legacy, modern} {
			w := post(t, handler, version, callOf(version, 1, "measure", r.args))
			assert.Contains(t, w.Body.String(), `"structuredContent":`+r.want, "%s in %s", r.name, version)
			assert.Empty(t, replyIn(t, w).tool(t).Content, "%s: the contract asks for structured content alone", r.name)
		}
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	handler := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{}).Handler()
	rows := []struct {
		name, params string
		want         string // pointers of the issues
	}{
		{"left out", `{"name":"plan"}`, "/days"},
		{"null", `{"name":"plan","arguments":null}`, "/days"},
		{"a list", `{"name":"plan","arguments":[]}`, ""},
		{"a number", `{"name":"plan","arguments":7}`, ""},
		{"all faults at once", `{"name":"plan","arguments":{"days":99,"budgit":1,"class":"third","stops":[{"city":1}]}}`, "/budgit /class /days /stops/0/city"},
	}
	for _, r := range rows {
		failed := replyIn(t, post(t, handler, modern, request(modern, 1, "tools/call", r.params))).tool(t).failure(t)
		require.Equal(t, cap.CodeInputInvalid, failed.Code, r.name)
		var pointers []string
		for _, issue := range failed.Issues {
			pointers = append(pointers, issue.Pointer)
		}
		assert.ElementsMatch(t, strings.Split(r.want, " "), pointers, r.name)
	}
	failed := replyIn(t, post(t, handler, modern, callOf(modern, 1, "plan", `{"days":1,"budgit":1,"class":"third"}`))).tool(t).failure(t)
	require.Len(t, failed.Issues, 2)
	all := failed.Issues[0].Message + failed.Issues[1].Message
	assert.Contains(t, all, `did you mean "budget"?`, "the nearest name")
	assert.Contains(t, all, "second", "what is allowed")
}

func TestDeclaredFailure(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{Gate: gate}), capmcp.Options{Principal: &cap.Principal{ID: "ana", Kind: cap.KindHuman}})
	call := func() toolResult {
		return byID(t, talk(t, adapter, callOf(modern, 1, "burn", `{"parcel":"none"}`)), 1).tool(t)
	}
	id := call().failure(t).Confirmation.Approval
	_, err := gate.Decide(t.Context(), id, cap.Decision{Verdict: cap.VerdictApprove, Approver: ada()})
	require.NoError(t, err)

	result := call()
	failed := result.failure(t)
	assert.Equal(t, cap.CodeCapabilityFailed, failed.Code)
	assert.Equal(t, "NoParcel", failed.Tag)
	assert.Equal(t, "Look at the <label> & try again.", failed.Fix)
	assert.Contains(t, result.Content[0].Text, "<label> & try", "no escapes for HTML in what a model reads")
	assert.JSONEq(t, result.Content[0].Text, string(result.Meta["cap/error"]), "the same for programs")
}

// What was added to the server by other means cannot end the process, and its errors say nothing of what is inside.
func TestHandlersOfTheServerAreContained(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	coded := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such thing"}
	handlers := map[string]mcp.ToolHandler{
		"panics":  func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("canary") },
		"nothing": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil },
		"fails": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("canary")
		},
		"wrapped": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, fmt.Errorf("canary: %w", coded)
		},
	}
	for name, handler := range handlers {
		adapter.Server().AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handler)
	}
	adapter.Server().AddPrompt(&mcp.Prompt{Name: "nothing"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return nil, nil })
	for _, version := range []string{legacy, modern} {
		for name := range handlers {
			w := post(t, adapter.Handler(), version, callOf(version, 1, name, `{}`))
			assert.NotContains(t, w.Body.String(), "canary", name)
			failed := replyIn(t, w).Error
			require.NotNil(t, failed, name)
			if name == "wrapped" {
				assert.Equal(t, -32602, failed.Code, "a code is not lost in a wrapping")
				continue
			}
			assert.Equal(t, -32603, failed.Code, name)
			assert.Contains(t, string(failed.Data), "requestId", "an id to ask with")
		}
		w := post(t, adapter.Handler(), version, request(version, 1, "prompts/get", `{"name":"nothing"}`), "Mcp-Name", "nothing")
		assert.Equal(t, -32603, replyIn(t, w).Error.Code)
	}
}

// The go-sdk's own client lists and calls.
func TestClientInMemory(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	here, there := mcp.NewInMemoryTransports()
	_, err := adapter.Connect(t.Context(), here)
	require.NoError(t, err)
	reports := make(chan float64, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *mcp.ProgressNotificationClientRequest) { reports <- n.Params.Progress },
	})
	session, err := client.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, session.Close()) })

	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, list.Tools, 7)

	params := &mcp.CallToolParams{Name: "follow", Arguments: map[string]any{"steps": 3}}
	params.SetProgressToken("p")
	result, err := session.CallTool(t.Context(), params)
	require.NoError(t, err)
	assert.False(t, result.IsError)
	assert.Equal(t, map[string]any{"steps": 3.0}, result.StructuredContent)
	for want := 1.0; want <= 3; want++ {
		assert.InDelta(t, want, <-reports, 0)
	}
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"})
	var coded *jsonrpc.Error
	require.ErrorAs(t, err, &coded)
	assert.EqualValues(t, jsonrpc.CodeInvalidParams, coded.Code)
}
