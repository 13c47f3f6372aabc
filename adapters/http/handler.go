package caphttp

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// Handler serves a registry. Make one with [New]. It is safe for concurrent use.
type Handler struct {
	registry     *cap.Registry
	options      Options
	router       router
	capabilities []*cap.Capability // those that are served, in the order of the registry
	byName       map[string]*cap.Capability
	aliases      map[string]*alias // by the capability's name
	failures     map[failureKey]int
}

// New returns a handler that serves the capabilities of registry, and seals it. It holds the options and every http tag
// against what can be served, and reports all problems at once in a *[cap.RegistrationError].
func New(registry *cap.Registry, options Options) (*Handler, error) {
	b := &builder{Handler: &Handler{
		registry: registry, options: options.withDefaults(),
		byName: make(map[string]*cap.Capability), aliases: make(map[string]*alias), failures: make(map[failureKey]int),
	}}
	if registry == nil {
		b.problem("caphttp.New", "the registry is nil", "pass cap.Default() or what cap.New returned")
		return nil, b.err()
	}
	b.options.check(func(what, do string) { b.problem("caphttp.Options", what, do) })
	for c := range registry.All() {
		if options.Filter == nil || options.Filter(c) {
			b.capabilities = append(b.capabilities, c)
			b.byName[c.Name()] = c
			b.readCapability(c)
		}
	}
	b.addRoutes()
	b.addAliases()
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.Handler, nil
}

// addRoutes adds the routes that every handler has.
func (b *builder) addRoutes() {
	for _, r := range []*route{
		{method: "GET", pattern: "/capabilities", serve: b.serveList},
		{method: "GET", pattern: "/capabilities/{name}", serve: b.serveCapability},
		{method: "POST", pattern: "/capabilities/{name}", serve: b.serveCall},
	} {
		b.router.add(r)
	}
}

// ServeHTTP serves one request. Nothing that a caller sends makes it panic; what a hook panics with answers 500.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, r: r, id: requestID(r)}
	defer func() {
		if value := recover(); value != nil {
			h.report(r, fmt.Errorf("caphttp: panic: %v", value))
			h.fail(x, errPanic)
		}
	}()
	if err := h.serve(x); err != nil {
		h.fail(x, err)
	}
}

// errPanic is answered after a panic. Its text is not sent.
var errPanic = &cap.Error{Code: cap.CodeExecutionFailed, Message: "Capability execution failed."}

// serve finds the route and who calls, then lets the route answer.
func (h *Handler) serve(x *exchange) error {
	path, ok := strings.CutPrefix(x.r.URL.EscapedPath(), h.options.Prefix)
	if !ok {
		return notFound()
	}
	m := h.router.find(x.r.Method, path)
	if m.route == nil {
		return noRoute(m.allow)
	}
	x.route, x.values = m.route, m.values
	if err := h.authenticate(x); err != nil {
		return err
	}
	return m.route.serve(x)
}

func noRoute(allow []string) error {
	if len(allow) == 0 {
		return notFound()
	}
	methods := strings.Join(allow, ", ")
	f := &fault{status: http.StatusMethodNotAllowed, code: CodeMethodNotAllowed, message: "This path takes " + methods + " only."}
	return f.with("Allow", methods)
}

// fail answers with a problem. A caller that went away is told nothing.
func (h *Handler) fail(x *exchange, err error) {
	problem, header := h.problemOf(x, err)
	if problem.Status == statusClientGone {
		x.reply(statusClientGone, "", nil)
		return
	}
	for name, values := range header {
		x.w.Header()[name] = values
	}
	body, err := encode(problem)
	if err != nil {
		h.report(x.r, err)
		body = []byte(`{"code":"EXECUTION_FAILED","status":500,"title":"Capability execution failed."}`)
		problem.Status = http.StatusInternalServerError
	}
	x.reply(problem.Status, typeProblem, body)
}

// report tells the operator what no caller sees.
func (h *Handler) report(r *http.Request, err error) {
	if h.options.Report == nil {
		return
	}
	defer func() { _ = recover() }() // a report that panics must not cost the caller the answer
	h.options.Report(r, err)
}

// served returns the capability of that name if it is served here.
func (h *Handler) served(name string) (*cap.Capability, bool) {
	c, ok := h.byName[name]
	return c, ok
}
