package capmcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func newDeskHandler(t testing.TB, options capmcp.Options) http.Handler {
	t.Helper()
	return newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), options).Handler()
}

// Every refusal before the protocol is JSON that a client of the protocol can read.
func TestRefusals(t *testing.T) {
	t.Parallel()
	list := request(legacy, 1, "tools/list", "")
	rows := []struct {
		name    string
		body    string
		headers []string
		status  int
		code    int
	}{
		{"no JSON", `{"jsonrpc":`, nil, http.StatusBadRequest, -32700},
		{"nothing", ``, nil, http.StatusBadRequest, -32700},
		{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc0\xaf\"}", nil, http.StatusBadRequest, -32700},
		{"a character cut off", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3", nil, http.StatusBadRequest, -32700},
		{"a batch", `[` + list + `]`, nil, http.StatusBadRequest, -32600},
		{"an empty batch", `[]`, nil, http.StatusBadRequest, -32600},
		{"a string", `"x"`, nil, http.StatusBadRequest, -32600},
		{"too deep", callOf(legacy, 1, "measure", strings.Repeat(`{"raw":`, 1200)+"1"+strings.Repeat("}", 1200)), nil, http.StatusBadRequest, -32600},
		{"too long", callOf(legacy, 1, "plan", `{"title":"`+strings.Repeat("x", 5<<20)+`"}`), nil, http.StatusRequestEntityTooLarge, -32000},
		{"another content type", list, []string{"Content-Type", "text/plain; x=application/json"}, http.StatusUnsupportedMediaType, -32000},
		{"a look-alike", list, []string{"Content-Type", "application/json-patch+json"}, http.StatusUnsupportedMediaType, -32000},
		{"no content type", list, []string{"Content-Type", ""}, http.StatusUnsupportedMediaType, -32000},
		{"accepts no stream", list, []string{"Accept", "application/json"}, http.StatusNotAcceptable, -32000},
		{"accepts no document", list, []string{"Accept", "text/event-stream"}, http.StatusNotAcceptable, -32000},
		{"accepts one with a quality of zero", list, []string{"Accept", "application/json, text/event-stream;q=0"}, http.StatusNotAcceptable, -32000},
		{"accepts look-alikes", list, []string{"Accept", "application/json-patch+json, text/event-stream"}, http.StatusNotAcceptable, -32000},
		{"an unknown session", list, []string{"Mcp-Session-Id", "gone"}, http.StatusNotFound, -32001},
		{"an unknown revision", list, []string{"Mcp-Protocol-Version", "2020-01-01"}, http.StatusBadRequest, -32600},
	}
	handler := newDeskHandler(t, capmcp.Options{})
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			w := post(t, handler, "", r.body, r.headers...)
			assert.Equal(t, r.status, w.Code)
			failed := replyIn(t, w).Error
			require.NotNil(t, failed)
			assert.Equal(t, r.code, failed.Code, failed.Message)
			assert.NotContains(t, w.Body.String(), "xxxx", "nothing of the body comes back")
		})
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{MaxBytes: 400})
	list := request(legacy, 1, "tools/call", `{"name":"plan","arguments":{"days":1}}`)
	rows := []struct {
		name    string
		body    string
		headers []string
	}{
		{"anything", list, []string{"Accept", "*/*"}},
		{"any document and any text", list, []string{"Accept", "application/*;q=0.5, text/*"}},
		{"no preference", list, []string{"Accept", ""}},
		{"capitals and a charset", list, []string{"Content-Type", "Application/JSON; charset=utf-8"}},
		{"exactly at the limit", list + strings.Repeat(" ", 400-len(list)), nil},
		{"a byte order mark is no JSON, blanks are", " \n" + list, nil},
	}
	for _, r := range rows {
		assert.Nil(t, replyIn(t, post(t, handler, "", r.body, r.headers...)).Error, r.name)
	}
	assert.Equal(t, http.StatusRequestEntityTooLarge, post(t, handler, "", list+strings.Repeat(" ", 401-len(list))).Code, "a byte beyond the limit")

	chunked := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/mcp", io.MultiReader(strings.NewReader(list), strings.NewReader(strings.Repeat(" ", 400))))
	chunked.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, chunked)
	assert.Equal(t, http.StatusRequestEntityTooLarge, w.Code, "without a declared length")

	split := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/mcp", iotest.OneByteReader(strings.NewReader(callOf(legacy, 1, "plan", `{"days":1,"title":"😀"}`))))
	split.Header.Set("Content-Type", "application/json")
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, split)
	assert.Contains(t, w.Body.String(), "😀", "a character that comes in parts")

	w = post(t, handler, "", initialized)
	assert.Equal(t, http.StatusAccepted, w.Code, "a notification")
	assert.Empty(t, w.Body.String())
}

