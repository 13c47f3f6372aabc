package capmcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func deskOAuth() *capmcp.OAuth {
	return &capmcp.OAuth{Resource: "https://desk.example.com/mcp", Servers: []string{"https://login.example.com"}, Scopes: []string{"desk"}}
}

// bearer knows three tokens.
func bearer(r *http.Request) (*cap.Principal, error) {
	switch token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); token {
	case "":
		return nil, nil
	case "ana":
		return &cap.Principal{ID: "ana", Scopes: []string{"desk"}}, nil
	case "host":
		return &cap.Principal{ID: "ana", Scopes: []string{"desk", "host"}}, nil
	case "nobody":
		return &cap.Principal{}, nil
	case "core":
		return nil, &cap.Error{Code: cap.CodeUnauthenticated}
	case "broken":
		return nil, errors.New("canary: the database is away")
	case "panic":
		panic("canary")
	default:
		return nil, fmt.Errorf("token %q: %w", token, capmcp.ErrUnauthenticated)
	}
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	const metadata = `resource_metadata="https://desk.example.com/.well-known/oauth-protected-resource/mcp"`
	rows := []struct {
		name, tool, token string
		status            int
		challenge         string
	}{
		{"public", "plan", "", 200, ""},
		{"no credentials where some are needed", "store", "", 401, `Bearer ` + metadata + `, scope="desk"`},
		{"no credentials where a scope is needed", "flush", "", 401, `Bearer ` + metadata + `, scope="desk host"`},
		{"bad credentials", "plan", "stolen", 401, `Bearer error="invalid_token", ` + metadata + `, scope="desk"`},
		{"bad credentials, in the core's words", "plan", "core", 401, `Bearer error="invalid_token", ` + metadata + `, scope="desk"`},
		{"a principal without an id", "plan", "nobody", 401, `Bearer error="invalid_token", ` + metadata + `, scope="desk"`},
		{"good credentials", "store", "ana", 200, ""},
		{"credentials without the scope", "flush", "ana", 403, `Bearer error="insufficient_scope", ` + metadata + `, scope="desk host"`},
		{"credentials with the scope", "flush", "host", 200, ""},
		{"the authenticator fails", "plan", "broken", 500, ""},
		{"the authenticator panics", "plan", "panic", 500, ""},
	}
	registry := newDeskRegistry(t, newDesk(), cap.Options{Gate: newGate(t)})
	handler := newAdapter(t, registry, capmcp.Options{Authenticate: bearer, OAuth: deskOAuth()}).Handler()
	for _, version := range []string{legacy, modern} {
		for _, r := range rows {
			t.Run(version+" "+r.name, func(t *testing.T) {
				t.Parallel()
				token := ""
				if r.token != "" {
					token = "Bearer " + r.token
				}
				w := post(t, handler, version, callOf(version, 7, r.tool, `{"days":1,"parcel":"p"}`), "Authorization", token)
				assert.Equal(t, r.status, w.Code)
				assert.Equal(t, r.challenge, w.Header().Get("WWW-Authenticate"))
				assert.NotContains(t, w.Body.String(), "canary")
				assert.Equal(t, r.status != 200, replyIn(t, w).Error != nil)
			})
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(request(modern, 1, "tools/list", "")))
	r.Header["Authorization"] = []string{"Bearer ana", "Bearer ana"}
	handler.ServeHTTP(w, r)
	assert.Equal(t, http.StatusBadRequest, w.Code, "two headers are not judged at all")
	w = httptest.NewRecorder()
	r.Header["Authorization"], r.Header["Content-Type"] = nil, []string{"text/plain"}
	handler.ServeHTTP(w, r)
	assert.Equal(t, http.StatusUnsupportedMediaType, w.Code, "who calls is asked before what")
}

