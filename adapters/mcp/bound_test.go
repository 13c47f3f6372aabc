package capmcp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/approval"
)

type Tally struct {
	cap.Read[Tallied] `cap:"Add numbers up; access=public"`
	Numbers           map[string]int `json:"numbers" cap:"By name" validate:"dive,max=10"`
}

type Tallied struct {
	Sum int `json:"sum" cap:"Of all"`
}

type Note struct {
	cap.Write[Tallied] `cap:"Write a note down; access=public; reversible"`
	Text               string `json:"text" cap:"What it says"`
}

func (in Note) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "note", Target: cap.ObjectRef{Product: "desk", Kind: "note", ID: "1"}, Args: map[string]string{"text": in.Text}}
}

func newTallyAdapter(t testing.TB) *capmcp.Adapter {
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(
		cap.Func(func(_ context.Context, in Tally) (Tallied, error) { return Tallied{len(in.Numbers)}, nil }),
		cap.Func(func(context.Context, Note) (Tallied, error) { return Tallied{}, nil }),
	))
	return newAdapter(t, registry, capmcp.Options{})
}

// No bad request draws a long answer, whatever of it comes back.
func TestBadRequestsDrawLittle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 900<<10)
	rows := []struct{ name, method, params, id string }{
		{"repaired name", "tools/call", `{"name":"tally","arguments":{"numbers":{"` + long + `":"5"},"x":1}}`, `1`},
		{"name of a bad value", "tools/call", `{"name":"tally","arguments":{"numbers":{"` + long + `":50}}}`, `1`},
		{"unknown name", "tools/call", `{"name":"tally","arguments":{"` + long + `":1}}`, `1`},
		{"action to agree to", "tools/call", `{"name":"note","arguments":{"text":"` + long + `"}}`, `1`},
		{"id", "tools/list", `{}`, `"` + long + `"`},
		{"id of a number", "tools/list", `{}`, `1` + strings.Repeat("0", 900<<10)},
		{"progress token", "tools/list", `{"_meta":{"progressToken":"` + long + `"}}`, `1`},
		{"method", long, `{}`, `1`},
		{"tool", "tools/call", `{"name":"` + long + `"}`, `1`},
		{"tool of another type", "tools/call", `{"name":["` + long + `"]}`, `1`},
		{"completion", "completion/complete", `{"ref":{"type":"` + long + `"}}`, `1`},
		{"resource", "resources/read", `{"uri":"` + long + `"}`, `1`},
		{"prompt", "prompts/get", `{"name":"` + long + `"}`, `1`},
		{"cursor", "tools/list", `{"cursor":"` + long + `"}`, `1`},
		{"revision", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + long + `"}}`, `1`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			adapter := newTallyAdapter(t)
			body := `{"jsonrpc":"2.0","id":` + row.id + `,"method":"` + row.method + `","params":` + row.params + `}`
			for _, version := range []string{legacy, modern} {
				w := post(t, adapter.Handler(), version, body)
				assert.NotZero(t, w.Body.Len(), version)
				assert.Less(t, w.Body.Len(), 64<<10, version)
			}
			var out strings.Builder
			require.NoError(t, adapter.ServeStdio(t.Context(), strings.NewReader(initialize(legacy)+"\n"+initialized+"\n"+body+"\n"), &out))
			assert.NotZero(t, out.Len())
			assert.Less(t, out.Len(), 64<<10)
		})
	}
	t.Run("tag of the protocol", func(t *testing.T) {
		t.Parallel()
		w := post(t, newTallyAdapter(t).Handler(), legacy, `{"jsonrpc":"`+long+`","id":1,"method":"tools/list"}`)
		assert.NotZero(t, w.Body.Len())
		assert.Less(t, w.Body.Len(), 64<<10)
	})
}

// An answer bears the id of its request, to the last digit, or the request is refused.
func TestIDs(t *testing.T) {
	t.Parallel()
	good := []string{`0`, `-1`, `""`, `"0"`, `"\u0000"`, `9007199254740991`, `-9007199254740991`}
	bad := []string{`1.5`, `1e3`, `9007199254740992`, `9007199254740993`, `-9007199254740993`, `99999999999999999999`, `[]`, `{}`, `true`}
	for _, id := range append(good, bad...) {
		ask := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list","params":{}}`
		over := replyIn(t, post(t, newTallyAdapter(t).Handler(), legacy, ask))
		replies := talk(t, newTallyAdapter(t), initialize(legacy), initialized, ask)
		require.Len(t, replies, 2, id)
		for _, answer := range []reply{over, replies[0], replies[1]} {
			if string(answer.ID) == `"init"` {
				continue
			}
			if slices.Contains(good, id) {
				assert.Equal(t, id, string(answer.ID))
				assert.Nil(t, answer.Error, id)
				continue
			}
			assert.Equal(t, `null`, string(answer.ID), id)
			require.NotNil(t, answer.Error, id)
			assert.Equal(t, -32600, answer.Error.Code, id)
		}
	}
}

// What is left out of a long action is only what the caller has sent itself.
func TestLongActionKeepsItsText(t *testing.T) {
	t.Parallel()
	ask := callOf(legacy, 1, "note", `{"text":"`+strings.Repeat("a", 100<<10)+`"}`)
	answer := byID(t, talk(t, newTallyAdapter(t), initialize(legacy), initialized, ask), 1).tool(t)
	failed := answer.failure(t)
	require.NotNil(t, failed.Confirmation)
	assert.Equal(t, cap.CodeConfirmationRequired, failed.Code)
	assert.NotEmpty(t, failed.Confirmation.Approval)
	assert.Equal(t, "text", failed.Confirmation.Action.Arguments[0].Name)
	assert.Contains(t, answer.Content[0].Text, "sha256")
}

// A body that does not come holds nothing for good.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{ReadTimeout: 50 * time.Millisecond})
	server := httptest.NewServer(adapter.Handler())
	t.Cleanup(server.Close)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	assert.Equal(t, http.StatusRequestTimeout, answer.StatusCode)
}
