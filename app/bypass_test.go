// These tests are about every adapter and stand here, not beside the core: a test of the core that imports adapters would put
// their libraries into the go.sum of every module that uses the core.

package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/approval"
)

// LaunchRocket and EraseDisk are what nobody may run without an agreement.
type LaunchRocket struct {
	cap.Host[cap.None] `cap:"Launch a rocket; access=authenticated; irreversible; idempotent" http:"PUT /rockets/{rocket}"`

	Rocket string `json:"rocket" cap:"Which rocket"`
}

func (in LaunchRocket) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "launch", Target: cap.ObjectRef{Product: "space", Kind: "rocket", ID: in.Rocket}}
}

type EraseDisk struct {
	cap.Write[cap.None] `cap:"Erase a disk; access=authenticated; reversible; timeout=1m" http:"DELETE /disks/{disk}"`

	Disk string `json:"disk" cap:"Which disk"`
}

func (in EraseDisk) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "erase", Target: cap.ObjectRef{Product: "lab", Kind: "disk", ID: in.Disk}}
}

// launchpad notes every run of a handler.
type launchpad struct{ runs atomic.Int64 }

func (r *launchpad) LaunchRocket(context.Context, LaunchRocket) (cap.None, error) {
	r.runs.Add(1)
	return cap.None{}, nil
}

func (r *launchpad) EraseDisk(context.Context, EraseDisk) (cap.None, error) {
	r.runs.Add(1)
	return cap.None{}, nil
}

// ReconcileLaunchRocket would say that what never ran has succeeded.
func (r *launchpad) ReconcileLaunchRocket(context.Context, LaunchRocket, string) (cap.Outcome, error) {
	return cap.Outcome{State: cap.OutcomeSucceeded}, nil
}

// intruder has a registry whose every action waits for an agreement that never comes, and tries to run it all the same. It
// holds what an agent may hold: its own credentials, the ids of its requests, and challenges of other actions.
type intruder struct {
	t        *testing.T
	pad      *launchpad
	registry *cap.Registry
	gate     *approval.Gate
	as       cap.Principal
	given    []cap.Confirmation
	asked    int // calls that were answered by a request for confirmation
}

var gatedCalls = []struct{ name, args, path, method, flag string }{
	{"launch_rocket", `{"rocket":"R-1"}`, "/rockets/R-1", http.MethodPut, "--rocket=R-1"},
	{"erase_disk", `{"disk":"D-1"}`, "/disks/D-1", http.MethodDelete, "--disk=D-1"},
}

func newIntruder(t *testing.T, as cap.Principal, gated bool) *intruder {
	t.Helper()
	i := &intruder{t: t, pad: &launchpad{}, as: as, given: []cap.Confirmation{{}}}
	var options cap.Options
	if gated {
		gate, err := approval.New(approval.Memory(), approval.Options{})
		require.NoError(t, err)
		i.gate, options.Gate = gate, gate
	}
	i.registry = cap.New(options)
	require.NoError(t, i.registry.Register(i.pad))
	i.collect()
	return i
}

// collect asks for each action, and for one that a person may confirm by a challenge, and keeps what comes back.
func (i *intruder) collect() {
	person := cap.Principal{ID: "someone", Kind: cap.KindHuman}
	for _, c := range gatedCalls {
		for _, who := range []cap.Principal{i.as, person} {
			_, err := i.registry.Invoke(i.t.Context(), c.name, json.RawMessage(c.args), cap.CallOptions{Principal: &who})
			var e *cap.Error
			require.ErrorAs(i.t, err, &e)
			require.Equal(i.t, cap.CodeConfirmationRequired, e.Code)
			if e.Confirmation == nil {
				continue
			}
			i.given = append(i.given,
				cap.Confirmation{Approval: e.Confirmation.Approval}, cap.Confirmation{Challenge: e.Confirmation.Challenge},
				cap.Confirmation{Approval: e.Confirmation.Approval, Challenge: e.Confirmation.Challenge},
				cap.Confirmation{Approval: e.Confirmation.Action.ID}, cap.Confirmation{Challenge: e.Confirmation.Action.ID},
			)
		}
	}
	i.given = append(i.given, cap.Confirmation{Approval: "x"}, cap.Confirmation{Challenge: "x"}, cap.Confirmation{Approval: "approved"})
}

// held fails the test if a handler has run.
func (i *intruder) held(path string, args ...any) {
	i.t.Helper()
	if !assert.Zero(i.t, i.pad.runs.Load(), "a handler ran without an agreement: "+path, args) {
		i.t.FailNow()
	}
}

