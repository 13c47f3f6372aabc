package capmcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is what a message is beside its values, as it is written. The SDK reads names to the letter, so they are read so
// here: a name that only looks like one of the protocol's is none.
type envelope struct {
	id, method, params json.RawMessage
	answers            bool // it holds a result or an error
	twice              bool
}

func envelopeOf(message []byte) (e envelope) {
	e.twice = eachOnce(message, func(name string, value []byte) {
		switch name {
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "params":
			e.params = value
		case "result", "error":
			e.answers = true
		}
	})
	return e
}

// answerID is the id if it is fit to be sent back, or nil.
func (e envelope) answerID() json.RawMessage {
	if e.id == nil || idFault(e.id) != "" {
		return nil
	}
	return e.id
}

// eachOnce visits the members of an object, or nothing if data is none. It reports whether a name is there twice: of two
// values one reader takes the first and another the last.
func eachOnce(data []byte, visit func(name string, value []byte)) (twice bool) {
	seen := make(map[string]bool)
	eachMember(data, func(m member) {
		name, _ := stringOf(m.name)
		twice, seen[name] = twice || seen[name], true
		visit(name, m.value)
	})
	return twice
}

// fault says what is wrong with the form of a message, nil if nothing is. The SDK would keep quiet about some of it, and
// describe the rest in terms of Go.
func (e envelope) fault() *fault {
	method, isText := stringOf(e.method)
	switch {
	case e.twice:
		return invalid("a member of the message is there twice", nil)
	case isNull(e.id) && (e.answers || strings.HasPrefix(method, "notifications/")):
		return nil // there is no request that it could be about
	case e.id != nil && idFault(e.id) != "":
		return invalid(idFault(e.id), nil)
	case e.id != nil && e.method == nil && !e.answers:
		return invalid("a request has a method", e.id)
	case e.method != nil && (!isText || e.answers):
		return invalid("a message is a request with a method, or an answer to one", e.id)
	case e.id == nil || e.method == nil || e.params == nil || isNull(e.params):
		return nil
	}
	if wrong := paramsFault(method, e.params); wrong != "" {
		return &fault{code: jsonrpc.CodeInvalidParams, message: "invalid params: " + wrong, id: e.id}
	}
	return nil
}

func invalid(message string, id json.RawMessage) *fault {
	return &fault{code: jsonrpc.CodeInvalidRequest, message: message, id: id}
}

// paramsFault says what is wrong with the parameters of a request that the protocol knows, "" if nothing is.
func paramsFault(method string, params json.RawMessage) (wrong string) {
	if params[0] != '{' {
		return "they are an object"
	}
	twice := eachOnce(params, func(name string, value []byte) {
		switch {
		case wrong != "":
		case name == "_meta":
			wrong = metaFault(value)
		case isTextOf(method, name) && value[0] != '"':
			wrong = name + " is a string"
		}
	})
	if twice {
		return "a member is there twice"
	}
	return wrong
}

// isTextOf reports whether a parameter of a method is a string. Methods that were added to the server have parameters of
// their own.
func isTextOf(method, name string) bool {
	switch method {
	case methodCall, "prompts/get":
		return name == "name" || name == "requestState"
	case methodList, "prompts/list", "resources/list", "resources/templates/list":
		return name == "cursor"
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return name == "uri"
	default:
		return false
	}
}

func metaFault(meta json.RawMessage) (wrong string) {
	if isNull(meta) {
		return ""
	}
	if meta[0] != '{' {
		return "_meta is an object"
	}
	twice := eachOnce(meta, func(name string, value []byte) {
		if fault := idFault(value); name == "progressToken" && !isNull(value) && fault != "" {
			wrong = strings.Replace(fault, "an id", "a progressToken", 1)
		}
	})
	if twice {
		return "a member of _meta is there twice"
	}
	return wrong
}

// maxIDNumber is the largest number that everybody reads alike: the SDK reads ids and tokens as floating-point numbers, and
// would answer to another one.
const maxIDNumber = 1<<53 - 1

// idFault says what is wrong with what comes back as it was sent: the id, which is in every answer, and the progress token,
// which is in every report. It is "" if nothing is.
func idFault(id json.RawMessage) string {
	if len(id) > maxIDBytes {
		return "an id is at most " + strconv.Itoa(maxIDBytes) + " bytes long"
	}
	if text, ok := stringOf(id); ok && isWhole(id, text) {
		return ""
	}
	if number, err := strconv.ParseInt(string(id), 10, 64); err == nil && -maxIDNumber <= number && number <= maxIDNumber {
		return ""
	}
	return "an id is a string, or a whole number of at most 2^53-1"
}

// isWhole reports whether nothing was lost when a string was read: half of a surrogate pair becomes another character.
func isWhole(raw json.RawMessage, text string) bool {
	return !strings.ContainsRune(text, '\uFFFD') || !bytes.Contains(bytes.ToLower(raw), []byte(`\ud`))
}
