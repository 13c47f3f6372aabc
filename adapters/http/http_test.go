package caphttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

func TestRequestsThatAreNoCalls(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{MaxBody: 64})
	full := `{"id":"` + strings.Repeat("a", 64-len(`{"id":""}`)) + `"}`
	for _, tt := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		code                       cap.Code
		header, value              string // one header of the answer
	}{
		{"no path", "GET", "/", "", nil, 404, caphttp.CodeNotFound, "", ""},
		{"another path", "GET", "/nothing", "", nil, 404, caphttp.CodeNotFound, "", ""},
		{"a slash at the end", "GET", "/capabilities/", "", nil, 404, caphttp.CodeNotFound, "", ""},
		{"two slashes", "GET", "//capabilities", "", nil, 404, caphttp.CodeNotFound, "", ""},
		{"a dot segment", "POST", "/./capabilities/touch", "{}", []string{asJSON}, 404, caphttp.CodeNotFound, "", ""},
		{"a path above", "POST", "/x/../capabilities/touch", "{}", []string{asJSON}, 404, caphttp.CodeNotFound, "", ""},
		{"an escaped literal", "GET", "/%63apabilities", "", nil, 404, caphttp.CodeNotFound, "", ""},
		{"an escaped slash in a name", "GET", "/capabilities/a%2Fb", "", nil, 404, cap.CodeCapabilityNotFound, "", ""},
		{"another method", "DELETE", "/capabilities", "", nil, 405, caphttp.CodeMethodNotAllowed, "Allow", "GET, HEAD"},
		{"another method on a capability", "PUT", "/capabilities/touch", "", nil, 405, caphttp.CodeMethodNotAllowed, "Allow", "GET, HEAD, POST"},
		{"no content type", "POST", "/capabilities/touch", "{}", nil, 415, caphttp.CodeUnsupportedMediaType, "Accept", "application/json"},
		{"no content type and no body", "POST", "/capabilities/touch", "", nil, 415, caphttp.CodeUnsupportedMediaType, "Accept", "application/json"},
		{"a form", "POST", "/capabilities/touch", "a=b", []string{"Content-Type: application/x-www-form-urlencoded"}, 415, caphttp.CodeUnsupportedMediaType, "", ""},
		{"text that names JSON", "POST", "/capabilities/touch", "{}", []string{"Content-Type: text/plain; x=application/json"}, 415, caphttp.CodeUnsupportedMediaType, "", ""},
		{"a relative of JSON", "POST", "/capabilities/touch", "{}", []string{"Content-Type: application/json-patch+json"}, 415, caphttp.CodeUnsupportedMediaType, "", ""},
		{"another charset", "POST", "/capabilities/touch", "{}", []string{"Content-Type: application/json; charset=latin1"}, 415, caphttp.CodeUnsupportedMediaType, "", ""},
		{"two content types", "POST", "/capabilities/touch", "{}", []string{asJSON, asJSON}, 415, caphttp.CodeUnsupportedMediaType, "", ""},
		{"a compressed body", "POST", "/capabilities/touch", "{}", []string{asJSON, "Content-Encoding: gzip"}, 415, caphttp.CodeUnsupportedMediaType, "", ""},
		{"no JSON wanted", "POST", "/capabilities/touch", "{}", []string{asJSON, "Accept: text/html"}, 406, caphttp.CodeNotAcceptable, "", ""},
		{"JSON refused by its quality", "POST", "/capabilities/touch", "{}", []string{asJSON, "Accept: application/json;q=0, */*"}, 406, caphttp.CodeNotAcceptable, "", ""},
		{"a relative of JSON wanted", "GET", "/capabilities", "", []string{"Accept: application/json-seq"}, 406, caphttp.CodeNotAcceptable, "", ""},
		{"a body over the limit", "POST", "/capabilities/find_item", full + " ", []string{asJSON}, 413, caphttp.CodePayloadTooLarge, "Connection", "close"},
		{"two Authorization headers", "GET", "/capabilities", "", []string{"Authorization: a", "Authorization: b"}, 400, caphttp.CodeBadRequest, "", ""},
		{"a body that is refused closes the connection", "POST", "/nothing", "{}", nil, 404, caphttp.CodeNotFound, "Connection", "close"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, tt.method, tt.target, tt.body, tt.headers...))
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
			assert.Equal(t, tt.code, problemOf(t, w).Code)
			if tt.header != "" {
				assert.Equal(t, tt.value, w.Header().Get(tt.header), tt.header)
			}
		})
	}
	for _, tt := range []struct {
		name, body string
		headers    []string
	}{
		{"a body of exactly the limit", full, []string{asJSON}},
		{"a content type in capitals and with a charset", `{"id":"a"}`, []string{"Content-Type: Application/JSON; charset=UTF-8"}},
		{"any type wanted", `{"id":"a"}`, []string{asJSON, "Accept: text/html, */*;q=0.1"}},
		{"a type of the family wanted", `{"id":"a"}`, []string{asJSON, "Accept: text/html", "Accept: application/*"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/capabilities/find_item", tt.body, tt.headers...))
			assert.Equal(t, 200, w.Code, "body: %s", w.Body)
		})
	}
}

