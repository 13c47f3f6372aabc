package capmcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

func TestSessionEnds(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{})
	session := openSession(t, handler)
	send := func(method string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://mcp.example.com/mcp", nil)
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Accept", "text/event-stream")
		ctx, leave := context.WithCancel(r.Context())
		if method == http.MethodGet {
			leave() // the stream of a session stays open until the client leaves
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.WithContext(ctx))
		leave()
		return w
	}
	opened := send(http.MethodGet)
	assert.Equal(t, http.StatusOK, opened.Code)
	assert.Equal(t, "text/event-stream", opened.Header().Get("Content-Type"))
	assert.Equal(t, http.StatusNoContent, send(http.MethodDelete).Code)
	assert.Equal(t, http.StatusNotFound, send(http.MethodDelete).Code)
	assert.Equal(t, -32001, replyIn(t, post(t, handler, legacy, request(legacy, 1, "ping", ""), "Mcp-Session-Id", session)).Error.Code)
}

// A cancellation over a session reaches the call that another request holds.
func TestCancelOverSession(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	handler := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{}).Handler()
	session := openSession(t, handler)
	var call sync.WaitGroup
	call.Go(func() {
		w := post(t, handler, legacy, callOf(legacy, "long", "follow", `{"hang":true}`), "Mcp-Session-Id", session)
		failed := new(cap.Error)
		var r reply
		assert.NoError(t, json.Unmarshal(w.Body.Bytes(), &r))
		var result toolResult
		assert.NoError(t, json.Unmarshal(r.Result, &result))
		assert.NoError(t, json.Unmarshal([]byte(result.Content[0].Text), failed))
		assert.Equal(t, cap.CodeCancelled, failed.Code)
	})
	require.Equal(t, "follow", <-desk.began)
	w := post(t, handler, legacy, cancel("long"), "Mcp-Session-Id", session)
	assert.Equal(t, http.StatusAccepted, w.Code)
	require.Equal(t, "follow", <-desk.ended)
	call.Wait()
}

// The era of a connection over stdio is pinned in the same way as that of a session.
func TestStdioHandshakeForTheNewEra(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	replies := talk(t, adapter, initialize(modern), initialized, callOf(legacy, 1, "plan", `{"days":1}`))
	assert.Contains(t, string(byID(t, replies, "init").Result), `"protocolVersion":"`+legacy+`"`)
	assert.Empty(t, byID(t, replies, 1).tool(t).ResultType)
	assert.Equal(t, "complete", byID(t, talk(t, adapter, callOf(modern, 1, "plan", `{"days":1}`)), 1).tool(t).ResultType)
}

// guarded is a buffer for several goroutines.
type guarded struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (g *guarded) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.Write(p)
}

func (g *guarded) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.String()
}

// No log holds what a caller sends as a secret, at any level.
func TestLogsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	var log guarded
	registry := adaptertest.NewRegistryWith(t, cap.Options{Logger: zerolog.New(&log)})
	adapter := newAdapter(t, registry, capmcp.Options{Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Principal: adaptertest.Ana()})
	for _, version := range []string{legacy, modern} {
		for _, args := range []string{`{"secret":"` + adaptertest.Canary + `"}`, `{"secret":{"x":"` + adaptertest.Canary + `"}}`, `["` + adaptertest.Canary + `"]`} {
			post(t, adapter.Handler(), version, callOf(version, 1, "echo", args))
			talk(t, adapter, initialize(version), callOf(version, 1, "echo", args), `{"broken":"`+adaptertest.Canary)
		}
		post(t, adapter.Handler(), version, callOf(version, 1, "rename_item", `{"id":"a","to":"b","pin":"`+adaptertest.Canary+`"}`))
	}
	assert.NotContains(t, log.String(), adaptertest.Canary)
	assert.Contains(t, log.String(), `"tool":"echo"`, "calls are logged, though")
}

// A client that asks for the impossible gets an error of the protocol, in JSON.
func TestBadCalls(t *testing.T) {
	t.Parallel()
	handler := newDeskHandler(t, capmcp.Options{})
	for _, version := range []string{legacy, modern} {
		for _, params := range []string{`{"name":7}`, `{"name":"plan","arguments":{},"arguments":{}}`, `{}`, `{"Name":"plan"}`, `{"name":null}`} {
			w := post(t, handler, version, request(version, 1, "tools/call", params), "Mcp-Name", "plan")
			var r reply
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &r), "%s: %s", params, w.Body)
			if strings.Contains(params, "arguments") {
				continue // the last one counts, as everywhere
			}
			require.NotNil(t, r.Error, params)
			assert.Negative(t, r.Error.Code, "%s: %s", params, r.Error.Message)
		}
		w := post(t, handler, version, request(version, 1, "no/such", ""))
		assert.Equal(t, -32601, replyIn(t, w).Error.Code, version)
	}
}
