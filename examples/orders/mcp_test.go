package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// An agent asks for a cancellation, a person approves it with a credential of their own, and the agent's next equal call runs.
func TestAgentAndApprover(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "shop.db")
	shell := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := runOrders(t, append([]string{"--db", db}, args...)...)
		require.Zero(t, code, "%q: %s", args, stderr)
		return stdout
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command(t, "mcp", "--db", db)}, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, session.Close()) }()
	call := func(name, order string) *mcp.CallToolResult {
		t.Helper()
		params := &mcp.CallToolParams{Name: name, Arguments: map[string]any{"order": order}}
		params.SetProgressToken("p") // these calls report nothing; that they are asked to must not disturb them
		result, err := session.CallTool(t.Context(), params)
		require.NoError(t, err)
		return result
	}
	failure := func(result *mcp.CallToolResult) (failed struct {
		cap.Error
		Asked, Next string
	},
	) {
		t.Helper()
		require.True(t, result.IsError)
		text, isText := result.Content[0].(*mcp.TextContent)
		require.True(t, isText)
		require.NoError(t, json.Unmarshal([]byte(text.Text), &failed))
		return failed
	}

	shipped := failure(call("get_order", "SO-9999"))
	assert.Equal(t, "OrderNotFound", shipped.Tag)
	assert.Equal(t, "List the orders and pick one.", shipped.Fix)

	asked := failure(call("cancel_order", "SO-1001"))
	require.Equal(t, cap.CodeConfirmationRequired, asked.Code)
	assert.Contains(t, asked.Asked, "SO-1001")
	assert.Contains(t, asked.Next, "Then call this tool again with the same arguments")
	assert.Empty(t, asked.Confirmation.Challenge)
	assert.Equal(t, asked.Confirmation.Approval, failure(call("cancel_order", "SO-1001")).Confirmation.Approval, "an equal call joins")

	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(shell("approvers", "add", "boss", "--output", "text")), 0o600))
	shell("approvals", "approve", asked.Confirmation.Approval, "--token", "@"+token)
	cancelled := call("cancel_order", "SO-1001")
	require.False(t, cancelled.IsError, "%v", cancelled.Content)
	got, err := json.Marshal(cancelled.StructuredContent)
	require.NoError(t, err)
	assert.JSONEq(t, `{"order":{"product":"shop","kind":"order","id":"SO-1001"},"refunded":1350}`, string(got))

	// A call that the agent gives up leaves the connection as it was.
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "list_orders"})
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, call("get_order", "SO-1002").IsError)
}
