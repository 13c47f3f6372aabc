package cap

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"
)

// SourceDirect is the source of a call that names none: plain Go code.
const SourceDirect = "direct"

// CallOptions says who calls and how. The zero value is an anonymous call in process.
type CallOptions struct {
	// RequestID follows the call through events, logs and errors; empty means a new UUID.
	RequestID string
	// Source names the front, such as "http", "mcp-stdio", "mcp-http" or "cli"; empty means "direct".
	Source string
	// Principal is the caller as an authenticator found it; nil means anonymous. It is copied.
	Principal *Principal
	// Confirmation is what the caller holds for a Write or Host call.
	Confirmation Confirmation
	// Reason is why the caller wants this, in its own words. An approver sees it as unchecked.
	Reason string
	// Progress, if set, is told what the handler reports with [Progress]. It is called on the handler's goroutine and
	// must not block. A handler that outlives its timeout may still report when the call has ended.
	Progress func(done, total float64, message string)
}

// Call is what handlers and companions may know of the call they serve.
type Call struct {
	Capability string
	RequestID  string
	Source     string
	Principal  *Principal // the caller's own copy for this reader; nil for an anonymous call
	Approval   string     // the id of the approval that a gated call runs under
}

// CallFrom returns the call that ctx belongs to. Outside one it returns the zero Call. The principal is a copy.
func CallFrom(ctx context.Context) Call {
	c := callOf(ctx)
	if c == nil {
		return Call{}
	}
	return Call{
		Capability: c.name,
		RequestID:  c.requestID(),
		Source:     c.source,
		Principal:  c.principal.clone(),
		Approval:   c.approval,
	}
}

// Progress reports how far a handler has come: done of total units (total 0: unknown), with a message for people. It does
// nothing where nobody listens. A listener that panics is contained.
func Progress(ctx context.Context, done, total float64, message string) {
	c := callOf(ctx)
	if c == nil || c.options.Progress == nil {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			c.logContained("a progress listener panicked", &panicError{value})
		}
	}()
	c.options.Progress(done, total, message)
}

// callOf returns the call that ctx belongs to, or nil.
func callOf(ctx context.Context) *call {
	if ctx == nil {
		return nil
	}
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

type callKey struct{}

// call is one call on its way through the pipeline, and the context that its handler and companions get.
type call struct {
	context.Context // the caller's

	self       context.Context // the call itself, as reflect wants it
	registry   *Registry
	capability *Capability // nil until it is looked up
	name       string
	args       json.RawMessage
	options    CallOptions
	source     string
	principal  *Principal
	approval   string
	encoding   *Error // what was wrong with a typed input before it became JSON
	started    time.Time

	// The request id and the logger are made when first asked for: most calls need neither.
	idOnce     sync.Once
	id         string
	loggerOnce sync.Once
	logger     *zerolog.Logger

	handlerStarted bool
}

// Value gives the call itself and its logger; everything else is the caller's.
func (c *call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	if key == loggerKey() {
		return c.log()
	}
	return c.Context.Value(key)
}

func (c *call) requestID() string {
	c.idOnce.Do(func() {
		c.id = c.options.RequestID
		if c.id == "" {
			c.id = uuid.NewString()
		}
	})
	return c.id
}

func (c *call) log() *zerolog.Logger {
	c.loggerOnce.Do(func() {
		logger := c.registry.logger(c.Context).With().Str("requestId", c.requestID()).Str("capability", c.name).Logger()
		c.logger = &logger
	})
	return c.logger
}

// loggerKey is the key under which zerolog.Ctx looks a logger up. The type of the key is zerolog's own, so it is learnt by
// asking; knowing it lets a call make its logger only when a handler wants one.
var loggerKey = sync.OnceValue(func() any {
	probe := &keyProbe{Context: context.Background()}
	zerolog.Ctx(probe)
	return probe.key
})

type keyProbe struct {
	context.Context
	key any
}

func (p *keyProbe) Value(key any) any {
	p.key = key
	return nil
}

// logger is the registry's, or where it has none the one in the caller's context.
func (r *Registry) logger(ctx context.Context) *zerolog.Logger {
	if r.hasLogger {
		return &r.options.Logger
	}
	return zerolog.Ctx(ctx)
}

func isZeroLogger(l zerolog.Logger) bool { return reflect.ValueOf(l).IsZero() }
