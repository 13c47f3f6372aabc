package caphttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// listen serves a handler on a real socket until the test ends.
func listen(t *testing.T, handler http.Handler, options caphttp.ServeOptions) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	addresses := make(chan net.Addr, 1)
	ended := make(chan error, 1)
	options.Addr = "127.0.0.1:0"
	options.Listening = func(addr net.Addr) { addresses <- addr }
	if options.Drain == 0 {
		options.Drain = 100 * time.Millisecond
	}
	go func() { ended <- caphttp.Serve(ctx, handler, options) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	select {
	case addr := <-addresses:
		return addr.String()
	case err := <-ended:
		require.NoError(t, err)
		return ""
	}
}

// exchangeRaw sends bytes and reads what comes back: an answer, and whether the connection ends within wait after it.
func exchangeRaw(t *testing.T, address, text string, wait time.Duration) (response *http.Response, body []byte, closed bool) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	method, _, _ := strings.Cut(text, " ")
	response, err = http.ReadResponse(reader, &http.Request{Method: method})
	require.NoError(t, err)
	body, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	_ = response.Body.Close()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(wait)))
	_, err = reader.ReadByte()
	return response, body, err == io.EOF //nolint:errorlint // a reader gives it as it is
}

// lines joins the lines of a request.
func lines(text ...string) string { return strings.Join(text, "\r\n") + "\r\n\r\n" }

const (
	post     = "POST /capabilities/find_item HTTP/1.1"
	rawHost  = "Host: localhost"
	rawJSON  = "Content-Type: application/json"
	waits    = "Content-Length: 60" // of which nothing comes
	maxBytes = 64
)

func rawServer(t *testing.T) string {
	t.Helper()
	h := newHandler(t, caphttp.Options{MaxBody: maxBytes, ReadTimeout: time.Second})
	return listen(t, h, caphttp.ServeOptions{Hosts: []string{"localhost", "127.0.0.1", "::1"}})
}

