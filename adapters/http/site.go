package caphttp

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// site is what every handler of this package stands on: routes, authentication, and one way to answer with an error.
type site struct {
	options  Options
	router   router
	failures map[failureKey]int // statuses of declared failures
	maxBody  map[string]int64   // of capabilities that say so themselves

	// page writes a problem for people, if the site has pages. It returns nil for callers that are programs.
	page func(*exchange, Problem) []byte

	parameterHeaders []string // that an alias takes, in lower case
}

// serveHTTP serves one request and contains every panic.
func (s *site) serveHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, r: r, id: requestID(r), report: s.report, patience: s.options.WriteTimeout}
	defer func() {
		if value := recover(); value != nil {
			s.report(r, fmt.Errorf("caphttp: panic: %v", value))
			s.fail(x, errPanic)
		}
	}()
	if err := s.serve(x); err != nil && !errors.Is(err, errReplied) {
		s.fail(x, err)
	}
}

// errPanic is answered after a panic. Its text is not sent.
var errPanic = &cap.Error{Code: cap.CodeExecutionFailed, Message: "Capability execution failed."}

// serve finds the route and who calls, then lets the route answer.
func (s *site) serve(x *exchange) error {
	path, ok := strings.CutPrefix(x.r.URL.EscapedPath(), s.options.Prefix)
	if !ok {
		return notFound()
	}
	m := s.router.find(x.r.Method, path)
	if s.cors(x, m.allow) {
		return nil
	}
	if m.route == nil {
		return noRoute(m.allow)
	}
	x.route, x.values = m.route, m.values
	if !m.route.open {
		if err := s.authenticate(x); err != nil {
			return err
		}
	}
	return m.route.serve(x)
}

// bodyLimit is how many bytes a body may have that calls c, or none where c is nil.
func (s *site) bodyLimit(c *cap.Capability) int64 {
	if c != nil {
		if limit, ok := s.maxBody[c.Name()]; ok {
			return limit
		}
	}
	return s.options.MaxBody
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
func (s *site) fail(x *exchange, err error) {
	problem, header := s.problemOf(x, err)
	problem.Confirmation = boundConfirmation(problem.Confirmation)
	kept := x.claim != nil && (problem.Code == cap.CodeCapabilityFailed || problem.Effect == cap.EffectUnknown)
	if kept {
		x.claim.keep = true
	}
	if problem.Status == statusClientGone {
		if !kept && x.r.Context().Err() != nil {
			x.reply(statusClientGone, "", nil)
			return
		}
		// Somebody reads it: who comes back with the key, or has come back to an action that was cut off.
		problem.Status = http.StatusInternalServerError
	}
	for name, values := range header {
		x.w.Header()[name] = values
	}
	body, err := encode(problem)
	if err != nil {
		s.report(x.r, err)
		body = []byte(`{"code":"EXECUTION_FAILED","status":500,"title":"Capability execution failed."}`)
		problem.Status = http.StatusInternalServerError
	}
	contentType := typeProblem
	if s.page != nil {
		if page := s.page(x, problem); page != nil {
			body, contentType = page, typeHTML
		}
	}
	if problem.Status < http.StatusBadRequest {
		contentType = typeJSON // somebody else is being asked: that is no problem yet
	}
	x.reply(problem.Status, contentType, body)
}

// report tells the operator what no caller sees.
func (s *site) report(r *http.Request, err error) {
	if s.options.Report == nil {
		return
	}
	defer func() { _ = recover() }() // a report that panics must not cost the caller the answer
	s.options.Report(r, err)
}
