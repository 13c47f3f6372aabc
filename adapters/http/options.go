package caphttp

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

const (
	defaultMaxBody      = 1 << 20
	defaultReadTimeout  = 10 * time.Second
	defaultWriteTimeout = time.Minute
	defaultProblemBase  = "urn:cap:problem:"
	defaultChallenge    = "Bearer"
)

// Options sets up a [Handler]. The zero value serves every capability to anonymous callers: those that need a principal
// answer 401.
type Options struct {
	// Prefix is the path that the handler is mounted under, such as "/api", if the mux leaves it in the request's path.
	// http.StripPrefix works as well. Answers hold relative URLs only.
	Prefix string

	// Filter chooses the capabilities that are served; nil serves all. One that is not served answers as if it did not exist.
	Filter func(*cap.Capability) bool

	// Authenticate finds out who calls. It returns nil, nil for a request without credentials, an error that wraps
	// [ErrUnauthenticated] for credentials that are not good, and any other error where it cannot tell: that answers 500.
	// It is called once for each request that has a route, before the body is read, and must not read it. The request's context
	// ends after ReadTimeout. The principal that it returns is copied.
	Authenticate func(*http.Request) (*cap.Principal, error)

	// Challenge is the scheme of the WWW-Authenticate header, with its parameters if it has any. Empty means Bearer.
	Challenge string

	// OAuth leads callers without a token to one. Nil leaves that to them. See [Handler.Metadata].
	OAuth *OAuth

	// Approvals tells those who asked where their requests stand, under /approvals/{id}. It knows them by their principal, so
	// anonymous callers are told nothing. Nil means the registry's gate, if it
	// is one. Deciding is the business of [NewApprovals].
	Approvals cap.Approvals

	// ApprovalURL gives the page where an approver decides, by the approval's id. Answers to calls that wait for one hold it; a
	// relative one is relative to the request. Nil means that there is none.
	ApprovalURL func(approval string) string

	// Idempotency keeps the answers of Write and Host calls that come with an Idempotency-Key, so that they can be sent again.
	// Nil keeps them in memory.
	Idempotency IdempotencyStore

	// CORS lets pages of other sites call. Nil lets none.
	CORS *CORS

	// Docs shows the documentation to people, under /docs/. It sees paths without that prefix; the OpenAPI document is at
	// ../openapi.json from there. Nil shows none. Package swaggerui, a module of its own, makes one.
	Docs http.Handler

	// MaxBody is how many bytes a request's body may have. 0 means 1 MiB.
	MaxBody int64

	// ReadTimeout is how long a caller may take to send the body, and Authenticate to answer. 0 means 10 seconds.
	ReadTimeout time.Duration

	// WriteTimeout is how long a caller may take to read an answer. 0 means a minute.
	WriteTimeout time.Duration

	// ProblemBase is what the type of a problem begins with; the code follows. Empty means "urn:cap:problem:".
	ProblemBase string

	// Ready says, if set, whether the service can do its work: /readyz answers 503 while it returns an error. The error is not
	// sent.
	Ready func(context.Context) error

	// Report is told, if set, of errors that no caller sees: a panic in this package or in a hook, an authenticator that
	// cannot tell. It must be safe for concurrent use.
	Report func(*http.Request, error)
}

// withDefaults fills in what is left out.
func (o Options) withDefaults() Options {
	o.Prefix = strings.TrimSuffix(o.Prefix, "/")
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = defaultReadTimeout
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = defaultWriteTimeout
	}
	if o.ProblemBase == "" {
		o.ProblemBase = defaultProblemBase
	}
	if o.Idempotency == nil {
		o.Idempotency = MemoryIdempotency(0)
	}
	if o.OAuth != nil {
		copied := *o.OAuth
		copied.Servers, copied.Scopes = slices.Clone(copied.Servers), slices.Clone(copied.Scopes)
		o.OAuth = &copied
	}
	if o.CORS != nil {
		copied := *o.CORS
		copied.Origins = slices.Clone(copied.Origins)
		o.CORS = &copied
	}
	if o.Challenge == "" {
		o.Challenge = defaultChallenge
	}
	return o
}

// check reports what cannot be served.
func (o Options) check(report func(what, do string)) {
	if o.Prefix != "" && (!strings.HasPrefix(o.Prefix, "/") || !isPlainPath(o.Prefix)) {
		report("Prefix "+quote(o.Prefix)+" is no plain path", "write it like /api or /v1/orders")
	}
	if o.MaxBody < 0 {
		report("MaxBody is negative", "leave it out for 1 MiB")
	}
	if o.WriteTimeout < 0 {
		report("WriteTimeout is negative", "leave it out for a minute")
	}
	if o.ReadTimeout < 0 {
		report("ReadTimeout is negative", "leave it out for 10 seconds")
	}
	if !isHeaderText(o.Challenge) {
		report("Challenge "+quote(o.Challenge)+" does not fit into a header", "write a scheme such as Bearer, and parameters if it has any")
	}
	if o.CORS != nil {
		o.CORS.check(report)
	}
	if o.OAuth != nil {
		if o.Authenticate == nil {
			report("OAuth is set and Authenticate is not", "set both: nobody would look at the tokens")
		}
		o.OAuth.check(report)
	}
	if !isHeaderText(o.ProblemBase) || strings.ContainsAny(o.ProblemBase, " \"<>\\^`{|}") {
		report("ProblemBase "+quote(o.ProblemBase)+" does not begin a URI", `write it like "https://example.com/problems/"`)
	}
}
