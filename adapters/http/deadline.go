package caphttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// headerTimeout is how many milliseconds the caller wants to wait. It shortens the capability's own timeout, never more.
const headerTimeout = "Cap-Timeout-Ms"

const maxTimeoutMillis = 24 * 60 * 60 * 1000

// errCallerTimeout is the cause of contexts that end because the caller waits no longer.
var errCallerTimeout = errors.New("caphttp: the time that the caller gave is up")

// callContext is the context of a call: the request's, with the caller's own deadline.
func callContext(r *http.Request) (context.Context, context.CancelFunc, error) {
	ctx := withTrace(r.Context(), r.Header)
	text := r.Header.Get(headerTimeout)
	if text == "" {
		return ctx, func() {}, nil
	}
	millis, err := strconv.Atoi(text)
	if err != nil || millis < 1 || millis > maxTimeoutMillis {
		return nil, nil, badRequest("Cap-Timeout-Ms must be a number of milliseconds, at least 1 and at most a day.")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(millis)*time.Millisecond, errCallerTimeout)
	return ctx, cancel, nil
}
