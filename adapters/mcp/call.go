package capmcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

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
	return answer.result(protocolVersion(req)), nil
}

// attempt is one call on its way.
type attempt struct {
	req     *mcp.CallToolRequest
	version string // of the protocol
	tool    *tool
	who     *caller
	args    json.RawMessage
	options cap.CallOptions
	said    verdict
	failed  *cap.Error // how it ended, if not well
}

// call calls the capability of a tool. Its error is one of the protocol.
func (a *Adapter) call(ctx context.Context, req *mcp.CallToolRequest, t *tool) (*answer, error) {
	who := callerOf(ctx, req)
	if !a.visible(t, who.principal) {
		return nil, a.unknownTool(req.Params.Name, who.principal)
	}
	given, said, err := a.resume(req, t, who)
	if err != nil {
		return nil, err
	}
	ctx, end, err := a.work.begin(ctx, who.patience(t))
	if err != nil {
		return nil, &jsonrpc.Error{Code: codeClosing, Message: err.Error()}
	}
	defer end()
	progress := newProgress(ctx, req)
	defer progress.stop()
	args, done := a.arguments(req, who, t)
	c := &attempt{req: req, version: protocolVersion(req), tool: t, who: who, args: args, said: said, options: cap.CallOptions{
		Source: who.source, Principal: who.principal, Confirmation: given,
		Reason: metaText(req, metaReason), Progress: progress.listener(),
	}}
	began := time.Now()
	answer := a.settleAttempt(ctx, c)
	a.logCall(ctx, c, time.Since(began))
	if report := done.report(); report != nil {
		answer.note(metaRepairs, report)
	}
	return answer, nil
}

// logCall is for those who watch the protocol; the registry's observers see the call itself.
func (a *Adapter) logCall(ctx context.Context, c *attempt, took time.Duration) {
	if !a.options.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attributes := []any{"tool", c.tool.name, "source", c.who.source, "protocol", c.version, "duration", took}
	if c.failed != nil {
		attributes = append(attributes, "code", c.failed.Code, "tag", c.failed.Tag, "requestId", c.failed.RequestID)
	}
	if parent := metaText(c.req, "traceparent"); parent != "" {
		attributes = append(attributes, "traceparent", parent)
	}
	a.options.Logger.DebugContext(ctx, "tool called", attributes...)
}

// codeClosing is in the range that JSON-RPC leaves to servers.
const codeClosing = -32004

// settleAttempt runs the call and makes an answer of what comes back. It asks for an agreement once.
func (a *Adapter) settleAttempt(ctx context.Context, c *attempt) *answer {
	if c.said == verdictRefused || c.said == verdictDeclined {
		return a.declinedAnswer(c.tool, c.said)
	}
	end := c.tool.turn(ctx)
	result, err := a.registry.Invoke(ctx, c.tool.name, c.args, c.options)
	end()
	if err == nil {
		return a.succeed(c.tool, result, c.version)
	}
	failed := asError(err)
	c.failed = failed
	switch {
	case failed.Code == cap.CodeConfirmationRequired && failed.Confirmation == nil:
		return failedWith(marshal(refusal{Error: failed, Next: noGateText}))
	case failed.Code != cap.CodeConfirmationRequired:
		return failedWith(marshal(failed))
	case c.said != verdictNone:
		return a.pendingAnswer(failed, pendingText(a.approvalURL(failed.Confirmation)))
	default:
		return a.ask(ctx, c, failed)
	}
}

// canAsk reports whether a question could reach the client: over HTTP the older era needs a session for it.
func (c *attempt) canAsk() bool {
	return isModern(c.req) || c.req.Session != nil && (c.who.source != sourceHTTP || c.req.Session.ID() != "")
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
