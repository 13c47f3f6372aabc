package capmcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods of the protocol that the adapter has a hand in.
const (
	methodInitialize = "initialize"
	methodList       = "tools/list"
	methodCall       = "tools/call"
)

// receive stands before every method of the server: it answers for the registry's tools, and nothing behind it can end the
// process or the connection.
func (a *Adapter) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if value := recover(); value != nil {
				result, err = nil, a.defect(method, fmt.Errorf("panic: %v\n%s", value, debug.Stack()))
			}
		}()
		switch method {
		case methodInitialize:
			pinVersion(req)
		case methodList:
			return a.list(ctx, next, req)
		case methodCall:
			if call, ok := req.(*mcp.CallToolRequest); ok && call.Params != nil {
				return a.route(ctx, next, call)
			}
		}
		result, err = next(ctx, method, req)
		return a.settle(method, result, err)
	}
}

// route answers a call itself where the tool is the registry's, and hands it on to the server where it is not.
func (a *Adapter) route(ctx context.Context, next mcp.MethodHandler, req *mcp.CallToolRequest) (mcp.Result, error) {
	if t, ours := a.byName[req.Params.Name]; ours {
		return a.answer(ctx, req, t)
	}
	result, err := next(ctx, methodCall, req)
	var coded *jsonrpc.Error
	if errors.As(err, &coded) && coded.Message == fmt.Sprintf("unknown tool %q", req.Params.Name) {
		return nil, a.unknownTool(req.Params.Name, callerOf(ctx, req).principal)
	}
	return a.settle(methodCall, result, err)
}

// settle gives what came from outside the adapter a form that a client understands: an error always has a code, and a
// handler's own text stays inside.
func (a *Adapter) settle(method string, result mcp.Result, err error) (mcp.Result, error) {
	var coded *jsonrpc.Error
	switch {
	case errors.As(err, &coded) && coded.Code != 0:
		return nil, coded
	case err != nil && isHandled(method):
		return nil, a.defect(method, err)
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	case isNilResult(result) && isHandled(method):
		return nil, a.defect(method, errors.New("the handler returned neither a result nor an error"))
	}
	return result, nil
}

// isHandled reports whether a method runs handlers that were added to the server from outside.
func isHandled(method string) bool {
	switch method {
	case methodCall, "prompts/get", "resources/read", "completion/complete":
		return true
	default:
		return false
	}
}

// isNilResult reports whether a handler returned nothing, in any of the types that the server wraps.
func isNilResult(result mcp.Result) bool {
	switch r := result.(type) {
	case nil:
		return true
	case *mcp.CallToolResult:
		return r == nil
	case *mcp.GetPromptResult:
		return r == nil
	case *mcp.ReadResourceResult:
		return r == nil
	case *mcp.CompleteResult:
		return r == nil
	default:
		return false
	}
}

// defect logs what went wrong and gives the caller an id to ask with.
func (a *Adapter) defect(method string, cause error) error {
	id := rand.Text()
	a.options.Logger.Error("a request went wrong", "method", method, "requestId", id, "error", cause)
	return &jsonrpc.Error{
		Code: jsonrpc.CodeInternalError, Message: "internal error",
		Data: marshal(map[string]string{"requestId": id}),
	}
}

// pinVersion keeps a client that shakes hands in the era of handshakes: the server remembers the revision that was asked
// for, and would later answer in the form of an era that the client does not speak.
func pinVersion(req mcp.Request) {
	initialize, ok := req.(*mcp.ServerRequest[*mcp.InitializeParams])
	if !ok || initialize.Params == nil {
		return
	}
	asked := initialize.Params.ProtocolVersion
	for _, version := range mcp.SupportedProtocolVersions() {
		if version == asked && version < versionModern {
			return
		}
	}
	initialize.Params.ProtocolVersion = versionLastLegacy
}
