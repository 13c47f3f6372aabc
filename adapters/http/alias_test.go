package caphttp_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

func TestAliasAnswers(t *testing.T) {
	t.Parallel()
	h := newShop(t, openGate{}, caphttp.Options{})
	const ana = principalHeader + `: {"id":"ana"}`
	for _, tt := range []struct {
		name, method, target, body string
		headers                    []string
		want                       string // part of the body
	}{
		{"defaults", "GET", "/orders/SO-1", "", nil, `{"order":"SO-1","limit":10,"ratio":0,"full":false,"since":"0001-01-01T00:00:00Z","tags":[],"rows":[],"region":"","version":41`},
		{"numbers and booleans", "GET", "/orders/SO-1?limit=1&ratio=-1.5e2&full=true", "", nil, `"limit":1,"ratio":-150,"full":true`},
		{"integers of 64 bits", "GET", "/orders/x?limit=1&rows=9223372036854775807&rows=-1", "", nil, `"rows":[9223372036854775807,-1]`},
		{"a list by repeated keys, apart", "GET", "/orders/x?tags=a&limit=1&tags=b", "", nil, `"limit":1,"ratio":0,"full":false,"since":"0001-01-01T00:00:00Z","tags":["a","b"]`},
		{"a point in time", "GET", "/orders/x?since=2026-01-02T03:04:05Z", "", nil, `"since":"2026-01-02T03:04:05Z"`},
		{"a plus is a blank", "GET", "/orders/x?tags=a+b", "", nil, `"tags":["a b"]`},
		{"an empty text", "GET", "/orders/x?tags=", "", nil, `"tags":[""]`},
		{"texts that look like JSON", "GET", "/orders/null?tags=true&tags=1&tags=%22", "", nil, `"tags":["true","1","\""]`},
		{"false is not absent", "GET", "/orders/x?maybe=false", "", nil, `"maybe":false`},
		{"an escaped slash is data", "GET", "/orders/a%2Fb", "", nil, `{"order":"a/b"`},
		{"escaped dots are data", "GET", "/orders/..%2f..", "", nil, `{"order":"../.."`},
		{"a header", "GET", "/orders/x", "", []string{"X-Region: eu"}, `"region":"eu"`},
		{"empty pairs", "GET", "/orders/x?&&limit=1&", "", nil, `"limit":1`},
		{"a literal goes before a wildcard", "GET", "/orders/search?text=x", "", []string{ana}, `{"hits":[]}`},
		{"a body, a wildcard and a version", "PUT", "/orders/SO-1", `{"note":"n","tags":["a"]}`, []string{asJSON, `If-Match: "41"`}, `{"order":"SO-1","limit":0,"ratio":0,"full":false,"since":"0001-01-01T00:00:00Z","tags":["a"],"rows":[],"region":"n","version":42`},
		{"an empty body", "PUT", "/orders/SO-1", ` {} `, []string{asJSON, `If-Match: "41"`}, `{"order":"SO-1"`},
		{"no body", "DELETE", "/orders/SO-1?force=true", "", []string{ana}, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, tt.method, tt.target, tt.body, tt.headers...))
			assert.Equal(t, 200, w.Code)
			assert.Contains(t, w.Body.String(), tt.want)
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
		})
	}
}

