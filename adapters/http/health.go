package caphttp

import (
	"fmt"
	"net/http"
)

// serveLive answers as long as the process serves at all.
func (h *Handler) serveLive(x *exchange) error {
	return x.replyJSON(map[string]string{"status": "live"})
}

// serveReady answers whether this server should be sent requests.
func (h *Handler) serveReady(x *exchange) error {
	if h.draining.Load() {
		return unavailable("The server is shutting down.")
	}
	if h.options.Ready != nil {
		if err := h.options.Ready(x.r.Context()); err != nil {
			h.report(x.r, fmt.Errorf("caphttp: not ready: %w", err))
			return unavailable("The service is not ready.")
		}
	}
	return x.replyJSON(map[string]string{"status": "ready"})
}

func unavailable(message string) *fault {
	f := &fault{status: http.StatusServiceUnavailable, code: CodeUnavailable, message: message}
	return f.with("Retry-After", pollSeconds)
}

// Drain makes /readyz answer 503, so that a load balancer sends no more requests. Calls are still served. [Serve] does it
// when it is told to stop.
func (h *Handler) Drain() { h.draining.Store(true) }

// Authenticates reports whether callers are told apart. [Serve] asks it before it listens beyond this machine.
func (s *site) Authenticates() bool { return s.options.Authenticate != nil }
