package capmcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// response stands between the SDK and the client. The SDK always answers with a stream of events; where there is nothing in it
// but the answer, and that comes soon, the response makes one JSON document of it. It keeps quiet streams alive, and gives
// errors that the SDK writes as plain text the form of the protocol.
type response struct {
	out        http.ResponseWriter
	controller *http.ResponseController
	id         json.RawMessage
	method     string
	collapse   bool // a stream that begins with the answer becomes a document
	pulse      *time.Timer

	mu      sync.Mutex
	header  http.Header // the SDK's, until the first byte
	status  int
	begun   bool // the header is out
	streams bool // and says that a stream follows
	refused bool // the SDK is about to write the text of an error
	done    bool
}

// pulseInterval is how long a stream may be quiet: proxies cut what they believe to be dead, many after 30 or 60 seconds.
const pulseInterval = 15 * time.Second

func newResponse(out http.ResponseWriter, peek *peek) *response {
	r := &response{out: out, controller: http.NewResponseController(out), header: make(http.Header)}
	if peek != nil {
		r.id, r.method, r.collapse = peek.ID, peek.Method, !peek.streams
	}
	// A stream may take longer than any other answer. Not every writer has deadlines.
	_ = r.controller.SetWriteDeadline(time.Time{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pulse = time.AfterFunc(pulseInterval, r.beat)
	return r
}

// Header implements http.ResponseWriter.
func (r *response) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *response) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun || r.status != 0 {
		return
	}
	r.status = status
	if status >= http.StatusBadRequest && strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") {
		r.refused = true
		return
	}
	if status != http.StatusOK || !r.isStream() {
		r.begin()
	}
}

// Write implements http.ResponseWriter.
func (r *response) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.done:
		return len(p), nil
	case r.refused && !r.begun:
		r.done = true
		r.refuse(strings.TrimSpace(string(p)))
		return len(p), nil
	case r.collapse && !r.begun && r.isStream():
		if answer := answerIn(p); answer != nil {
			r.done = true
			r.header.Set("Content-Type", "application/json")
			r.header.Del("Connection")
			r.begin()
			answer, _ = boundError(answer)
			_, err := r.out.Write(answer)
			return len(p), err
		}
	}
	if short, ok := boundEvent(p); ok {
		r.header.Del("Content-Length")
		r.begin()
		_, err := r.out.Write(short)
		return len(p), err
	}
	r.begin()
	return r.out.Write(p)
}

// FlushError implements what http.ResponseController looks for. Before the first byte there is nothing to flush, and it may
// still turn out that there is no stream.
func (r *response) FlushError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun || r.done {
		return nil
	}
	return r.controller.Flush()
}

// finish ends the pulse. Nothing is written after it.
func (r *response) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pulse.Stop()
	if r.status != 0 && !r.done {
		r.begin()
	}
	r.done = true
}

func (r *response) isStream() bool {
	return strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream")
}

// begin sends the header. Callers hold mu.
func (r *response) begin() {
	if r.begun {
		return
	}
	r.begun, r.streams = true, r.isStream()
	maps.Copy(r.out.Header(), r.header)
	if r.streams {
		// Some proxies collect a stream until it ends unless they are told not to.
		r.out.Header().Set("X-Accel-Buffering", "no")
	}
	if r.status != 0 {
		r.out.WriteHeader(r.status)
	}
}

// beat sends a comment, which clients ignore. It also sends the header of a stream that has not begun: a client that sees
// none gives up.
func (r *response) beat() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done || r.refused || r.status >= http.StatusBadRequest || r.begun && !r.streams {
		return
	}
	if !r.begun {
		// The SDK may be writing its own header at this moment: these are what a stream needs.
		r.begun, r.streams = true, true
		h := r.out.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache, no-transform")
		h.Set("X-Accel-Buffering", "no")
	}
	// The client may be gone; the handler learns of it by itself.
	if _, err := r.out.Write([]byte(": still here\n\n")); err == nil {
		_ = r.controller.Flush()
	}
	r.pulse.Reset(pulseInterval)
}

// refuse gives an error of the SDK the form of the protocol. Callers hold mu.
func (r *response) refuse(message string) {
	code := jsonrpc.CodeInvalidRequest
	switch {
	case r.status == http.StatusNotFound:
		code = codeNoSession
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		code = codeUnauthorized
	case r.status == http.StatusInternalServerError:
		code, message = codeInternal, "internal error"
	case r.id != nil && strings.HasSuffix(message, strconv.Quote(r.method)+" unsupported"):
		// Only the text tells this apart from a request that is none. A client waits for an answer to its request.
		code, r.status, message = jsonrpc.CodeMethodNotFound, http.StatusOK, "method not found"
	}
	r.header.Set("Content-Type", "application/json")
	r.begin()
	_, _ = r.out.Write(errorBody(code, cutText(message, maxErrorText), r.id))
}

// answerIn gives the message of an event that answers a request, or nil for every other event.
func answerIn(event []byte) []byte {
	_, data, ok := bytes.Cut(event, []byte("data: "))
	if !ok {
		return nil
	}
	data = bytes.TrimSuffix(data, []byte("\n\n"))
	answers := false
	isMessage := eachMember(data, func(m member) {
		switch string(m.name) {
		case `"method"`:
			ok = false
		case `"result"`, `"error"`:
			answers = true
		}
	})
	if !ok || !answers || !isMessage {
		return nil
	}
	return data
}