func TestAliasIssues(t *testing.T) {
	t.Parallel()
	h := newShop(t, openGate{}, caphttp.Options{})
	for _, tt := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		want                       []string // place, pointer and rule of each issue
	}{
		{"all issues at once", "GET", "/orders/x?limit=0&small=300&full=T&x=1", "", []string{"X-Region: asia"}, 422, []string{"header /region oneof", "query /limit min", "query /small range", "query /full type", "query /x unknown"}},
		{"no JSON numbers", "GET", "/orders/x?limit=%2B5&small=0x1&ratio=NaN&rows=01&rows=1_0", "", nil, 422, []string{"query /limit type", "query /small type", "query /ratio type", "query /rows/0 type", "query /rows/1 type"}},
		{"numbers with blanks", "GET", "/orders/x?limit=1+&ratio=+1", "", nil, 422, []string{"query /limit type", "query /ratio type"}},
		{"a fraction", "GET", "/orders/x?limit=1.5", "", nil, 422, []string{"query /limit integer"}},
		{"an overflow", "GET", "/orders/x?ratio=1e999", "", nil, 422, []string{"query /ratio overflow"}},
		{"negative zero", "GET", "/orders/x?ratio=-0", "", nil, 422, []string{"query /ratio negative_zero"}},
		{"an empty number", "GET", "/orders/x?limit=", "", nil, 422, []string{"query /limit type"}},
		{"no value", "GET", "/orders/x?full", "", nil, 422, []string{"query /full type"}},
		{"a parameter twice", "GET", "/orders/x?limit=1&limit=2", "", nil, 400, []string{"query /limit duplicate"}},
		{"a header twice", "GET", "/orders/x", "", []string{"X-Region: eu", "X-Region: us"}, 400, []string{"header /region duplicate"}},
		{"the wildcard's name in the query", "GET", "/orders/x?order=y", "", nil, 400, []string{"path /order duplicate"}},
		{"the header's name in the query", "GET", "/orders/x?region=eu", "", nil, 422, []string{"query /region unknown"}},
		{"another case", "GET", "/orders/x?Limit=1", "", nil, 422, []string{"query /Limit unknown"}},
		{"bytes that are no UTF-8 in the query", "GET", "/orders/x?tags=%ff", "", nil, 400, []string{"query /tags/0 utf8"}},
		{"bytes that are no UTF-8 in the path", "GET", "/orders/%ff", "", nil, 400, []string{"path /order utf8"}},
		{"NUL in the path", "GET", "/orders/%00", "", nil, 400, []string{"path /order format"}},
		{"a line break in the path", "GET", "/orders/a%0Ab", "", nil, 400, []string{"path /order format"}},
		{"too many elements", "GET", "/orders/x?tags=a&tags=b&tags=c&tags=d", "", nil, 422, []string{"query /tags max"}},
		{"an element", "GET", "/orders/x?tags=a&tags=toolong", "", nil, 422, []string{"query /tags/1 max"}},
		{"in the body", "PUT", "/orders/x", `{"note":7,"x":1}`, []string{asJSON, `If-Match: "1"`}, 422, []string{"body /note type", "body /x unknown"}},
		{"the wildcard's name in the body", "PUT", "/orders/x", `{"order":"y"}`, []string{asJSON, `If-Match: "1"`}, 400, []string{"path /order duplicate"}},
		{"the header's name in the body", "PUT", "/orders/x", `{"note":"a","version":1}`, []string{asJSON, `If-Match: "1"`}, 422, []string{"body /version unknown"}},
		{"no object in the body", "PUT", "/orders/x", `[]`, []string{asJSON, `If-Match: "1"`}, 400, []string{"body  type"}},
		{"no JSON in the body", "PUT", "/orders/x", `{"note"`, []string{asJSON, `If-Match: "1"`}, 400, []string{"body  syntax"}},
		{"a version that is none", "PUT", "/orders/x", `{}`, []string{asJSON, `If-Match: "1", "2"`}, 422, []string{"header /version type"}},
		{"a weak version", "PUT", "/orders/x", `{}`, []string{asJSON, `If-Match: W/"1"`}, 422, []string{"header /version type"}},
		{"no version", "PUT", "/orders/x", `{}`, []string{asJSON}, 428, []string{"header /version required"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, tt.method, tt.target, tt.body, tt.headers...))
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
			assert.ElementsMatch(t, tt.want, placesOf(t, w))
		})
	}
}

func placesOf(t *testing.T, w *httptest.ResponseRecorder) []string {
	t.Helper()
	var places []string
	for _, issue := range problemOf(t, w).Errors {
		places = append(places, issue.In+" "+issue.Pointer+" "+issue.Rule)
	}
	return places
}

