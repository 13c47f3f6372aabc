package capmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// Headers of the protocol.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// front serves HTTP. The SDK serves one era with one handler; the front chooses by request, so that both live at one URL.
type front struct {
	adapter  *Adapter
	maxBytes int

	sessions http.Handler // the era with sessions
	single   http.Handler // every request by itself
}

// Handler serves streamable HTTP. Mount it at one path, such as /mcp. Requests from other web sites are refused, and so are
// those under a strange host name; see [Options.AllowedHosts] and [Options.AllowedOrigins].
func (a *Adapter) Handler() http.Handler {
	f := &front{adapter: a, maxBytes: a.options.maxBytes(defaultHTTPBytes)}
	f.sessions = f.handler(mcp.StreamableHTTPOptions{SessionTimeout: a.options.SessionTimeout})
	f.single = f.handler(mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return f
}

func (f *front) handler(options mcp.StreamableHTTPOptions) http.Handler {
	// The front has looked at hosts and lengths, and more closely.
	options.DisableLocalhostProtection, options.MaxRequestBodyBytes = true, -1
	options.Logger = f.adapter.options.Logger
	server := func(*http.Request) *mcp.Server { return f.adapter.server }
	// Only this middleware can tell the SDK who calls, which it needs to keep a session to one caller.
	admit := auth.RequireBearerToken(tokenOf, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	return admit(mcp.NewStreamableHTTPHandler(server, &options))
}

// tokenOf hands the caller that the front has found to the SDK.
func tokenOf(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	info := &auth.TokenInfo{Extra: map[string]any{callerExtra: c}}
	if c.principal != nil {
		info.UserID = string(marshal(identityOf(c)))
	}
	return info, nil
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer f.contain(w)
	if f.adapter.work.isClosing() {
		refuse(w, http.StatusServiceUnavailable, codeClosing, errClosing.Error())
		return
	}
	if !f.admitPlace(w, r) || !f.admitMethod(w, r) || !f.admitHeaders(w, r) {
		return
	}
	who, ok := f.authenticate(w, r)
	if !ok {
		return
	}
	if r.Method != http.MethodPost {
		f.pass(w, r, f.sessions, who, nil)
		return
	}
	body, ok := f.read(w, r)
	if !ok {
		return
	}
	if f.answerPlain(w, r, who, body) {
		return
	}
	message, fault := readEnvelope(body)
	if fault != nil {
		f.complain(w, r, fault)
		return
	}
	peek := message.peek()
	if !f.admitTool(w, who, peek) || !f.admitSession(w, peek) {
		return
	}
	if t, ours := f.adapter.byName[peek.Tool]; ours && peek.Method == methodCall && !t.mirrors {
		body, who.arguments, _ = detach(body, t.name)
	}
	if peek.Method != methodListen {
		f.adapter.work.hold()
		defer f.adapter.work.release()
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = newBody(body), int64(len(body))
	f.pass(w, r, f.route(r, peek), who, peek)
}

// complain answers what is no good message. The newer era has a status for parameters that are wrong; in the older one they
// are the request's own affair, and its clients take any other status than 200 for a fault of the transport.
func (f *front) complain(w http.ResponseWriter, r *http.Request, fault *fault) {
	status := http.StatusBadRequest
	if fault.code == jsonrpc.CodeInvalidParams && r.Header.Get(headerVersion) < versionModern {
		status = http.StatusOK
	}
	writeError(w, status, fault.code, fault.message, fault.id)
}

// contain keeps a panic of one of the options' functions from ending the connection without an answer.
func (f *front) contain(w http.ResponseWriter) {
	value := recover()
	if value == nil {
		return
	}
	f.adapter.options.Logger.Error("a request went wrong", "error", fmt.Sprint(value))
	refuse(w, http.StatusInternalServerError, codeInternal, "internal error")
}

// admitPlace refuses requests that a web page of somebody else made a browser send, and answers a browser that asks first.
func (f *front) admitPlace(w http.ResponseWriter, r *http.Request) bool {
	allowed, trusted := f.adapter.options.allowHost(r)
	if !allowed {
		refuse(w, http.StatusForbidden, codeRefused, "the host name is not allowed")
		return false
	}
	origin, allowed := f.adapter.options.allowOrigin(r, trusted)
	if !allowed {
		refuse(w, http.StatusForbidden, codeRefused, "the origin is not allowed")
		return false
	}
	if origin == "" {
		return true
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", headerSession+", WWW-Authenticate")
	if r.Method != http.MethodOptions {
		return true
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
	return false
}

// admitMethod lets POST through, and what only sessions have where one is named.
func (f *front) admitMethod(w http.ResponseWriter, r *http.Request) bool {
	hasSession := r.Header.Get(headerSession) != "" && r.Header.Get(headerVersion) < versionModern
	switch {
	case r.Method == http.MethodPost:
		return true
	case hasSession && (r.Method == http.MethodGet || r.Method == http.MethodDelete):
		return true
	case hasSession:
		w.Header().Set("Allow", "GET, POST, DELETE")
	default:
		w.Header().Set("Allow", "POST")
	}
	refuse(w, http.StatusMethodNotAllowed, codeRefused, "the method is not allowed")
	return false
}

// admitHeaders refuses what says twice how a request is to be read: a proxy may have gone by the other one.
func (f *front) admitHeaders(w http.ResponseWriter, r *http.Request) bool {
	for _, name := range []string{headerVersion, headerSession, headerMethod, headerName} {
		if len(r.Header[name]) > 1 {
			refuse(w, http.StatusBadRequest, codeRefused, "there is more than one "+name+" header")
			return false
		}
	}
	return true
}

// admitSession bounds what clients that shake hands and never come back can leave behind.
func (f *front) admitSession(w http.ResponseWriter, peek *peek) bool {
	if peek.Method != methodInitialize {
		return true
	}
	count := 0
	for range f.adapter.server.Sessions() {
		count++
	}
	if count < f.adapter.options.MaxSessions {
		return true
	}
	w.Header().Set("Retry-After", "60")
	writeError(w, http.StatusServiceUnavailable, codeRefused, "there are too many sessions", peek.ID)
	return false
}

// route chooses the handler of a POST. Sessions begin with a handshake and are named from then on; every other request
// stands alone, also one of the older era, so that a plain HTTP client gets by without a handshake.
func (f *front) route(r *http.Request, peek *peek) http.Handler {
	modern := r.Header.Get(headerVersion) >= versionModern || peek.Version >= versionModern
	if !modern && (r.Header.Get(headerSession) != "" || peek.Method == methodInitialize) {
		return f.sessions
	}
	return f.single
}

// pass hands a request to the SDK, in the form that it likes best, and watches over the answer.
func (f *front) pass(w http.ResponseWriter, r *http.Request, next http.Handler, who *caller, peek *peek) {
	who.gone = r.Context()
	r = r.Clone(withCaller(r.Context(), who))
	// The credentials end here: no handler needs them, and one that had them could pass them on.
	r.Header.Set("Authorization", "Bearer checked")
	if r.Method == http.MethodPost {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
	}
	out := newResponse(w, peek)
	defer out.finish()
	next.ServeHTTP(out, r)
}

// Codes of errors that come before the protocol, in the range that JSON-RPC leaves to servers.
const (
	codeRefused      = -32000
	codeNoSession    = -32001
	codeUnauthorized = -32003
)

// refuse answers a request whose body was not read. The connection does not outlive it: otherwise the answer would wait
// until the client has sent all of a body that nobody wants.
func refuse(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Connection", "close")
	writeError(w, status, code, message, nil)
	// A client that sends slowly would hold the connection all the same. Not every writer has deadlines.
	controller := http.NewResponseController(w)
	_ = controller.Flush()
	_ = controller.SetReadDeadline(time.Now())
}

// writeError answers with a JSON-RPC error. A nil id is null.
func writeError(w http.ResponseWriter, status, code int, message string, id json.RawMessage) {
	body := errorBody(code, message, id)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// The client may be gone; there is nobody to tell.
	_, _ = w.Write(body)
}

func errorBody(code int, message string, id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	body := appendMember([]byte(`{"jsonrpc":"2.0"`), "id", id)
	failed := appendMember([]byte("{"), "code", marshal(code))
	failed = append(appendMember(failed, "message", appendString(nil, message)), '}')
	return append(appendMember(body, "error", failed), '}')
}

// authenticate finds out who sends a request, or answers it.
func (f *front) authenticate(w http.ResponseWriter, r *http.Request) (*caller, bool) {
	who := &caller{source: sourceHTTP}
	if len(r.Header.Values("Authorization")) > 1 {
		refuse(w, http.StatusBadRequest, codeRefused, "there is more than one Authorization header")
		return nil, false
	}
	if f.adapter.options.Authenticate == nil {
		return who, true
	}
	principal, err := f.askAuthenticator(r)
	switch {
	case isUnauthenticated(err), err == nil && principal != nil && strings.TrimSpace(principal.ID) == "":
		f.challenge(w, r)
		return nil, false
	case err != nil:
		f.adapter.options.Logger.Error("a request could not be authenticated", "error", err)
		refuse(w, http.StatusInternalServerError, codeInternal, "authentication failed")
		return nil, false
	}
	who.principal = copyPrincipal(principal)
	return who, true
}

// askAuthenticator contains a panic of the hook: it is a defect, never a way in.
func (f *front) askAuthenticator(r *http.Request) (principal *cap.Principal, err error) {
	defer func() {
		if value := recover(); value != nil {
			principal, err = nil, fmt.Errorf("panic: %v", value)
		}
	}()
	return f.adapter.options.Authenticate(r)
}

// isUnauthenticated reports whether an authenticator says that credentials are bad, in this package's words or the core's.
func isUnauthenticated(err error) bool {
	var failed *cap.Error
	return errors.Is(err, ErrUnauthenticated) || errors.As(err, &failed) && failed.Code == cap.CodeUnauthenticated
}
