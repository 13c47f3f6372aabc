package capmcp

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// Options sets up an [Adapter]. The zero value serves every capability of the registry, to anonymous callers.
type Options struct {
	// Name and Version are what clients are told of the server; empty means the registry's. Title is a name for people,
	// Instructions is what a model is told of the whole.
	Name, Version, Title, Instructions string

	// Filter says which capabilities are tools. It is asked once for each, when the adapter is built. Nil means all.
	Filter func(*cap.Capability) bool
	// Visible says which tools a caller sees in the list, and may call; to all others a hidden tool does not exist. The
	// principal is nil for an anonymous caller. Nil means all. It must be safe for concurrent use.
	Visible func(*cap.Principal, *cap.Capability) bool

	// Strict turns the repair of arguments that were written as text off.
	Strict bool

	// Principal is who calls over stdio, and over what [Adapter.Connect] is given: the person or the service that the
	// process runs for. Nil means anonymous.
	Principal *cap.Principal
	// Authenticate finds out who sends an HTTP request, from its headers: the body is not read yet. (nil, nil) means that
	// it holds no credentials and the caller is anonymous. An error that wraps [ErrUnauthenticated], or a *[cap.Error] that
	// says so, means that the credentials are bad; any other error is a defect that no caller sees. Nil means that every
	// caller is anonymous. It must be safe for concurrent use.
	Authenticate func(*http.Request) (*cap.Principal, error)

	// OAuth tells clients where to get a token. It needs Authenticate.
	OAuth *OAuth

	// ApprovalURL gives the page where a person decides on an approval, by its id. It never decides by itself: the page asks
	// who is there. Nil means that there is none.
	ApprovalURL func(approval string) string
	// TrustClientForms lets a client show a form to a person and report what they chose, for writes that can be undone. The
	// client's word is all there is to it, so the gate must accept it too, by giving a challenge. Never for Host.
	TrustClientForms bool
	// StateKey, at least 32 bytes, seals what a client brings back with the answer to a question. Give all processes behind
	// one address the same; nil means a random one.
	StateKey []byte

	// Link gives the address of an object that an output cites, as a link for the reader; "" means that it has none. Whether
	// or not it has, citations are in the metadata.
	Link func(cap.ObjectRef) string

	// AllowedHosts are the host names, without ports, that requests may be sent to. Nil means that a request over the
	// loopback interface must name it, and that any other may name what it wants.
	AllowedHosts []string
	// AllowedOrigins are the origins of web pages, such as https://app.example.com, that may send requests. A page from the
	// request's own scheme, host and port may always, once that host is known to be allowed.
	AllowedOrigins []string

	// MaxCalls is how many calls of one tool run at the same time; others wait for their turn. 0 means no limit.
	MaxCalls int
	// MaxBytes bounds one message; 0 means 4 MiB over HTTP and 10 MiB over stdio.
	MaxBytes int
	// MaxSessions is how many sessions of the older era there may be over HTTP; 0 means 10,000.
	MaxSessions int
	// SessionTimeout ends sessions of the older era that were idle so long; 0 means ten minutes.
	SessionTimeout time.Duration
	// ReadTimeout is how long a client may take to send a message over HTTP; 0 means ten seconds.
	ReadTimeout time.Duration
	// DrainTimeout is how long calls in progress may take after the end of the input of [Adapter.ServeStdio]; 0 means five
	// seconds.
	DrainTimeout time.Duration

	// Logger gets what goes wrong in the protocol; nil means silence. It is never given arguments or outputs.
	Logger *slog.Logger

	// Configure changes what the server under the adapter is made with, for prompts, resources and completion; see
	// [Adapter.Server].
	Configure func(*mcp.ServerOptions)
}

const (
	defaultHTTPBytes      = 4 << 20
	defaultStdioBytes     = 10 << 20
	defaultMaxSessions    = 10_000
	defaultSessionTimeout = 10 * time.Minute
	defaultReadTimeout    = 10 * time.Second
	defaultDrainTimeout   = 5 * time.Second
)

// check reports what cannot be meant. It fills in defaults that do not depend on the front.
func (o *Options) check(problems *problems) {
	at := problems.at("Options")
	if o.MaxBytes < 0 {
		at(fmt.Sprintf("MaxBytes is %d", o.MaxBytes), "leave it out or give a number of bytes")
	}
	if o.MaxCalls < 0 {
		at(fmt.Sprintf("MaxCalls is %d", o.MaxCalls), "leave it out or give a number of calls")
	}
	if o.MaxSessions < 0 {
		at(fmt.Sprintf("MaxSessions is %d", o.MaxSessions), "leave it out or give a number of sessions")
	}
	o.MaxSessions = cmp.Or(o.MaxSessions, defaultMaxSessions)
	for _, span := range []struct {
		name  string
		value *time.Duration
		usual time.Duration
	}{
		{"SessionTimeout", &o.SessionTimeout, defaultSessionTimeout},
		{"ReadTimeout", &o.ReadTimeout, defaultReadTimeout},
		{"DrainTimeout", &o.DrainTimeout, defaultDrainTimeout},
	} {
		if *span.value < 0 {
			at(fmt.Sprintf("%s is %s", span.name, *span.value), "leave it out or give a length of time")
		}
		if *span.value == 0 {
			*span.value = span.usual
		}
	}
	if o.StateKey != nil && len(o.StateKey) < minStateKey {
		at(fmt.Sprintf("StateKey has %d bytes", len(o.StateKey)), fmt.Sprintf("give at least %d, from a random source", minStateKey))
	}
	o.StateKey = slices.Clone(o.StateKey)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.AllowedHosts, o.AllowedOrigins = slices.Clone(o.AllowedHosts), slices.Clone(o.AllowedOrigins)
	o.Principal = copyPrincipal(o.Principal)
	o.checkPlaces(at)
	o.checkOAuth(at)
}

func (o *Options) maxBytes(usual int) int {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return usual
}
