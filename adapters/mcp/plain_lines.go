package capmcp

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// shortcut answers the plain requests of one connection over lines.
type shortcut struct {
	adapter *Adapter
	lines   *lines
	who     *caller
	ctx     context.Context //nolint:containedctx // that of the connection

	handshake atomic.Pointer[jsonrpc.ID] // the request that begins the session
	version   atomic.Pointer[string]     // the revision that was agreed on; nil before the end of the handshake

	jobs chan job
	idle atomic.Int32
}

// job is one request on its way to its answer.
type job struct {
	plain
	key     jsonrpc.ID
	message []byte
	ctx     context.Context //nolint:containedctx // that of the call
	version string
}

// maxIdle is how many goroutines wait for further requests. One that has answered a request has a stack that is large enough
// for the next.
const maxIdle = 64

func newShortcut(ctx context.Context, a *Adapter, l *lines, who *caller) *shortcut {
	return &shortcut{adapter: a, lines: l, who: who, ctx: ctx, jobs: make(chan job)}
}

// take answers the request in a line, in a while, if it is a plain one.
func (s *shortcut) take(line readLine) bool {
	// What hides tools is a hook, which the reader of the connection does not wait for.
	if s == nil || line.err != nil || line.tooLong || s.adapter.options.Visible != nil || !s.adapter.isDirect() {
		return false
	}
	version := s.version.Load()
	if version == nil {
		return false
	}
	message := trimLine(line.data)
	p, ok := s.adapter.plainIn(message)
	if !ok {
		return false
	}
	j := job{plain: p, message: message, version: *version}
	if j.key, ok = keyOf(p.id); !ok {
		return false
	}
	if j.ctx, ok = s.lines.admit(s.ctx, j.key); !ok {
		return false
	}
	select {
	case s.jobs <- j:
	default:
		go s.work(j)
	}
	return true
}

// work does one job after the other, as long as there are some.
func (s *shortcut) work(j job) {
	for {
		s.do(j)
		if s.idle.Add(1) > maxIdle {
			s.idle.Add(-1)
			return
		}
		select {
		case j = <-s.jobs:
			s.idle.Add(-1)
		case <-s.lines.stopped:
			return
		}
	}
}

func (s *shortcut) do(j job) {
	answer, ok := s.adapter.answerPlain(j.ctx, j.plain, j.message, s.who, j.version)
	wanted, waited := s.lines.settle(j.key)
	if waited {
		defer s.lines.wrote()
	}
	if !wanted {
		return
	}
	if !ok {
		fault := faultOf(j.message)
		answer = errorBody(fault.code, fault.message, fault.id)
	}
	// A stream that is broken shows with the next message as well.
	_ = s.lines.write(answer)
}

// begins notes the request that begins a session.
func (s *shortcut) begins(request *jsonrpc.Request) {
	if s != nil && request.Method == methodInitialize {
		id := request.ID
		s.handshake.Store(&id)
	}
}

// answered notes the answer to that request.
func (s *shortcut) answered(response *jsonrpc.Response) {
	if s == nil {
		return
	}
	if id := s.handshake.Load(); id == nil || *id != response.ID || response.Error != nil {
		return
	}
	var agreed struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(response.Result, &agreed) == nil && agreed.ProtocolVersion < versionModern {
		s.version.Store(&agreed.ProtocolVersion)
	}
}

// keyOf gives an id as the SDK keeps it.
func keyOf(id json.RawMessage) (jsonrpc.ID, bool) {
	var value any
	if id[0] == '"' {
		value = string(id[1 : len(id)-1])
	} else {
		number, err := strconv.ParseFloat(string(id), 64)
		if err != nil {
			return jsonrpc.ID{}, false
		}
		value = number
	}
	key, err := jsonrpc.MakeID(value)
	return key, err == nil && key.IsValid()
}