func TestMounts(t *testing.T) {
	t.Parallel()
	plain := newHandler(t, caphttp.Options{})
	prefixed := newHandler(t, caphttp.Options{Prefix: "/v1/api/"})
	for _, tt := range []struct {
		name, pattern, prefix string
		handler               http.Handler
	}{
		{"at the root", "/", "", plain},
		{"at its own path", "/capabilities/", "", plain},
		{"with StripPrefix", "/api/", "/api", http.StripPrefix("/api", plain)},
		{"with Prefix", "/v1/", "/v1/api", prefixed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.Handle(tt.pattern, tt.handler)
			w := serve(mux, request(t, "POST", tt.prefix+"/capabilities/touch", "{}", asJSON))
			assert.Equal(t, 200, w.Code, "body: %s", w.Body)
			w = serve(mux, request(t, "GET", tt.prefix+"/capabilities/touch", ""))
			assert.Contains(t, w.Body.String(), `"links":{"self":"../capabilities/touch","call":{"method":"POST","href":"../capabilities/touch"}}`)
		})
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{})
	for _, tt := range []struct {
		name  string
		given []string
		kept  bool
	}{
		{"harmless", []string{"a.B-9_"}, true},
		{"as long as may be", []string{strings.Repeat("x", 128)}, true},
		{"longer", []string{strings.Repeat("x", 129)}, false},
		{"with a line break", []string{"a\nb"}, false},
		{"with a blank", []string{"a b"}, false},
		{"empty", []string{""}, false},
		{"two", []string{"a", "b"}, false},
		{"none", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request(t, "GET", "/capabilities", "")
			r.Header["X-Request-Id"] = tt.given
			got := serve(h, r).Header().Get("X-Request-Id")
			assert.NotEmpty(t, got)
			assert.Equal(t, tt.kept, len(tt.given) > 0 && got == tt.given[0], "id %q", got)
		})
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	const ana = principalHeader + `: {"id":"ana","scopes":["audit"]}`
	h := newHandler(t, caphttp.Options{Filter: func(c *cap.Capability) bool { return c.Name() != "break" }})
	list := func(headers ...string) string {
		return serve(h, request(t, "GET", "/capabilities", "", headers...)).Body.String()
	}

	assert.NotContains(t, list(), `"whoami"`, "what a stranger sees")
	assert.NotContains(t, list(), `"break"`, "what the filter hides")
	assert.Contains(t, list(), `"find_item"`)
	assert.Contains(t, list(ana), `"whoami"`)
	assert.Contains(t, list(ana), `"audit_items"`)

	for _, tt := range []struct {
		name, target string
		headers      []string
		status       int
	}{
		{"public", "find_item", nil, 200},
		{"for principals, as one", "whoami", []string{ana}, 200},
		{"for principals, as a stranger", "whoami", nil, 404},
		{"hidden by the filter", "break", nil, 404},
		{"none", "nothing", nil, 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "GET", "/capabilities/"+tt.target, "", tt.headers...))
			assert.Equal(t, tt.status, w.Code)
		})
	}
	w := serve(h, request(t, "POST", "/capabilities/break", `{"how":"error"}`, asJSON))
	assert.Equal(t, cap.CodeCapabilityNotFound, problemOf(t, w).Code, "a call that the filter hides")
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	const bot = principalHeader + `: {"id":"bot","scopes":["read"]}`
	for _, tt := range []struct {
		name, challenge, target string
		headers                 []string
		want                    string
	}{
		{"no credentials", "", "whoami", nil, `Bearer`},
		{"no credentials, own challenge", `Bearer realm="shop"`, "whoami", nil, `Bearer realm="shop"`},
		{"bad credentials", "", "touch", []string{principalHeader + ": {"}, `Bearer error="invalid_token"`},
		{"bad credentials, own challenge", `Bearer realm="shop"`, "touch", []string{principalHeader + ": {"}, `Bearer realm="shop", error="invalid_token"`},
		{"bad credentials, another scheme", `Basic realm="shop"`, "touch", []string{principalHeader + ": {"}, `Basic realm="shop"`},
		{"a scope is missing", "", "audit_items", []string{bot}, `Bearer error="insufficient_scope", scope="audit"`},
		{"a rule refuses", "", "open_drawer", []string{bot}, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHandler(t, caphttp.Options{Challenge: tt.challenge})
			w := serve(h, request(t, "POST", "/capabilities/"+tt.target, `{"owner":"x"}`, append(tt.headers, asJSON)...))
			assert.Contains(t, []int{401, 403}, w.Code, "body: %s", w.Body)
			assert.Equal(t, tt.want, w.Header().Get("WWW-Authenticate"))
		})
	}
}