func TestMethods(t *testing.T) {
	t.Parallel()
	asked := false
	handler := newDeskHandler(t, capmcp.Options{Authenticate: func(*http.Request) (*cap.Principal, error) {
		asked = true
		return nil, nil
	}})
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodHead, http.MethodPatch} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, "/mcp", nil))
		assert.Equal(t, http.StatusMethodNotAllowed, w.Code, method)
		assert.Equal(t, "POST", w.Header().Get("Allow"), method)
	}
	r := httptest.NewRequest(http.MethodPut, "/mcp", nil)
	r.Header.Set("Mcp-Session-Id", "s")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	assert.Equal(t, "GET, POST, DELETE", w.Header().Get("Allow"))
	assert.False(t, asked, "before anybody is authenticated")
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	list := request(modern, 1, "tools/list", "")
	options := capmcp.Options{AllowedHosts: []string{"MCP.example.com", "[::1]"}, AllowedOrigins: []string{"HTTPS://App.Example.com:443"}}
	rows := []struct {
		name, host, origin string
		status             int
	}{
		{"the host", "mcp.example.com", "", 200},
		{"with a port", "mcp.EXAMPLE.com:8443", "", 200},
		{"an IPv6 address", "[::1]:80", "", 200},
		{"an IPv6 address without brackets", "::1", "", 403},
		{"another host", "evil.example.com", "", 403},
		{"a host that only begins like it", "mcp.example.com.evil.com", "", 403},
		{"an allowed page", "mcp.example.com", "https://app.example.com", 200},
		{"with the port that goes without saying", "mcp.example.com", "https://app.example.com:443", 200},
		{"the host's own page", "mcp.example.com", "http://mcp.example.com", 200},
		{"the host's own page at another port", "mcp.example.com", "http://mcp.example.com:81", 403},
		{"another page", "mcp.example.com", "https://evil.example.com", 403},
		{"the page over another scheme", "mcp.example.com", "http://app.example.com", 403},
		{"a page of no origin", "mcp.example.com", "null", 403},
		{"an origin with a path", "mcp.example.com", "https://app.example.com/", 403},
		{"an origin with a query", "mcp.example.com", "https://app.example.com?x", 403},
		{"an origin with a name", "mcp.example.com", "https://app@app.example.com", 403},
		{"two origins", "mcp.example.com", "https://app.example.com https://app.example.com", 403},
	}
	handler := newDeskHandler(t, options)
	for _, r := range rows {
		w := post(t, handler, modern, list, "Host", r.host, "Origin", r.origin)
		assert.Equal(t, r.status, w.Code, r.name)
		if r.origin != "" && r.status == 200 {
			assert.Equal(t, r.origin, w.Header().Get("Access-Control-Allow-Origin"), r.name)
			assert.Equal(t, "Origin", w.Header().Get("Vary"))
		} else {
			assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), r.name)
		}
	}
	two := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/mcp", strings.NewReader(list))
	two.Header["Origin"] = []string{"https://app.example.com", "https://app.example.com"}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, two)
	assert.Equal(t, http.StatusForbidden, w.Code, "two headers")
}

