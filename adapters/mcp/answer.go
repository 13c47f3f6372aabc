package capmcp

import (
	"encoding/json"

	"github.com/seed-369ec62e/cap"
)

// answer is what a tool says: an output, or an error that a model can act on.
type answer struct {
	text       string // for models and clients that read no structured content; may be empty
	structured json.RawMessage
	failed     bool
	meta       map[string]any

	questions json.RawMessage // by name, instead of all that: the client answers them and calls again
	state     string
}

// succeed makes an answer of what a capability returned.
func (t *tool) succeed(result *cap.Result) *answer {
	a := &answer{structured: result.Output}
	if !t.structured {
		a.text = string(result.Output)
	}
	if len(result.Cites) > 0 {
		a.note(metaCites, result.Cites)
	}
	if result.Approval != "" {
		a.note(metaApproval, result.Approval)
	}
	if result.Replayed {
		a.note(metaReplayed, true)
	}
	return a
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

// result writes the answer for the wire.
func (a *answer) result(modern bool) *rawResult {
	if a.questions != nil {
		body := appendMember([]byte("{"), "inputRequests", a.questions)
		body = appendMember(body, "requestState", appendString(nil, a.state))
		return &rawResult{body: appendMember(body, "resultType", []byte(`"input_required"`))}
	}
	body := make([]byte, 0, 2*len(a.structured)+len(a.text)+128)
	body = append(body, `{"content":[`...)
	if a.text != "" {
		body = appendString(append(body, `{"type":"text","text":`...), a.text)
		body = append(body, '}')
	}
	body = append(body, ']')
	if a.structured != nil {
		body = appendMember(body, "structuredContent", a.structured)
	}
	if a.failed {
		body = appendMember(body, "isError", []byte("true"))
	}
	result := newRawResult(body, modern)
	if a.meta != nil {
		result.SetMeta(a.meta)
	}
	return result
}
