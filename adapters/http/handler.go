package caphttp

import (
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/seed-369ec62e/cap"
)

// Handler serves a registry. Make one with [New]. It is safe for concurrent use.
type Handler struct {
	site
	registry     *cap.Registry
	capabilities []*cap.Capability // those that are served, in the order of the registry
	byName       map[string]*cap.Capability
	aliases      map[string]*alias // by the capability's name
	keyed        map[string]bool   // capabilities that need an Idempotency-Key
	documents    documents
	draining     atomic.Bool
}

// New returns a handler that serves the capabilities of registry, and seals it. It holds the options and every http tag
// against what can be served, and reports all problems at once in a *[cap.RegistrationError].
func New(registry *cap.Registry, options Options) (*Handler, error) {
	b := &builder{Handler: &Handler{
		site:     site{options: options.withDefaults(), failures: make(map[failureKey]int), maxBody: make(map[string]int64)},
		registry: registry,
		byName:   make(map[string]*cap.Capability), aliases: make(map[string]*alias), keyed: make(map[string]bool),
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
	b.checkOperations()
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
		{method: "POST", pattern: "/capabilities/{name}/preview", serve: b.servePreview},
		{method: "GET", pattern: "/openapi", serve: b.serveWantedOpenAPI},
		{method: "GET", pattern: "/openapi.json", serve: b.serveOpenAPI(openAPI31)},
		{method: "GET", pattern: "/openapi-3.0.json", serve: b.serveOpenAPI(openAPI30)},
		{method: "GET", pattern: "/livez", serve: b.serveLive, open: true},
		{method: "GET", pattern: "/readyz", serve: b.serveReady, open: true},
	} {
		b.router.add(r)
	}
	if b.options.Approvals == nil {
		b.options.Approvals, _ = b.registry.Gate().(cap.Approvals)
	}
	if b.options.Approvals != nil {
		b.router.add(&route{method: "GET", pattern: "/approvals/{id}", serve: b.serveStatus})
	}
}

// ServeHTTP serves one request. Nothing that a caller sends makes it panic; what a hook panics with answers 500.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.options.Docs != nil && h.serveDocs(w, r) {
		return
	}
	h.serveHTTP(w, r)
}

// serveDocs reports whether the request was for the documentation.
func (h *Handler) serveDocs(w http.ResponseWriter, r *http.Request) bool {
	prefix := h.options.Prefix + "/docs"
	switch path := r.URL.EscapedPath(); {
	case path == prefix:
		w.Header().Set("Location", "docs/")
		w.WriteHeader(http.StatusPermanentRedirect)
		return true
	case strings.HasPrefix(path, prefix+"/"):
		http.StripPrefix(prefix, h.options.Docs).ServeHTTP(w, r)
		return true
	default:
		return false
	}
}

// served returns the capability of that name if it is served here.
func (h *Handler) served(name string) (*cap.Capability, bool) {
	c, ok := h.byName[name]
	return c, ok
}
