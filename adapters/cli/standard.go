package capcli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"runtime"
	"time"

	"github.com/seed-369ec62e/cap"
)

// standardCommands are those that every program has.
func (p *Program) standardCommands() []Command {
	commands := []Command{
		{
			Name: "list", Summary: "List the capabilities",
			Run: func(_ context.Context, call Invocation) error { return call.run.writeLong(p.summaries()) },
		},
		{
			Name: "describe", Summary: "Describe a capability, with its schemas", Args: []string{"NAME"}, Choices: p.completeNames,
			Run: func(_ context.Context, call Invocation) error { return p.describe(call) },
		},
		{
			Name: "docs", Summary: "Write the documentation of every command",
			Flags: []Flag{{Name: "format", Placeholder: "FORMAT", Default: "md", Choices: []string{"md", "man", "json"}, Help: "md, man or json"}},
			Run:   func(_ context.Context, call Invocation) error { return p.docs(call) },
		},
		{
			Name: "version", Summary: "Say the version",
			Run: func(_ context.Context, call Invocation) error { return p.version(call) },
		},
	}
	commands = append(commands, Command{
		Name: "completion", Summary: "Write the completion script of a shell", Args: []string{"SHELL"},
		doc: func(program string) string {
			return "SHELL is bash, zsh, fish or powershell. For bash, for example: source <(" + program + " completion bash)"
		},
		Choices: func() []string { return shells },
		Run:     completionScript,
	})
	if p.approvals() != nil {
		commands = append(commands, p.approvalCommands()...)
	}
	return commands
}

// summary is a line of list.
type summary struct {
	Name        string     `json:"name"`
	Command     string     `json:"command"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description"`
	Effect      cap.Effect `json:"effect"`
	Access      cap.Access `json:"access"`
	Deprecated  string     `json:"deprecated,omitempty"`
}

func (p *Program) summaries() []summary {
	list := make([]summary, 0, len(p.commands))
	for _, c := range p.commands {
		list = append(list, c.summary())
	}
	return list
}

func (c *command) summary() summary {
	return summary{
		Name: c.capability.Name(), Command: c.path(), Title: c.capability.Title(), Description: c.capability.Description(),
		Effect: c.capability.Effect(), Access: c.capability.Access(), Deprecated: c.capability.Deprecated(),
	}
}

// description is all that can be said of a capability.
type description struct {
	summary
	Doc          string           `json:"doc,omitempty"`
	Usage        string           `json:"usage"`
	Reversible   *bool            `json:"reversible,omitempty"`
	Idempotent   bool             `json:"idempotent,omitempty"`
	Destructive  bool             `json:"destructive,omitempty"`
	OpenWorld    bool             `json:"openWorld,omitempty"`
	Scopes       []string         `json:"scopes,omitempty"`
	Timeout      string           `json:"timeout,omitempty"`
	InputSchema  json.RawMessage  `json:"inputSchema"`
	OutputSchema json.RawMessage  `json:"outputSchema"`
	Failures     []failureSummary `json:"failures,omitempty"`
}

type failureSummary struct {
	Tag         string          `json:"tag"`
	Description string          `json:"description"`
	Fix         string          `json:"fix,omitempty"`
	Retry       string          `json:"retryAfter,omitempty"`
	Schema      json.RawMessage `json:"schema"`
}

func (p *Program) description(c *command, program string) description {
	d := description{
		summary: c.summary(), Doc: c.capability.Doc(), Usage: program + " " + c.path() + c.in.usage(),
		Idempotent: c.capability.Idempotent(), Destructive: c.capability.Destructive(), OpenWorld: c.capability.OpenWorld(),
		Scopes: c.capability.Scopes(), InputSchema: c.capability.InputSchema(), OutputSchema: c.capability.OutputSchema(),
	}
	if c.capability.Effect() != cap.EffectRead {
		reversible := c.capability.Reversible()
		d.Reversible = &reversible
	}
	if timeout := c.capability.Timeout(); timeout > 0 {
		d.Timeout = timeout.String()
	}
	for _, f := range c.capability.Failures() {
		d.Failures = append(d.Failures, failureSummary{f.Tag, f.Description, f.Fix, f.Retry, f.Schema})
	}
	return d
}

// find looks a capability up by its name, or by the name of its command.
func (p *Program) find(name string) *command {
	for _, c := range p.commands {
		if c.capability.Name() == name || c.path() == name {
			return c
		}
	}
	return nil
}

func (p *Program) describe(call Invocation) error {
	found := p.find(call.Args[0])
	if found == nil {
		return call.unknownCapability(p)
	}
	return call.Write(p.description(found, call.run.name()))
}

func (c Invocation) unknownCapability(p *Program) error {
	var known []string
	for _, made := range p.commands {
		known = append(known, made.path(), made.capability.Name())
	}
	hint := didYouMean("", c.Args[0], known)
	if hint == "" {
		hint = "see " + c.run.name() + " list"
	}
	return &usageError{problems: []problem{{fault: fault{"unknown capability " + quote(c.Args[0]), hint}}}}
}

// versionInfo is what version says to programs.
type versionInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
	// Contracts is a digest of every capability's name and schemas: two programs with equal ones take the same calls.
	Contracts string `json:"contracts"`
}

func (p *Program) version(call Invocation) error {
	if format := call.Format(); format == "text" || format == "table" || !call.JSON {
		return call.WriteText(p.options.Name + " " + p.versionText() + "\n")
	}
	return call.Write(versionInfo{p.options.Name, p.options.Version, runtime.Version(), p.contracts()})
}

