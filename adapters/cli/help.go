package capcli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-369ec62e/cap"
)

// helpCommand is "help COMMAND", which is COMMAND --help.
func (r *run) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help", Short: "Help about a command", Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := r.root.Find(args)
			if err != nil || len(rest) > 0 {
				return r.usage(r.root, r.unknownCommand(found, rest[0]))
			}
			r.help(found)
			return nil
		},
	}
}

// help writes the help of a command to standard output.
func (r *run) help(c *cobra.Command) {
	r.attach(c)
	target := r.leaves[c]
	if len(r.output) > 0 && slices.Contains([]string{"json", "result", "yaml"}, r.output[0]) {
		_ = r.helpForPrograms(target)
		return
	}
	var b strings.Builder
	if text := c.Short; text != "" && !slices.Contains(r.groups, c) {
		fmt.Fprintf(&b, "%s\n\n", wrap(visible(text), r.streams.Width, ""))
	}
	fmt.Fprintf(&b, "%s\n  %s\n", r.title("Usage"), r.usageLine(c))
	if c.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap(visible(c.Long), r.streams.Width, ""))
	}
	if target != nil {
		r.helpCapability(&b, target)
	} else {
		r.helpCommands(&b, c)
		r.helpFlags(&b, "Flags", c.LocalNonPersistentFlags())
	}
	r.helpGlobal(&b)
	_ = r.page(b.String())
}

// helpForPrograms says the same to programs: all of a capability, or which there are.
func (r *run) helpForPrograms(target *command) error {
	if target == nil {
		return r.writeAny(r.program.summaries())
	}
	return r.writeAny(r.program.description(target, r.name()))
}

// usageLine says how a command line looks.
func (r *run) usageLine(c *cobra.Command) string {
	line := c.CommandPath()
	if target := r.leaves[c]; target != nil {
		return r.name() + " " + target.path() + target.in.usage()
	}
	if len(c.Commands()) > 0 {
		return line + " COMMAND [flags]"
	}
	for _, own := range r.program.own {
		if r.name()+" "+own.Name == line {
			for _, arg := range own.Args {
				if strings.HasSuffix(arg, "...") {
					arg = "[" + arg + "]"
				}
				line += " " + arg
			}
		}
	}
	return line + " [flags]"
}

// usage names the arguments and the flags that must be there.
func (in *input) usage() string {
	var b strings.Builder
	for _, l := range in.args {
		name := strings.ToUpper(l.flag)
		if l.shape == shapeList {
			name += "..."
		}
		if !l.isRequired() {
			name = "[" + name + "]"
		}
		b.WriteString(" " + name)
	}
	optional := false
	for _, l := range in.leaves {
		switch {
		case l.arg:
		case l.isRequired():
			b.WriteString(" --" + l.flag)
			if !l.isSwitch() {
				b.WriteString(" " + l.placeholder())
			}
		default:
			optional = true
		}
	}
	if optional {
		b.WriteString(" [flags]")
	}
	return b.String()
}

// isRequired reports whether a call cannot do without the field. Members of an object are required only if the object is
// given, which nobody knows here.
func (l *leaf) isRequired() bool { return len(l.path) == 1 && l.field.Required() && l.env == "" }

// helpCommands lists what may be typed next: what the service can do, and what the program has beside that.
func (r *run) helpCommands(b *strings.Builder, c *cobra.Command) {
	var capabilities, own [][2]string
	for _, sub := range c.Commands() {
		row := [2]string{sub.Name(), sub.Short}
		switch {
		case sub.Hidden || sub.Name() == "help":
		case r.holdsCapability(sub):
			capabilities = append(capabilities, row)
		default:
			own = append(own, row)
		}
	}
	for _, rows := range [][][2]string{capabilities, own} {
		slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	}
	r.helpRows(b, "Capabilities", capabilities)
	r.helpRows(b, "Commands", own)
}

// holdsCapability reports whether a command is a capability, or a group with one.
func (r *run) holdsCapability(c *cobra.Command) bool {
	return r.leaves[c] != nil || slices.ContainsFunc(c.Commands(), r.holdsCapability)
}

func (r *run) helpCapability(b *strings.Builder, target *command) {
	if note := effectNote(target.capability); note != "" {
		fmt.Fprintf(b, "\n%s\n", note)
	}
	if text := target.capability.Deprecated(); text != "" {
		fmt.Fprintf(b, "\n%s %s\n", r.title("Deprecated"), visible(text))
	}
	if doc := target.capability.Doc(); doc != "" {
		fmt.Fprintf(b, "\n%s\n", visibleLines(doc))
	}
	var rows [][2]string
	for _, l := range target.in.leaves {
		rows = append(rows, [2]string{l.label(), l.about()})
	}
	r.helpRows(b, "Input", rows)
	r.helpRows(b, "Flags", r.callRows(target))
	r.helpRows(b, "Failures", failureRows(target.capability))
}

