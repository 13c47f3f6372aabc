package capmcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// ErrUnauthenticated says, from [Options.Authenticate], that a request holds credentials that are not good: unknown,
// expired, meant for somebody else. Wrap it to keep the reason for the log; the caller does not see it.
var ErrUnauthenticated = errors.New("capmcp: the credentials are not valid")

// The sources of calls, as events and handlers see them.
const (
	sourceHTTP  = "mcp-http"
	sourceStdio = "mcp-stdio"
	sourceOther = "mcp"
)

// caller is who sends a request, and how.
type caller struct {
	source    string
	principal *cap.Principal  // nil for an anonymous caller
	gone      context.Context // ends when nobody waits for the answer any more, or nil
	arguments json.RawMessage // of the one call that this request is, if they were taken out of it
}

// patience ends when it makes no sense to go on with a call of a tool: nobody waits for the answer, and nothing but the
// answer would come of it. The older era says that a client which goes away has not cancelled; a read is worth nothing to it
// all the same, because streams are not resumed here.
func (c *caller) patience(t *tool) context.Context {
	if t.capability.Effect() != cap.EffectRead {
		return nil
	}
	return c.gone
}

type callerKey struct{}

// withCaller says who is at the other end of a connection that serves one caller.
func withCaller(ctx context.Context, c *caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerExtra is where an HTTP request carries its caller: sessions outlive requests, so the context of a session's handlers
// is not that of the request.
const callerExtra = "cap/caller"

// callerOf finds out who sent a request: each by itself over HTTP, by connection otherwise.
func callerOf(ctx context.Context, req mcp.Request) *caller {
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if c, ok := extra.TokenInfo.Extra[callerExtra].(*caller); ok {
			return c
		}
	}
	if c, ok := ctx.Value(callerKey{}).(*caller); ok {
		return c
	}
	return &caller{source: sourceOther}
}

// copyPrincipal copies a principal that an authenticator may use again. The registry copies what is left at each call.
func copyPrincipal(p *cap.Principal) *cap.Principal {
	if p == nil {
		return nil
	}
	c := *p
	c.Scopes = slices.Clone(p.Scopes)
	if p.Attributes != nil {
		c.Attributes, _ = copyValue(p.Attributes, maxAttributeDepth).(map[string]any)
	}
	return &c
}

// maxAttributeDepth is beyond what the registry accepts, so that what is too deep is refused there.
const maxAttributeDepth = 20

func copyValue(v any, depth int) any {
	if depth == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for name, value := range v {
			c[name] = copyValue(value, depth-1)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, value := range v {
			c[i] = copyValue(value, depth-1)
		}
		return c
	case []string:
		return slices.Clone(v)
	default:
		return v
	}
}
