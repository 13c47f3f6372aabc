package capcli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-369ec62e/cap"
)

// buildRoot makes cobra's commands: names and one line each. Flags come later, and only to the command that was chosen.
func (r *run) buildRoot() {
	r.leaves, r.attached = make(map[*cobra.Command]*command), make(map[*cobra.Command]bool)
	r.root = &cobra.Command{
		Use: r.name(), Short: r.program.options.Summary,
		Args: cobra.ArbitraryArgs, RunE: r.runRoot,
		SilenceErrors: true, SilenceUsage: true, DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	r.root.SetOut(r.streams.Out)
	r.root.SetErr(r.streams.Err)
	r.root.SetIn(r.streams.In)
	r.root.SetGlobalNormalizationFunc(normalize)
	r.root.SetFlagErrorFunc(r.flagError)
	r.root.SetHelpFunc(func(c *cobra.Command, _ []string) { r.help(c) })
	r.root.SetHelpCommand(r.helpCommand())
	r.defineGlobal()
	for _, c := range r.program.own {
		r.addOwn(c)
	}
	for _, c := range r.program.commands {
		r.addCapability(c)
	}
	for _, c := range r.groups {
		c.Short = summaryOfGroup(c)
	}
}

// summaryOfGroup names the first commands of a group, which says more of it than its name again.
func summaryOfGroup(group *cobra.Command) string {
	const most = 5
	var names []string
	for _, c := range group.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return strings.Join(names, ", ")
}

func (r *run) defineGlobal() {
	set := r.root.PersistentFlags()
	r.record(set, &r.output, "output", "", "FORMAT", false)
	r.record(set, &r.noColor, "no-color", "", "", true)
	r.record(set, &r.noInput, "no-input", "", "", true)
	r.record(set, &r.noPager, "no-pager", "", "", true)
	r.record(r.root.Flags(), &r.version, "version", "", "", true)
	for _, f := range r.program.options.Flags {
		texts := new([]string)
		r.programFlags = append(r.programFlags, texts)
		r.record(set, texts, f.Name, f.Short, f.Placeholder, f.Placeholder == "")
	}
	if r.isCompleting() {
		r.defineChoices(r.root, append([]Flag{{Name: "output", Choices: formats}}, r.program.options.Flags...))
	}
}

// addCapability adds the command of a capability. The capability's exact name is understood too, so that what the
// documentation of another front says works here.
func (r *run) addCapability(target *command) {
	name := target.capability.Name()
	made := &cobra.Command{Use: target.name, Short: target.capability.Description(), Args: cobra.ArbitraryArgs}
	made.RunE = func(c *cobra.Command, args []string) error { return r.runCapability(c, target, args) }
	r.leaves[made] = target
	if target.group == "" {
		if name != target.name {
			made.Aliases = []string{name}
		}
		r.root.AddCommand(made)
		return
	}
	r.group(target.group).AddCommand(made)
	alias := &cobra.Command{Use: name, Hidden: true, Args: cobra.ArbitraryArgs, RunE: made.RunE}
	r.leaves[alias] = target
	r.root.AddCommand(alias)
}

// group returns the command that holds a group.
func (r *run) group(name string) *cobra.Command {
	for _, c := range r.root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	made := &cobra.Command{Use: name, Args: cobra.ArbitraryArgs, RunE: r.runGroup}
	r.groups = append(r.groups, made)
	r.root.AddCommand(made)
	return made
}

// attach defines the flags of the command that was chosen.
func (r *run) attach(c *cobra.Command) {
	target := r.leaves[c]
	if target == nil || r.attached[c] {
		return
	}
	r.attached[c] = true
	flags := r.defineCall(c.Flags(), target.capability)
	list := r.defineLeaves(c.Flags(), target.in)
	if r.isCompleting() {
		r.defineCompletion(c, target)
	}
	c.RunE = func(c *cobra.Command, args []string) error { return r.invoke(c, target, flags, list, args) }
}

// runCapability is replaced by attach as soon as a command is chosen.
func (r *run) runCapability(c *cobra.Command, _ *command, args []string) error {
	r.attach(c)
	return c.RunE(c, args)
}

// runRoot is reached where no command was chosen.
func (r *run) runRoot(c *cobra.Command, args []string) error {
	if len(r.version) > 0 {
		return r.writeOut([]byte(r.program.options.Name + " " + r.program.versionText() + "\n"))
	}
	if len(args) == 0 {
		return r.usage(c, problem{fault: fault{"no command is given", "see " + r.name() + " --help"}})
	}
	return r.usage(c, r.unknownCommand(c, args[0]))
}

func (r *run) runGroup(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return r.usage(c, problem{fault: fault{"no command of " + c.Name() + " is given", "see " + c.CommandPath() + " --help"}})
	}
	return r.usage(c, r.unknownCommand(c, args[0]))
}

func (r *run) unknownCommand(c *cobra.Command, typed string) problem {
	var known []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			known = append(known, sub.Name())
			known = append(known, sub.Aliases...)
		}
	}
	hint := didYouMean("", typed, known)
	if hint == "" {
		hint = "see " + c.CommandPath() + " --help"
	}
	return problem{fault: fault{"unknown command " + quote(typed), hint}}
}

