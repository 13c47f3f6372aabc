package capcli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

// gatedFlags are the flags by which a person agrees to a Write or Host call, or asks for an agreement.
type gatedFlags struct {
	dryRun, yes, approval, confirm, reason []string
}

// agreement is what the command line says of an agreement.
type agreement struct {
	dryRun, yes               bool
	approval, confirm, reason string
}

// agreementOf judges the flags of an agreement.
func (r *run) agreementOf(list *[]problem, c *cap.Capability, f *gatedFlags) agreement {
	a := agreement{dryRun: isOn(list, "--dry-run", f.dryRun), yes: isOn(list, "--yes", f.yes)}
	for _, flag := range []struct {
		name  string
		texts []string
		value *string
	}{{"--approval", f.approval, &a.approval}, {"--confirm", f.confirm, &a.confirm}, {"--reason", f.reason, &a.reason}} {
		if text := one(list, flag.name, flag.texts); text != nil {
			*flag.value = *text
		}
	}
	report := func(where, what, do string) { *list = append(*list, problem{where, fault{what, do}}) }
	if a.yes && r.program.options.RefuseYes {
		report("--yes", "is not accepted by this program", "confirm at the terminal")
	} else if a.yes && c.Effect() != cap.EffectWrite {
		report("--yes", "is for writes that can be undone", "leave it out; what needs an approver has to be approved")
	}
	if a.confirm != "" && !r.program.options.AllowConfirm {
		report("--confirm", "is not accepted by this program", "confirm at the terminal, or have it approved")
	}
	if a.yes && a.confirm != "" || a.yes && a.approval != "" || a.confirm != "" && a.approval != "" {
		report("", "--yes, --confirm and --approval exclude each other", "keep one")
	}
	return a
}

// isOn reads a switch.
func isOn(list *[]problem, where string, texts []string) bool {
	text := one(list, where, texts)
	if text == nil || *text == "true" {
		return text != nil
	}
	if *text != "false" {
		*list = append(*list, problem{where, fault{"is neither true nor false: " + quote(*text), ""}})
	}
	return false
}

// dryRun shows what a call would do. Nothing runs.
func (r *run) dryRun(ctx context.Context, c *cap.Capability, g *gathered, options cap.CallOptions) error {
	action, err := r.program.registry.Prepare(ctx, c.Name(), g.args, options)
	if errors.Is(err, cap.ErrNotGated) {
		_, _ = fmt.Fprintf(r.streams.Err, "dry run: the input is good; %s only reads, so there is nothing to confirm\n", c.Name())
		return nil
	}
	if err != nil {
		return err
	}
	switch r.format() {
	case "json", "result":
		return r.writeValue(action)
	case "yaml":
		return r.writeAny(action)
	}
	return r.writeOut([]byte(action.Text() + "Digest: " + action.ID + "\n"))
}

// call invokes a capability, and asks for an agreement where one is needed and can be had.
func (r *run) call(ctx context.Context, c *cap.Capability, g *gathered, options cap.CallOptions, a agreement) (*cap.Result, error) {
	options.Confirmation.Approval = a.approval
	wasStarted := a.approval != "" && r.wasStarted(ctx, a.approval)
	result, err := r.program.registry.Invoke(ctx, c.Name(), g.args, options)
	failed, ok := errors.AsType[*cap.Error](err)
	if !ok {
		return result, err
	}
	if wasStarted && failed.Effect == cap.EffectUnknown {
		return nil, &startedError{approval: a.approval, failed: failed}
	}
	if failed.Code != cap.CodeConfirmationRequired || failed.Confirmation == nil {
		return nil, err
	}
	challenge, err := r.agree(ctx, c, failed, a)
	if err != nil {
		return nil, err
	}
	options.Confirmation = cap.Confirmation{Challenge: challenge}
	return r.program.registry.Invoke(ctx, c.Name(), g.args, options)
}