func TestAuthenticators(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		authenticate func(*http.Request) (*cap.Principal, error)
		status       int
		reported     string
	}{
		{"one that cannot tell", func(*http.Request) (*cap.Principal, error) { return nil, errors.New(adaptertest.Canary) }, 500, adaptertest.Canary},
		{"one that panics", func(*http.Request) (*cap.Principal, error) { panic(adaptertest.Canary) }, 500, adaptertest.Canary},
		{"one that waits for ever", func(r *http.Request) (*cap.Principal, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, 500, "deadline exceeded"},
		{"one that finds nobody", func(*http.Request) (*cap.Principal, error) { return nil, nil }, 401, ""},
		{"one that knows attributes that are no JSON", func(*http.Request) (*cap.Principal, error) {
			return &cap.Principal{ID: "a", Attributes: map[string]any{"f": func() {}}}, nil
		}, 401, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reported := ""
			h := newHandler(t, caphttp.Options{
				Authenticate: tt.authenticate, ReadTimeout: 20 * time.Millisecond,
				Report: func(_ *http.Request, err error) { reported += err.Error() },
			})
			w := serve(h, request(t, "POST", "/capabilities/whoami", "{}", asJSON))
			assert.Equal(t, tt.status, w.Code)
			assert.NotContains(t, w.Body.String(), adaptertest.Canary)
			assert.Contains(t, reported, tt.reported)
			problemOf(t, w)
		})
	}
}

// A stranger's call must not be read: neither for its size nor for its faults.
func TestBodiesOfStrangersAreNotRead(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{})
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/capabilities/whoami", unreadable{t})
	w := serve(h, r)
	assert.Equal(t, 401, w.Code)
}

type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, errors.New("unreadable")
}

func TestCallersThatWentAway(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := request(t, "POST", "/capabilities/touch", "{}", asJSON).WithContext(ctx)
	w := serve(newHandler(t, caphttp.Options{}), r)
	assert.Equal(t, 499, w.Code)
	assert.Empty(t, w.Body.String())
}

// What a bad request draws must not grow with what it holds.
func TestAnswersToBadRequestsStaySmall(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{})
	var unknown strings.Builder
	for i := range 1000 {
		unknown.WriteString(`,"` + strings.Repeat("k", 500+i) + `":1`)
	}
	for _, tt := range []struct{ name, body string }{
		{"many unknown names", `{"id":"a"` + unknown.String() + `}`},
		{"one long unknown name", `{"` + strings.Repeat("k", 1<<19) + `":1}`},
		{"many wrong elements", `{"list":[` + strings.Repeat("1,", 50000) + `1]}`},
		{"a long name of a map", `{"map":{"` + strings.Repeat("k", 1<<19) + `":"x"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/capabilities/echo", tt.body, asJSON))
			p := problemOf(t, w)
			assert.Equal(t, cap.CodeInputInvalid, p.Code)
			assert.NotEmpty(t, p.Errors)
		})
	}
}

func TestNewReportsProblems(t *testing.T) {
	t.Parallel()
	_, err := caphttp.New(nil, caphttp.Options{})
	require.EqualError(t, err, "cap: 1 problem\n  caphttp.New: the registry is nil (pass cap.Default() or what cap.New returned)")

	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, badTags) (cap.None, error) { return cap.None{}, nil })))
	_, err = caphttp.New(registry, caphttp.Options{
		Prefix: "api", MaxBody: -1, ReadTimeout: -1, Challenge: "a\nb", ProblemBase: "a b",
	})
	require.EqualError(t, err, strings.Join([]string{
		`cap: 7 problems`,
		`  caphttp.Options: Prefix "api" is no plain path (write it like /api or /v1/orders)`,
		`  caphttp.Options: MaxBody is negative (leave it out for 1 MiB)`,
		`  caphttp.Options: ReadTimeout is negative (leave it out for 10 seconds)`,
		`  caphttp.Options: Challenge "a\nb" does not fit into a header (write a scheme such as Bearer, and parameters if it has any)`,
		`  caphttp.Options: ProblemBase "a b" does not begin a URI (write it like "https://example.com/problems/")`,
		`  caphttp_test.badTags: failure badStatus: http status "401" is none that a failure may have (use one of 400, 402-404, 409, 410, 412, 422-424, 429, 451, 502-504)`,
		`  caphttp_test.badTags: failure badOption: unknown http option "statsu" (did you mean "status"?)`,
	}, "\n"))
}

type badTags struct {
	cap.Read[cap.None] `cap:"Has bad tags; access=public"`

	_ cap.Fails[badStatus]
	_ cap.Fails[badOption]

	ID string `json:"id,omitempty" cap:"Anything"`
}

type badStatus struct {
	_  cap.Failure `cap:"Never; fix=Nothing." http:"status=401"`
	ID string      `json:"id"`
}

func (badStatus) Error() string { return "bad" }

type badOption struct {
	_  cap.Failure `cap:"Never; fix=Nothing." http:"statsu=404"`
	ID string      `json:"id"`
}

func (badOption) Error() string { return "bad" }