func TestAliasRefusals(t *testing.T) {
	t.Parallel()
	h := newShop(t, openGate{}, caphttp.Options{})
	for _, tt := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		code                       cap.Code
		allow                      string
	}{
		{"a failure", "GET", "/orders/missing", "", nil, 404, cap.CodeCapabilityFailed, ""},
		{"no principal", "GET", "/orders/search", "", nil, 401, cap.CodeUnauthenticated, ""},
		{"another method", "PATCH", "/orders/x", "{}", []string{asJSON}, 405, caphttp.CodeMethodNotAllowed, "DELETE, GET, HEAD, PUT"},
		{"another method where two paths fit", "POST", "/orders/search", "{}", []string{asJSON}, 405, caphttp.CodeMethodNotAllowed, "DELETE, GET, HEAD, PUT"},
		{"no segment", "GET", "/orders/", "", nil, 404, caphttp.CodeNotFound, ""},
		{"a segment more", "GET", "/orders/x/y", "", nil, 404, caphttp.CodeNotFound, ""},
		{"a bad escape in the query", "GET", "/orders/x?limit=%zz", "", nil, 400, caphttp.CodeBadRequest, ""},
		{"a query beside a body", "PUT", "/orders/x?note=a", "{}", []string{asJSON, `If-Match: "1"`}, 400, caphttp.CodeBadRequest, ""},
		{"no content type", "PUT", "/orders/x", "{}", []string{`If-Match: "1"`}, 415, caphttp.CodeUnsupportedMediaType, ""},
		{"another type wanted", "GET", "/orders/x", "", []string{"Accept: text/html"}, 406, caphttp.CodeNotAcceptable, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, tt.method, tt.target, tt.body, tt.headers...))
			assert.Equal(t, tt.status, w.Code)
			assert.Equal(t, tt.code, problemOf(t, w).Code)
			assert.Equal(t, tt.allow, w.Header().Get("Allow"))
		})
	}
}

func TestETags(t *testing.T) {
	t.Parallel()
	h := newShop(t, openGate{}, caphttp.Options{})
	const ana = principalHeader + `: {"id":"ana"}`
	digestOf := func(target string) string {
		digest := serve(h, request(t, "GET", target, "", ana)).Header().Get("ETag")
		assert.Regexp(t, `^"[\w-]{24}"$`, digest, "tag of %s", target)
		return digest
	}
	digest := digestOf("/orders/search") // an output without a version
	list, one := digestOf("/capabilities"), digestOf("/capabilities/get_order")
	assert.NotEqual(t, list, one)
	for _, tt := range []struct {
		name, target, given string
		status              int
		tag                 string
	}{
		{"none given", "/orders/x", "", 200, `"41"`},
		{"the same", "/orders/x", `"41"`, 304, `"41"`},
		{"a weak one", "/orders/x", `W/"41"`, 304, `"41"`},
		{"one of several", "/orders/x", `"40", "41"`, 304, `"41"`},
		{"any", "/orders/x", `*`, 304, `"41"`},
		{"another", "/orders/x", `"40"`, 200, `"41"`},
		{"a digest", "/orders/search", digest, 304, digest},
		{"the list", "/capabilities", list, 304, list},
		{"the list, another", "/capabilities", one, 200, list},
		{"a contract", "/capabilities/get_order", one, 304, one},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			headers := []string{ana}
			if tt.given != "" {
				headers = append(headers, "If-None-Match: "+tt.given)
			}
			w := serve(h, request(t, "GET", tt.target, "", headers...))
			assert.Equal(t, tt.status, w.Code)
			assert.Equal(t, tt.tag, w.Header().Get("ETag"))
			assert.Equal(t, "private, no-cache", w.Header().Get("Cache-Control"))
			assert.Equal(t, "Authorization, Accept", w.Header().Get("Vary"))
			assert.Equal(t, tt.status == 304, w.Body.Len() == 0, "empty body")
		})
	}
	w := serve(h, request(t, "GET", "/orders/missing", "", `If-None-Match: *`))
	assert.Equal(t, 404, w.Code, "a failure has no tag")
	assert.Empty(t, w.Header().Get("ETag"))
}

func TestCiteLinks(t *testing.T) {
	t.Parallel()
	h := newShop(t, openGate{}, caphttp.Options{})
	w := serve(h, request(t, "GET", "/orders/a%2Fb?limit=2", ""))
	assert.Equal(t, []string{`<urn:cap:ref:shop:order:a%2Fb>; rel="cite"`, `<urn:cap:ref:shop:order:a%2Fb>; rel="cite"`}, w.Header().Values("Link"))
	assert.Empty(t, w.Header().Get("Cap-Cites-Total"))
	w = serve(h, request(t, "GET", "/orders/x?limit=33", ""))
	assert.Len(t, w.Header().Values("Link"), 32)
	assert.Equal(t, "33", w.Header().Get("Cap-Cites-Total"))
}

