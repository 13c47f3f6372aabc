package capmcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/approval"
)

// gated is a desk behind a gate, called by ana.
type gated struct {
	gate    *approval.Gate
	adapter *capmcp.Adapter
	handler http.Handler
}

func newGated(t testing.TB, options capmcp.Options) gated {
	t.Helper()
	gate := newGate(t)
	options.Authenticate = func(r *http.Request) (*cap.Principal, error) {
		who := &cap.Principal{ID: "ana", Kind: cap.KindHuman, Scopes: []string{"host"}}
		if id := r.Header.Get(principalHeader); id != "" {
			who.ID = id
		}
		return who, nil
	}
	options.Principal = &cap.Principal{ID: "ana", Kind: cap.KindHuman, Scopes: []string{"host"}}
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{Gate: gate}), options)
	return gated{gate, adapter, adapter.Handler()}
}

func page(id string) string { return "https://desk.example.com/approvals/" + id + "?from=mcp&x=<y>" }

func (g gated) approve(t testing.TB, id string) {
	t.Helper()
	_, err := g.gate.Decide(t.Context(), id, cap.Decision{Verdict: cap.VerdictApprove, Approver: ada()})
	require.NoError(t, err)
}

// can writes a call of a client of the new era that can be asked in these ways.
func can(elicitation, tool, args, more string) string {
	params := fmt.Sprintf(`{"name":%q,"arguments":%s%s,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{"elicitation":%s}}}`,
		tool, args, more, modern, elicitation)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`, params)
}

func (g gated) call(t testing.TB, body string, headers ...string) reply {
	t.Helper()
	return replyIn(t, post(t, g.handler, modern, body, headers...))
}

// A client that cannot be asked is told all that a model needs to have the action agreed to.
func TestPendingAnswer(t *testing.T) {
	t.Parallel()
	g := newGated(t, capmcp.Options{ApprovalURL: page})
	for _, version := range []string{legacy, modern} {
		call := callOf(version, 1, "burn", `{"parcel":"for `+version+`"}`)
		result := replyIn(t, post(t, g.handler, version, call)).tool(t)
		assert.Empty(t, result.InputRequests)
		failed := result.failure(t)
		assert.Equal(t, cap.CodeConfirmationRequired, failed.Code)
		var more struct{ Asked, ApproveAt, Next string }
		require.NoError(t, json.Unmarshal([]byte(result.Content[0].Text), &more))
		assert.Equal(t, failed.Confirmation.Action.Text(), more.Asked, "what a person is shown, word for word")
		assert.Equal(t, page(failed.Confirmation.Approval), more.ApproveAt)
		assert.Contains(t, more.Next, "Then call this tool again with the same arguments")
		assert.Empty(t, failed.Confirmation.Challenge, "a challenge is nothing for a model")
		assert.NotContains(t, result.Content[0].Text, `"challenge"`)

		again := replyIn(t, post(t, g.handler, version, call)).tool(t).failure(t)
		assert.Equal(t, failed.Confirmation.Approval, again.Confirmation.Approval, "an equal call joins")
		g.approve(t, failed.Confirmation.Approval)
		result = replyIn(t, post(t, g.handler, version, call)).tool(t)
		assert.False(t, result.IsError, "%v", result.Content)
		assert.JSONEq(t, `"`+failed.Confirmation.Approval+`"`, string(result.Meta["cap/approval"]))

		named := strings.Replace(call, `"name":"burn"`, `"name":"burn","_meta":{"cap/approval":"`+failed.Confirmation.Approval+`"}`, 1)
		if version == modern {
			named = strings.Replace(call, `"_meta":{`, `"_meta":{"cap/approval":"`+failed.Confirmation.Approval+`",`, 1)
		}
		result = replyIn(t, post(t, g.handler, version, named)).tool(t)
		assert.False(t, result.IsError)
		assert.Equal(t, "true", string(result.Meta["cap/replayed"]), "a program that names the approval gets the stored answer")
		assert.True(t, replyIn(t, post(t, g.handler, version, call)).tool(t).IsError, "the same action can be asked for again")
	}
}

// A challenge is no way in through MCP, even for a program.
func TestChallengeIsNotTaken(t *testing.T) {
	t.Parallel()
	g := newGated(t, capmcp.Options{})
	action := g.call(t, callOf(modern, 1, "store", `{"parcel":"p"}`)).tool(t).failure(t).Confirmation
	body := can(`{}`, "store", `{"parcel":"p"}`, fmt.Sprintf(`,"inputResponses":{"approval":{"action":"accept","content":{"decision":"approve","challenge":%q}}}`, action.Action.ID))
	assert.Equal(t, cap.CodeConfirmationRequired, g.call(t, body).tool(t).failure(t).Code, "an answer to nothing agrees to nothing")
}

func TestAskByPage(t *testing.T) {
	t.Parallel()
	g := newGated(t, capmcp.Options{ApprovalURL: page})
	for _, tool := range []string{"burn", "flush", "store"} {
		args := `{"parcel":"p"}`
		result := g.call(t, can(`{"url":{}}`, tool, args, "")).tool(t)
		require.Equal(t, "input_required", result.ResultType, tool)
		var question struct {
			Method string
			Params struct{ Mode, Message, URL, ElicitationID string }
		}
		require.NoError(t, json.Unmarshal(result.InputRequests["approval"], &question))
		id := question.Params.ElicitationID
		assert.Equal(t, "elicitation/create", question.Method)
		assert.Equal(t, "url", question.Params.Mode)
		assert.Equal(t, page(id), question.Params.URL)
		assert.Contains(t, question.Params.Message, "parcel")
		assert.NotContains(t, result.RequestState, id, "the state cannot be read")

		answer := func(action string) reply {
			more := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":%q}}`, result.RequestState, action)
			return g.call(t, can(`{"url":{}}`, tool, args, more))
		}
		opened := answer("accept").tool(t)
		assert.Equal(t, "complete", opened.ResultType)
		assert.Equal(t, cap.CodeConfirmationRequired, opened.failure(t).Code, "opening the page agrees to nothing, and nothing is asked twice")
		declined := answer("decline").tool(t)
		assert.Contains(t, declined.Content[0].Text, "did not answer")
		assert.Equal(t, cap.CodeConfirmationRequired, declined.failure(t).Code)
		g.approve(t, id)
		assert.False(t, answer("accept").tool(t).IsError, tool)
	}
}

