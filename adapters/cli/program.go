package capcli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-369ec62e/cap"
)

// Source is the source of every call that a program makes, as events and approvers see it.
const Source = "cli"

// Options sets up a [Program]. The zero value works.
type Options struct {
	// Name is what the program is called: its title in documentation, and what people type unless [Streams] know better. Empty
	// means the registry's name, or "app".
	Name string
	// Version is what the version command says. Empty means the registry's.
	Version string
	// Summary says in a line what the program is for.
	Summary string

	// Filter chooses the capabilities that become commands; nil means all.
	Filter func(*cap.Capability) bool

	// Authenticate finds out who is at the keyboard; a nil principal is an anonymous caller. Nil means [SystemUser]. It is
	// asked once in each call. An error ends the call as not authenticated; its text is not shown.
	Authenticate func(ctx context.Context) (*cap.Principal, error)

	// Approvals is what "approvals" shows and decides, and where --approval looks. Nil means the registry's gate, if it is a
	// [cap.Approvals].
	Approvals cap.Approvals
	// Approver finds out who holds a token, such as Authenticate of approval.Gate. Then "approvals approve" and "approvals deny"
	// ask for one: deciding takes another credential than asking. Nil means that Authenticate says who decides.
	Approver func(ctx context.Context, token string) (*cap.Principal, error)
	// Forgetful says that the approvals end with the process, so that the commands which decide in another one say so instead
	// of finding nothing.
	Forgetful bool
	// RefuseYes refuses --yes, which otherwise confirms a Write that can be undone.
	RefuseYes bool
	// AllowConfirm lets --confirm and the digest that --dry-run shows confirm a Write, so that scripts can. A digest shows
	// that somebody saw the action, and not who.
	AllowConfirm bool

	// Context makes the context of each run, for what calls and commands find in theirs. A program whose registry has no
	// logger puts one there, with zerolog's WithContext: otherwise the causes of defects are lost, because no answer holds them.
	// Nil keeps the context.
	Context func(ctx context.Context, streams Streams) context.Context

	// Complete names values of a field, such as "order" or "address.city", for shells that complete: those that begin with
	// prefix, at best. It must change nothing, and has half a second. Nil names none.
	Complete func(ctx context.Context, capability *cap.Capability, field, prefix string) []string

	// Flags are understood by every command of the program, before and after its name.
	Flags []Flag
	// Commands stand beside those of the capabilities.
	Commands []Command
}

// Flag is a flag of the program, or of one of its own commands.
type Flag struct {
	Name  string // without the dashes, such as "addr"
	Short string // one letter, or ""
	Help  string // what it is for

	// Placeholder is how usage shows the value, such as FILE. A flag without one is a switch.
	Placeholder string
	Default     string
	Choices     []string
	// File says that the value names a file, so that shells complete it and a configuration gets its absolute path.
	File bool

	// Set, if there is one, is given the text before a command runs, and only if the flag is given.
	Set func(text string) error
}

// Command is a command of the program's own.
type Command struct {
	// Name is what is typed: one word, or a group and a word, such as "approvals list".
	Name string
	// Summary says in a line what it does; Doc says more.
	Summary, Doc string
	// Choices are the values that shells offer for positional arguments; a tab may separate a value from what it means.
	Choices func() []string
	// Args names the positional arguments, such as "ID"; all are required, but one that ends in "..." may be left out or
	// repeated.
	Args  []string
	Flags []Flag
	// Run does it. It may end with an *[ExitError], a *[cap.Error], or any other error, which ends the program with 1.
	Run func(ctx context.Context, call Invocation) error

	doc func(program string) string // a Doc that says how to start the program
}

// Invocation is one run of a [Command].
type Invocation struct {
	Args    []string
	Streams Streams
	// JSON reports whether --output json was asked for.
	JSON bool

	flags map[string]string
	run   *run
}

// Write writes a value to standard output in the format that was asked for. The value must have a JSON form.
func (c Invocation) Write(value any) error { return c.run.writeAny(value) }

// WriteJSON writes a value to standard output as one line of JSON, whatever the format.
func (c Invocation) WriteJSON(value any) error { return c.run.writeValue(value) }

// Read reads what a flag points to: @file, or - for standard input. Without one of them it is the text itself.
func (c Invocation) Read(ctx context.Context, flag string) (string, error) {
	text := c.flags[flag]
	if !pointsAway(text) {
		return text, nil
	}
	sources := &sources{in: c.Streams.In}
	data, wrong, err := sources.read(ctx, "--"+flag, text)
	if wrong != (fault{}) {
		err = &usageError{problems: []problem{{"--" + flag, wrong}}}
	}
	return trimLine(string(data)), err
}

// ProgramFlags are the flags of Options that were given, as they can be given again, and those that name a file always, with
// its absolute path.
func (c Invocation) ProgramFlags() ([]string, error) { return c.run.programArgs() }

// Format is the format that was asked for, or the one for where standard output goes: json, result, yaml, table or text.
func (c Invocation) Format() string { return c.run.format() }

// WriteText writes text to standard output.
func (c Invocation) WriteText(text string) error { return c.run.writeOut([]byte(text)) }

// Text returns what a flag was given, or its default.
func (c Invocation) Text(flag string) string { return c.flags[flag] }

// On reports whether a switch was given.
func (c Invocation) On(flag string) bool { return c.flags[flag] == "true" }

// Program is the command line of a registry. It never changes and is safe for concurrent use.
type Program struct {
	registry *cap.Registry
	options  Options
	commands []*command
	own      []Command // the standard ones and those of Options
}

