package capmcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// codeInternal is JSON-RPC's own.
const codeInternal = jsonrpc.CodeInternalError

// maxDepth is how deep a message may be nested. The SDK stops there as well, with an answer that no client expects.
const maxDepth = 900

// read takes the body of a POST in, or answers what is wrong with it.
func (f *front) read(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if types := r.Header.Values("Content-Type"); len(types) != 1 || !isJSONType(types[0]) {
		refuse(w, http.StatusUnsupportedMediaType, codeRefused, "the content type must be application/json")
		return nil, false
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		refuse(w, http.StatusUnsupportedMediaType, codeRefused, "the body must not be encoded")
		return nil, false
	}
	if !accepts(r.Header.Values("Accept")) {
		refuse(w, http.StatusNotAcceptable, codeRefused, "the client must accept both application/json and text/event-stream")
		return nil, false
	}
	if r.ContentLength > int64(f.maxBytes) {
		f.tooLarge(w)
		return nil, false
	}
	// A client that sends slowly must not hold a goroutine and a connection for good. Not every writer has deadlines.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(f.adapter.options.ReadTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(f.maxBytes)))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		f.tooLarge(w)
		return nil, false
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		refuse(w, http.StatusRequestTimeout, codeRefused, "the body did not arrive in time")
		return nil, false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, jsonrpc.CodeParseError, "the body could not be read")
		return nil, false
	}
	// The deadline must not end the call, nor the next request on this connection.
	_ = control.SetReadDeadline(time.Time{})
	return body, true
}

func (f *front) tooLarge(w http.ResponseWriter) {
	refuse(w, http.StatusRequestEntityTooLarge, codeRefused, "the message is longer than "+strconv.Itoa(f.maxBytes)+" bytes")
}

// fault is what makes a message none.
type fault struct {
	code    int
	message string
	id      json.RawMessage // of the request, if there is no doubt about it
}

// faultOf says what makes a message none, nil if nothing does; see [readEnvelope].
func faultOf(message []byte) *fault {
	_, fault := readEnvelope(message)
	return fault
}

// readEnvelope looks at a message before the SDK does, which would close the connection or answer in words that no client
// reads.
func readEnvelope(message []byte) (envelope, *fault) {
	trimmed := bytes.TrimLeft(message, " \t\r\n")
	switch {
	case !utf8.Valid(message):
		return envelope{}, &fault{code: jsonrpc.CodeParseError, message: "Parse error: the message is not valid UTF-8"}
	case isDeep(message):
		return envelope{}, invalid("the message is nested too deeply", nil)
	case !json.Valid(message):
		return envelope{}, &fault{code: jsonrpc.CodeParseError, message: "Parse error: the message is not valid JSON"}
	case trimmed[0] == '[':
		return envelope{}, invalid("batches are not supported; send one message at a time", nil)
	case trimmed[0] != '{':
		return envelope{}, invalid("a message is a JSON object", nil)
	default:
		e := envelopeOf(trimmed)
		return e, e.fault()
	}
}

// isDeep reports whether a message is nested deeper than maxDepth.
func isDeep(message []byte) bool {
	depth := 0
	for i := 0; i < len(message); i++ {
		switch message[i] {
		case '"':
			end := stringEnd(message, i)
			if end == 0 {
				return false
			}
			i = end - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

func isJSONType(value string) bool {
	kind, _, err := mime.ParseMediaType(value)
	return err == nil && kind == "application/json"
}

// accepts reports whether a client takes both kinds of answers. Without the header it takes anything.
func accepts(values []string) bool {
	if len(values) == 0 {
		return true
	}
	var document, stream bool
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			kind, params, err := mime.ParseMediaType(strings.TrimSpace(part))
			if quality, given := params["q"]; err != nil || given && isZero(quality) {
				continue
			}
			document = document || kind == "application/json" || kind == "application/*" || kind == "*/*"
			stream = stream || kind == "text/event-stream" || kind == "text/*" || kind == "*/*"
		}
	}
	return document && stream
}

func isZero(quality string) bool {
	q, err := strconv.ParseFloat(quality, 64)
	return err == nil && q == 0
}

// peek is what the front needs to know of a message to choose who serves it. What decides anything else is read again, and
// more strictly, by those who serve it.
type peek struct {
	ID      json.RawMessage // fit to be sent back, or nil
	Method  string
	Tool    string // or whatever else is named
	Version string
	streams bool // something could come before the answer
}

// peek reads what is in the envelope of a message that has no fault. A member of another type than expected is for the SDK to
// refuse.
func (e envelope) peek() *peek {
	p := &peek{ID: e.answerID()}
	p.Method, _ = stringOf(e.method)
	p.streams = p.Method == methodListen
	eachMember(e.params, func(m member) {
		switch name, _ := stringOf(m.name); name {
		case "name":
			p.Tool, _ = stringOf(m.value)
		case "_meta":
			eachMember(m.value, p.readMeta)
		}
	})
	return p
}

func (p *peek) readMeta(m member) {
	switch name, _ := stringOf(m.name); name {
	case "io.modelcontextprotocol/protocolVersion":
		p.Version, _ = stringOf(m.value)
	case "io.modelcontextprotocol/logLevel", "progressToken":
		p.streams = p.streams || !isNull(m.value)
	}
}

// detach takes the arguments of a call out of a message. The SDK reads a message half a dozen times, some of them into
// floating-point numbers, and refuses what does not fit; arguments are not its business. ok is false when there are none,
// or it is not certain that the call is one of the tool: then the SDK decides.
func detach(body []byte, tool string) (rest []byte, args json.RawMessage, ok bool) {
	message, _ := membersOf(body)
	outer := onlyMember(message, "params")
	if outer < 0 {
		return body, nil, false
	}
	params, _ := membersOf(message[outer].value)
	inner, named := onlyMember(params, "arguments"), onlyMember(params, "name")
	if inner < 0 || named < 0 {
		return body, nil, false
	}
	if name, _ := stringOf(params[named].value); name != tool {
		return body, nil, false
	}
	args, params[inner].value = params[inner].value, []byte("{}")
	message[outer].value = joinMembers(params)
	return joinMembers(message), args, true
}

// onlyMember gives the index of the one member of that name, or -1.
func onlyMember(members []member, name string) int {
	found := -1
	for i, m := range members {
		text, ok := stringOf(m.name)
		if !ok || text == name && found >= 0 {
			return -1
		}
		if text == name {
			found = i
		}
	}
	return found
}

// methodListen opens a stream of notices in the era without sessions.
const methodListen = "subscriptions/listen"

func newBody(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }
