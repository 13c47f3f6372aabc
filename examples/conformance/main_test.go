package main

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The suite itself needs Node; this holds that there is something for it to test.
func TestFixtures(t *testing.T) {
	t.Parallel()
	adapter, err := newAdapter()
	require.NoError(t, err)
	here, there := mcp.NewInMemoryTransports()
	_, err = adapter.Connect(t.Context(), here)
	require.NoError(t, err)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ana", "color": "blue", "ok": true}}, nil
		},
	})
	session, err := client.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, session.Close()) })

	rows := []struct {
		tool string
		want mcp.Content
	}{
		{"test_simple_text", &mcp.TextContent{Text: "This is a simple text response for testing."}},
		{"test_x_mcp_header", &mcp.TextContent{Text: "region="}},
		{"test_tool_with_progress", &mcp.TextContent{Text: "done"}},
		{"test_input_required_result_elicitation", &mcp.TextContent{Text: "Hello, Ana!"}},
		{"test_input_required_result_request_state", &mcp.TextContent{Text: "state-ok: requestState received and confirmation accepted"}},
		{"test_input_required_result_multi_round", &mcp.TextContent{Text: "Multi-round complete: Ana likes blue"}},
	}
	for _, r := range rows {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: r.tool})
		require.NoError(t, err, r.tool)
		assert.Equal(t, []mcp.Content{r.want}, result.Content, r.tool)
	}
	failed, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "test_error_handling"})
	require.NoError(t, err)
	assert.True(t, failed.IsError)
	prompts, err := session.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, prompts.Prompts, 5)
	resource, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://template/7/data"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"7","templateTest":true,"data":"Data for ID: 7"}`, resource.Contents[0].Text)
}
