package caphttp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

func TestOAuth(t *testing.T) {
	t.Parallel()
	oauth := &caphttp.OAuth{Resource: "https://shop.example/api", Servers: []string{"https://login.example"}, Scopes: []string{"b", "a"}}
	h := newHandler(t, caphttp.Options{OAuth: oauth})
	oauth.Scopes[0] = "changed"
	const metadata = `resource_metadata="https://shop.example/.well-known/oauth-protected-resource/api", scope="b a"`
	for _, tt := range []struct {
		name, target string
		headers      []string
		want         string
	}{
		{"no credentials", "whoami", []string{"Host: evil.example"}, `Bearer ` + metadata},
		{"bad credentials", "whoami", []string{principalHeader + ": {"}, `Bearer error="invalid_token", ` + metadata},
		{"a scope is missing", "audit_items", []string{asAna}, `Bearer error="insufficient_scope", scope="audit"`},
	} {
		w := serve(h, request(t, "POST", "/capabilities/"+tt.target, "{}", append(tt.headers, asJSON)...))
		assert.Equal(t, tt.want, w.Header().Get("WWW-Authenticate"), tt.name)
	}
	path, handler := h.Metadata()
	assert.Equal(t, "/.well-known/oauth-protected-resource/api", path)
	w := serve(handler, request(t, "GET", path, "", principalHeader+": {"))
	assert.JSONEq(t, `{"resource":"https://shop.example/api","authorization_servers":["https://login.example"],"scopes_supported":["b","a","audit"],"bearer_methods_supported":["header"]}`, w.Body.String())
	assert.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
	w = serve(handler, request(t, "POST", path, "{}"))
	assert.Equal(t, 405, w.Code)
	assert.Equal(t, "GET, HEAD", w.Header().Get("Allow"))

	path, handler = newHandler(t, caphttp.Options{}).Metadata()
	assert.Equal(t, 404, serve(handler, request(t, "GET", path, "")).Code, "without OAuth")
}

func TestOAuthProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		oauth caphttp.OAuth
		want  string
	}{
		{"no resource", caphttp.OAuth{}, `OAuth.Resource "" is no URL of a host`},
		{"not https", caphttp.OAuth{Resource: "http://shop.example"}, `is not https`},
		{"a name of this machine", caphttp.OAuth{Resource: "http://localhost/api"}, `is not https`},
		{"a query", caphttp.OAuth{Resource: "https://shop.example/?a"}, `has more than scheme, host and path`},
		{"a user", caphttp.OAuth{Resource: "https://a@shop.example/"}, `has more than scheme, host and path`},
		{"a fragment", caphttp.OAuth{Resource: "https://shop.example/#"}, `has more than scheme, host and path`},
		{"a quote", caphttp.OAuth{Resource: `https://shop.example/"`}, `has characters that a header cannot carry`},
		{"no servers", caphttp.OAuth{Resource: "https://shop.example"}, `OAuth.Servers is empty`},
		{"a server that is none", caphttp.OAuth{Resource: "https://shop.example", Servers: []string{"login"}}, `OAuth.Servers "login" is no URL of a host`},
		{"an empty scope", caphttp.OAuth{Resource: "https://shop.example", Scopes: []string{""}}, `OAuth.Scopes "" is no scope`},
		{"a scope with a blank", caphttp.OAuth{Resource: "https://shop.example", Scopes: []string{"a b"}}, `is no scope`},
		{"a scope with a quote", caphttp.OAuth{Resource: "https://shop.example", Scopes: []string{`a"`}}, `is no scope`},
		{"a scope that is not ASCII", caphttp.OAuth{Resource: "https://shop.example", Scopes: []string{"é"}}, `is no scope`},
		{"a scope twice", caphttp.OAuth{Resource: "https://shop.example", Scopes: []string{"a", "a"}}, `is there twice`},
		{"scopes without end", caphttp.OAuth{Resource: "https://shop.example", Scopes: []string{strings.Repeat("a", 4097)}}, `is longer than 4096 bytes`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := caphttp.New(cap.New(cap.Options{}), caphttp.Options{OAuth: &tt.oauth})
			require.ErrorContains(t, err, tt.want)
			assert.ErrorContains(t, err, "OAuth is set and Authenticate is not")
		})
	}
}
