package capcli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-369ec62e/cap"
)

// Run runs the program with the arguments that stand after its name, and returns its exit code. It never ends the process
// and never panics. Cancelling ctx cancels the call.
func (p *Program) Run(ctx context.Context, args []string, streams Streams) (code int) {
	r := &run{program: p, streams: streams.complete(), args: slices.Clone(args)}
	defer func() {
		if recover() != nil {
			_, _ = fmt.Fprintln(r.streams.Err, "error: the program failed")
			code = ExitDefect
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if p.options.Context != nil {
		ctx = p.options.Context(ctx, r.streams)
	}
	r.ctx = ctx
	err := r.execute()
	r.report(err)
	return exitCode(r.ctx, err)
}

// run is one run of a program. cobra finds the command and parses the shape of the command line; what the texts mean is
// decided here.
type run struct {
	program *Program
	streams Streams
	args    []string
	ctx     context.Context //nolint:containedctx // a run is one call and ends with it

	root     *cobra.Command
	leaves   map[*cobra.Command]*command // the capabilities that cobra's commands stand for
	groups   []*cobra.Command            // those that only hold others
	attached map[*cobra.Command]bool     // those whose flags are defined
	rest     []string                    // what stands after the name of the command

	recorded                                   []*[]string // what every flag was given
	output, noColor, noInput, noPager, version []string
	programFlags                               []*[]string // of Options.Flags
	unknown                                    []problem
}

func (r *run) execute() error {
	r.buildRoot()
	found, rest, err := r.root.Find(r.findable())
	if err != nil {
		return r.usage(r.root, problem{fault: fault{what: err.Error()}})
	}
	r.rest = rest
	r.attach(found)
	r.root.SetArgs(append([]string{}, r.args...))
	return r.root.ExecuteContext(r.ctx)
}

// name is what people type to start the program.
func (r *run) name() string {
	if r.streams.Program != "" {
		return r.streams.Program
	}
	return r.program.options.Name
}

// findable are the arguments in which the command is looked for: a shell that completes puts a command of cobra's first.
func (r *run) findable() []string {
	if r.isCompleting() {
		return r.args[1:]
	}
	return r.args
}

func (r *run) isCompleting() bool {
	return len(r.args) > 0 && (r.args[0] == cobra.ShellCompRequestCmd || r.args[0] == cobra.ShellCompNoDescRequestCmd)
}

// usage makes the error of a wrong command line.
func (r *run) usage(c *cobra.Command, list ...problem) error {
	return &usageError{problems: list, usage: r.usageLine(c)}
}

// report writes what went wrong to standard error: as JSON where a format for programs was asked for, for people otherwise.
func (r *run) report(err error) {
	if err == nil {
		return
	}
	failed, notes := r.failedOf(err)
	_, colours := r.painters()
	usage, _ := errors.AsType[*usageError](err)
	_, isWrite := errors.AsType[*writeError](err)
	switch {
	case isWrite && writeExitCode(err) == ExitPipe, failed == nil && usage == nil && err.Error() == "":
	case r.wantsJSON():
		reportJSON(r.streams.Err, err, usage, failed)
	case failed != nil:
		_, _ = r.streams.Err.Write([]byte(notes))
		reportFailed(r.streams.Err, colours, failed)
		r.hint(failed)
	case usage != nil:
		reportUsage(r.streams.Err, colours, usage)
	default:
		_, _ = fmt.Fprintf(r.streams.Err, "%s %s\n", colours.paint(styleBad, "error:"), visibleLines(err.Error()))
	}
}

// failedOf finds the error of a call in err, and what a person should read before it.
func (r *run) failedOf(err error) (failed *cap.Error, notes string) {
	if pending, ok := errors.AsType[*pendingError](err); ok {
		if r.wantsJSON() {
			_ = r.writeValue(map[string]any{"approval": pending.failed.Confirmation.Approval, "expires": pending.failed.Confirmation.Expires})
		}
		return pending.failed, pending.notes
	}
	if unasked, ok := errors.AsType[*unaskedError](err); ok {
		return unasked.failed, unasked.notes
	}
	if started, ok := errors.AsType[*startedError](err); ok {
		notes := fmt.Sprintf("Approval %s was started before, and nobody knows how it ended.\nLook at it with: %s approvals show %s\n", visible(started.approval), r.name(), visible(started.approval))
		return started.failed, notes
	}
	failed, _ = errors.AsType[*cap.Error](err)
	return failed, ""
}

// hint says what a caller who was refused can do.
func (r *run) hint(failed *cap.Error) {
	switch {
	case failed.Code == cap.CodeConfirmationRequired && failed.Confirmation == nil:
		_, _ = fmt.Fprintln(r.streams.Err, "This program has no gate, so nobody can agree to it.")
	case failed.Code == cap.CodeForbidden:
		if c, ok := r.program.registry.Lookup(failed.Capability); ok && len(c.Scopes()) > 0 {
			_, _ = fmt.Fprintf(r.streams.Err, "It needs the scopes %s.\n", strings.Join(c.Scopes(), ", "))
		}
	}
}

// wantsJSON reports whether a format for programs was asked for. A command line that could not be parsed is searched for
// it.
func (r *run) wantsJSON() bool {
	for i, arg := range r.args {
		if arg == "--" {
			break
		}
		value, isOutput := strings.CutPrefix(arg, "--output=")
		if arg == "--output" && i+1 < len(r.args) {
			value, isOutput = r.args[i+1], true
		}
		if isOutput && (value == "json" || value == "result") {
			return true
		}
	}
	return false
}
