package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/app"
)

// binary is the program, built once by TestMain.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "orders")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "orders")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic("go build: " + string(out))
	}
	return m.Run()
}

// command prepares a run of the program in a folder of its own, so that the database is new.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// runOrders runs the program to its end.
func runOrders(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := command(t, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	exit, exited := errors.AsType[*exec.ExitError](err)
	if !exited {
		require.NoError(t, err)
		return out.String(), errs.String(), 0
	}
	return out.String(), errs.String(), exit.ExitCode()
}

const firstOrder = `{"order":"SO-1001","status":"placed","customer":"ana","items":[{"sku":"TEA-01","quantity":3}],` +
	`"total":1350,"refunded":0,"placed":"2026-11-02T09:15:00Z"}`

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   []string
		stdout string
		stderr string // a part
		code   int
	}{
		{"an order", []string{"get-order", "--order", "SO-1001"}, firstOrder + "\n", "", 0},
		{"an order as an argument", []string{"get-order", "SO-1001"}, firstOrder + "\n", "", 0},
		{"a declared failure", []string{"get-order", "--order", "SO-9999"}, "", "fix: List the orders and pick one.", 1},
		{"a bad number", []string{"get-order", "--order", "7"}, "", "--order must start with SO-", 2},
		{"an unknown flag", []string{"get-order", "--ordr", "SO-1001"}, "", "did you mean --order?", 2},
		{"no more than asked for", []string{"list-orders", "--status", "shipped"}, `{"orders":[{"order":"SO-1002","status":"shipped","customer":"ben","total":3900,"placed":"2026-11-03T14:40:00Z"}]}` + "\n", "", 0},
		{"a write", []string{"create-order", "--item", `{"sku":"TEA-01"}`}, "", "To confirm it, run: orders create-order --item '{\"sku\":\"TEA-01\"}' --yes\n", 5},
		{"another write", []string{"cancel-order", "SO-1001"}, "", "CONFIRMATION_REQUIRED", 5},
		{"another write, too easily", []string{"cancel-order", "--order", "SO-1001", "--reason", "x", "--yes"}, "", "--yes is not enough for what cannot be undone.\n", 5},
		{"a write about nothing", []string{"cancel-order", "SO-9999"}, "", "fix: List the orders and pick one.", 1},
		{"with the host's power", []string{"refund-order", "SO-1001"}, "", "An approver decides with: orders approvals approve ", 6},
		{"a choice", []string{"__complete", "list-orders", "--status", ""}, "placed\nshipped\ncancelled\n:4\n", "NoFileComp", 0},
		{"a known order", []string{"__complete", "get-order", ""}, "SO-1004\tplaced, carla\nSO-1003\tcancelled, ana\nSO-1002\tshipped, ben\nSO-1001\tplaced, ana\n:4\n", "NoFileComp", 0},
		{"a doctor", []string{"doctor"}, "no warnings\n4 notes: --notes\n", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runOrders(t, tt.args...)
			assert.Equal(t, tt.code, code, "exit code; standard error: %s", stderr)
			assert.Equal(t, tt.stdout, stdout, "standard output")
			if tt.stderr == "" {
				assert.Empty(t, stderr, "standard error")
			}
			assert.Contains(t, stderr, tt.stderr, "standard error")
		})
	}
}

func TestDryRunShowsTheActionAndItsDigest(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := runOrders(t, "create-order", "--item", `{"sku":"TEA-01"}`, "--dry-run", "--output", "text")
	assert.Equal(t, 0, code, stderr)
	assert.Regexp(t, `(?s)^create_order: write, reversible\n.*\nDigest: [0-9a-f]{64}\n$`, stdout)
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "shop.db")
	run := func(want int, args ...string) string {
		t.Helper()
		stdout, stderr, code := runOrders(t, append([]string{"--db", db}, args...)...)
		require.Equal(t, want, code, "%q: %s", args, stderr)
		return stdout
	}
	var asked struct{ Approval string }
	require.NoError(t, json.Unmarshal([]byte(run(6, "refund-order", "SO-1001", "--output", "json")), &asked))
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(run(0, "approvers", "add", "boss", "--output", "text")), 0o600))

	run(4, "approvals", "approve", asked.Approval)
	run(0, "approvals", "approve", asked.Approval, "--token", "@"+token)
	refund := run(0, "refund-order", "SO-1001", "--approval", asked.Approval)
	assert.JSONEq(t, `{"order":{"product":"shop","kind":"order","id":"SO-1001"},"refunded":1350}`, refund)
	assert.Equal(t, refund, run(0, "refund-order", "SO-1001", "--approval", asked.Approval), "the stored answer")
	run(5, "refund-order", "SO-1002", "--approval", asked.Approval)
	run(0, "approvals", "verify")
}

// What was asked for on the command line is decided on the page of the server.
func TestReviewPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "orders.db")
	asked, stderr, code := runOrders(t, "--db", db, "refund-order", "SO-1001", "--output", "json")
	require.Equal(t, 6, code, stderr)
	var waiting struct{ Approval string }
	require.NoError(t, json.Unmarshal([]byte(asked), &waiting))
	token, stderr, code := runOrders(t, "--db", db, "approvers", "add", "boss", "--output", "text")
	require.Equal(t, 0, code, stderr)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, startServerIn(t, dir)+"/review/approvals", nil)
	require.NoError(t, err)
	for _, known := range []bool{false, true} {
		want := http.StatusUnauthorized
		if known {
			request.SetBasicAuth("boss", strings.TrimSpace(token))
			want = http.StatusOK
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		page, err := io.ReadAll(response.Body)
		require.NoError(t, errors.Join(err, response.Body.Close()))
		assert.Equal(t, want, response.StatusCode)
		assert.Equal(t, known, bytes.Contains(page, []byte(waiting.Approval)), "the approval on the page")
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	store := &Store{Path: filepath.Join(t.TempDir(), "orders.db")}
	require.NoError(t, app.Check(MustRegister(store), options(store)))
}

// startServer starts the program as a server, with further variables, and returns its URL.
func startServer(t *testing.T, env ...string) string {
	t.Helper()
	return startServerIn(t, t.TempDir(), env...)
}

// startServerIn is startServer in a folder where there may be a shop already.
func startServerIn(t *testing.T, dir string, env ...string) string {
	t.Helper()
	cmd := exec.Command(binary, "serve", "--addr", "127.0.0.1:0") // without a context, which would kill it too early
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Signal(os.Interrupt))
		err := cmd.Wait()
		assert.NoError(t, err, "a server that is told to stop ends well")
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, "first line of the server: %s", line)
	return url
}

func post(t *testing.T, url, body string) (status int, contentType, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	data, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header.Get("Content-Type"), string(data)
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	url := server + "/capabilities/"

	status, contentType, answer := post(t, url+"get_order", `{"order":"SO-1001"}`)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "application/json", contentType)
	assert.JSONEq(t, `{"output":`+firstOrder+`,"cites":[{"product":"shop","kind":"order","id":"SO-1001"}]}`, answer)

	_, contentType, answer = post(t, url+"get_order", `{"order":7,"x":1}`)
	assert.Equal(t, "application/problem+json", contentType)
	var problem struct {
		Code   string
		Errors []struct{ Pointer string }
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &problem))
	assert.Equal(t, "INPUT_INVALID", problem.Code)
	pointers := []string{}
	for _, e := range problem.Errors {
		pointers = append(pointers, e.Pointer)
	}
	assert.Equal(t, []string{"/order", "/x"}, pointers)

	status, _, answer = post(t, url+"cancel_order", `{"order":"SO-1001"}`)
	assert.Equal(t, http.StatusUnauthorized, status, answer)
	status, _, answer = post(t, server+"/review/approvals/x/approve", `{}`)
	assert.Equal(t, http.StatusUnauthorized, status, answer)
}

func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	checkTools(t, &mcp.StreamableClientTransport{Endpoint: startServer(t) + "/mcp"})
}

func TestMCPOverStdio(t *testing.T) {
	t.Parallel()
	checkTools(t, &mcp.CommandTransport{Command: command(t, "mcp")})
}

// checkTools lists the tools and calls one.
func checkTools(t *testing.T, transport mcp.Transport) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, session.Close()) }()

	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	names := []string{}
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	assert.Equal(t, []string{"list_orders", "get_order", "create_order", "cancel_order", "refund_order"}, names)

	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_order", Arguments: map[string]any{"order": "SO-1001"}})
	require.NoError(t, err)
	require.False(t, result.IsError, "%v", result.Content)
	got, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	assert.JSONEq(t, firstOrder, string(got))

	result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_order", Arguments: map[string]any{"order": "SO-9999"}})
	require.NoError(t, err)
	assert.True(t, result.IsError)
}