func (i *intruder) note(text string) {
	if strings.Contains(text, string(cap.CodeConfirmationRequired)) {
		i.asked++
	}
}

// inProcess tries the core's own ways.
func (i *intruder) inProcess() {
	ctx := i.t.Context()
	composed, err := cap.Compose(cap.Options{Gate: i.registry.Gate()}, cap.Local(i.pad))
	require.NoError(i.t, err)
	for _, registry := range []*cap.Registry{i.registry, composed} {
		for _, given := range i.given {
			options := cap.CallOptions{Principal: &i.as, Confirmation: given}
			for _, c := range gatedCalls {
				_, err := registry.Invoke(ctx, c.name, json.RawMessage(c.args), options)
				i.note(err.Error())
				_, err = registry.Prepare(ctx, c.name, json.RawMessage(c.args), options)
				require.NoError(i.t, err)
				_, _ = registry.Reconcile(ctx, c.name, json.RawMessage(c.args), given.Approval)
			}
			_, err = cap.Invoke(ctx, registry, LaunchRocket{Rocket: "R-1"}, options)
			require.Error(i.t, err)
			_, err = cap.InvokeAs(ctx, registry, "erase_disk", EraseDisk{Disk: "D-1"}, options)
			require.Error(i.t, err)
			i.held("in process", given)
		}
	}
	handled := cap.New(cap.Options{Gate: i.registry.Gate()})
	require.NoError(i.t, cap.Handle(handled, i.pad, (*launchpad).LaunchRocket))
	require.NoError(i.t, handled.Register(cap.Func(i.erase)))
	for _, c := range gatedCalls {
		_, err := handled.Invoke(ctx, c.name, json.RawMessage(c.args), cap.CallOptions{Principal: &i.as})
		require.Error(i.t, err)
	}
	i.held("Handle and Func")
}

func (i *intruder) erase(ctx context.Context, in EraseDisk) (cap.None, error) {
	return i.pad.EraseDisk(ctx, in)
}

func (i *intruder) authenticate(*http.Request) (*cap.Principal, error) { return &i.as, nil }

// overHTTP tries every route of the HTTP adapter, and its client.
func (i *intruder) overHTTP() {
	api, err := caphttp.New(i.registry, caphttp.Options{Authenticate: i.authenticate})
	require.NoError(i.t, err)
	for _, given := range i.given {
		for _, c := range gatedCalls {
			for _, target := range []struct{ method, path, body string }{
				{http.MethodPost, "/capabilities/" + c.name, c.args},
				{http.MethodPost, "/capabilities/" + c.name + "/preview", c.args},
				{http.MethodPost, "/capabilities/" + c.name + "?confirm=true&approval=" + given.Approval, c.args},
				{http.MethodGet, "/capabilities/" + c.name, ""},
				{c.method, c.path, ""},
				{http.MethodPost, c.path, "{}"},
			} {
				for _, key := range []string{"", "key-1"} {
					i.request(api, target.method, target.path, target.body, given, key)
				}
			}
		}
		if i.gate != nil {
			for _, verb := range []string{"", "/approve", "/deny", "/decision"} {
				i.request(api, http.MethodPost, "/approvals/"+given.Approval+verb, `{"verdict":"approve"}`, given, "")
			}
		}
	}
	server := httptest.NewServer(api)
	defer server.Close()
	client, err := caphttp.NewClient(server.URL)
	require.NoError(i.t, err)
	_, err = caphttp.Call(i.t.Context(), client, LaunchRocket{Rocket: "R-1"})
	require.Error(i.t, err)
	i.held("the client")
	_, _ = api.OpenAPI(), api.OpenAPI30()
	api.Drain()
	i.held("Drain and documents")
}

// overApprovals tries to decide with the credentials of the one who asked.
func (i *intruder) overApprovals() {
	if i.gate == nil {
		return
	}
	desk, err := caphttp.NewApprovals(i.gate, caphttp.ApprovalsOptions{Authenticate: i.authenticate})
	require.NoError(i.t, err)
	list, err := i.gate.List(i.t.Context(), cap.ApprovalQuery{Requester: i.as.ID})
	require.NoError(i.t, err)
	require.NotEmpty(i.t, list)
	for _, a := range list {
		if a.Action.Effect == cap.EffectWrite && i.as.Kind == cap.KindHuman {
			continue // a person may agree to their own write
		}
		for _, path := range []string{"/approvals", "/approvals/" + a.ID, "/approvals/" + a.ID + "/approve", "/approvals/" + a.ID + "/decision"} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
				i.request(desk, method, path, `{"verdict":"approve","shown":"`+a.Action.Shown+`","reason":"","approver":{"id":"boss","kind":"human"}}`, cap.Confirmation{}, "")
			}
		}
		shown, err := i.gate.Show(i.t.Context(), a.ID)
		require.NoError(i.t, err)
		assert.Equal(i.t, cap.ApprovalPending, shown.State, "the requester decided")
	}
}

