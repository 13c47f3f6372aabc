package caphttp

import (
	"encoding/json"

	"github.com/seed-369ec62e/cap"
)

// summary is one capability in a list.
type summary struct {
	Name        string     `json:"name"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description"`
	Effect      cap.Effect `json:"effect"`
	Access      cap.Access `json:"access"`
	Scopes      []string   `json:"scopes,omitempty"`
	Reversible  *bool      `json:"reversible,omitempty"` // Write and Host
	Idempotent  bool       `json:"idempotent,omitempty"`
	Destructive bool       `json:"destructive,omitempty"`
	OpenWorld   bool       `json:"openWorld,omitempty"`
	Deprecated  string     `json:"deprecated,omitempty"`
	Links       links      `json:"links"`
}

// links lead on from a capability. They are relative to the document that holds them.
type links struct {
	Self string `json:"self"`
	Call link   `json:"call"`
	REST *link  `json:"rest,omitempty"` // a URI template (RFC 6570)

	// Preview answers with what a person would be asked to agree to.
	Preview *link `json:"preview,omitempty"`
}

type link struct {
	Method string `json:"method"`
	Href   string `json:"href"`
}

// detail is all that a contract says.
type detail struct {
	summary
	Doc      string          `json:"doc,omitempty"`
	Timeout  string          `json:"timeout,omitempty"` // a Go duration
	Input    json.RawMessage `json:"input"`
	Output   json.RawMessage `json:"output"`
	Failures []failureDetail `json:"failures"`
}

type failureDetail struct {
	Tag         string          `json:"tag"`
	Description string          `json:"description"`
	Doc         string          `json:"doc,omitempty"`
	Fix         string          `json:"fix,omitempty"`
	RetryAfter  string          `json:"retryAfter,omitempty"`
	Status      int             `json:"status"`
	Schema      json.RawMessage `json:"schema"`
}

// serveList answers with what the caller may call.
func (h *Handler) serveList(x *exchange) error {
	if err := checkAccept(x.r.Header, typeJSON); err != nil {
		return err
	}
	list := struct {
		Name         string    `json:"name,omitempty"`
		Version      string    `json:"version,omitempty"`
		Capabilities []summary `json:"capabilities"`
	}{h.registry.Name(), h.registry.Version(), []summary{}}
	for _, c := range h.capabilities {
		if mayCall(x.principal, c) {
			list.Capabilities = append(list.Capabilities, h.summaryOf(c, ""))
		}
	}
	return x.replyTaggedJSON(list)
}

// serveCapability answers with one capability. One that the caller may not call answers as if it did not exist.
func (h *Handler) serveCapability(x *exchange) error {
	if err := checkAccept(x.r.Header, typeJSON); err != nil {
		return err
	}
	c, ok := h.served(x.values[0])
	if !ok || !mayCall(x.principal, c) {
		return capabilityNotFound()
	}
	return x.replyTaggedJSON(h.detailOf(c))
}

func capabilityNotFound() *cap.Error {
	return &cap.Error{Code: cap.CodeCapabilityNotFound, Message: "Capability was not found."}
}

// summaryOf describes c; up is what leads from the document to where the handler is mounted.
func (h *Handler) summaryOf(c *cap.Capability, up string) summary {
	path := up + "capabilities/" + c.Name()
	s := summary{
		Name: c.Name(), Title: c.Title(), Description: c.Description(),
		Effect: c.Effect(), Access: c.Access(), Scopes: c.Scopes(),
		Idempotent: c.Idempotent(), Destructive: c.Destructive(), OpenWorld: c.OpenWorld(), Deprecated: c.Deprecated(),
		Links: links{Self: path, Call: link{Method: "POST", Href: path}},
	}
	if a, ok := h.aliases[c.Name()]; ok {
		s.Links.REST = &link{Method: a.method, Href: up + a.template()}
	}
	if c.Effect() != cap.EffectRead {
		reversible := c.Reversible()
		s.Reversible = &reversible
		s.Links.Preview = &link{Method: "POST", Href: path + "/preview"}
	}
	return s
}

func (h *Handler) detailOf(c *cap.Capability) detail {
	d := detail{
		summary: h.summaryOf(c, "../"), Doc: c.Doc(),
		Input: c.InputSchema(), Output: c.OutputSchema(), Failures: []failureDetail{},
	}
	if c.Timeout() > 0 {
		d.Timeout = c.Timeout().String()
	}
	for _, f := range c.Failures() {
		d.Failures = append(d.Failures, failureDetail{
			Tag: f.Tag, Description: f.Description, Doc: f.Doc, Fix: f.Fix, RetryAfter: f.Retry,
			Status: h.failureStatus(c.Name(), f.Tag), Schema: f.Schema,
		})
	}
	return d
}