func (p *Program) contracts() string {
	h := sha256.New()
	for _, c := range p.commands {
		for _, part := range [][]byte{[]byte(c.capability.Name()), []byte(c.capability.Effect()), c.capability.InputSchema(), c.capability.OutputSchema()} {
			h.Write(part)
			h.Write([]byte{0})
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// approvalCommands are those of people who decide.
func (p *Program) approvalCommands() []Command {
	decide := func(verdict cap.Verdict) func(context.Context, Invocation) error {
		return func(ctx context.Context, call Invocation) error { return p.decide(ctx, call, verdict) }
	}
	flags := []Flag{{Name: "reason", Placeholder: "TEXT", Help: "Why, for the record"}}
	if p.options.Approver != nil {
		flags = append(flags, Flag{
			Name: tokenFlag, Placeholder: "@FILE", Help: "The approver's token: @file, or - for standard input; or set " + tokenVariable,
		})
	}
	return []Command{
		{
			Name: "approvals list", Summary: "List what waits for an approval",
			Flags: []Flag{{Name: "all", Help: "Also what was decided"}},
			Run:   p.listApprovals,
		},
		{Name: "approvals show", Summary: "Show an action word for word", Args: []string{"ID"}, Run: p.showApproval},
		{Name: "approvals approve", Summary: "Let an action run, once", Args: []string{"ID"}, Flags: flags, Run: decide(cap.VerdictApprove)},
		{Name: "approvals deny", Summary: "Refuse an action for good", Args: []string{"ID"}, Flags: flags, Run: decide(cap.VerdictDeny)},
	}
}

// approvalLine is a line of "approvals list".
type approvalLine struct {
	ID         string            `json:"id"`
	State      cap.ApprovalState `json:"state"`
	Capability string            `json:"capability"`
	Action     string            `json:"action"`
	Requester  string            `json:"requester"`
	Expires    time.Time         `json:"expires"`
}

// everyState is what "approvals list --all" asks for.
var everyState = []cap.ApprovalState{
	cap.ApprovalPending, cap.ApprovalApproved, cap.ApprovalDenied, cap.ApprovalExpired, cap.ApprovalCancelled,
	cap.ApprovalStarted, cap.ApprovalSucceeded, cap.ApprovalFailed, cap.ApprovalUnknown,
}

// checkKept refuses to look for approvals that no other process can have left.
func (p *Program) checkKept() error {
	if p.options.Forgetful {
		return &ExitError{Code: ExitFailed, Err: errors.New(forgetfulText)}
	}
	return nil
}

func (p *Program) listApprovals(ctx context.Context, call Invocation) error {
	if err := p.checkKept(); err != nil {
		return err
	}
	query := cap.ApprovalQuery{}
	if call.On("all") {
		query.States = everyState
	}
	found, err := p.approvals().List(ctx, query)
	if err != nil {
		return approvalError(err)
	}
	lines := make([]approvalLine, 0, len(found))
	for _, a := range found {
		pending := a.Action.Pending
		lines = append(lines, approvalLine{
			ID: a.ID, State: a.State, Capability: a.Action.Capability, Action: pending.Verb + " " + pending.Target.ID,
			Requester: a.Action.Requester.ID, Expires: a.Expires,
		})
	}
	return call.Write(lines)
}

func (p *Program) showApproval(ctx context.Context, call Invocation) error {
	if err := p.checkKept(); err != nil {
		return err
	}
	found, err := p.approvals().Show(ctx, call.Args[0])
	if err != nil {
		return approvalError(err)
	}
	return call.writeApproval(found)
}

func (c Invocation) writeApproval(a cap.Approval) error {
	if c.JSON || c.Format() == "json" || c.Format() == "yaml" {
		return c.Write(a)
	}
	return c.WriteText(a.Text + "State: " + string(a.State) + "\n")
}

const (
	tokenFlag     = "token"
	tokenVariable = "CAP_APPROVER_TOKEN"
)

// decide records a verdict.
func (p *Program) decide(ctx context.Context, call Invocation, verdict cap.Verdict) error {
	if err := p.checkKept(); err != nil {
		return err
	}
	approver, err := p.approver(ctx, call)
	if err != nil {
		return err
	}
	decided, err := p.approvals().Decide(ctx, call.Args[0], cap.Decision{
		Verdict: verdict, Approver: *approver, Method: Source, Reason: call.Text("reason"),
	})
	if err != nil {
		return approvalError(err)
	}
	return call.writeApproval(decided)
}

// approver finds out who decides: the holder of a token where the program knows tokens, else whoever runs it.
func (p *Program) approver(ctx context.Context, call Invocation) (*cap.Principal, error) {
	find := p.options.Authenticate
	if p.options.Approver != nil {
		token, err := tokenOf(ctx, call)
		if err != nil {
			return nil, err
		}
		find = func(ctx context.Context) (*cap.Principal, error) { return p.options.Approver(ctx, token) }
	}
	approver, err := find(ctx)
	if err != nil || approver == nil {
		return nil, &cap.Error{Code: cap.CodeUnauthenticated, Message: "Authentication is required."}
	}
	return approver, nil
}

// tokenOf reads the token of an approver from where it may stand.
func tokenOf(ctx context.Context, call Invocation) (string, error) {
	text := call.Text(tokenFlag)
	if text == "" {
		token, ok := call.Streams.LookupEnv(tokenVariable)
		if !ok || token == "" {
			return "", &ExitError{Code: ExitAuth, Err: errors.New("an approver's token is needed: --token @file, or " + tokenVariable)}
		}
		return token, nil
	}
	if !pointsAway(text) {
		wrong := fault{"is a secret, which must not stand on the command line", "name a file as @file, or - for standard input, or set " + tokenVariable}
		return "", &usageError{problems: []problem{{"--" + tokenFlag, wrong}}}
	}
	return call.Read(ctx, tokenFlag)
}
