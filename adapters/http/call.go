package caphttp

import (
	"context"
	"errors"

	"github.com/seed-369ec62e/cap"
)

// source is what calls that come in here name as their front.
const source = "http"

// serveCall calls the capability that the path names.
func (h *Handler) serveCall(x *exchange) error {
	name := x.values[0]
	c, ok := h.served(name)
	if !ok {
		return h.refuseUnknown(x, name)
	}
	result, err := h.call(x, c, func() ([]byte, error) { return h.readJSON(x) })
	if err != nil {
		return err
	}
	body, err := envelope(result)
	if err != nil {
		return err
	}
	x.reply(200, typeJSON, body)
	return nil
}

// call runs a capability on what read gives as its input. It is the one way from a route to the core.
func (h *Handler) call(x *exchange, c *cap.Capability, read func() ([]byte, error)) (*cap.Result, error) {
	x.called = c
	options, err := h.callOptions(x)
	if err != nil {
		return nil, err
	}
	ctx, cancel, err := callContext(x.r)
	if err != nil {
		return nil, err
	}
	defer cancel()
	// What the core refuses before it looks at an input, it is asked at once, so that its observers are told. The body of a
	// stranger is not read.
	var args []byte
	if mayCall(x.principal, c) {
		if args, err = read(); err != nil {
			return nil, err
		}
		if err := h.claimKey(x, c, args); err != nil {
			return nil, err
		}
	}
	result, err := h.registry.Invoke(ctx, c.Name(), args, options)
	if err != nil {
		return nil, cancelledBy(ctx, err)
	}
	if x.claim != nil {
		x.claim.keep = true
	}
	if result.Approval != "" {
		x.w.Header().Set(headerApproval, result.Approval)
	}
	if result.Replayed {
		x.w.Header().Set(headerReplayed, "true")
	}
	return result, nil
}

// cancelledBy says why a call was cancelled, where the core can only tell that its context ended.
func cancelledBy(ctx context.Context, err error) error {
	failed, ok := errors.AsType[*cap.Error](err)
	if !ok || failed.Code != cap.CodeCancelled || failed.Reason != cap.ReasonCaller {
		return err
	}
	told := *failed
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errCallerTimeout):
		told.Reason = cap.ReasonTimeout
	case errors.Is(cause, errShutdown):
		told.Reason = ReasonShutdown
	}
	return &told
}

// refuseUnknown answers alike for a capability that does not exist and for one that is not served here.
func (h *Handler) refuseUnknown(x *exchange, name string) error {
	if _, exists := h.registry.Lookup(name); exists {
		return capabilityNotFound()
	}
	_, err := h.registry.Invoke(x.r.Context(), name, nil, cap.CallOptions{RequestID: x.id, Source: source, Principal: x.principal})
	return err
}

func (h *Handler) callOptions(x *exchange) (cap.CallOptions, error) {
	options := cap.CallOptions{RequestID: x.id, Source: source, Principal: x.principal}
	var err error
	if options.Confirmation, err = confirmation(x.r.Header); err != nil {
		return options, err
	}
	options.Reason, err = reason(x.r.Header)
	return options, err
}

// envelope is the body of an answer: the output as the core encoded it, and what it cites.
func envelope(result *cap.Result) ([]byte, error) {
	cites := []byte("[]\n")
	if len(result.Cites) > 0 {
		var err error
		if cites, err = encode(result.Cites); err != nil {
			return nil, err
		}
	}
	body := make([]byte, 0, len(`{"output":,"cites":}`)+len(result.Output)+len(cites))
	body = append(body, `{"output":`...)
	body = append(body, result.Output...)
	body = append(body, `,"cites":`...)
	body = append(body, cites[:len(cites)-1]...)
	return append(body, "}\n"...), nil
}