func TestAliasesAreListed(t *testing.T) {
	t.Parallel()
	h := newShop(t, openGate{}, caphttp.Options{})
	body := serve(h, request(t, "GET", "/capabilities", "")).Body.String()
	assert.Contains(t, body, `"rest":{"method":"GET","href":"orders/{order}{?limit,small,ratio,full,since,tags*,rows*,maybe}"}`)
	assert.Contains(t, body, `"rest":{"method":"PUT","href":"orders/{order}"}`)
}

// Contracts whose http tags are wrong, each in one way.
type (
	noMethod struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"/a"`
		ID                 string `json:"id,omitempty" cap:"Id"`
	}
	noPath struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET a"`
		ID                 string `json:"id,omitempty" cap:"Id"`
	}
	reservedPath struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /capabilities/x"`
		ID                 string `json:"id,omitempty" cap:"Id"`
	}
	badSegment struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /a b//{id...}"`
		ID                 string `json:"id" cap:"Id"`
	}
	unknownWildcard struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /b/{idd}"`
		ID                 string `json:"id,omitempty" cap:"Id"`
	}
	optionalWildcard struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /c/{id}/{id}"`
		ID                 string `json:"id,omitempty" cap:"Id"`
	}
	postedRead struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"DELETE /d"`
		ID                 string `json:"id,omitempty" cap:"Id"`
	}
	objectInQuery struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /e"`
		Box                map[string]int `json:"box,omitempty" cap:"Box"`
		Pin                string         `json:"pin,omitempty" cap:"Pin; secret"`
	}
	badMaxBody struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"POST /h,maxbody=64K"`
	}

	badOptions struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"idempotency=required,maxbdy=1,maxbody=0,maxbody=1"`
	}

	badHeaders struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /f/{id}"`
		ID                 string   `json:"id" cap:"Id" http:"header=X-Id"`
		A                  string   `json:"a,omitempty" cap:"A" http:"headr=X-A"`
		B                  string   `json:"b,omitempty" cap:"B" http:"header=X B"`
		C                  string   `json:"c,omitempty" cap:"C" http:"header=authorization"`
		D                  string   `json:"d,omitempty" cap:"D" http:"header=X-D"`
		E                  string   `json:"e,omitempty" cap:"E" http:"header=x-d"`
		F                  []string `json:"f,omitempty" cap:"F" http:"header=X-F"`
		G                  string   `json:"g,omitempty" cap:"G" http:"header=X-G,header=X-H"`
	}
	headerWithoutPath struct {
		cap.Read[cap.None] `cap:"A; access=public"`
		ID                 string `json:"id" cap:"Id" http:"header=X-Id"`
	}
	takenPath struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /g/{id}"`
		ID                 string `json:"id" cap:"Id"`
	}
	takenToo struct {
		cap.Read[cap.None] `cap:"A; access=public" http:"GET /g/{name}"`
		Name               string `json:"name" cap:"Name"`
	}
)

func nothing[In any](context.Context, In) (cap.None, error) { return cap.None{}, nil }

func TestAliasProblems(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(
		cap.Func(nothing[noMethod]), cap.Func(nothing[noPath]), cap.Func(nothing[reservedPath]), cap.Func(nothing[badSegment]),
		cap.Func(nothing[unknownWildcard]), cap.Func(nothing[optionalWildcard]), cap.Func(nothing[postedRead]),
		cap.Func(nothing[objectInQuery]), cap.Func(nothing[badHeaders]), cap.Func(nothing[headerWithoutPath]),
		cap.Func(nothing[badMaxBody]), cap.Func(nothing[badOptions]),
		cap.Func(nothing[takenPath]), cap.Func(nothing[takenToo]),
	))
	_, err := caphttp.New(registry, caphttp.Options{})
	require.Error(t, err)
	compareGolden(t, "alias_problems.txt", strings.ReplaceAll(err.Error(), "caphttp_test.", "")+"\n")
}
