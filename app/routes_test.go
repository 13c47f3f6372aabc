package app

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
)

// Look is a capability to be served.
type Look struct {
	cap.Read[cap.None] `cap:"Look; access=public" http:"GET /looks/{what}"`

	What string `json:"what" cap:"At what" validate:"required"`
}

// newServer makes every front of a program.
func newServer(t *testing.T, options Options) *server {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	registry := cap.New(cap.Options{Name: "looks", Gate: gate})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Look) (cap.None, error) { return cap.None{}, nil })))
	options.Docs = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "docs "+r.URL.Path) })
	p := &program{registry: registry, options: options}
	s, err := p.server(io.Discard)
	require.NoError(t, err)
	return s
}

// A path is read as it was sent. Nothing is cleaned or redirected on the way, and what nobody has is a problem like all others.
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := newServer(t, Options{})
	for _, tt := range []struct {
		method, path string
		want         int
		contentType  string
	}{
		{"GET", "/capabilities", 200, "application/json"},
		{"GET", "/looks/a%2Fb", 200, "application/json"},
		{"GET", "/looks/..", 200, "application/json"},
		{"GET", "//capabilities", 404, "application/problem+json"},
		{"GET", "/a/../capabilities", 404, "application/problem+json"},
		{"GET", "/mcp/../review/approvals", 404, "application/problem+json"},
		{"GET", "/mcp/", 404, "application/problem+json"},
		{"GET", "/%6dcp", 404, "application/problem+json"},
		{"GET", "/review/approvals", 401, "application/problem+json"},
		{"GET", "/review/../capabilities", 404, "application/problem+json"},
		{"GET", "/review/nothing", 404, "application/problem+json"},
		{"GET", "/docs", 308, ""},
		{"GET", "/docs/x", 200, "text/plain; charset=utf-8"},
		{"OPTIONS", "*", 404, "application/problem+json"},
		{"CONNECT", "/capabilities", 405, "application/problem+json"},
		{"CONNECT", "", 404, "application/problem+json"},
		{"GET", "/mcp", 405, "application/json"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(tt.method, "http://127.0.0.1/", http.NoBody)
			at, err := url.Parse(tt.path)
			require.NoError(t, err)
			if tt.path == "//capabilities" { // which is a host to url.Parse
				at = &url.URL{Path: tt.path}
			}
			r.URL = at
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			assert.Equal(t, tt.want, w.Code, "body: %s", w.Body)
			assert.Equal(t, tt.contentType, w.Header().Get("Content-Type"))
			if tt.want == 308 {
				assert.Equal(t, "docs/", w.Header().Get("Location"))
			}
		})
	}
}

// A program whose callers are told apart may be called under any name, behind a proxy of the same machine for example.
func TestServerAuthenticates(t *testing.T) {
	t.Parallel()
	assert.False(t, newServer(t, Options{}).Authenticates())
	var options Options
	options.HTTP.Authenticate = func(*http.Request) (*cap.Principal, error) { return nil, nil }
	assert.True(t, newServer(t, options).Authenticates())
}