// callRows are the flags of a call that belong to no field.
func (r *run) callRows(target *command) [][2]string {
	rows := [][2]string{
		{"    --input JSON", "The whole input: JSON, @file, or - for standard input"},
		{"    --timeout DURATION", "Give up after so long, such as 30s"},
		{"    --dry-run", "Check everything, show what would be done, do nothing"},
	}
	c := target.capability
	if c.Effect() == cap.EffectRead {
		return rows
	}
	if c.Effect() == cap.EffectWrite && c.Reversible() && !r.program.options.RefuseYes {
		rows = append(rows, [2]string{"    --yes", "Agree to it without being asked"})
	}
	if c.Effect() == cap.EffectWrite && r.program.options.AllowConfirm {
		rows = append(rows, [2]string{"    --confirm DIGEST", "Agree to exactly what --dry-run showed"})
	}
	return append(
		rows,
		[2]string{"    --approval ID", "Use an approval, or read its stored answer again"},
		[2]string{"    --reason TEXT", "Why, for the approver"},
	)
}

// label is how help names a flag.
func (l *leaf) label() string {
	short := "    "
	if l.short != "" {
		short = "-" + l.short + ", "
	}
	name := "--" + l.flag
	switch {
	case l.isSwitch():
		at := strings.LastIndexByte(l.flag, '.') + 1
		name = "--" + l.flag[:at] + "[no-]" + l.flag[at:]
	default:
		name += " " + l.placeholder()
	}
	return short + name
}

// about is what help says of a flag.
func (l *leaf) about() string {
	parts := []string{strings.TrimSuffix(l.field.Description(), ".")}
	note := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if choices := l.choices(); choices != nil {
		note("one of %s", strings.Join(choices, ", "))
	}
	if l.isRequired() && !l.arg {
		note("required")
	}
	if value := l.field.Default(); value != nil && !l.secret {
		note("default %s", textOf(value))
	}
	if text := l.sample(); text != "" {
		note("such as %s", text)
	}
	if l.env != "" {
		note("or set %s", l.env)
	}
	if l.secret {
		note("secret: @file or -")
	}
	if text := l.field.Deprecated(); text != "" {
		note("deprecated: %s", text)
	}
	return strings.TrimPrefix(strings.Join(parts, "; "), "; ")
}

func (r *run) helpFlags(b *strings.Builder, title string, set *pflag.FlagSet) {
	var rows [][2]string
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		label := "    --" + f.Name
		if f.Shorthand != "" {
			label = "-" + f.Shorthand + ", --" + f.Name
		}
		if f.NoOptDefVal == "" {
			label += " " + f.Value.Type()
		}
		rows = append(rows, [2]string{label, f.Usage})
	})
	r.helpRows(b, title, rows)
}

func (r *run) helpGlobal(b *strings.Builder) {
	rows := [][2]string{
		{"    --output FORMAT", "How the answer is written: " + strings.Join(formats, ", ")},
		{"    --no-color", "No colours, not even on a terminal"},
		{"    --no-input", "Never ask anything"},
		{"    --no-pager", "Write long text at once"},
		{"-h, --help", "This help"},
	}
	for _, f := range r.program.options.Flags {
		label := "    --" + f.Name
		if f.Short != "" {
			label = "-" + f.Short + ", --" + f.Name
		}
		if f.Placeholder != "" {
			label += " " + f.Placeholder
		}
		rows = append(rows, [2]string{label, f.about()})
	}
	r.helpRows(b, "Everywhere", rows)
}

// about is what help says of the flag.
func (f Flag) about() string {
	if f.Default == "" {
		return f.Help
	}
	return f.Help + "; default " + f.Default
}

// title is the heading of a part.
func (r *run) title(text string) string {
	out, _ := r.painters()
	return out.paint(styleTitle, text+":")
}

// maxLabel bounds the left column, so that one long flag does not squeeze all the others.
const maxLabel = 30

// helpRows writes two columns, the right one wrapped.
func (r *run) helpRows(b *strings.Builder, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", r.title(title))
	width := 0
	for _, row := range rows {
		if len(row[0]) <= maxLabel {
			width = max(width, len(row[0]))
		}
	}
	indent := strings.Repeat(" ", width+4)
	for _, row := range rows {
		label := fmt.Sprintf("  %-*s  ", width, row[0])
		if len(row[0]) > width {
			label = "  " + row[0] + "\n" + indent
		}
		text := wrap(visible(row[1]), r.streams.Width-len(indent), indent)
		b.WriteString(strings.TrimRight(label+text, " ") + "\n")
	}
}

// wrap breaks text into lines of at most width characters; the lines after the first begin with indent.
func wrap(text string, width int, indent string) string {
	width = max(width, minWrap)
	var b strings.Builder
	used := 0
	for word := range strings.FieldsSeq(text) {
		length := len([]rune(word))
		switch {
		case used == 0:
		case used+1+length > width:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += length
	}
	return b.String()
}

const minWrap = 20

// visibleLines is visible for text of several lines.
func visibleLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = visible(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\r"))
	}
	return strings.Join(lines, "\n")
}