// agree gets the agreement of the person at the terminal, who gives it now or has given it on the command line. Without one
// it returns how the call ends.
func (r *run) agree(ctx context.Context, c *cap.Capability, failed *cap.Error, a agreement) (challenge string, err error) {
	required := failed.Confirmation
	switch {
	case required.Challenge == "" && required.Approval != "":
		return "", r.pending(failed, a)
	case required.Challenge == "" || c.Effect() == cap.EffectHost:
		return "", failed
	case a.confirm != "" && a.confirm != required.Action.ID:
		return "", &cap.Error{
			Code: cap.CodeConfirmationInvalid, Message: "The confirmation does not fit this action.", Capability: failed.Capability,
			RequestID: failed.RequestID,
		}
	case a.confirm != "" || a.yes && c.Reversible():
		return required.Challenge, nil
	case !r.canAsk():
		return "", r.unasked(failed, a)
	}
	return required.Challenge, r.ask(ctx, failed)
}

// canAsk reports whether somebody sits at the terminal.
func (r *run) canAsk() bool {
	return r.streams.InTerminal && r.streams.ErrTerminal && len(r.noInput) == 0
}

// ask shows the action and waits for an answer: y for what can be undone, the name of the target for the rest.
func (r *run) ask(ctx context.Context, failed *cap.Error) error {
	action := failed.Confirmation.Action
	_, _ = fmt.Fprint(r.streams.Err, action.Text())
	want := action.Pending.Target.ID
	if action.Reversible {
		_, _ = fmt.Fprint(r.streams.Err, "Do it? [y/N] ")
	} else {
		_, _ = fmt.Fprintf(r.streams.Err, "It cannot be undone. Type %s to do it: ", visible(want))
	}
	answer, err := readLine(ctx, r.streams.In)
	if err != nil {
		_, _ = fmt.Fprintln(r.streams.Err)
		return r.cancelled(&ExitError{Code: ExitDeclined, Err: errDeclined})
	}
	if action.Reversible && isYes(answer) || !action.Reversible && answer == want {
		return nil
	}
	return &ExitError{Code: ExitDeclined, Err: errDeclined}
}

var errDeclined = errors.New("declined; nothing was done")

func isYes(answer string) bool {
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
}

// pendingError says that somebody else has to decide.
type pendingError struct {
	failed *cap.Error
	notes  string
}

func (e *pendingError) Error() string { return "the action waits for an approval" }

func (r *run) pending(failed *cap.Error, a agreement) error {
	required := failed.Confirmation
	var b strings.Builder
	b.WriteString(required.Action.Text())
	fmt.Fprintf(&b, "Approval %s is requested.\n", required.Approval)
	if !required.Expires.IsZero() {
		fmt.Fprintf(&b, "It expires %s.\n", required.Expires.UTC().Format(time.RFC3339))
	}
	if r.program.options.Forgetful {
		b.WriteString("But " + forgetfulText + ".\n")
		return &pendingError{failed: failed, notes: b.String()}
	}
	if r.program.approvals() != nil {
		fmt.Fprintf(&b, "An approver decides with: %s approvals approve %s\n", r.name(), required.Approval)
	}
	if a.approval == "" {
		fmt.Fprintf(&b, "Once it is approved, run: %s\n", r.again("--approval", required.Approval))
	}
	return &pendingError{failed: failed, notes: b.String()}
}

// unaskedError says that nobody is there to ask, and how to agree nevertheless.
type unaskedError struct {
	failed *cap.Error
	notes  string
}

func (e *unaskedError) Error() string { return "the action must be confirmed" }

func (r *run) unasked(failed *cap.Error, a agreement) error {
	action := failed.Confirmation.Action
	var b strings.Builder
	b.WriteString(action.Text())
	if a.yes {
		b.WriteString("--yes is not enough for what cannot be undone.\n")
	}
	switch {
	case action.Reversible && !r.program.options.RefuseYes:
		fmt.Fprintf(&b, "To confirm it, run: %s\n", r.again("--yes"))
	case r.program.options.AllowConfirm:
		fmt.Fprintf(&b, "To confirm it, run: %s\n", r.again("--confirm", action.ID))
	default:
		b.WriteString("To confirm it, run it at a terminal.\n")
	}
	r.orApproved(&b, failed.Confirmation, a)
	return &unaskedError{failed: failed, notes: b.String()}
}