func (i *intruder) request(handler http.Handler, method, path, body string, given cap.Confirmation, key string) {
	r := httptest.NewRequestWithContext(i.t.Context(), method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range map[string]string{
		"Cap-Approval": given.Approval, "Cap-Confirm": given.Challenge, "Idempotency-Key": key, "X-HTTP-Method-Override": "POST",
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	i.note(w.Body.String())
	i.held(method+" "+path, given)
}

// overMCP tries the tools, over each transport.
func (i *intruder) overMCP() {
	adapter, err := capmcp.New(i.registry, capmcp.Options{Principal: &i.as, Authenticate: i.authenticate, TrustClientForms: true})
	require.NoError(i.t, err)
	accept := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}},
		// A client that says yes to everything, with the code that it was shown.
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			_, code, _ := strings.Cut(r.Params.Message, "Code: ")
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve", "code": code[:min(9, len(code))]}}, nil
		},
	}
	server := httptest.NewServer(adapter.Handler())
	defer server.Close()
	near, far := mcp.NewInMemoryTransports()
	_, err = adapter.Connect(i.t.Context(), near)
	require.NoError(i.t, err)
	for name, transport := range map[string]mcp.Transport{
		"Connect": far, "Handler": &mcp.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true},
	} {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "intruder", Version: "1"}, accept).Connect(i.t.Context(), transport, nil)
		require.NoError(i.t, err, name)
		for _, given := range i.given {
			for _, c := range gatedCalls {
				params := &mcp.CallToolParams{
					Name: c.name, Arguments: json.RawMessage(c.args), RequestState: given.Challenge,
					Meta: mcp.Meta{"cap/approval": given.Approval, "cap/challenge": given.Challenge, "cap/confirm": true},
				}
				if result, err := session.CallTool(i.t.Context(), params); err == nil {
					text, _ := json.Marshal(result)
					i.note(string(text))
				}
				i.held("MCP over "+name, given)
			}
		}
		tools, err := session.ListTools(i.t.Context(), nil)
		require.NoError(i.t, err)
		assert.Len(i.t, tools.Tools, len(gatedCalls), "there is no tool that decides")
		require.NoError(i.t, session.Close())
	}
	i.overStdio()
	_ = adapter.Server()
	require.NoError(i.t, adapter.Close(i.t.Context()))
}

