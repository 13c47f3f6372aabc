package capmcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// A message of the wrong form is answered, once, in words of the protocol: a client that hears nothing waits for ever, and one
// that two readers read differently gets around one of them.
func TestWrongForm(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, message string
		code          int
		id            string
	}{
		{"no method", `{"jsonrpc":"2.0","id":1}`, -32600, `1`},
		{"a method in capitals", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, -32600, `1`},
		{"a method of another type", `{"jsonrpc":"2.0","id":1,"method":5}`, -32600, `1`},
		{"a method and a result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, -32600, `1`},
		{"a request with null for an id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, `null`},
		{"half of a surrogate pair as an id", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, -32600, `null`},
		{"an id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, -32600, `null`},
		{"an id twice, once in escapes", `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, -32600, `null`},
		{"a method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, -32600, `null`},
		{"params twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan"},"params":{"name":"store"}}`, -32600, `null`},
		{"a tool twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan","name":"store"}}`, -32602, `1`},
		{"arguments twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan","arguments":{"days":1},"arguments":{"days":2}}}`, -32602, `1`},
		{"a member of _meta twice", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":1,"a":1}}}`, -32602, `1`},
		{"params are a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["plan"]}`, -32602, `1`},
		{"params are a text", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}`, -32602, `1`},
		{"_meta is a list", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan","_meta":[]}}`, -32602, `1`},
		{"_meta is a text", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":"x"}}`, -32602, `1`},
		{"a number that nothing holds", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"x":1e400}}}`, -32602, `1`},
		{"a tool that is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, -32602, `1`},
		{"a tool that is null", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":null}}`, -32602, `1`},
		{"a cursor that is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}`, -32602, `1`},
		{"a cursor that is none of ours", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, -32602, `1`},
		{"a resource that is a number", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":7}}`, -32602, `1`},
		{"a state that is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan","requestState":7}}`, -32602, `1`},
		{"a token that is true", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":true}}}`, -32602, `1`},
		{"a token that is an object", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":{}}}}`, -32602, `1`},
		{"a token with a fraction", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1.5}}}`, -32602, `1`},
		{"a token that would come back as another", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":9007199254740993}}}`, -32602, `1`},
		{"a token that is too long", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":"` + strings.Repeat("x", 300) + `"}}}`, -32602, `1`},
	}
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	handler := adapter.Handler()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			check := func(answer reply, where string) {
				assert.Equal(t, r.id, string(answer.ID), where)
				require.NotNil(t, answer.Error, where)
				assert.Equal(t, r.code, answer.Error.Code, "%s: %s", where, answer.Error.Message)
				for _, inside := range []string{"mcp.", "Go ", "json:", "unmarshal"} {
					assert.NotContains(t, answer.Error.Message, inside, where)
				}
			}
			replies := talk(t, adapter, initialize(legacy), initialized, r.message)
			require.Len(t, replies, 2, "the handshake and one answer: %+v", replies)
			for _, answer := range replies {
				if string(answer.ID) != `"init"` {
					check(answer, "stdio")
				}
			}
			w := post(t, handler, legacy, r.message)
			check(replyIn(t, w), "HTTP")
			want := http.StatusBadRequest
			if r.code == -32602 {
				want = http.StatusOK // the older era keeps errors of calls apart from errors of the transport
			}
			assert.Equal(t, want, w.Code)
			if r.code == -32602 {
				w = post(t, handler, modern, r.message, headersOf(r.message)...)
				assert.Equal(t, http.StatusBadRequest, w.Code, "the newer era has a status for it: %s", w.Body)
			}
		})
	}
}

// headersOf are what a client of the newer era sends along: its proxies read no bodies.
func headersOf(message string) []string {
	for _, method := range []string{"tools/call", "tools/list", "resources/read"} {
		if strings.Contains(message, method) {
			return []string{"Mcp-Method", method, "Mcp-Name", "plan"}
		}
	}
	return nil
}

