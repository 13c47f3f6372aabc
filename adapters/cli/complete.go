package capcli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// completeLimit is how long a shell waits for [Options.Complete].
const completeLimit = 500 * time.Millisecond

// defineCompletion tells cobra what may stand for the values of a capability's command.
func (r *run) defineCompletion(c *cobra.Command, target *command) {
	for _, l := range target.in.leaves {
		r.completeFlag(c, l.flag, func(typed string) ([]string, cobra.ShellCompDirective) { return r.valuesOf(target, l, typed) })
	}
	c.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		l := target.in.argAt(len(args))
		if l == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return r.valuesOf(target, l, typed)
	}
}

// argAt is the leaf that the positional argument of an index belongs to, or nil.
func (in *input) argAt(index int) *leaf {
	for i, l := range in.args {
		if i == index || l.shape == shapeList && index > i {
			return l
		}
	}
	return nil
}

// completeFlag tells cobra how a flag is completed. The flag is there, so there is no error.
func (r *run) completeFlag(c *cobra.Command, flag string, values func(typed string) ([]string, cobra.ShellCompDirective)) {
	_ = c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return values(typed)
	})
}

// valuesOf are what may stand for a leaf: its choices, or what the program knows. What names files is left to the shell.
func (r *run) valuesOf(target *command, l *leaf, typed string) ([]string, cobra.ShellCompDirective) {
	if choices := l.choices(); choices != nil {
		return choices, cobra.ShellCompDirectiveNoFileComp
	}
	if l.secret || l.form == formJSON || l.form == formBytes {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if l.form == formBool {
		return []string{"true", "false"}, cobra.ShellCompDirectiveNoFileComp
	}
	return r.known(target, l, typed), cobra.ShellCompDirectiveNoFileComp
}

// known asks the program. An answer that takes too long, or breaks, is none.
func (r *run) known(target *command, l *leaf, typed string) []string {
	if r.program.options.Complete == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(r.ctx, completeLimit)
	defer stop()
	answers := make(chan []string, 1)
	go func() {
		defer func() { _ = recover() }()
		answers <- r.program.options.Complete(ctx, target.capability, strings.Join(l.path, "."), typed)
	}()
	select {
	case <-ctx.Done():
		return nil
	case values := <-answers:
		return slices.DeleteFunc(slices.Clone(values), func(v string) bool {
			return strings.ContainsFunc(v, func(r rune) bool { return r != '\t' && isHidden(r) })
		})
	}
}

// defineChoices tells cobra the choices of the program's own flags.
func (r *run) defineChoices(c *cobra.Command, flags []Flag) {
	for _, f := range flags {
		if f.Choices != nil {
			r.completeFlag(c, f.Name, func(string) ([]string, cobra.ShellCompDirective) {
				return f.Choices, cobra.ShellCompDirectiveNoFileComp
			})
		}
	}
}

// completeNames completes the name of a capability.
func (p *Program) completeNames() []string {
	var names []string
	for _, c := range p.commands {
		names = append(names, c.capability.Name()+"\t"+visible(c.capability.Description()))
	}
	return names
}

// shells are those that cobra writes completion scripts for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionScript writes the script of one shell.
func completionScript(_ context.Context, call Invocation) error {
	root, shell := call.run.root, call.Args[0]
	var b bytes.Buffer
	var err error
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&b, true)
	case "zsh":
		err = root.GenZshCompletion(&b)
	case "fish":
		err = root.GenFishCompletion(&b, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&b)
	default:
		hint := didYouMean("", shell, shells)
		if hint == "" {
			hint = "choose " + strings.Join(shells, ", ")
		}
		return &usageError{problems: []problem{{fault: fault{"unknown shell " + quote(shell), hint}}}}
	}
	if err != nil {
		return err
	}
	return call.run.writeOut(b.Bytes())
}
