package caphttp

import (
	"github.com/seed-369ec62e/cap"
)

// source is what calls that come in here name as their front.
const source = "http"

// Headers with which a caller says that an action was agreed to.
const (
	headerConfirm  = "Cap-Confirm"  // the challenge of the 428 before
	headerApproval = "Cap-Approval" // the id of an approval that was decided elsewhere
)

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
	if !mayCall(x.principal, c) {
		// The core refuses this before it looks at an input, and tells its observers. The body is not read for it.
		return h.registry.Invoke(x.r.Context(), c.Name(), nil, h.callOptions(x))
	}
	args, err := read()
	if err != nil {
		return nil, err
	}
	return h.registry.Invoke(x.r.Context(), c.Name(), args, h.callOptions(x))
}

// refuseUnknown answers alike for a capability that does not exist and for one that is not served here.
func (h *Handler) refuseUnknown(x *exchange, name string) error {
	if _, exists := h.registry.Lookup(name); exists {
		return capabilityNotFound()
	}
	_, err := h.registry.Invoke(x.r.Context(), name, nil, h.callOptions(x))
	return err
}

func (h *Handler) callOptions(x *exchange) cap.CallOptions {
	return cap.CallOptions{
		RequestID: x.id, Source: source, Principal: x.principal,
		Confirmation: cap.Confirmation{Approval: x.r.Header.Get(headerApproval), Challenge: x.r.Header.Get(headerConfirm)},
	}
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