// What comes back with an answer is good for the same tool, the same caller and a while.
func TestState(t *testing.T) {
	t.Parallel()
	g := newGated(t, capmcp.Options{ApprovalURL: page})
	state := g.call(t, can(`{"url":{}}`, "burn", `{"parcel":"p"}`, "")).tool(t).RequestState
	with := func(tool, state string, headers ...string) int {
		more := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":"accept"}}`, state)
		r := g.call(t, can(`{"url":{}}`, tool, `{"parcel":"p"}`, more), headers...)
		if r.Error == nil {
			return 0
		}
		return r.Error.Code
	}
	assert.Equal(t, 0, with("burn", state))
	assert.Equal(t, -32602, with("store", state), "another tool")
	assert.Equal(t, -32602, with("burn", state, principalHeader, "eve"), "another caller")
	assert.Equal(t, -32602, with("burn", "x"), "no state at all")
	assert.Equal(t, -32602, with("burn", state[:len(state)-2]), "cut short")
	flipped := []byte(state)
	flipped[20] ^= 1
	assert.Equal(t, -32602, with("burn", string(flipped)), "changed")
	other := newGated(t, capmcp.Options{ApprovalURL: page})
	foreign := other.call(t, can(`{"url":{}}`, "burn", `{"parcel":"p"}`, "")).tool(t).RequestState
	assert.Equal(t, -32602, with("burn", foreign), "of another server")

	moved := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":"accept"}}`, state)
	r := g.call(t, can(`{"url":{}}`, "burn", `{"parcel":"another"}`, moved))
	assert.Equal(t, cap.CodeConfirmationInvalid, r.tool(t).failure(t).Code, "another value")
}

func TestStateExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t, capmcp.Options{ApprovalURL: page})
		state := g.call(t, can(`{"url":{}}`, "burn", `{"parcel":"p"}`, "")).tool(t).RequestState
		time.Sleep(time.Hour)
		more := fmt.Sprintf(`,"requestState":%q`, state)
		assert.Equal(t, -32602, g.call(t, can(`{"url":{}}`, "burn", `{"parcel":"p"}`, more)).Error.Code)
	})
}

// Two processes behind one address share a key.
func TestStateKey(t *testing.T) {
	t.Parallel()
	key := []byte(strings.Repeat("k", 32))
	one := newGated(t, capmcp.Options{ApprovalURL: page, StateKey: key})
	registry := newDeskRegistry(t, newDesk(), cap.Options{Gate: one.gate})
	principal := &cap.Principal{ID: "ana", Kind: cap.KindHuman, Scopes: []string{"host"}}
	two := newAdapter(t, registry, capmcp.Options{ApprovalURL: page, StateKey: key, Authenticate: func(*http.Request) (*cap.Principal, error) { return principal, nil }})
	result := one.call(t, can(`{"url":{}}`, "burn", `{"parcel":"p"}`, "")).tool(t)
	more := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":"accept"}}`, result.RequestState)
	w := post(t, two.Handler(), modern, can(`{"url":{}}`, "burn", `{"parcel":"p"}`, more))
	assert.Equal(t, cap.CodeConfirmationRequired, replyIn(t, w).tool(t).failure(t).Code)
}

// A form is for writes that can be undone, and only where the operator trusts clients.
func TestAskByForm(t *testing.T) {
	t.Parallel()
	const form = `{"form":{}}`
	distrustful := newGated(t, capmcp.Options{})
	assert.True(t, distrustful.call(t, can(form, "store", `{"parcel":"p"}`, "")).tool(t).IsError, "not by default")
	g := newGated(t, capmcp.Options{TrustClientForms: true})
	assert.True(t, g.call(t, can(form, "burn", `{"parcel":"p"}`, "")).tool(t).IsError, "what cannot be undone is not for a form")
	assert.True(t, g.call(t, can(form, "flush", `{"parcel":"p"}`, "")).tool(t).IsError, "and neither is the host's power")

	for _, elicitation := range []string{form, `{}`} {
		result := g.call(t, can(elicitation, "store", `{"parcel":"`+elicitationID(elicitation)+`"}`, "")).tool(t)
		require.Equal(t, "input_required", result.ResultType)
		var question struct {
			Params struct {
				Mode, Message   string
				RequestedSchema struct{ Type string }
			}
		}
		require.NoError(t, json.Unmarshal(result.InputRequests["approval"], &question))
		assert.Equal(t, "form", question.Params.Mode)
		assert.Equal(t, "object", question.Params.RequestedSchema.Type)
		_, code, _ := strings.Cut(question.Params.Message, "\nCode: ")
		code, _, _ = strings.Cut(code, "\n")
		answer := func(action, content string) toolResult {
			more := fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":%q,"content":%s}}`, result.RequestState, action, content)
			return g.call(t, can(elicitation, "store", `{"parcel":"`+elicitationID(elicitation)+`"}`, more)).tool(t)
		}
		rows := []struct{ name, action, content, want string }{
			{"no", "accept", `{"decision":"deny","code":"` + code + `"}`, "said no"},
			{"yes without the code", "accept", `{"decision":"approve"}`, "said no"},
			{"yes with another code", "accept", `{"decision":"approve","code":"AAAA-AAAA"}`, "said no"},
			{"yes in another type", "accept", `{"decision":true,"code":"` + code + `"}`, "said no"},
			{"closed", "cancel", `{}`, "did not answer"},
		}
		for _, r := range rows {
			refused := answer(r.action, r.content)
			assert.True(t, refused.IsError, r.name)
			assert.Contains(t, refused.Content[0].Text, r.want, r.name)
		}
		typed := strings.ToLower(strings.ReplaceAll(code, "-", " "))
		agreed := answer("accept", `{"decision":"approve","code":"`+typed+`"}`)
		assert.False(t, agreed.IsError, "%v", agreed.Content)
	}
}

