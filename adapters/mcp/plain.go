package capmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// Plain requests are answered from their bytes, in front of the SDK, which would read them half a dozen times: a call of a
// tool that reads, and the list of tools, in the era of handshakes, with nothing in them but what they need. Everything else
// is the SDK's, and so is everything that looks wrong: an answer from here is the one that it would have given.

// plain is a plain request, as pieces of its message. Its id is fit to be sent back as it is.
type plain struct {
	id   json.RawMessage
	tool *tool           // nil for the list
	args json.RawMessage // nil if they were left out
}

// isDirect reports whether plain requests may be answered here: not where the server under the adapter is shared with
// others, who may have put something in front of its methods.
func (a *Adapter) isDirect() bool { return a.options.Configure == nil && !a.shared.Load() }

// plainIn takes a message apart. ok is false when it is no plain request, or when it is not certain that it is one. What the
// arguments hold has not been looked at: the registry does.
func (a *Adapter) plainIn(message []byte) (p plain, ok bool) {
	var version, method, params []byte
	ok = eachPlainMember(message, func(name, value []byte) bool {
		switch string(name) {
		case `"jsonrpc"`:
			return setOnce(&version, value)
		case `"id"`:
			return setOnce((*[]byte)(&p.id), value)
		case `"method"`:
			return setOnce(&method, value)
		case `"params"`:
			return setOnce(&params, value)
		default:
			return false
		}
	})
	if !ok || string(version) != `"2.0"` || !isPlainID(p.id) {
		return p, false
	}
	switch string(method) {
	case `"tools/call"`:
		return p, a.readCall(&p, params)
	case `"tools/list"`:
		// The first list is the SDK's.
		return p, a.plainList.Load() != nil && (len(params) == 0 || string(params) == "{}")
	default:
		return p, false
	}
}

// readCall reads the parameters of a call.
func (a *Adapter) readCall(p *plain, params []byte) bool {
	var name []byte
	ok := eachPlainMember(params, func(member, value []byte) bool {
		switch string(member) {
		case `"name"`:
			return setOnce(&name, value)
		case `"arguments"`:
			return setOnce((*[]byte)(&p.args), value)
		default:
			return false
		}
	})
	if !ok || len(name) < 2 || name[0] != '"' || p.args != nil && p.args[0] != '{' {
		return false
	}
	p.tool = a.byName[string(name[1:len(name)-1])]
	return p.tool != nil && !p.tool.mirrors && p.tool.capability.Effect() == cap.EffectRead
}

// setOnce keeps a value, if there is none yet.
func setOnce(dst *[]byte, value []byte) bool {
	if *dst != nil {
		return false
	}
	*dst = value
	return true
}

// isPlainID reports whether an id is one that comes back as it went: short letters and digits, or a short integer.
func isPlainID(id []byte) bool {
	if len(id) == 0 || len(id) > maxPlainID {
		return false
	}
	if id[0] == '"' {
		for _, c := range id[1 : len(id)-1] {
			if !isPlainByte(c) {
				return false
			}
		}
		return true
	}
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(id) <= maxPlainDigits && (id[0] != '0' || len(id) == 1)
}

const (
	maxPlainID     = 64
	maxPlainDigits = 15 // what the SDK reads into a floating-point number, without loss
)

func isPlainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':'
}

// eachPlainMember visits the members of an object, until visit says no or something looks wrong. It returns true when it came
// to the end of the object, and nothing but white space follows.
func eachPlainMember(data []byte, visit func(name, value []byte) bool) bool {
	i, empty, ok := openGroup(data, '{', '}')
	for ok && !empty {
		name, after := valueAt(data, i)
		if i = skipBlanks(data, after); name == nil || i >= len(data) || data[i] != ':' {
			return false
		}
		value, after := valueAt(data, skipBlanks(data, i+1))
		if value == nil || !visit(name, value) {
			return false
		}
		i = skipBlanks(data, after)
		if i >= len(data) || data[i] != ',' {
			break
		}
		i = skipBlanks(data, i+1)
	}
	return ok && i < len(data) && data[i] == '}' && skipBlanks(data, i+1) == len(data)
}

// answerPlain answers a plain request for a tool that the caller may see. ok is false where the message turned out to be none.
func (a *Adapter) answerPlain(ctx context.Context, p plain, message []byte, who *caller, version string) (answer []byte, ok bool) {
	defer func() {
		if value := recover(); value != nil {
			answer, ok = errorMessage(p.id, a.defect(methodCall, fmt.Errorf("panic: %v\n%s", value, debug.Stack()))), true
		}
	}()
	if p.tool == nil {
		return a.listPlainly(p), true
	}
	ctx, end, err := a.work.begin(ctx, who.patience(p.tool))
	if err != nil {
		return errorBody(codeClosing, err.Error(), p.id), true
	}
	defer end()
	said := a.callPlainly(ctx, p, who, version)
	// What the registry accepts is good JSON; what it refuses may be none.
	if said.failed && faultOf(message) != nil {
		return nil, false
	}
	return resultMessage(p.id, said.result(version)), true
}

// callPlainly calls the capability of a plain request.
func (a *Adapter) callPlainly(ctx context.Context, p plain, who *caller, version string) *answer {
	req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: p.tool.name, Arguments: p.args}}
	args, done := a.arguments(req, who, p.tool)
	c := &attempt{req: req, version: version, tool: p.tool, who: who, args: args, options: cap.CallOptions{Source: who.source, Principal: who.principal}}
	began := time.Now()
	said := a.settleAttempt(ctx, c)
	a.logCall(ctx, c, time.Since(began))
	if report := done.report(); report != nil {
		said.note(metaRepairs, report)
	}
	return said
}

// listPlainly answers with the list that the SDK's path has made before. It is the same for everybody, and does not change.
func (a *Adapter) listPlainly(p plain) []byte {
	list := a.plainList.Load()
	dst := make([]byte, 0, len(list.body)+len(p.id)+messageRoom)
	return append(appendResult(dst, p.id, list), '}')
}

// keepList keeps a list for plain requests, if it is one that everybody sees.
func (a *Adapter) keepList(result *rawResult, version string, others int, hasMore bool) {
	if a.options.Visible == nil && version < versionModern && others == 0 && !hasMore {
		a.plainList.Store(result)
	}
}

// messageRoom is what a message takes beside id and result.
const messageRoom = len(`{"jsonrpc":"2.0","id":,"result":}}`) + 1

func resultMessage(id json.RawMessage, result *rawResult) []byte {
	dst := make([]byte, 0, len(result.body)+len(id)+messageRoom)
	return append(appendResult(dst, id, result), '}')
}

func appendResult(dst []byte, id json.RawMessage, result *rawResult) []byte {
	dst = append(append(append(dst, `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
	return result.appendTo(dst)
}

func errorMessage(id json.RawMessage, err error) []byte {
	body := appendMember([]byte(`{"jsonrpc":"2.0"`), "id", id)
	return append(appendMember(body, "error", marshal(err)), '}')
}

// trimLine takes off what may stand around the message of a line.
func trimLine(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")))
}