func TestRawRequests(t *testing.T) {
	t.Parallel()
	address := rawServer(t)
	full := `{"id":"` + strings.Repeat("a", maxBytes-len(`{"id":""}`)) + `"}`
	for _, tt := range []struct {
		name, text string
		status     int
		code       cap.Code
		closed     bool
	}{
		{"a call", lines(post, rawHost, rawJSON, "Content-Length: 10") + `{"id":"a"}`, 200, "", false},
		{"HTTP/1.0", lines("GET /capabilities HTTP/1.0"), 421, caphttp.CodeMisdirected, true},
		{"an absolute target", lines("GET http://localhost/capabilities HTTP/1.1", rawHost), 200, "", false},
		{"an absolute target of another host", lines("GET http://evil.example/capabilities HTTP/1.1", rawHost), 421, caphttp.CodeMisdirected, false},
		{"another host", lines("GET /capabilities HTTP/1.1", "Host: evil.example"), 421, caphttp.CodeMisdirected, false},
		{"a host with a port", lines("GET /capabilities HTTP/1.1", "Host: LOCALHOST.:99"), 200, "", false},
		{"an IPv6 host", lines("GET /capabilities HTTP/1.1", "Host: [::1]:80"), 200, "", false},
		{"an IPv6 host without brackets", lines("GET /capabilities HTTP/1.1", "Host: ::1"), 421, caphttp.CodeMisdirected, false},
		{"two hosts", lines("GET /capabilities HTTP/1.1", rawHost, rawHost), 400, caphttp.CodeBadRequest, true},
		{"no host", lines("GET /capabilities HTTP/1.1"), 400, caphttp.CodeBadRequest, true},
		{"a host that is none", lines("GET /capabilities HTTP/1.1", "Host: a b"), 400, caphttp.CodeBadRequest, true},
		{"no HTTP", "hello\r\n\r\n", 400, caphttp.CodeBadRequest, true},
		{"another version", lines("GET / HTTP/3.1", rawHost), 505, caphttp.CodeBadRequest, true},
		{"large headers", lines("GET / HTTP/1.1", rawHost, "X: "+strings.Repeat("x", 80<<10)), 431, caphttp.CodeBadRequest, true},
		{"two lengths", lines(post, rawHost, rawJSON, "Content-Length: 1", "Content-Length: 2"), 400, caphttp.CodeBadRequest, true},
		{"an unknown encoding", lines(post, rawHost, rawJSON, "Transfer-Encoding: gzip"), 501, caphttp.CodeBadRequest, true},
		{"OPTIONS of all", lines("OPTIONS * HTTP/1.1", rawHost), 404, caphttp.CodeNotFound, false},
		{"CONNECT", lines("CONNECT localhost:80 HTTP/1.1", rawHost), 404, caphttp.CodeNotFound, false},
		{"a body of exactly the limit", lines(post, rawHost, rawJSON, "Content-Length: 64") + full, 200, "", false},
		{"a chunked body of exactly the limit", lines(post, rawHost, rawJSON, "Transfer-Encoding: chunked") + "40\r\n" + full + "\r\n0\r\n\r\n", 200, "", false},
		{"a chunked body over the limit", lines(post, rawHost, rawJSON, "Transfer-Encoding: chunked") + "41\r\n" + full + " \r\n0\r\n\r\n", 413, caphttp.CodePayloadTooLarge, true},
		{"a broken chunk", lines(post, rawHost, rawJSON, "Transfer-Encoding: chunked") + "zz\r\n", 400, caphttp.CodeBadRequest, true},

		// A caller who is still sending gets the answer at once, and the connection ends.
		{"slow, no path", lines("POST /nothing HTTP/1.1", rawHost, waits), 404, caphttp.CodeNotFound, true},
		{"slow, another method", lines("PUT /capabilities HTTP/1.1", rawHost, waits), 405, caphttp.CodeMethodNotAllowed, true},
		{"slow, another host", lines(post, "Host: evil.example", waits), 421, caphttp.CodeMisdirected, true},
		{"slow, no principal", lines("POST /capabilities/whoami HTTP/1.1", rawHost, waits), 401, cap.CodeUnauthenticated, true},
		{"slow, no scope", lines("POST /capabilities/audit_items HTTP/1.1", rawHost, waits, principalHeader+`: {"id":"ana"}`), 403, cap.CodeForbidden, true},
		{"slow, no content type", lines(post, rawHost, waits), 415, caphttp.CodeUnsupportedMediaType, true},
		{"slow, another type wanted", lines(post, rawHost, rawJSON, waits, "Accept: text/html"), 406, caphttp.CodeNotAcceptable, true},
		{"slow, too large", lines(post, rawHost, rawJSON, "Content-Length: 65"), 413, caphttp.CodePayloadTooLarge, true},
		{"slow, two authorizations", lines(post, rawHost, "Authorization: a", "Authorization: b", waits), 400, caphttp.CodeBadRequest, true},
		{"slow, not in time", lines(post, rawHost, rawJSON, waits) + `{"id"`, 408, caphttp.CodeRequestTimeout, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wait := 50 * time.Millisecond // for what should not come
			if tt.closed {
				wait = 2 * time.Second
			}
			response, body, closed := exchangeRaw(t, address, tt.text, wait)
			assert.Equal(t, tt.status, response.StatusCode, "body: %s", body)
			assert.Equal(t, tt.closed, closed, "the connection ends")
			assert.NotEmpty(t, response.Header.Get("X-Request-Id"))
			if tt.code == "" {
				return
			}
			assert.Equal(t, "application/problem+json", response.Header.Get("Content-Type"), "body: %s", body)
			var p caphttp.Problem
			require.NoError(t, json.Unmarshal(body, &p))
			assert.Equal(t, tt.code, p.Code)
			assert.Equal(t, tt.status, p.Status)
		})
	}
}

// The deadline of one body must not end the next call on the connection.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	address := rawServer(t)
	call := lines(post, rawHost, rawJSON, "Content-Length: 10") + `{"id":"a"}`
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Second)))
	reader := bufio.NewReader(conn)
	for range 3 {
		_, err = io.WriteString(conn, call)
		require.NoError(t, err)
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		assert.Equal(t, 200, response.StatusCode)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		_ = response.Body.Close()
	}
}

// waiting is the contract of a call that runs until its caller goes away.
type waiting struct {
	cap.Read[cap.None] `cap:"Wait; access=public; name=wait"`
	ID                 string `json:"id,omitempty" cap:"Anything"`
}