func elicitationID(s string) string { return fmt.Sprintf("p-%d", len(s)) }

// asking is a client of the SDK that can be asked.
func asking(t testing.TB, endpoint string, answer func(*mcp.ElicitParams) *mcp.ElicitResult) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}, Form: &mcp.FormElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return answer(r.Params), nil
		},
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint, DisableStandaloneSSE: true}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, session.Close()) })
	return session
}

// The SDK's client opens the page, its person decides there, and the call that follows runs.
func TestClientOpensPage(t *testing.T) {
	t.Parallel()
	for _, era := range []string{legacy, modern} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			options := capmcp.Options{ApprovalURL: page}
			if era == legacy {
				options.Configure = func(o *mcp.ServerOptions) { o.SupportedProtocolVersions = []string{legacy} }
			}
			g := newGated(t, options)
			server := httptest.NewServer(g.handler)
			t.Cleanup(server.Close)
			var asked atomic.Int32
			session := asking(t, server.URL, func(p *mcp.ElicitParams) *mcp.ElicitResult {
				asked.Add(1)
				assert.Equal(t, page(p.ElicitationID), p.URL)
				g.approve(t, p.ElicitationID)
				return &mcp.ElicitResult{Action: "accept"}
			})
			assert.Equal(t, era, session.InitializeResult().ProtocolVersion)
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "burn", Arguments: map[string]any{"parcel": "p"}})
			require.NoError(t, err)
			assert.False(t, result.IsError, "%v", result.Content)
			assert.EqualValues(t, 1, asked.Load(), "asked once")
		})
	}
}

// Where the person does not decide at once, the client is not asked again and again, and no question of the new era reaches
// a client of the older one.
func TestClientOpensPageAndWaits(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"accept", "decline"} {
		g := newGated(t, capmcp.Options{ApprovalURL: page, Configure: func(o *mcp.ServerOptions) { o.SupportedProtocolVersions = []string{legacy} }})
		server := httptest.NewServer(g.handler)
		t.Cleanup(server.Close)
		var asked atomic.Int32
		session := asking(t, server.URL, func(*mcp.ElicitParams) *mcp.ElicitResult {
			asked.Add(1)
			return &mcp.ElicitResult{Action: action}
		})
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "burn", Arguments: map[string]any{"parcel": "p"}})
		require.NoError(t, err)
		assert.True(t, result.IsError)
		assert.Nil(t, result.InputRequests)
		assert.EqualValues(t, 1, asked.Load())
	}
}

func TestClientFillsForm(t *testing.T) {
	t.Parallel()
	g := newGated(t, capmcp.Options{TrustClientForms: true, Configure: func(o *mcp.ServerOptions) { o.SupportedProtocolVersions = []string{legacy} }})
	server := httptest.NewServer(g.handler)
	t.Cleanup(server.Close)
	session := asking(t, server.URL, func(p *mcp.ElicitParams) *mcp.ElicitResult {
		_, code, _ := strings.Cut(p.Message, "\nCode: ")
		code, _, _ = strings.Cut(code, "\n")
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve", "code": code}}
	})
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "store", Arguments: map[string]any{"parcel": "p"}})
	require.NoError(t, err)
	assert.False(t, result.IsError, "%v", result.Content)
}

// Without a gate nothing runs, and nobody is sent to a page that does not exist.
func TestNoGate(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{ApprovalURL: page, Principal: &cap.Principal{ID: "ana"}})
	failed := byID(t, talk(t, adapter, can(`{"url":{}}`, "burn", `{"parcel":"p"}`, "")), 1).tool(t).failure(t)
	assert.Equal(t, cap.CodeConfirmationRequired, failed.Code)
	assert.Nil(t, failed.Confirmation)
}
