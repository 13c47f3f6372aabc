package capmcp

import (
	"bytes"
	"encoding/json"

	"github.com/seed-369ec62e/cap"
)

// answer is what a tool says: an output, or an error that a model can act on.
type answer struct {
	text       string   // for models and clients that read no structured content; may be empty
	blocks     [][]byte // further contents, written
	structured json.RawMessage
	failed     bool
	meta       map[string]any

	questions json.RawMessage // by name, instead of all that: the client answers them and calls again
	state     string
}

// succeed makes an answer of what a capability returned, for a client of that revision of the protocol.
func (a *Adapter) succeed(t *tool, result *cap.Result, version string) *answer {
	said := &answer{structured: result.Output}
	switch {
	case len(t.contents) > 0:
		said.blocks = t.blocks(result.Output)
	case !t.structured:
		said.text = string(result.Output)
	}
	if version >= versionLinks {
		said.blocks = append(said.blocks, a.links(result.Cites)...)
	}
	if len(result.Cites) > 0 {
		said.note(metaCites, result.Cites)
	}
	if result.Approval != "" {
		said.note(metaApproval, result.Approval)
	}
	if result.Replayed {
		said.note(metaReplayed, true)
	}
	return said
}

// failedWith makes an answer of an error. It has no structured content: clients would hold it against the output's schema
// and hide what is really wrong.
func failedWith(text []byte) *answer {
	a := &answer{text: string(text), failed: true}
	a.note(metaError, json.RawMessage(text))
	return a
}

func (a *answer) note(name string, value any) {
	if a.meta == nil {
		a.meta = make(map[string]any)
	}
	a.meta[name] = value
}

// result writes the answer for the wire, in the form of a revision of the protocol.
func (a *answer) result(version string) *rawResult {
	if a.questions != nil {
		body := appendMember([]byte("{"), "inputRequests", a.questions)
		body = appendMember(body, "requestState", appendString(nil, a.state))
		return &rawResult{body: appendMember(body, "resultType", []byte(`"input_required"`))}
	}
	body := make([]byte, 0, 2*len(a.structured)+len(a.text)+128)
	body = append(append(body, `{"content":`...), a.content()...)
	if a.structured != nil {
		body = appendMember(body, "structuredContent", a.structured)
	}
	if a.failed {
		body = appendMember(body, "isError", []byte("true"))
	}
	result := newRawResult(body, version)
	if a.meta != nil {
		result.SetMeta(a.meta)
	}
	return result
}

func (a *answer) content() []byte {
	blocks := a.blocks
	if a.text != "" {
		text := appendString([]byte(`{"type":"text","text":`), a.text)
		blocks = append([][]byte{append(text, '}')}, blocks...)
	}
	return append(append([]byte{'['}, bytes.Join(blocks, []byte{','})...), ']')
}
