package capcli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-369ec62e/cap"
)

// invoke calls a capability with what the command line says.
func (r *run) invoke(c *cobra.Command, target *command, flags *callFlags, list []*given, args []string) error {
	g := &gatherer{sources: &sources{in: r.streams.In}, lookupEnv: r.streams.LookupEnv, in: target.in}
	g.problems = slices.Clone(r.unknown)
	if len(r.unknown) == 0 {
		g.problems = append(g.problems, assignArgs(target.in, list, args)...)
	} else {
		g.ignore(target.in.args) // which may be the values of flags that nobody knows
	}
	document := one(&g.problems, "--input", flags.input)
	timeout := r.timeout(&g.problems, flags)
	agreement := r.agreementOf(&g.problems, target.capability, &flags.gated)
	g.problems = append(g.problems, r.setGlobal()...)
	ctx, stop := r.withTimeout(timeout)
	defer stop()
	if err := g.gather(ctx, document, list); err != nil {
		return r.cancelled(err)
	}
	options, err := r.callOptions(ctx)
	if err != nil {
		return err
	}
	options.Reason = agreement.reason
	if len(g.problems) > 0 {
		return r.usage(c, r.allProblems(ctx, target, &g.gathered, options)...)
	}
	if agreement.dryRun {
		return r.callError(c, target, &g.gathered, r.dryRun(ctx, target.capability, &g.gathered, options))
	}
	shown := newProgress(r.streams.Err, r.streams.Width)
	if r.streams.ErrTerminal && !r.isDumb() {
		options.Progress = shown.report
	}
	result, err := r.call(ctx, target.capability, &g.gathered, options, agreement)
	shown.end()
	if err != nil {
		return r.callError(c, target, &g.gathered, err)
	}
	if text := target.capability.Deprecated(); text != "" {
		r.note("deprecated: " + visible(text))
	}
	if result.Replayed {
		r.note("nothing ran: this is the stored answer of approval " + visible(agreement.approval))
	}
	return r.write(result)
}

// one takes the value of a flag that may be given once.
func one(list *[]problem, where string, texts []string) *string {
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return &texts[0]
	}
	*list = append(*list, problem{where, fault{"is given twice", "say it once"}})
	return &texts[0]
}

func (r *run) timeout(list *[]problem, flags *callFlags) time.Duration {
	text := one(list, "--timeout", flags.timeout)
	if text == nil {
		return 0
	}
	d, err := time.ParseDuration(*text)
	if err != nil || d <= 0 {
		*list = append(*list, problem{"--timeout", fault{"is no length of time: " + quote(*text), durationHint(*text)}})
	}
	return d
}

func durationHint(text string) string {
	if strings.HasSuffix(text, "d") {
		return "days are no unit; write 24h"
	}
	return "write it as 90s, 5m or 1h30m"
}

// withTimeout bounds the call by --timeout. The run's context becomes the one that is bounded, so that its cause tells how
// the run ended.
func (r *run) withTimeout(timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return r.ctx, func() {}
	}
	ctx, stop := context.WithTimeoutCause(r.ctx, timeout, errTimeout)
	r.ctx = ctx
	return ctx, stop
}

func (r *run) cancelled(err error) error {
	if r.ctx.Err() == nil {
		return err
	}
	return &cap.Error{Code: cap.CodeCancelled, Message: "Capability execution was cancelled.", Reason: cap.ReasonCaller}
}

func (r *run) callOptions(ctx context.Context) (cap.CallOptions, error) {
	principal, err := r.program.options.Authenticate(ctx)
	if err != nil {
		return cap.CallOptions{}, &cap.Error{Code: cap.CodeUnauthenticated, Message: "Authentication is required."}
	}
	return cap.CallOptions{Source: Source, Principal: principal}, nil
}

// allProblems adds to the problems of the command line what the call would say of the rest of the input. Nothing runs.
func (r *run) allProblems(ctx context.Context, target *command, g *gathered, options cap.CallOptions) []problem {
	list := g.problems
	if g.args == nil {
		return list
	}
	_, err := r.program.registry.Prepare(ctx, target.capability.Name(), g.args, options)
	failed, ok := errors.AsType[*cap.Error](err)
	if !ok || failed.Code != cap.CodeInputInvalid {
		return list
	}
	return append(list, issueProblems(target.in, g, failed)...)
}