// orApproved says how somebody else can agree, where the gate keeps requests for them.
func (r *run) orApproved(b *strings.Builder, required *cap.ConfirmationRequired, a agreement) {
	if required.Approval == "" || r.program.approvals() == nil || r.program.options.Forgetful {
		return
	}
	fmt.Fprintf(b, "Or an approver agrees with: %s approvals approve %s\n", r.name(), required.Approval)
	args := r.args
	if a.yes { // which does not go with an approval
		args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--yes" || arg == "--yes=true" })
	}
	fmt.Fprintf(b, "and then run: %s\n", r.commandLine(args, "--approval", required.Approval))
}

// forgetfulText says why nobody can decide.
const forgetfulText = "this program's gate forgets when the process ends, so nobody can decide in another (use approval/sqlstore, or serve and decide there)"

// again is the command line with more flags, as a shell takes it.
func (r *run) again(more ...string) string { return r.commandLine(r.args, more...) }

func (r *run) commandLine(args []string, more ...string) string {
	rest := []string(nil)
	if dashes := slices.Index(args, "--"); dashes >= 0 {
		args, rest = args[:dashes], args[dashes:]
	}
	var b strings.Builder
	b.WriteString(r.name())
	for _, arg := range slices.Concat(args, more, rest) {
		b.WriteString(" " + shellQuote(arg))
	}
	return b.String()
}

// shellQuote writes an argument so that a shell of POSIX takes it as it is.
func shellQuote(arg string) string {
	if strings.ContainsFunc(arg, isHidden) {
		var b strings.Builder
		for _, c := range []byte(arg) {
			if c < ' ' || c > '~' || c == '\'' || c == '\\' {
				fmt.Fprintf(&b, `\x%02x`, c)
				continue
			}
			b.WriteByte(c)
		}
		return "$'" + b.String() + "'"
	}
	plain := func(r rune) bool {
		return r < 0x80 && isLetter(byte(r)) || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@,+%", r)
	}
	if arg != "" && strings.Trim(arg, "") == arg && !strings.ContainsFunc(arg, func(r rune) bool { return !plain(r) }) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// startedError says that the action was started before and that nobody knows how it ended.
type startedError struct {
	approval string
	failed   *cap.Error
}

func (e *startedError) Error() string {
	return "the action was started before and its outcome is not known"
}

// wasStarted reports whether the approval that a call names had begun before the call.
func (r *run) wasStarted(ctx context.Context, id string) bool {
	approvals := r.program.approvals()
	if approvals == nil {
		return false
	}
	shown, err := approvals.Show(ctx, id)
	return err == nil && (shown.State == cap.ApprovalStarted || shown.State == cap.ApprovalUnknown)
}

// approvals are what the program shows and decides; nil if nobody keeps any.
func (p *Program) approvals() cap.Approvals {
	if p.options.Approvals != nil {
		return p.options.Approvals
	}
	approvals, _ := p.registry.Gate().(cap.Approvals)
	return approvals
}

// approvalError words what went wrong with an approval. Only what the core has a name for is shown.
func approvalError(err error) error {
	for _, known := range []struct {
		is   error
		code int
	}{{cap.ErrApprovalNotFound, ExitUsage}, {cap.ErrApproverRefused, ExitAuth}, {cap.ErrApprovalClosed, ExitFailed}} {
		if errors.Is(err, known.is) {
			return &ExitError{Code: known.code, Err: errors.New(strings.TrimPrefix(known.is.Error(), "cap: "))}
		}
	}
	return &ExitError{Code: ExitDefect, Err: errors.New("the approvals could not be read")}
}
