package caphttp

import (
	"context"
	"net/http"
	"strings"
)

// Headers of the W3C Trace Context.
const (
	headerTraceparent = "Traceparent"
	headerTracestate  = "Tracestate"
)

const maxTracestate = 512

// Trace is the W3C trace context of a request, as it came in.
type Trace struct{ Parent, State string }

type traceKey struct{}

// TraceFrom returns the trace context of the request that ctx belongs to, so that handlers can pass it on. It is zero where
// there is none. [Call] passes it on by itself.
func TraceFrom(ctx context.Context) Trace {
	trace, _ := ctx.Value(traceKey{}).(Trace)
	return trace
}

// withTrace keeps the trace context of a request, if it has one that is well formed.
func withTrace(ctx context.Context, header http.Header) context.Context {
	values := header[headerTraceparent]
	if len(values) != 1 || !isTraceparent(values[0]) {
		return ctx
	}
	trace := Trace{Parent: values[0], State: strings.Join(header[headerTracestate], ",")}
	if len(trace.State) > maxTracestate || !isHeaderText(trace.State) {
		trace.State = ""
	}
	return context.WithValue(ctx, traceKey{}, trace)
}

// isTraceparent reports whether s has the form version-trace-parent-flags; later versions may have more after that.
func isTraceparent(s string) bool {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(s) < length || len(s) > length && (s[:2] == "00" || s[length] != '-') || !isHeaderText(s) {
		return false
	}
	parts := strings.Split(s[:length], "-")
	if len(parts) != 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 {
		return false
	}
	for _, part := range parts {
		if strings.Trim(part, "0123456789abcdef") != "" {
			return false
		}
	}
	return parts[0] != "ff" && strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != ""
}

// setHeaders passes the trace context on.
func (t Trace) setHeaders(header http.Header) {
	if t.Parent != "" {
		header.Set(headerTraceparent, t.Parent)
	}
	if t.State != "" {
		header.Set(headerTracestate, t.State)
	}
}