// addOwn adds a command of the program's own.
func (r *run) addOwn(own Command) {
	parent, name := r.root, own.Name
	if group, rest, inGroup := strings.Cut(own.Name, " "); inGroup {
		parent, name = r.group(group), rest
	}
	made := &cobra.Command{Use: name, Short: own.Summary, Long: own.Doc, Args: cobra.ArbitraryArgs}
	if own.doc != nil {
		made.Long = own.doc(r.name())
	}
	parent.AddCommand(made)
	texts := make([]*[]string, len(own.Flags))
	for i, f := range own.Flags {
		texts[i] = new([]string)
		r.record(made.Flags(), texts[i], f.Name, f.Short, f.Placeholder, f.Placeholder == "").Usage = f.about()
	}
	made.RunE = func(c *cobra.Command, args []string) error { return r.runOwn(c, own, texts, args) }
	if r.isCompleting() {
		r.defineChoices(made, own.Flags)
		made.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if own.Choices == nil || len(args) >= len(own.Args) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return own.Choices(), cobra.ShellCompDirectiveNoFileComp
		}
	}
}

func (r *run) runOwn(c *cobra.Command, own Command, texts []*[]string, args []string) error {
	list := slices.Clone(r.unknown)
	call := Invocation{Args: args, Streams: r.streams, JSON: r.wantsJSON(), flags: make(map[string]string), run: r}
	for i, f := range own.Flags {
		call.flags[f.Name] = f.Default
		text := one(&list, "--"+f.Name, *texts[i])
		if text == nil {
			continue
		}
		call.flags[f.Name] = *text
		list = append(list, f.judge(*text)...)
	}
	list = append(list, own.judgeArgs(args)...)
	list = append(list, r.setGlobal()...)
	if len(list) > 0 {
		return r.usage(c, list...)
	}
	return own.Run(r.ctx, call)
}

// judge holds the text of a flag against its choices, and hands it on.
func (f Flag) judge(text string) []problem {
	if f.Choices != nil && !slices.Contains(f.Choices, text) {
		hint := didYouMean("", text, f.Choices)
		if hint == "" {
			hint = "choose " + strings.Join(f.Choices, ", ")
		}
		return []problem{{"--" + f.Name, fault{"cannot be " + quote(text), hint}}}
	}
	if f.Set != nil {
		if err := f.Set(text); err != nil {
			return []problem{{"--" + f.Name, fault{what: err.Error()}}}
		}
	}
	return nil
}

// setGlobal judges the flags of every command, and hands those of Options on.
func (r *run) setGlobal() []problem {
	var list []problem
	if text := one(&list, "--output", r.output); text != nil {
		list = append(list, Flag{Name: "output", Choices: formats}.judge(*text)...)
	}
	for i, f := range r.program.options.Flags {
		if text := one(&list, "--"+f.Name, *r.programFlags[i]); text != nil {
			list = append(list, f.judge(*text)...)
		}
	}
	return list
}

// programArgs are the flags of Options as they can be given again, from another folder too.
func (r *run) programArgs() ([]string, error) {
	var args []string
	for i, f := range r.program.options.Flags {
		text := f.Default
		if given := *r.programFlags[i]; len(given) > 0 {
			text = given[0]
		} else if !f.File {
			continue
		}
		if f.File && text != "" {
			path, err := filepath.Abs(text)
			if err != nil {
				return nil, err
			}
			text = path
		}
		if f.Placeholder == "" {
			args = append(args, "--"+f.Name+"="+text)
			continue
		}
		args = append(args, "--"+f.Name, text)
	}
	return args, nil
}

// judgeArgs holds positional arguments against what the command takes.
func (c Command) judgeArgs(args []string) []problem {
	required, repeats := len(c.Args), false
	if required > 0 && strings.HasSuffix(c.Args[required-1], "...") {
		required, repeats = required-1, true
	}
	switch {
	case len(args) < required:
		return []problem{{fault: fault{what: "the argument " + c.Args[len(args)] + " is missing"}}}
	case len(args) > required && !repeats:
		return []problem{{fault: fault{"unexpected argument " + quote(args[required]), c.instead()}}}
	default:
		return nil
	}
}

// instead says what the command takes where it takes no arguments.
func (c Command) instead() string {
	switch {
	case len(c.Args) > 0:
		return "it takes " + strings.Join(c.Args, " ") + " and no more"
	case len(c.Flags) == 0:
		return "it takes none"
	}
	names := make([]string, len(c.Flags))
	for i, f := range c.Flags {
		names[i] = "--" + f.Name
	}
	return "it takes flags: " + strings.Join(names, ", ")
}

func (p *Program) versionText() string {
	if p.options.Version == "" {
		return "(no version)"
	}
	return p.options.Version
}

// effectNote says what a call does to the world, for help.
func effectNote(c *cap.Capability) string {
	switch c.Effect() {
	case cap.EffectWrite:
		if c.Reversible() {
			return "Changes something; can be undone."
		}
		return "Changes something; cannot be undone."
	case cap.EffectHost:
		note := "Acts with the host's power; somebody else approves each call; "
		if c.Reversible() {
			return note + "can be undone."
		}
		return note + "cannot be undone."
	default:
		return ""
	}
}