func (i *intruder) overStdio() {
	adapter, err := capmcp.New(i.registry, capmcp.Options{Principal: &i.as})
	require.NoError(i.t, err)
	lines := []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"i","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for n, given := range i.given {
		for m, c := range gatedCalls {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"cap/approval":%q}}}`,
				1+2*n+m, c.name, c.args, given.Approval))
		}
	}
	var out bytes.Buffer
	require.NoError(i.t, adapter.ServeStdio(i.t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out))
	i.note(out.String())
	i.held("ServeStdio")
}

// overCLI tries the flags of the command line.
func (i *intruder) overCLI() {
	program, err := capcli.New(i.registry, capcli.Options{
		Name: "lab", AllowConfirm: true,
		Authenticate: func(context.Context) (*cap.Principal, error) { return &i.as, nil },
	})
	require.NoError(i.t, err)
	for _, c := range gatedCalls {
		command := strings.ReplaceAll(c.name, "_", "-")
		lines := [][]string{{}, {"--yes"}, {"--dry-run"}, {"--yes", "--input", c.args}}
		for _, given := range i.given {
			for _, flag := range []string{"--approval=" + given.Approval, "--confirm=" + given.Approval, "--confirm=" + given.Challenge} {
				lines = append(lines, []string{flag}, []string{flag, "--yes"})
			}
			for _, verb := range []string{"list", "show", "approve", "deny"} {
				i.run(program, []string{"approvals", verb, given.Approval}, "")
			}
		}
		for _, line := range lines {
			i.run(program, append([]string{command, c.flag}, line...), "y\n")
			i.run(program, append([]string{c.name, c.flag}, line...), "")
		}
	}
}

func (i *intruder) run(program *capcli.Program, line []string, answer string) {
	var out, errs bytes.Buffer
	streams := capcli.Streams{In: strings.NewReader(answer), Out: &out, Err: &errs}
	code := program.Run(i.t.Context(), line, streams)
	if code == capcli.ExitPending || code == capcli.ExitDeclined {
		i.asked++
	}
	i.held(strings.Join(line, " "))
}

// TestNothingGatedRunsUnasked holds that no way into any adapter leads past the gate, for an agent, for a service, for a
// person's Host action, and where there is no gate at all.
func TestNothingGatedRunsUnasked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		as    cap.Principal
		gated bool
	}{
		{"an agent", cap.Principal{ID: "planner", Kind: cap.KindAgent, OnBehalfOf: "ana"}, true},
		{"a service", cap.Principal{ID: "ci", Kind: cap.KindService}, true},
		{"somebody of unknown kind", cap.Principal{ID: "ana"}, true},
		{"a person without a gate", cap.Principal{ID: "ana", Kind: cap.KindHuman}, false},
		{"an agent without a gate", cap.Principal{ID: "planner", Kind: cap.KindAgent}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := newIntruder(t, tt.as, tt.gated)
			for name, way := range map[string]func(){
				"in process": i.inProcess, "HTTP": i.overHTTP, "MCP": i.overMCP, "CLI": i.overCLI,
			} {
				i.asked = 0
				way()
				assert.Positive(t, i.asked, "%s: no call came as far as the gate", name)
			}
			i.overApprovals()
		})
	}
}

// ways lists every exported function and method of the adapters, and how it is tried above. A new one has to be tried, or to
// say here why it runs nothing.
var ways = map[string]string{
	"http.New": "overHTTP", "http.Handler.ServeHTTP": "overHTTP", "http.Handler.Drain": "overHTTP",
	"http.Handler.Metadata": "serves a fixed document",
	"http.Handler.OpenAPI":  "overHTTP", "http.Handler.OpenAPI30": "overHTTP",
	"http.NewClient": "overHTTP", "http.Call": "overHTTP",
	"http.NewApprovals": "overApprovals", "http.ApprovalsHandler.ServeHTTP": "overApprovals",
	"http.TraceFrom":         "reads the context",
	"http.Serve":             "serves a handler that it is given",
	"http.MemoryIdempotency": "keeps answers", "http.APIKeys": "finds out who calls", "http.Tokens": "finds out who calls",
	"http.BearerToken": "sets a header", "http.HashAPIKey": "makes a text", "http.NewAPIKey": "makes a text",

	"mcp.New": "overMCP", "mcp.Adapter.Connect": "overMCP", "mcp.Adapter.Handler": "overMCP", "mcp.Adapter.Server": "overMCP",
	"mcp.Adapter.Close": "overMCP", "mcp.Adapter.ServeStdio": "overMCP", "mcp.Adapter.Metadata": "serves a fixed document",

	"cli.New": "overCLI", "cli.Program.Run": "overCLI", "cli.Program.Main": "Run with the process's own arguments",
	"cli.Person": "finds out who calls", "cli.SystemUser": "finds out who calls", "cli.Standard": "names the process's files",
	"cli.Invocation.Format": "reads a flag", "cli.Invocation.On": "reads a flag", "cli.Invocation.ProgramFlags": "reads flags",
	"cli.Invocation.Read": "reads a flag's file", "cli.Invocation.Text": "reads a flag", "cli.Invocation.Write": "writes output",
	"cli.Invocation.WriteText": "writes output", "cli.Invocation.WriteJSON": "writes output",
}

func TestEveryWayIntoAnAdapterIsTried(t *testing.T) {
	t.Parallel()
	var found []string
	for _, adapter := range []string{"http", "mcp", "cli"} {
		files, err := filepath.Glob("../adapters/" + adapter + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, decl := range file.Decls {
				if way := exportedWay(decl); way != "" {
					found = append(found, adapter+"."+way)
				}
			}
		}
	}
	for _, way := range found {
		assert.NotEmpty(t, ways[way], "%s is a way into an adapter: try it in bypass_test.go, or say there why it runs nothing", way)
	}
	for way := range ways {
		assert.Contains(t, found, way, "ways lists what is gone")
	}
}

// exportedWay names a declaration that users of a package can call, "" for others and for the methods of errors.
func exportedWay(decl ast.Decl) string {
	function, ok := decl.(*ast.FuncDecl)
	if !ok || !function.Name.IsExported() || slices.Contains([]string{"Error", "Unwrap", "Is", "As"}, function.Name.Name) {
		return ""
	}
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := receiverName(function.Recv.List[0].Type)
	if !ast.IsExported(receiver) {
		return ""
	}
	return receiver + "." + function.Name.Name
}

func receiverName(receiver ast.Expr) string {
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
