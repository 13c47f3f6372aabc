package caphttp_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// principalHeader carries the principal of a test as JSON. Nothing but a test would take it.
const principalHeader = "Test-Principal"

// authenticateTest reads the principal of a test.
func authenticateTest(r *http.Request) (*cap.Principal, error) {
	text := r.Header.Get(principalHeader)
	if text == "" {
		return nil, nil
	}
	p := &cap.Principal{}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, errors.Join(caphttp.ErrUnauthenticated, err)
	}
	return p, nil
}

// newHandler makes a handler of the suite's registry.
func newHandler(t *testing.T, options caphttp.Options) *caphttp.Handler {
	t.Helper()
	if options.Authenticate == nil {
		options.Authenticate = authenticateTest
	}
	h, err := caphttp.New(adaptertest.NewRegistry(t), options)
	require.NoError(t, err)
	return h
}

// request makes a request with headers, each written as "Name: value".
func request(t *testing.T, method, target, body string, headers ...string) *http.Request {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, target, reader)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	return r
}

// asJSON is the header of every call.
const asJSON = "Content-Type: application/json"

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// problemOf reads an answer that is an error, and holds what every one of them must be.
func problemOf(t *testing.T, w *httptest.ResponseRecorder) caphttp.Problem {
	t.Helper()
	contentType := "application/problem+json"
	if w.Code == http.StatusAccepted {
		contentType = "application/json"
	}
	require.Equal(t, contentType, w.Header().Get("Content-Type"), "body: %s", w.Body)
	var p caphttp.Problem
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
	assert.Equal(t, w.Code, p.Status, "status in the body")
	assert.NotEmpty(t, p.Title, "title")
	assert.True(t, strings.HasPrefix(p.Type, "urn:cap:problem:"+string(p.Code)), "type %s", p.Type)
	assert.Equal(t, w.Header().Get("X-Request-Id"), p.RequestID, "request id")
	assert.LessOrEqual(t, w.Body.Len(), 64<<10, "bytes of a problem")
	return p
}

// front lets the suite call through the handler.
type front struct{ handler http.Handler }

func (f *front) Call(t *testing.T, name string, args json.RawMessage, as *cap.Principal) adaptertest.Answer {
	t.Helper()
	return f.CallConfirmed(t, name, args, as, cap.Confirmation{})
}

func (f *front) CallConfirmed(t *testing.T, name string, args json.RawMessage, as *cap.Principal, given cap.Confirmation) adaptertest.Answer {
	t.Helper()
	r := request(t, "POST", "/capabilities/"+name, string(args), asJSON)
	if as != nil {
		principal, err := json.Marshal(as)
		require.NoError(t, err)
		r.Header.Set(principalHeader, string(principal))
	}
	if given.Challenge != "" {
		r.Header.Set("Cap-Confirm", given.Challenge)
	}
	w := serve(f.handler, r)
	return answerOf(t, w)
}