// What the protocol allows is not refused for its form.
func TestRightForm(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":"last","method":"tools/list","params":null}`,
		`{"jsonrpc":"2.0","id":"last","method":"tools/list","params":{"_meta":null}}`,
		`{"jsonrpc":"2.0","id":"last","method":"tools/list","params":{"_meta":{"progressToken":null}}}`,
		`{"jsonrpc":"2.0","id":"last","method":"tools/list","params":{"_meta":{"progressToken":9007199254740991}}}`,
		`{"jsonrpc":"2.0","id":"last","method":"tools/list","params":{"cursor":""}}`,
		`{"jsonrpc":"2.0","id":"last","method":"ping","extra":1}`,
		`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"plan","arguments":{"days":1},"extra":[{"a":1,"a":2}]}}`,
	} {
		assert.Nil(t, byID(t, talk(t, adapter, initialize(legacy), initialized, message), "last").Error, message)
		w := post(t, adapter.Handler(), legacy, message)
		assert.Equal(t, http.StatusOK, w.Code, message)
		assert.Contains(t, w.Body.String(), `"result":`, message)
	}
}

// What wants no answer gets none, whatever is wrong with it. An error that answers an error would be answered in its turn.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	replies := talk(
		t, adapter, initialize(legacy), initialized,
		`{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`,
		`{"jsonrpc":"2.0","id":77,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":true,"progress":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/no/such"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"plan","arguments":{"days":1}}}`,
	)
	require.Len(t, replies, 1, "%+v", replies)
	assert.Equal(t, `"init"`, string(replies[0].ID))
}

// A name that only looks like one of the protocol's decides nothing: the challenge is that of the tool that would be called.
func TestChallengeLooksAtTheToolThatIsCalled(t *testing.T) {
	t.Parallel()
	handler := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{Authenticate: bearer}).Handler()
	for _, params := range []string{
		`{"name":"store","Name":"plan"}`,
		`{"name":"store","NAME":"plan"}`,
		`{"\u006eame":"store","Name":"plan"}`,
	} {
		w := post(t, handler, legacy, request(legacy, 1, "tools/call", params))
		assert.Equal(t, http.StatusUnauthorized, w.Code, params)
	}
	w := post(t, handler, legacy, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"store"},"PARAMS":{"name":"plan"}}`)
	assert.Equal(t, http.StatusUnauthorized, w.Code)
}

// What says how to read a request is there once, or not at all.
func TestHeadersOfTheProtocolOnce(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{})
	send := func(header string, values ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/mcp", strings.NewReader(callOf(modern, 1, "plan", `{"days":1}`)))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {modern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"plan"}}
		r.Header[header] = values
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for header, value := range map[string]string{"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": "plan", "Mcp-Session-Id": "s"} {
		w := send(header, value, value)
		assert.Equal(t, http.StatusBadRequest, w.Code, header)
		assert.NotNil(t, replyIn(t, w).Error, header)
	}
	assert.Equal(t, http.StatusUnsupportedMediaType, send("Content-Encoding", "gzip").Code, "a body in another form")
	assert.Equal(t, http.StatusOK, send("Content-Encoding", "identity").Code)
	assert.Equal(t, http.StatusOK, send("X-Other", "a", "b").Code)
}

// The id of a request that has no answer yet is taken. Both of two answers under one id could be taken for either.
func TestStdioIDTwice(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	adapter := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{})
	for _, shared := range []bool{false, true} {
		if shared {
			adapter.Server() // without the short way through the adapter
		}
		s := startSession(t, t.Context(), adapter)
		s.send(t, initialize(legacy), initialized)
		require.Equal(t, `"init"`, string(s.receive(t).ID))
		s.send(t, callOf(legacy, 1, "follow", `{"hang":true}`))
		require.Equal(t, "follow", <-desk.began)
		for _, again := range []string{callOf(legacy, 1, "plan", `{"days":1}`), callOf(modern, 1, "plan", `{"days":1}`), request(legacy, 1, "ping", "")} {
			s.send(t, again)
			refused := s.receive(t)
			assert.Equal(t, `null`, string(refused.ID), again)
			require.NotNil(t, refused.Error)
			assert.Equal(t, -32600, refused.Error.Code)
		}
		select {
		case <-desk.ended:
			require.Fail(t, "the first call has ended")
		default:
		}
		s.send(t, cancel(1))
		require.Equal(t, "follow", <-desk.ended)
		// An id that has its answer is free, at once.
		for range 200 {
			s.send(t, callOf(legacy, 2, "plan", `{"days":1}`))
			r := s.receive(t)
			require.Nil(t, r.Error)
			require.Equal(t, `2`, string(r.ID))
		}
		require.NoError(t, s.in.Close())
		require.NoError(t, <-s.ended)
	}
}