// Over the loopback interface the name must be one of it: a page of another site can make its own name mean this machine.
func TestLoopback(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{})
	local := func(host, origin string) int {
		r := httptest.NewRequest(http.MethodPost, "http://"+host+"/mcp", strings.NewReader(request(legacy, 1, "ping", "")))
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3000}))
		r.Header.Set("Content-Type", "application/json")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	for _, host := range []string{"localhost:3000", "127.0.0.1:3000", "[::1]:3000", "LOCALHOST"} {
		assert.Equal(t, 200, local(host, ""), host)
	}
	assert.Equal(t, 200, local("localhost:3000", "http://localhost:3000"))
	assert.Equal(t, 403, local("localhost:3000", "http://localhost:4000"), "another program's page")
	assert.Equal(t, 403, local("evil.example.com", ""))
	assert.Equal(t, 403, local("evil.example.com", "http://evil.example.com"))

	// Elsewhere nobody knows which names are ours: a page is only let in by name.
	assert.Equal(t, 403, post(t, handler, modern, request(modern, 1, "tools/list", ""), "Origin", "http://mcp.example.com").Code)
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{AllowedOrigins: []string{"https://app.example.com"}})
	ask := func(origin string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodOptions, "/mcp", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Headers", "authorization,mcp-method")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	w := ask("https://app.example.com")
	assert.Equal(t, http.StatusNoContent, w.Code)
	assert.Equal(t, "authorization,mcp-method", w.Header().Get("Access-Control-Allow-Headers"))
	assert.Equal(t, "GET, POST, DELETE", w.Header().Get("Access-Control-Allow-Methods"))
	w = ask("https://evil.example.com")
	assert.Equal(t, http.StatusForbidden, w.Code)
	assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
}

// A reader of events gets them when progress is asked for, and one document otherwise, in both eras.
func TestStreamOnlyForProgress(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{})
	session := openSession(t, handler)
	for _, version := range []string{legacy, modern} {
		var headers []string
		if version == legacy {
			headers = []string{"Mcp-Session-Id", session}
		}
		w := post(t, handler, version, callOf(version, 1, "follow", `{"steps":3}`), headers...)
		assert.False(t, replyIn(t, w).tool(t).IsError, version)

		asked := request(version, 2, "tools/call", `{"name":"follow","arguments":{"steps":3},"_meta":{"progressToken":"p-1"}}`)
		w = post(t, handler, version, asked, headers...)
		require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"), version)
		events := eventsIn(t, w.Body)
		require.Len(t, events, 4, version)
		for i, event := range events[:3] {
			assert.Equal(t, "notifications/progress", event.Method)
			assert.JSONEq(t, `{"progressToken":"p-1","progress":`+string(rune('1'+i))+`,"total":3,"message":"step"}`, string(event.Params))
		}
		assert.False(t, events[3].tool(t).IsError)
	}
}

// openSession shakes hands and gives the id of the session.
func openSession(t testing.TB, handler http.Handler, headers ...string) string {
	t.Helper()
	w := post(t, handler, "", initialize(legacy), headers...)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	id := w.Header().Get("Mcp-Session-Id")
	require.NotEmpty(t, id)
	w = post(t, handler, legacy, initialized, append(headers, "Mcp-Session-Id", id)...)
	require.Equal(t, http.StatusAccepted, w.Code)
	return id
}

