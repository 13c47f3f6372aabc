package capmcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// tool is one capability as a tool.
type tool struct {
	capability *cap.Capability
	name       string
	index      int // in the order of registration
	structured bool
	mirrors    bool // some arguments are repeated in headers
	input      shape
	contents   []content

	turns chan struct{} // full when as many calls run as may; nil without a limit

	inputSchema  json.RawMessage
	outputSchema json.RawMessage
	listed       []byte // its entry in the list of tools
}

func newTool(c *cap.Capability, tag contractTag, problems *problems) *tool {
	t := &tool{
		capability: c, name: c.Name(), structured: tag.structured, input: shapeOf(c.Input()),
		inputSchema: c.InputSchema(), outputSchema: c.OutputSchema(),
	}
	t.mirrorHeaders(problems)
	t.contents = contentsOf(c, problems)
	t.listed = t.entry()
	return t
}

// declaration is the tool as the server knows it. The schemas go through as they are.
func (t *tool) declaration() *mcp.Tool {
	return &mcp.Tool{
		Name: t.name, Title: t.capability.Title(), Description: t.description(),
		InputSchema: t.inputSchema, OutputSchema: t.outputSchema,
		Annotations: t.annotations(),
	}
}

// annotations spells all four hints out: what is left out means the worst to a client.
func (t *tool) annotations() *mcp.ToolAnnotations {
	c := t.capability
	destructive, open := c.Destructive(), c.OpenWorld()
	return &mcp.ToolAnnotations{
		Title:           c.Title(),
		ReadOnlyHint:    c.Effect() == cap.EffectRead,
		IdempotentHint:  c.Idempotent() || c.Effect() == cap.EffectRead,
		DestructiveHint: &destructive,
		OpenWorldHint:   &open,
	}
}

// description is all that most models read of a tool beside its schema.
func (t *tool) description() string {
	parts := []string{t.capability.Description()}
	if instead := t.capability.Deprecated(); instead != "" {
		parts = append(parts, "Deprecated: "+instead)
	}
	if doc := strings.TrimSpace(t.capability.Doc()); doc != "" {
		parts = append(parts, doc)
	}
	if note := callNote(t.capability); note != "" {
		parts = append(parts, note)
	}
	return strings.Join(parts, "\n\n")
}

// callNote tells a model before the first call who has to agree, and how a call may fail: many clients show it nothing of
// the metadata.
func callNote(c *cap.Capability) string {
	var notes []string
	switch c.Effect() {
	case cap.EffectRead:
	case cap.EffectWrite:
		notes = append(notes, "A person confirms each call.")
	case cap.EffectHost:
		notes = append(notes, "Another person approves each call.")
	default: // nobody has to agree to a read
	}
	if c.Effect() != cap.EffectRead && !c.Reversible() {
		notes = append(notes, "It cannot be undone.")
	}
	var tags []string
	for _, f := range c.Failures() {
		tags = append(tags, f.Tag)
	}
	if len(tags) > 0 {
		notes = append(notes, "Fails with: "+strings.Join(tags, ", ")+".")
	}
	return strings.Join(notes, " ")
}

// entry writes the tool as it stands in the list: once, from then on it is only copied. Schemas keep every byte.
func (t *tool) entry() []byte {
	dst := appendMember([]byte("{"), "name", appendString(nil, t.name))
	if title := t.capability.Title(); title != "" {
		dst = appendMember(dst, "title", appendString(nil, title))
	}
	dst = appendMember(dst, "description", appendString(nil, t.description()))
	dst = appendMember(dst, "inputSchema", t.inputSchema)
	dst = appendMember(dst, "outputSchema", t.outputSchema)
	dst = appendMember(dst, "annotations", marshal(t.annotations()))
	dst = appendMember(dst, "_meta", t.metadata())
	return append(dst, '}')
}

// metadata tells programs, and models whose client shows it, what a call may fail with and what it does.
func (t *tool) metadata() []byte {
	dst := appendMember([]byte("{"), metaEffect, appendString(nil, string(t.capability.Effect())))
	dst = appendMember(dst, metaAccess, appendString(nil, string(t.capability.Access())))
	if scopes := t.capability.Scopes(); len(scopes) > 0 {
		dst = appendMember(dst, metaScopes, marshal(scopes))
	}
	if failures := t.capability.Failures(); len(failures) > 0 {
		dst = appendMember(dst, metaFailures, marshal(failuresOf(failures)))
	}
	return append(dst, '}')
}

type listedFailure struct {
	Tag         string `json:"tag"`
	Description string `json:"description,omitempty"`
	Fix         string `json:"fix,omitempty"`
	Retry       string `json:"retryAfter,omitempty"`
}

func failuresOf(infos []cap.FailureInfo) []listedFailure {
	list := make([]listedFailure, 0, len(infos))
	for _, f := range infos {
		list = append(list, listedFailure{Tag: f.Tag, Description: f.Description, Fix: f.Fix, Retry: f.Retry})
	}
	return list
}

// turn waits until one more call may run, or ctx ends.
func (t *tool) turn(ctx context.Context) (end func()) {
	if t.turns == nil {
		return func() {}
	}
	select {
	case t.turns <- struct{}{}:
		return func() { <-t.turns }
	case <-ctx.Done():
		return func() {}
	}
}

// visible reports whether a tool exists for a caller.
func (a *Adapter) visible(t *tool, principal *cap.Principal) bool {
	return a.options.Visible == nil || a.options.Visible(copyPrincipal(principal), t.capability)
}

// near returns the name of a visible tool that was probably meant, or "".
func (a *Adapter) near(name string, principal *cap.Principal) string {
	var names []string
	for _, t := range a.tools {
		if a.visible(t, principal) {
			names = append(names, t.name)
		}
	}
	slices.Sort(names)
	return nearest(name, names)
}