// Without OAuth the challenge says no more than that credentials are wanted, and without an authenticator there is none: the
// registry refuses in a tool result.
func TestChallengeWithoutOAuth(t *testing.T) {
	t.Parallel()
	registry := newDeskRegistry(t, newDesk(), cap.Options{})
	w := post(t, newAdapter(t, registry, capmcp.Options{Authenticate: bearer}).Handler(), modern, callOf(modern, 1, "store", `{}`))
	assert.Equal(t, http.StatusUnauthorized, w.Code)
	assert.Equal(t, "Bearer", w.Header().Get("WWW-Authenticate"))

	w = post(t, newAdapter(t, registry, capmcp.Options{}).Handler(), modern, callOf(modern, 1, "store", `{}`))
	assert.Equal(t, cap.CodeUnauthenticated, replyIn(t, w).tool(t).failure(t).Code)
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	registry := newDeskRegistry(t, newDesk(), cap.Options{})
	path, handler := newAdapter(t, registry, capmcp.Options{Authenticate: bearer, OAuth: deskOAuth()}).Metadata()
	assert.Equal(t, "/.well-known/oauth-protected-resource/mcp", path)
	get := func(method string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, "http://elsewhere.example.com"+path, nil))
		return w
	}
	assert.JSONEq(t, `{"resource":"https://desk.example.com/mcp","authorization_servers":["https://login.example.com"],
		"scopes_supported":["desk","host"],"bearer_methods_supported":["header"]}`, get(http.MethodGet).Body.String())
	w := get(http.MethodPost)
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	assert.Equal(t, "GET, HEAD", w.Header().Get("Allow"))

	_, none := newAdapter(t, registry, capmcp.Options{}).Metadata()
	w = httptest.NewRecorder()
	none.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	assert.Equal(t, http.StatusNotFound, w.Code)
}

// Concurrent requests keep their own principals, on one session too, and no session serves somebody else.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(desk, cap.Func(func(ctx context.Context, _ Who) (Name, error) {
		return Name{ID: cap.CallFrom(ctx).Principal.ID + " " + cap.CallFrom(ctx).Source}, nil
	})))
	var mu sync.Mutex
	shared := &cap.Principal{ID: "nobody"} // an authenticator that uses one value again and again
	handler := newAdapter(t, registry, capmcp.Options{Authenticate: func(r *http.Request) (*cap.Principal, error) {
		mu.Lock()
		defer mu.Unlock()
		copied := *shared
		copied.ID = r.Header.Get(principalHeader)
		return &copied, nil
	}}).Handler()
	var calls sync.WaitGroup
	for i := range 20 {
		id := fmt.Sprintf("user-%d", i)
		calls.Go(func() {
			w := post(t, handler, modern, callOf(modern, 1, "who", `{}`), principalHeader, id)
			assert.JSONEq(t, `{"id":"`+id+` mcp-http"}`, string(replyIn(t, w).tool(t).Structured), "the same request id, another caller")
		})
	}
	calls.Wait()

	session := openSession(t, handler, principalHeader, "ana")
	w := post(t, handler, legacy, callOf(legacy, 1, "who", `{}`), principalHeader, "ana", "Mcp-Session-Id", session)
	assert.JSONEq(t, `{"id":"ana mcp-http"}`, string(replyIn(t, w).tool(t).Structured))
	w = post(t, handler, legacy, callOf(legacy, 1, "who", `{}`), principalHeader, "eve", "Mcp-Session-Id", session)
	assert.Equal(t, http.StatusForbidden, w.Code, "a session that belongs to somebody else")
}

// What one stage does to a principal no other sees.
func TestPrincipalIsCopied(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(ctx context.Context, _ Who) (Name, error) {
		return Name{ID: fmt.Sprint(*cap.CallFrom(ctx).Principal)}, nil
	})))
	handler := newAdapter(t, registry, capmcp.Options{
		Authenticate: func(*http.Request) (*cap.Principal, error) {
			return &cap.Principal{ID: "ana", Scopes: []string{"a"}, Attributes: map[string]any{
				"list": []any{"x", map[string]any{"y": 1}}, "texts": []string{"t"},
			}}, nil
		},
		Visible: func(p *cap.Principal, _ *cap.Capability) bool {
			list, _ := p.Attributes["list"].([]any)
			inner, _ := list[1].(map[string]any)
			texts, _ := p.Attributes["texts"].([]string)
			p.ID, p.Scopes[0], list[0], inner["y"], texts[0], p.Attributes["new"] = "eve", "evil", "evil", "evil", "evil", "evil"
			return true
		},
	}).Handler()
	result := replyIn(t, post(t, handler, modern, callOf(modern, 1, "who", `{}`))).tool(t)
	assert.Contains(t, string(result.Structured), "ana")
	assert.NotContains(t, string(result.Structured), "ev")
}