// answerOf puts together what a caller reads from an answer.
func answerOf(t *testing.T, w *httptest.ResponseRecorder) adaptertest.Answer {
	t.Helper()
	answer := adaptertest.Answer{Raw: w.Body.Bytes()}
	if w.Code == http.StatusOK {
		var body struct {
			Output json.RawMessage `json:"output"`
			Cites  []cap.ObjectRef `json:"cites"`
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
		answer.Output, answer.Cites = body.Output, body.Cites
		return answer
	}
	p := problemOf(t, w)
	answer.Error = &cap.Error{
		Code: p.Code, Message: p.Title, Capability: p.Capability, RequestID: p.RequestID, OmittedIssues: p.OmittedErrors,
		Reason: p.Reason, Tag: p.Tag, Fix: p.Fix, Retry: p.RetryAfter, Failure: p.Failure, Effect: p.Effect, Confirmation: p.Confirmation,
	}
	for _, issue := range p.Errors {
		answer.Error.Issues = append(answer.Error.Issues, issue.Issue)
	}
	return answer
}

func TestSuite(t *testing.T) {
	t.Parallel()
	adaptertest.Run(t, &front{newHandler(t, caphttp.Options{})})
}

// The same through a real server and a proxy, as callers have it.
func TestSuiteOverTheWire(t *testing.T) {
	t.Parallel()
	address := listen(t, newHandler(t, caphttp.Options{}), caphttp.ServeOptions{})
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	adaptertest.Run(t, &front{proxy})
}

func TestCallStatus(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{})
	const ana = principalHeader + `: {"id":"ana","kind":"human","scopes":["read"]}`
	for _, tt := range []struct {
		name, target, body string
		headers            []string
		status             int
		code               cap.Code
	}{
		{"an answer", "find_item", `{"id":"a"}`, nil, 200, ""},
		{"a fault of the input", "find_item", `{"id":7}`, nil, 422, cap.CodeInputInvalid},
		{"no JSON", "find_item", `{"id":`, nil, 400, cap.CodeInputInvalid},
		{"no body", "find_item", ``, nil, 400, cap.CodeInputInvalid},
		{"no object", "find_item", `[]`, nil, 400, cap.CodeInputInvalid},
		{"a name twice", "find_item", `{"id":"a","id":"b"}`, nil, 400, cap.CodeInputInvalid},
		{"something after the document", "find_item", `{"id":"a"} {}`, nil, 400, cap.CodeInputInvalid},
		{"bytes that are no UTF-8", "find_item", "{\"id\":\"\xc3\"}", nil, 400, cap.CodeInputInvalid},
		{"nested too deep", "echo", `{"text":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, nil, 400, cap.CodeInputInvalid},
		{"no such capability", "nothing", `{}`, nil, 404, cap.CodeCapabilityNotFound},
		{"no principal", "whoami", `{}`, nil, 401, cap.CodeUnauthenticated},
		{"a malformed principal", "touch", `{}`, []string{principalHeader + `: {"id":""}`}, 401, cap.CodeUnauthenticated},
		{"bad credentials", "touch", `{}`, []string{principalHeader + `: {`}, 401, cap.CodeUnauthenticated},
		{"a scope is missing", "audit_items", `{}`, []string{ana}, 403, cap.CodeForbidden},
		{"a failure with a status", "find_item", `{"id":"missing"}`, nil, 404, cap.CodeCapabilityFailed},
		{"a failure without one", "find_item", `{"id":"broken"}`, nil, 422, cap.CodeCapabilityFailed},
		{"a defect", "break", `{"how":"error"}`, nil, 500, cap.CodeExecutionFailed},
		{"a panic", "break", `{"how":"panic"}`, nil, 500, cap.CodeExecutionFailed},
		{"an output that breaks its contract", "break", `{"how":"nil"}`, nil, 500, cap.CodeOutputInvalid},
		{"a timeout", "break", `{"how":"slow"}`, nil, 504, cap.CodeCancelled},
		{"a write", "rename_item", `{"id":"a","to":"b"}`, []string{ana}, 428, cap.CodeConfirmationRequired},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/capabilities/"+tt.target, tt.body, append(tt.headers, asJSON)...))
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
			if tt.code == "" {
				assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
				return
			}
			assert.Equal(t, tt.code, problemOf(t, w).Code)
		})
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{})
	for _, tt := range []struct{ name, target, body, want string }{
		{"with cites", "find_item", `{"id":"a<b"}`, `{"output":{"id":"a<b","size":3,"ref":{"product":"store","kind":"item","id":"a<b"}},"cites":[{"product":"store","kind":"item","id":"a<b"}]}` + "\n"},
		{"without", "touch", `{}`, `{"output":{},"cites":[]}` + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/capabilities/"+tt.target, tt.body, asJSON))
			assert.Equal(t, tt.want, w.Body.String())
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			assert.NotEmpty(t, w.Header().Get("X-Request-Id"))
		})
	}
}

func TestProblemBodies(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{})
	for _, tt := range []struct{ name, target, body, want string }{
		{
			"issues", "find_item", `{"id":7,"x":1}`,
			`{"type":"urn:cap:problem:INPUT_INVALID","title":"Capability input is invalid.","status":422,"code":"INPUT_INVALID","capability":"find_item","requestId":"r-1","errors":[{"in":"body","pointer":"/id","rule":"type","param":"string","message":"must be a string"},{"in":"body","pointer":"/x","rule":"unknown","message":"unknown field"}]}`,
		},
		{
			"failure", "find_item", `{"id":"broken"}`,
			`{"type":"urn:cap:problem:CAPABILITY_FAILED:ItemBroken","title":"Item <broken> is broken.","status":422,"detail":"Replace 2 parts & try again.","code":"CAPABILITY_FAILED","capability":"find_item","requestId":"r-1","reason":"Item <broken> is broken.","tag":"ItemBroken","fix":"Replace 2 parts & try again.","retryAfter":"2s","failure":{"id":"broken","parts":[9007199254740993,-1]}}`,
		},
		{
			"defect", "break", `{"how":"error"}`,
			`{"type":"urn:cap:problem:EXECUTION_FAILED","title":"Capability execution failed.","status":500,"code":"EXECUTION_FAILED","capability":"break","requestId":"r-1"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/capabilities/"+tt.target, tt.body, asJSON, "X-Request-Id: r-1"))
			assert.Equal(t, tt.want+"\n", w.Body.String())
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	w := serve(newHandler(t, caphttp.Options{}), request(t, "POST", "/capabilities/find_item", `{"id":"broken"}`, asJSON))
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
}
