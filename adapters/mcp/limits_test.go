package capmcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// A stream on which nothing happens is kept alive: proxies cut it otherwise. An answer that takes its time is one too, whether
// or not anything was to come before it.
func TestQuietStream(t *testing.T) {
	t.Parallel()
	rows := []struct{ version, meta string }{
		{legacy, `{"progressToken":1}`}, {legacy, `{"x":1}`}, {modern, `{"progressToken":1}`}, {modern, `{"x":1}`},
	}
	for _, row := range rows {
		version := row.version
		synctest.Test(t, func(t *testing.T) {
			desk := newDesk()
			handler := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{SessionTimeout: time.Hour}).Handler()
			body := request(version, 1, "tools/call", `{"name":"follow","arguments":{"hang":true},"_meta":`+row.meta+`}`)
			ctx, leave := context.WithCancel(t.Context())
			r := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/mcp", strings.NewReader(body)).WithContext(ctx)
			r.Header = http.Header{"Content-Type": {"application/json"}, "Mcp-Protocol-Version": {version}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"follow"}}
			w := httptest.NewRecorder()
			var served sync.WaitGroup
			served.Go(func() { handler.ServeHTTP(w, r) })
			require.Equal(t, "follow", <-desk.began)
			time.Sleep(50 * time.Second)
			leave()
			served.Wait()
			require.Equal(t, "follow", <-desk.ended)
			assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"), version)
			assert.Equal(t, 3, strings.Count(w.Body.String(), ": still here\n\n"), version)
		})
	}
}

// A handler that reports all the time does not flood the client, and the last report arrives.
func TestProgressIsPaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
		ask := request(modern, 1, "tools/call", `{"name":"follow","arguments":{"steps":100000},"_meta":{"progressToken":"p"}}`)
		replies := talk(t, adapter, ask)
		assert.Less(t, len(replies), 50)
		last := replies[len(replies)-2]
		assert.Equal(t, "notifications/progress", last.Method)
		assert.Contains(t, string(last.Params), `"progress":100000`)
		assert.False(t, replies[len(replies)-1].tool(t).IsError, "the answer is last")
	})
}

// Without a token nobody is told.
func TestNoProgressWithoutToken(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	assert.Len(t, talk(t, adapter, callOf(modern, 1, "follow", `{"steps":3}`)), 1)
}

func TestMaxCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		registry := cap.New(cap.Options{})
		require.NoError(t, registry.Register(cap.Func(func(context.Context, Follow) (Followed, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return Followed{}, nil
		})))
		handler := newAdapter(t, registry, capmcp.Options{MaxCalls: 2}).Handler()
		began := time.Now()
		var calls sync.WaitGroup
		for range 6 {
			calls.Go(func() {
				assert.False(t, replyIn(t, post(t, handler, modern, callOf(modern, 1, "follow", `{}`))).tool(t).IsError)
			})
		}
		calls.Wait()
		assert.Equal(t, 2, most)
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

// A timeout of the capability is an answer like any other.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := cap.New(cap.Options{Override: func(*cap.Capability) cap.Override { return cap.Override{Timeout: time.Second} }})
		require.NoError(t, registry.Register(newDesk()))
		handler := newAdapter(t, registry, capmcp.Options{}).Handler()
		failed := replyIn(t, post(t, handler, modern, callOf(modern, 1, "follow", `{"hang":true}`))).tool(t).failure(t)
		assert.Equal(t, cap.CodeCancelled, failed.Code)
		assert.Equal(t, cap.ReasonTimeout, failed.Reason)
	})
}

func TestMaxSessions(t *testing.T) {
	t.Parallel()
	handler := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{MaxSessions: 2}).Handler()
	openSession(t, handler)
	session := openSession(t, handler)
	w := post(t, handler, "", initialize(legacy))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Equal(t, "60", w.Header().Get("Retry-After"))
	assert.Nil(t, replyIn(t, post(t, handler, legacy, callOf(legacy, 1, "plan", `{"days":1}`), "Mcp-Session-Id", session)).Error, "those that are there go on")
	assert.Nil(t, replyIn(t, post(t, handler, modern, callOf(modern, 1, "plan", `{"days":1}`))).Error, "and so does the era without")
	r := httptest.NewRequest(http.MethodDelete, "http://mcp.example.com/mcp", nil)
	r.Header.Set("Mcp-Session-Id", session)
	handler.ServeHTTP(httptest.NewRecorder(), r)
	openSession(t, handler)
}

// A session that nobody uses ends.
func TestSessionTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{SessionTimeout: time.Minute}).Handler()
		session := openSession(t, handler)
		call := func() int {
			return post(t, handler, legacy, request(legacy, 1, "ping", ""), "Mcp-Session-Id", session).Code
		}
		time.Sleep(50 * time.Second)
		assert.Equal(t, http.StatusOK, call())
		time.Sleep(50 * time.Second)
		assert.Equal(t, http.StatusOK, call())
		time.Sleep(61 * time.Second)
		assert.Equal(t, http.StatusNotFound, call())
	})
}

// A function of the options that panics is a defect, and never lets anybody in.
func TestOptionsThatPanic(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{
		Authenticate: anonymous,
		Visible:      func(*cap.Principal, *cap.Capability) bool { panic("canary") },
	})
	for _, version := range []string{legacy, modern} {
		w := post(t, adapter.Handler(), version, callOf(version, 1, "plan", `{"days":1}`))
		assert.Equal(t, http.StatusInternalServerError, w.Code)
		assert.Equal(t, -32603, replyIn(t, w).Error.Code)
		w = post(t, adapter.Handler(), version, request(version, 1, "tools/list", ""))
		assert.Equal(t, -32603, replyIn(t, w).Error.Code)
		assert.NotContains(t, w.Body.String(), "canary")
	}
	assert.Equal(t, -32603, byID(t, talk(t, adapter, callOf(modern, 1, "plan", `{"days":1}`)), 1).Error.Code)
}