// newWaiting makes a handler of one capability that waits. It tells when a call began, and how it ended.
func newWaiting(t *testing.T) (h *caphttp.Handler, began chan struct{}, ended chan error) {
	t.Helper()
	began, ended = make(chan struct{}, 1), make(chan error, 1)
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(ctx context.Context, _ waiting) (cap.None, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return cap.None{}, ctx.Err()
	})))
	h, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(t, err)
	return h, began, ended
}

func TestCallersThatDisconnect(t *testing.T) {
	t.Parallel()
	h, began, ended := newWaiting(t)
	address := listen(t, h, caphttp.ServeOptions{})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	_, err = io.WriteString(conn, lines("POST /capabilities/wait HTTP/1.1", rawHost, rawJSON, "Content-Length: 2")+"{}")
	require.NoError(t, err)
	<-began
	require.NoError(t, conn.Close())
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestCallsEndWithTheServer(t *testing.T) {
	t.Parallel()
	h, began, _ := newWaiting(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	addresses, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- caphttp.Serve(ctx, h, caphttp.ServeOptions{
			Addr: "127.0.0.1:0", Drain: 50 * time.Millisecond, Listening: func(a net.Addr) { addresses <- a },
		})
	}()
	answers := make(chan *http.Response, 1)
	address := (<-addresses).String()
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+"/capabilities/wait", strings.NewReader("{}"))
		if !assert.NoError(t, err) {
			return
		}
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(r)
		assert.NoError(t, err)
		answers <- response
	}()
	<-began
	stop()
	response := <-answers
	require.NotNil(t, response)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	_ = response.Body.Close()
	assert.Equal(t, 503, response.StatusCode)
	assert.Equal(t, "5", response.Header.Get("Retry-After"))
	assert.Contains(t, string(body), `"reason":"shutdown"`)
	require.NoError(t, <-ended)
	assert.Equal(t, 503, serve(h, request(t, "GET", "/readyz", "")).Code, "ready after the end")
	assert.Equal(t, 200, serve(h, request(t, "GET", "/livez", "")).Code, "live after the end")
}

func TestServeRefusesToBeExposed(t *testing.T) {
	t.Parallel()
	registry := adaptertest.NewRegistry(t)
	anonymous, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(t, err)
	authenticating := newHandler(t, caphttp.Options{})
	for _, tt := range []struct {
		name    string
		handler http.Handler
		options caphttp.ServeOptions
		want    string
	}{
		{"beyond this machine, anonymous", anonymous, caphttp.ServeOptions{Addr: "0.0.0.0:0"}, "set Options.Authenticate, or ServeOptions.Exposed"},
		{"beyond this machine, a mux", http.NewServeMux(), caphttp.ServeOptions{Addr: "0.0.0.0:0"}, "set Options.Authenticate, or ServeOptions.Exposed"},
		{"beyond this machine, authenticating", authenticating, caphttp.ServeOptions{Addr: "0.0.0.0:0"}, ""},
		{"beyond this machine, as told", anonymous, caphttp.ServeOptions{Addr: "0.0.0.0:0", Exposed: true}, ""},
		{"on this machine", anonymous, caphttp.ServeOptions{Addr: "127.0.0.1:0"}, ""},
		{"an address that is none", anonymous, caphttp.ServeOptions{Addr: "nowhere"}, "missing port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			tt.options.Listening = func(net.Addr) { stop() }
			err := caphttp.Serve(ctx, tt.handler, tt.options)
			if tt.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	ready := true
	h := newHandler(t, caphttp.Options{Ready: func(context.Context) error {
		if ready {
			return nil
		}
		return io.ErrUnexpectedEOF
	}})
	assert.JSONEq(t, `{"status":"ready"}`, serve(h, request(t, "GET", "/readyz", "")).Body.String())
	ready = false
	w := serve(h, request(t, "GET", "/readyz", ""))
	assert.Equal(t, caphttp.CodeUnavailable, problemOf(t, w).Code)
	assert.NotContains(t, w.Body.String(), "EOF")
	ready = true
	h.Drain()
	w = serve(h, request(t, "GET", "/readyz", "", principalHeader+": {"))
	assert.Equal(t, 503, w.Code, "nobody needs to say who they are")
	assert.Equal(t, "5", w.Header().Get("Retry-After"))
}
