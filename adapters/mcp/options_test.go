package capmcp_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func anonymous(*http.Request) (*cap.Principal, error) { return nil, nil }

func TestOptionProblems(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name    string
		options capmcp.Options
		want    string
	}{
		{"bytes", capmcp.Options{MaxBytes: -1}, `Options: MaxBytes is -1 (leave it out or give a number of bytes)`},
		{"calls", capmcp.Options{MaxCalls: -1}, `Options: MaxCalls is -1 (leave it out or give a number of calls)`},
		{"sessions", capmcp.Options{MaxSessions: -1}, `Options: MaxSessions is -1 (leave it out or give a number of sessions)`},
		{"session timeout", capmcp.Options{SessionTimeout: -time.Second}, `Options: SessionTimeout is -1s (leave it out or give a length of time)`},
		{"read timeout", capmcp.Options{ReadTimeout: -1}, `Options: ReadTimeout is -1ns (leave it out or give a length of time)`},
		{"drain timeout", capmcp.Options{DrainTimeout: -1}, `Options: DrainTimeout is -1ns (leave it out or give a length of time)`},
		{"key", capmcp.Options{StateKey: []byte("short")}, `Options: StateKey has 5 bytes (give at least 32, from a random source)`},
		{"host with scheme", capmcp.Options{AllowedHosts: []string{"https://a.example.com"}}, `Options: AllowedHosts: "https://a.example.com" is no host name (write a name such as mcp.example.com, without scheme and port)`},
		{"host with port", capmcp.Options{AllowedHosts: []string{"a.example.com:80"}}, `Options: AllowedHosts: "a.example.com:80" is no host name (write a name such as mcp.example.com, without scheme and port)`},
		{"origin without scheme", capmcp.Options{AllowedOrigins: []string{"a.example.com"}}, `Options: AllowedOrigins: "a.example.com" is no origin (write scheme and host, such as https://app.example.com)`},
		{"origin with path", capmcp.Options{AllowedOrigins: []string{"https://a.example.com/"}}, `Options: AllowedOrigins: "https://a.example.com/" is no origin (write scheme and host, such as https://app.example.com)`},
		{"any origin", capmcp.Options{AllowedOrigins: []string{"*"}}, `Options: AllowedOrigins: "*" is no origin (write scheme and host, such as https://app.example.com)`},
		{
			"nobody looks at tokens",
			capmcp.Options{OAuth: deskOAuth()},
			`Options: OAuth is set and Authenticate is not (set both: nobody would look at the tokens)`,
		},
	}
	for _, r := range rows {
		_, err := capmcp.New(newDeskRegistry(t, newDesk(), cap.Options{}), r.options)
		require.Error(t, err, r.name)
		assert.Equal(t, "cap: 1 problem\n  "+r.want, err.Error(), r.name)
	}
	_, err := capmcp.New(newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{Configure: func(o *mcp.ServerOptions) { o.PageSize = -1 }})
	require.EqualError(t, err, "cap: 1 problem\n  Options: Configure: invalid page size -1")
	_, err = capmcp.New(nil, capmcp.Options{})
	require.EqualError(t, err, "cap: 1 problem\n  New: the registry is nil (pass one)")
}

