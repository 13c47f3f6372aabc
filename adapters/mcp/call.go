package capmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// Names of the adapter's metadata.
const (
	metaAccess   = "cap/access"
	metaApproval = "cap/approval"
	metaCites    = "cap/cites"
	metaEffect   = "cap/effect"
	metaError    = "cap/error"
	metaFailures = "cap/failures"
	metaReason   = "cap/reason"
	metaRepairs  = "cap/repairs"
	metaReplayed = "cap/replayed"
	metaScopes   = "cap/scopes"
)

// answer is tools/call for one of the registry's tools.
func (a *Adapter) answer(ctx context.Context, req *mcp.CallToolRequest, t *tool) (mcp.Result, error) {
	answer, err := a.call(ctx, req, t)
	if err != nil {
		return nil, err
	}
	return answer.result(isModern(req)), nil
}

// call calls the capability of a tool. Its error is one of the protocol.
func (a *Adapter) call(ctx context.Context, req *mcp.CallToolRequest, t *tool) (*answer, error) {
	who := callerOf(ctx, req)
	if !a.visible(t, who.principal) {
		return nil, a.unknownTool(req.Params.Name, who.principal)
	}
	ctx, end, err := a.work.begin(ctx)
	if err != nil {
		return nil, &jsonrpc.Error{Code: codeClosing, Message: err.Error()}
	}
	defer end()
	options := cap.CallOptions{
		Source: who.source, Principal: who.principal,
		Confirmation: cap.Confirmation{Approval: metaText(req, metaApproval)},
		Reason:       metaText(req, metaReason),
	}
	progress := newProgress(ctx, req)
	defer progress.stop()
	options.Progress = progress.listener()
	args, done := a.arguments(req, who, t)
	answer := a.invoke(ctx, t, args, options)
	if report := done.report(); report != nil {
		answer.note(metaRepairs, report)
	}
	return answer, nil
}

// codeClosing is in the range that JSON-RPC leaves to servers.
const codeClosing = -32004

// invoke runs the call and makes an answer of what comes back.
func (a *Adapter) invoke(ctx context.Context, t *tool, args json.RawMessage, options cap.CallOptions) *answer {
	result, err := a.registry.Invoke(ctx, t.name, args, options)
	if err != nil {
		return failedAnswer(asError(err))
	}
	return t.succeed(result)
}

// asError gives the error of a call. Invoke returns no other.
func asError(err error) *cap.Error {
	var failed *cap.Error
	if errors.As(err, &failed) {
		return failed
	}
	return &cap.Error{Code: cap.CodeExecutionFailed, Message: "Capability execution failed."}
}

// arguments gives the arguments of a call, repaired unless that is switched off. Left out, they are an empty object.
func (a *Adapter) arguments(req *mcp.CallToolRequest, who *caller, t *tool) (args json.RawMessage, done repairs) {
	args = req.Params.Arguments
	if who.arguments != nil {
		args = who.arguments
	}
	switch {
	case len(args) == 0:
		args = json.RawMessage("{}")
	case !a.options.Strict:
		args = done.repair(t.input, args)
	}
	return args, done
}

func metaText(req *mcp.CallToolRequest, name string) string {
	text, _ := req.Params.Meta[name].(string)
	return text
}

// maxEcho bounds what of a caller's own words comes back in an error.
const maxEcho = 64

func (a *Adapter) unknownTool(name string, principal *cap.Principal) error {
	message := "unknown tool"
	if len(name) <= maxEcho {
		message = fmt.Sprintf("unknown tool %q", name)
	}
	if near := a.near(name, principal); near != "" {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