// callError turns the issues of an input into problems of flags, where people read them.
func (r *run) callError(c *cobra.Command, target *command, g *gathered, err error) error {
	failed, ok := errors.AsType[*cap.Error](err)
	if !ok || failed.Code != cap.CodeInputInvalid || r.wantsJSON() {
		return err
	}
	return r.usage(c, issueProblems(target.in, g, failed)...)
}

// issueProblems words the issues of an input by the flags that it was made of.
func issueProblems(in *input, g *gathered, failed *cap.Error) []problem {
	var list []problem
	for _, issue := range failed.Issues {
		l, below := in.at(issue.Pointer)
		if l != nil && g.broken[pointerOf(l.path)] {
			continue
		}
		list = append(list, problem{where: whereOf(l, below, issue.Pointer, g), fault: fault{issue.Message, guess(l, below, issue, g)}})
	}
	if failed.OmittedIssues > 0 {
		list = append(list, problem{fault: fault{what: fmt.Sprintf("and %d more", failed.OmittedIssues)}})
	}
	return list
}

// guess says what was probably meant by a value that is none of the choices, or no length of time.
func guess(l *leaf, below string, issue cap.Issue, g *gathered) string {
	if l == nil || len(g.texts[l]) == 0 {
		return ""
	}
	index := 0
	if below != "" {
		i, err := strconv.Atoi(strings.TrimPrefix(below, "/"))
		if err != nil || l.shape != shapeList || i < 0 || i >= len(g.texts[l]) {
			return ""
		}
		index = i
	}
	text := g.texts[l][index]
	switch {
	case issue.Rule == "oneof":
		return didYouMean("", text, l.choices())
	case l.placeholder() == "DURATION":
		return durationHint(text)
	default:
		return ""
	}
}

// at finds the leaf that holds the place a pointer names, and what of the pointer lies below it.
func (in *input) at(pointer string) (l *leaf, below string) {
	for _, candidate := range in.leaves {
		rest, found := strings.CutPrefix(pointer, pointerOf(candidate.path))
		if found && (rest == "" || rest[0] == '/') {
			return candidate, rest
		}
	}
	return nil, pointer
}

func whereOf(l *leaf, below, pointer string, g *gathered) string {
	switch {
	case l == nil && pointer == "":
		return "input"
	case l == nil || g.origins[l] == originInput:
		return "input " + pointer
	case g.origins[l] == originEnv:
		return "$" + l.env + below
	default:
		return "--" + l.flag + below
	}
}

// assignArgs gives the positional arguments to their leaves.
func assignArgs(in *input, list []*given, args []string) []problem {
	next := 0
	for _, l := range in.args {
		if next == len(args) {
			break
		}
		g := list[slices.Index(in.leaves, l)]
		if l.shape == shapeList {
			g.args = args[next:]
			return nil
		}
		g.args = args[next : next+1]
		next++
	}
	if next == len(args) {
		return nil
	}
	return []problem{{fault: strayArg(list, args[next])}}
}

// strayArg words an argument that nothing takes. After a switch, true or false was probably meant for it.
func strayArg(list []*given, arg string) fault {
	wrong := fault{"unexpected argument " + quote(arg), flagsInstead(list, arg)}
	if arg != "true" && arg != "false" {
		return wrong
	}
	for _, g := range list {
		if g.leaf.isSwitch() && len(g.texts) > 0 {
			wrong.do = "a switch takes its value after =: --" + g.leaf.flag + "=" + arg
			if arg == "false" {
				wrong.do += " or --" + negated(g.leaf.flag)
			}
		}
	}
	return wrong
}

// maxNamed bounds how many flags are named in the place of an argument.
const maxNamed = 5

// flagsInstead names the flags of a command that takes no positional arguments: the one that is missing, or all.
func flagsInstead(list []*given, arg string) string {
	var names, missing []string
	for _, g := range list {
		if g.leaf.arg {
			return ""
		}
		names = append(names, "--"+g.leaf.flag)
		if g.leaf.isRequired() && len(g.texts) == 0 {
			missing = append(missing, "--"+g.leaf.flag)
		}
	}
	switch {
	case len(names) == 0:
		return "it takes no input"
	case len(missing) == 1:
		return "did you mean " + missing[0] + " " + typed(short(arg)) + "?"
	case len(names) > maxNamed:
		names = append(names[:maxNamed], "…")
	}
	return "it takes flags: " + strings.Join(names, ", ")
}