func TestOAuthProblems(t *testing.T) {
	t.Parallel()
	const resource, server = `write a URL such as https://orders.example.com/mcp`, `write a URL such as https://login.example.com`
	rows := []struct {
		name   string
		change func(*capmcp.OAuth)
		want   string
	}{
		{"not https", func(o *capmcp.OAuth) { o.Resource = "http://desk.example.com/mcp" }, `OAuth.Resource: "http://desk.example.com/mcp" is not https (` + resource + `)`},
		{"a name that may be anybody's", func(o *capmcp.OAuth) { o.Resource = "http://localhost/mcp" }, `OAuth.Resource: "http://localhost/mcp" is not https (` + resource + `)`},
		{"another scheme", func(o *capmcp.OAuth) { o.Resource = "ftp://desk.example.com/mcp" }, `OAuth.Resource: "ftp://desk.example.com/mcp" is not https (` + resource + `)`},
		{"no host", func(o *capmcp.OAuth) { o.Resource = "https:///mcp" }, `OAuth.Resource: "https:///mcp" has no host (` + resource + `)`},
		{"a query", func(o *capmcp.OAuth) { o.Resource = "https://a.example.com/mcp?x" }, `OAuth.Resource: "https://a.example.com/mcp?x" has more than scheme, host and path (` + resource + `)`},
		{"a fragment", func(o *capmcp.OAuth) { o.Resource = "https://a.example.com/mcp#x" }, `OAuth.Resource: "https://a.example.com/mcp#x" has more than scheme, host and path (` + resource + `)`},
		{"a user", func(o *capmcp.OAuth) { o.Resource = "https://u@a.example.com/mcp" }, `OAuth.Resource: "https://u@a.example.com/mcp" has more than scheme, host and path (` + resource + `)`},
		{"a quote", func(o *capmcp.OAuth) { o.Resource = `https://a.example.com/"mcp` }, `OAuth.Resource: "https://a.example.com/\"mcp" has characters that a header cannot carry (` + resource + `)`},
		{"a control character", func(o *capmcp.OAuth) { o.Resource = "https://a.example.com/\x01" }, `OAuth.Resource: "https://a.example.com/\x01" is no URL (` + resource + `)`},
		{"nothing", func(o *capmcp.OAuth) { o.Resource = "" }, `OAuth.Resource: "" has no host (` + resource + `)`},
		{"no servers", func(o *capmcp.OAuth) { o.Servers = nil }, `OAuth.Servers is empty (name an authorization server)`},
		{"a server that is no URL", func(o *capmcp.OAuth) { o.Servers = []string{"login"} }, `OAuth.Servers: "login" has no host (` + server + `)`},
		{"an empty scope", func(o *capmcp.OAuth) { o.Scopes = []string{""} }, `OAuth.Scopes: "" is no scope (leave out blanks, quotes, backslashes and what is not ASCII)`},
		{"a scope with a blank", func(o *capmcp.OAuth) { o.Scopes = []string{"a b"} }, `OAuth.Scopes: "a b" is no scope (leave out blanks, quotes, backslashes and what is not ASCII)`},
		{"a scope with a quote", func(o *capmcp.OAuth) { o.Scopes = []string{`a"`} }, `OAuth.Scopes: "a\"" is no scope (leave out blanks, quotes, backslashes and what is not ASCII)`},
		{"a scope beyond ASCII", func(o *capmcp.OAuth) { o.Scopes = []string{"é"} }, `OAuth.Scopes: "é" is no scope (leave out blanks, quotes, backslashes and what is not ASCII)`},
		{"a scope twice", func(o *capmcp.OAuth) { o.Scopes = []string{"a", "b", "a"} }, `OAuth.Scopes: "a" is there twice (keep one)`},
	}
	registry := newDeskRegistry(t, newDesk(), cap.Options{})
	for _, r := range rows {
		oauth := deskOAuth()
		r.change(oauth)
		_, err := capmcp.New(registry, capmcp.Options{Authenticate: anonymous, OAuth: oauth})
		require.Error(t, err, r.name)
		assert.Equal(t, "cap: 1 problem\n  Options: "+r.want, err.Error(), r.name)
	}
	for _, good := range []string{"https://a.example.com", "https://a.example.com:8443/x/mcp", "http://127.0.0.1:3000/mcp", "http://[::1]/mcp"} {
		oauth := deskOAuth()
		oauth.Resource = good
		_, err := capmcp.New(registry, capmcp.Options{Authenticate: anonymous, OAuth: oauth})
		require.NoError(t, err, good)
	}
}

// Later changes by the caller do nothing.
func TestOptionsAreCopied(t *testing.T) {
	t.Parallel()
	hosts, oauth, principal := []string{"a.example.com"}, deskOAuth(), &cap.Principal{ID: "ana", Scopes: []string{"host"}}
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{AllowedHosts: hosts, OAuth: oauth, Authenticate: anonymous, Principal: principal})
	hosts[0], oauth.Scopes[0], oauth.Resource, principal.ID, principal.Scopes[0] = "b.example.com", "x", "x", "", "x"
	w := post(t, adapter.Handler(), modern, callOf(modern, 1, "flush", `{}`), "Host", "a.example.com")
	assert.Contains(t, w.Header().Get("WWW-Authenticate"), `desk.example.com/.well-known/oauth-protected-resource/mcp", scope="desk host"`)
	failed := byID(t, talk(t, adapter, callOf(modern, 1, "flush", `{"parcel":"p"}`)), 1).tool(t).failure(t)
	assert.Equal(t, cap.CodeConfirmationRequired, failed.Code)
}

