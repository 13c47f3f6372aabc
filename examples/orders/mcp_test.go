package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// connectAgent starts the program as an agent's client does. What calls report goes to progress.
func connectAgent(t *testing.T, db string, progress chan<- string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- fmt.Sprintf("%v of %v: %s", r.Params.Progress, r.Params.Total, r.Params.Message)
		},
	})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command(t, "mcp", "--db", db)}, nil)
	require.NoError(t, err)
	return session
}

// next gives the next report of progress.
func next(t *testing.T, progress <-chan string) string {
	t.Helper()
	select {
	case report := <-progress:
		return report
	case <-time.After(20 * time.Second):
		require.Fail(t, "no report of progress")
		return ""
	}
}

// refusal is the text of a tool result that is an error.
type refusal struct {
	cap.Error
	Asked, Next string
}

func failureOf(t *testing.T, result *mcp.CallToolResult) (failed refusal) {
	t.Helper()
	require.True(t, result.IsError)
	require.NoError(t, json.Unmarshal([]byte(textOf(t, result)), &failed))
	return failed
}

func textOf(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	require.NotEmpty(t, result.Content)
	text, isText := result.Content[0].(*mcp.TextContent)
	require.True(t, isText)
	return text.Text
}

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
	progress := make(chan string, 8)
	session := connectAgent(t, db, progress)
	defer func() { assert.NoError(t, session.Close()) }()
	call := func(name, order string) *mcp.CallToolResult {
		t.Helper()
		params := &mcp.CallToolParams{Name: name, Arguments: map[string]any{"order": order}}
		params.SetProgressToken("p") // most calls report nothing; that they are asked to must not disturb them
		result, err := session.CallTool(t.Context(), params)
		require.NoError(t, err)
		return result
	}
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	assert.ElementsMatch(t, []string{"list_orders", "get_order", "create_order", "cancel_order", "refund_order"}, names, "approving is no tool")
	t.Logf("list: %q", names)

	found := call("get_order", "SO-1001")
	require.False(t, found.IsError)
	t.Logf("call: %s", textOf(t, found))
	missing := call("get_order", "SO-9999")
	failed := failureOf(t, missing)
	assert.Equal(t, "OrderNotFound", failed.Tag)
	assert.Equal(t, "List the orders and pick one.", failed.Fix)
	t.Logf("declared failure: %s", textOf(t, missing))

	pending := call("cancel_order", "SO-1001")
	asked := failureOf(t, pending)
	t.Logf("gated call: %s", textOf(t, pending))
	require.Equal(t, cap.CodeConfirmationRequired, asked.Code)
	assert.Contains(t, asked.Asked, "SO-1001")
	assert.Contains(t, asked.Next, "Then call this tool again with the same arguments")
	assert.Empty(t, asked.Confirmation.Challenge)
	assert.Equal(t, asked.Confirmation.Approval, failureOf(t, call("cancel_order", "SO-1001")).Confirmation.Approval, "an equal call joins")

	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(shell("approvers", "add", "boss", "--output", "text")), 0o600))
	shell("approvals", "approve", asked.Confirmation.Approval, "--token", "@"+token)
	cancelled := call("cancel_order", "SO-1001")
	require.False(t, cancelled.IsError, "%v", cancelled.Content)
	got, err := json.Marshal(cancelled.StructuredContent)
	require.NoError(t, err)
	assert.JSONEq(t, `{"order":{"product":"shop","kind":"order","id":"SO-1001"},"refunded":1350}`, string(got))
	assert.Equal(t, asked.Confirmation.Approval, cancelled.Meta["cap/approval"])
	t.Logf("after approval: %s, %v", got, cancelled.Meta)

	reports := []string{next(t, progress), next(t, progress)}
	assert.Equal(t, []string{"1 of 2: Putting the pieces back", "2 of 2: Paying back"}, reports, "the call that ran told how far it was")
	assert.Empty(t, progress, "the calls before it did not run")
	t.Logf("progress: %q", reports)
}

// An agent gives a call up in the midst of it: the order stays as it was, and the log of approvals does not claim to know.
func TestAgentGivesUp(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "shop.db")
	shell := func(args ...string) string {
		t.Helper()
		stdout, stderr, code := runOrders(t, append([]string{"--db", db}, args...)...)
		require.Zero(t, code, "%q: %s", args, stderr)
		return stdout
	}
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(shell("approvers", "add", "boss", "--output", "text")), 0o600))
	progress := make(chan string, 8)
	session := connectAgent(t, db, progress)
	params := &mcp.CallToolParams{Name: "cancel_order", Arguments: map[string]any{"order": "SO-1001"}}
	params.SetProgressToken("p")
	asked, err := session.CallTool(t.Context(), params)
	require.NoError(t, err)
	approval := failureOf(t, asked).Confirmation.Approval
	shell("approvals", "approve", approval, "--token", "@"+token)

	// Somebody else writes, so that the call waits for its turn.
	other, err := sql.Open("sqlite", "file:"+db+"?_txlock=immediate")
	require.NoError(t, err)
	defer func() { assert.NoError(t, other.Close()) }()
	writing, err := other.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		<-progress // it has begun
		giveUp()
	}()
	_, err = session.CallTool(ctx, params)
	require.ErrorIs(t, err, context.Canceled)
	list, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_orders"})
	require.NoError(t, err)
	assert.False(t, list.IsError, "the connection is as it was")
	require.NoError(t, writing.Rollback())
	require.NoError(t, session.Close())

	assert.Contains(t, shell("get-order", "SO-1001"), `"status":"placed"`)
	shown := shell("approvals", "show", approval, "--output", "json")
	assert.Contains(t, shown, `"state":"unknown"`)
	t.Logf("cancelled; the log of approvals says: %s", shown)
}