// command is a capability on the command line.
type command struct {
	capability *cap.Capability
	group      string // "" for none
	name       string
	in         *input
}

// path is what is typed, such as "orders ship".
func (c *command) path() string {
	if c.group == "" {
		return c.name
	}
	return c.group + " " + c.name
}

// New makes the command line of a registry. The error, if any, is a *[cap.RegistrationError] with every problem: tags that
// are not understood, and names that collide.
func New(registry *cap.Registry, options Options) (*Program, error) {
	if registry == nil {
		return nil, &cap.RegistrationError{Problems: []cap.Problem{{
			Where: "capcli.New", What: "the registry is nil", Do: "pass cap.Default() or what cap.New returned",
		}}}
	}
	if options.Name == "" {
		options.Name = registry.Name()
	}
	if options.Name == "" {
		options.Name = "app"
	}
	if options.Version == "" {
		options.Version = registry.Version()
	}
	if options.Authenticate == nil {
		options.Authenticate = SystemUser
	}
	options.Flags, options.Commands = slices.Clone(options.Flags), slices.Clone(options.Commands)
	p := &Program{registry: registry, options: options}
	p.own = append(p.standardCommands(), options.Commands...)
	found := &problems{}
	for capability := range registry.All() {
		if options.Filter == nil || options.Filter(capability) {
			p.commands = append(p.commands, compileCommand(capability, found))
		}
	}
	p.checkCommands(found)
	for _, c := range p.commands {
		p.checkFlags(c, found)
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	return p, nil
}

func compileCommand(c *cap.Capability, found *problems) *command {
	report := found.at(c.ContractType())
	var tag commandTag
	if text, ok := c.Tag("cli"); ok {
		tag = parseCommandTag(text, report)
	}
	made := &command{capability: c, group: tag.group, name: tag.name, in: compileInput(c, found.at)}
	if made.name == "" {
		made.name = kebab(c.Name())
		if tag.group != "" {
			made.name = strings.TrimPrefix(made.name, tag.group+"-")
		}
	}
	if !isFlagName(made.name) {
		report(fmt.Sprintf("the name %q makes no command", c.Name()), `name one with cli:"name=…"`)
	}
	return made
}

// cobraCommands are those that cobra brings, seen and unseen.
var cobraCommands = []string{"help", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}

// checkCommands reports names that two commands have.
func (p *Program) checkCommands(found *problems) {
	owners := make(map[string]string) // by what is typed
	for _, name := range cobraCommands {
		owners[name] = "the program's own command"
	}
	for _, c := range p.own {
		owners[c.Name] = "the program's own command"
		if group, _, inGroup := strings.Cut(c.Name, " "); inGroup {
			owners[group] = "the program's own commands"
		}
	}
	groups := make(map[string]bool)
	for _, c := range p.commands {
		groups[c.group] = c.group != ""
		if owner, taken := owners[c.group]; taken {
			found.at(c.capability.ContractType())(fmt.Sprintf("group %q is taken by %s", c.group, owner), `choose another with cli:"group=…"`)
		}
	}
	for _, c := range p.commands {
		typed := c.path()
		owner, taken := owners[typed]
		if groups[typed] {
			owner, taken = "a group", true
		}
		if taken {
			found.at(c.capability.ContractType())(fmt.Sprintf("command %q is taken by %s", typed, owner), `choose another with cli:"name=…"`)
			continue
		}
		owners[typed] = c.capability.ContractType()
	}
}

// checkFlags reports flags of a capability that collide with the program's, or with each other.
func (p *Program) checkFlags(c *command, found *problems) {
	owners, shorts := make(map[string]string), map[string]string{"h": "the program's own flag --help"}
	for _, name := range reservedFlags {
		owners[name] = "the program's own flag"
	}
	for _, f := range p.options.Flags {
		owners[f.Name] = "the program's own flag"
		shorts[f.Short] = "the program's own flag --" + f.Name
	}
	delete(shorts, "")
	for _, l := range c.in.leaves {
		where := strings.Join(l.path, ".")
		report := found.at(c.capability.ContractType() + ": field " + where)
		for _, name := range l.names() {
			if owner, taken := owners[name]; taken {
				report(fmt.Sprintf("flag --%s is taken by %s", name, owner), `choose another with cli:"flag=…"`)
				continue
			}
			owners[name] = "field " + where
		}
		if owner, taken := shorts[l.short]; taken {
			report(fmt.Sprintf("short flag -%s is taken by %s", l.short, owner), `choose another with cli:"short=…"`)
		}
		if l.short != "" {
			shorts[l.short] = "field " + where
		}
	}
}

// names are the flag and its twins.
func (l *leaf) names() []string {
	names := []string{l.flag}
	if l.isSwitch() {
		names = append(names, negated(l.flag))
	}
	if l.isNullable() {
		names = append(names, l.flag+"-null")
	}
	return names
}

// negated is the flag that says false: --no-force, --deep.no-force.
func negated(flag string) string {
	at := strings.LastIndexByte(flag, '.') + 1
	return flag[:at] + "no-" + flag[at:]
}

// isNullable reports whether the flag has a twin that says null. JSON says it itself.
func (l *leaf) isNullable() bool {
	return l.field.Nullable() && (l.form != formJSON || l.shape != shapeOne)
}

// reservedFlags are those of every capability's command. Fields that would be called like one are refused when the program
// is made, not when somebody meets the clash.
var reservedFlags = []string{
	"input", "output", "dry-run", "confirm", "yes", "no-input", "no-color", "no-pager", "timeout", "help", "version", "as", "approval",
	"reason",
}