// Tagged has every mistake of the tag mcp.
type Tagged struct {
	cap.Read[TaggedOut] `cap:"Do nothing; access=public" mcp:"struktured,structured=yes,structured,structured,"`

	Region  string           `json:"region"  cap:"a" mcp:"header=Region"`
	Again   string           `json:"again"   cap:"a" mcp:"header=REGION"`
	Name    string           `json:"name"    cap:"a" mcp:"header=no name"`
	Empty   string           `json:"empty"   cap:"a" mcp:"header="`
	Word    string           `json:"word"    cap:"a" mcp:"header"`
	Unknown string           `json:"unknown" cap:"a" mcp:"heder=X"`
	Null    *string          `json:"null"    cap:"a" mcp:"header=Null"`
	Number  float64          `json:"number"  cap:"a" mcp:"header=Number"`
	Secret  string           `json:"secret"  cap:"a; secret" mcp:"header=Secret"`
	List    []TaggedItem     `json:"list"    cap:"a"`
	Inner   TaggedItem       `json:"inner"   cap:"a"`
	Map     map[string]int64 `json:"map"     cap:"a" mcp:"header=Map"`
}

// TaggedItem is in a list, and in the input itself.
type TaggedItem struct {
	Key string `json:"key" cap:"a" mcp:"header=Key"`
}

// TaggedOut has a tag where there can be none.
type TaggedOut struct {
	Key    string `json:"key"    cap:"a" mcp:"header=Key"`
	Image  string `json:"image"  cap:"a" mcp:"image=image/png"`
	Audio  []byte `json:"audio"  cap:"a" mcp:"audio=image/png"`
	Text   []byte `json:"text"   cap:"a" mcp:"text"`
	Both   string `json:"both"   cap:"a" mcp:"text,resource"`
	Inside struct {
		Text string `json:"text" cap:"a" mcp:"text"`
	} `json:"inside" cap:"a"`
}

// Hidden is no tool.
type Hidden struct {
	cap.Read[cap.None] `cap:"Do nothing; access=public" mcp:"-"`

	Dummy bool `json:"dummy,omitempty" cap:"Nothing"`
}

func TestTagProblems(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Tagged) (TaggedOut, error) { return TaggedOut{}, nil })))
	_, err := capmcp.New(registry, capmcp.Options{})
	require.Error(t, err)
	assert.Equal(t, `cap: 21 problems
  capmcp_test.Tagged: unknown mcp option "struktured" (did you mean structured?)
  capmcp_test.Tagged: mcp option structured takes no value (write structured)
  capmcp_test.Tagged: mcp option structured is there twice (keep one)
  capmcp_test.Tagged: unknown mcp option "" (there are structured)
  capmcp_test.Tagged: input field again: header "REGION" is taken by region (give one of them another)
  capmcp_test.Tagged: input field name: mcp option header=no name is no name for a header (use letters, digits and -)
  capmcp_test.Tagged: input field empty: mcp option header has no value (write header=…)
  capmcp_test.Tagged: input field word: mcp option header has no value (write header=…)
  capmcp_test.Tagged: input field unknown: unknown mcp option "heder=X" (did you mean header?)
  capmcp_test.Tagged: input field null: a header repeats a string, an integer or a boolean that is never null (tag another field)
  capmcp_test.Tagged: input field number: a header repeats a string, an integer or a boolean that is never null (tag another field)
  capmcp_test.Tagged: input field secret: a header is seen by every proxy, and this field is secret (remove the tag)
  capmcp_test.Tagged: input field list.*.key: a header repeats one value, and this is in a list or a map (tag a field of the input or of an object in it)
  capmcp_test.Tagged: input field map: a header repeats a string, an integer or a boolean that is never null (tag another field)
  capmcp_test.Tagged: input field inner.key: a header cannot be told of in a type that is used in more than one place (tag a field of the input itself)
  capmcp_test.Tagged: output field key: unknown mcp option "header=Key" (there are image, audio, text, resource)
  capmcp_test.Tagged: output field image: mcp option image is for bytes (change the field or remove the tag)
  capmcp_test.Tagged: output field audio: mcp option audio has the value image/png, which is no media type of that kind (change the field or remove the tag)
  capmcp_test.Tagged: output field text: mcp option text is for a string (change the field or remove the tag)
  capmcp_test.Tagged: output field both: mcp option resource is for an object with uri, and text or blob (change the field or remove the tag)
  capmcp_test.Tagged: output field inside: the tag mcp on text has no meaning there (tag a field of the output itself)`, err.Error())
}

func TestHiddenByTag(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Hidden) (cap.None, error) { return cap.None{}, nil })))
	assert.Empty(t, listOver(t, newAdapter(t, registry, capmcp.Options{}).Handler(), modern).Tools)
}
