package caphttp

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

const headerRequestID = "X-Request-Id"

// exchange is one request on its way to its answer. Everything is answered through [exchange.reply], so that headers and
// the connection are treated alike everywhere.
type exchange struct {
	w http.ResponseWriter
	r *http.Request

	id        string
	route     *route
	values    []string // of the route's wildcards
	principal *cap.Principal
	badLogin  bool            // there were credentials, and they were not good
	called    *cap.Capability // nil until it is known
	alias     *alias          // nil for a call by name
	consumed  bool            // the body was read to its end
	replied   bool
	claim     *claim // nil without an Idempotency-Key
	report    func(*http.Request, error)
	patience  time.Duration // for a caller that reads slowly
}

// requestID takes over the caller's id where it is harmless in logs, or makes one.
func requestID(r *http.Request) string {
	if given := r.Header.Values(headerRequestID); len(given) == 1 && isRequestID(given[0]) {
		return given[0]
	}
	return rand.Text()
}

const maxRequestID = 128

func isRequestID(s string) bool {
	if s == "" || len(s) > maxRequestID {
		return false
	}
	for i := range len(s) {
		if !isUnreserved(s[i]) || s[i] == '~' {
			return false
		}
	}
	return true
}

// reply writes the answer, once.
func (x *exchange) reply(status int, contentType string, body []byte) {
	if x.replied {
		return
	}
	x.replied = true
	header := x.w.Header()
	values := make(valueRoom, 0, usualHeaders)
	values.set(header, headerRequestID, x.id)
	values.set(header, "X-Content-Type-Options", "nosniff")
	if header.Get("Cache-Control") == "" {
		values.set(header, "Cache-Control", "no-store")
	}
	if contentType != "" {
		values.set(header, "Content-Type", contentType)
	}
	if body != nil {
		values.set(header, "Content-Length", strconv.Itoa(len(body)))
	}
	if x.claim != nil {
		if err := x.claim.settle(x.r.Context(), status, header, body); err != nil {
			x.report(x.r, fmt.Errorf("caphttp: the answer to an Idempotency-Key was not kept: %w", err))
		}
	}
	leaveBody := !x.consumed && x.r.Body != nil && x.r.Body != http.NoBody
	if leaveBody {
		header.Set("Connection", "close")
	}
	x.write(status, body)
	if leaveBody {
		x.abandonBody()
	}
}

// write sends the answer. A caller that does not read it must not hold a goroutine and a connection for good.
func (x *exchange) write(status int, body []byte) {
	control := http.NewResponseController(x.w)
	_ = control.SetWriteDeadline(time.Now().Add(x.patience)) // a writer that cannot is a test's
	x.w.WriteHeader(status)
	if body == nil {
		return
	}
	_, _ = x.w.Write(body) // a caller that went away needs no answer
	_ = control.Flush()
	// The deadline must not end what comes next on this connection, which another handler may serve.
	_ = control.SetWriteDeadline(time.Time{})
}

// valueRoom is room for the values of headers: one allocation for all of them, where each would take its own.
type valueRoom []string

const usualHeaders = 5

// set sets a header, whose name must be in its canonical form.
func (v *valueRoom) set(header http.Header, name, value string) {
	*v = append(*v, value)
	n := len(*v)
	header[name] = (*v)[n-1 : n : n]
}

// abandonBody keeps net/http from waiting for a body that nobody will read, while the caller waits for the answer.
func (x *exchange) abandonBody() {
	control := http.NewResponseController(x.w)
	_ = control.Flush()                     // a writer that cannot is a test's
	_ = control.SetReadDeadline(time.Now()) // likewise
}

// replyJSON writes v, which is ours and always can be.
func (x *exchange) replyJSON(v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	x.reply(http.StatusOK, typeJSON, body)
	return nil
}

// locate says where in the request each issue is.
func (x *exchange) locate(issues []cap.Issue) []ProblemIssue {
	located := make([]ProblemIssue, len(issues))
	for i, issue := range issues {
		located[i] = ProblemIssue{In: inBody, Issue: issue}
		if x.alias != nil {
			first, _, _ := strings.Cut(strings.TrimPrefix(issue.Pointer, "/"), "/")
			located[i].In = x.alias.place(unescapePointer(first))
		}
	}
	return located
}

// unescapePointer reads one token of a JSON Pointer (RFC 6901 section 4).
func unescapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