// A client that shakes hands is answered in the era of handshakes, whatever it asks for, and so are its calls.
func TestHandshakeForTheNewEra(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{})
	for _, asked := range []string{modern, "2099-01-01", "x"} {
		w := post(t, handler, "", initialize(asked))
		var result struct{ ProtocolVersion string }
		require.NoError(t, json.Unmarshal(replyIn(t, w).Result, &result))
		assert.Equal(t, legacy, result.ProtocolVersion, asked)

		answer := replyIn(t, post(t, handler, legacy, callOf(legacy, 1, "plan", `{"days":1}`), "Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")))
		assert.Empty(t, answer.tool(t).ResultType, "a call after asking for %s", asked)
	}
	for _, asked := range []string{"2024-11-05", "2025-03-26", "2025-06-18", legacy} {
		var result struct {
			ProtocolVersion string
			Capabilities    json.RawMessage
			ServerInfo      struct{ Name, Version string }
		}
		require.NoError(t, json.Unmarshal(replyIn(t, post(t, handler, "", initialize(asked))).Result, &result))
		assert.Equal(t, asked, result.ProtocolVersion)
		assert.JSONEq(t, `{"tools":{}}`, string(result.Capabilities), "what is not there is not claimed")
		assert.Equal(t, "desk", result.ServerInfo.Name)
		assert.Equal(t, "2.1.0", result.ServerInfo.Version)
	}
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{Instructions: "Plan first."})
	var result struct {
		SupportedVersions []string
		Instructions      string
		TTL               int `json:"ttlMs"`
		CacheScope        string
	}
	require.NoError(t, json.Unmarshal(replyIn(t, post(t, handler, modern, request(modern, 1, "server/discover", ""))).Result, &result))
	assert.Contains(t, result.SupportedVersions, modern)
	assert.Contains(t, result.SupportedVersions, legacy)
	assert.Equal(t, "Plan first.", result.Instructions)
	assert.Positive(t, result.TTL)
	assert.Equal(t, "public", result.CacheScope)
}

// One connection speaks both eras; the SDK's client finds its way.
func TestClientOverHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newDeskHandler(t, capmcp.Options{}))
	t.Cleanup(server.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true}, nil)
	require.NoError(t, err)
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, list.Tools, 7)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "plan", Arguments: map[string]any{"days": 2}})
	require.NoError(t, err)
	assert.False(t, result.IsError)
	result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "route", Arguments: map[string]any{"region": "Grüße"}})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"input": "Grüße"}, result.StructuredContent, "the client repeats the region in a header")
	require.NoError(t, session.Close())
}

// Nobody pays for an answer that nobody waits for.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	for _, version := range []string{legacy, modern} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			desk := newDesk()
			server := httptest.NewServer(newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{}).Handler())
			t.Cleanup(server.Close)
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(callOf(version, 1, "follow", `{"hang":true}`)))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Mcp-Protocol-Version", version)
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", "follow")
			if version == legacy {
				r.Header.Set("Mcp-Session-Id", openSession(t, server.Config.Handler))
			}
			answered := make(chan error, 1)
			go func() {
				response, err := http.DefaultClient.Do(r)
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
				answered <- err
			}()
			require.Equal(t, "follow", <-desk.began)
			leave()
			require.Error(t, <-answered)
			require.Equal(t, "follow", <-desk.ended, "the handler's context has ended")
		})
	}
}

// A refusal reaches a client that is still sending, and the connection ends with it.
func TestRefusalDuringSlowBody(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newDeskHandler(t, capmcp.Options{Authenticate: func(r *http.Request) (*cap.Principal, error) {
		if r.Header.Get("Authorization") == "Bearer good" {
			return &cap.Principal{ID: "ana"}, nil
		}
		return nil, capmcp.ErrUnauthenticated
	}}))
	t.Cleanup(server.Close)
	const good = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\n"
	rows := []struct{ name, head, status string }{
		{"host", "POST /mcp HTTP/1.1\r\nHost: evil.example.com\r\nContent-Length: 1000\r\n\r\n{", "403"},
		{"origin", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nContent-Length: 1000\r\n\r\n{", "403"},
		{"method", "PUT /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{", "405"},
		{"credentials", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{", "401"},
		{"two credentials", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer a\r\nContent-Length: 1000\r\n\r\n{", "400"},
		{"content type", good + "Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\n{", "415"},
		{"what is accepted", good + "Content-Type: application/json\r\nAccept: text/html\r\nContent-Length: 1000\r\n\r\n{", "406"},
		{"length", good + "Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{", "413"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			connection, err := net.Dial("tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, connection.Close()) })
			require.NoError(t, connection.SetDeadline(time.Now().Add(5*time.Second)))
			_, err = io.WriteString(connection, r.head)
			require.NoError(t, err)
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, response.Body.Close()) })
			assert.Contains(t, response.Status, r.status)
			assert.True(t, response.Close, "Connection: close")
			_, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
			_, err = connection.Read(make([]byte, 1))
			assert.ErrorIs(t, err, io.EOF, "the connection ends")
		})
	}
}
