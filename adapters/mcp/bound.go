package capmcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-369ec62e/cap"
)

// What a caller sends must not come back to it at length: an answer that is an error stays small whatever drew it.
const (
	maxIDBytes     = 256      // of a request's id and of a progress token, as JSON
	maxErrorBytes  = 4 << 10  // of an error of the protocol; what is longer holds the caller's own words
	maxErrorText   = 512      // of its message then
	maxActionBytes = 16 << 10 // of the values of an action that has to be agreed to
	maxValueBytes  = 1 << 10  // of one of them, where all of them are too long
	maxPlaceBytes  = 256      // of a pointer in the report of repairs
)

// goWords are in what the SDK says of a message that it could not read.
const goWords = "unmarshaling "

// wordy reports whether a message could be an error that repeats what could not be read, at length or in terms of Go.
func wordy(message []byte) bool {
	return len(message) > maxErrorBytes || bytes.Contains(message, []byte(goWords))
}

// boundError shortens a message that is a wordy error; ok is false for every other message.
func boundError(message []byte) (short []byte, ok bool) {
	if !wordy(message) {
		return message, false
	}
	var id, failed json.RawMessage
	eachMember(message, func(m member) {
		switch string(m.name) {
		case `"id"`:
			id = m.value
		case `"error"`:
			failed = m.value
		}
	})
	if failed == nil {
		return message, false
	}
	var said struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(failed, &said) // what cannot be read is left out
	if len(id) > maxIDBytes {
		id = nil
	}
	if strings.Contains(said.Message, goWords) && strings.Contains(said.Message, " into a *") {
		said.Code, said.Message = jsonrpc.CodeInvalidParams, "invalid params: a member has the wrong type"
	}
	return errorBody(said.Code, cutText(said.Message, maxErrorText), id), true
}

// boundEvent is boundError for what may be an event of a stream.
func boundEvent(p []byte) (short []byte, ok bool) {
	if !wordy(p) {
		return p, false
	}
	head, data, isEvent := bytes.Cut(p, []byte("data: "))
	if !isEvent || len(head) > maxErrorText {
		return boundError(bytes.TrimSpace(p))
	}
	if short, ok = boundError(bytes.TrimSpace(data)); !ok {
		return p, false
	}
	return slices.Concat(head, []byte("data: "), short, []byte("\n\n")), true
}

// cutText cuts a text after at most so many bytes, and never within a character.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// boundAction leaves long values out of an action whose values are long together. The text that a person is shown has a
// digest for each of them; the caller has the values themselves.
func boundAction(action cap.Action) cap.Action {
	size := 0
	for _, argument := range action.Arguments {
		size += len(argument.JSON)
	}
	for _, text := range action.Pending.Args {
		size += len(text)
	}
	if size <= maxActionBytes {
		return action
	}
	action.Arguments = slices.Clone(action.Arguments)
	for i := range action.Arguments {
		if len(action.Arguments[i].JSON) > maxValueBytes {
			action.Arguments[i].JSON = nil
		}
	}
	action.Pending.Args = maps.Clone(action.Pending.Args)
	maps.DeleteFunc(action.Pending.Args, func(_, text string) bool { return len(text) > maxValueBytes })
	return action
}

// boundPlace makes a pointer that is too long that of the nearest value around it that is not.
func boundPlace(pointer string) string {
	for len(pointer) > maxPlaceBytes {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return pointer
}
