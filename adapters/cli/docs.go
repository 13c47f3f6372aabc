package capcli

import (
	"fmt"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// docs writes the documentation of every capability's command.
func (p *Program) docs(call Invocation) error {
	switch call.Text("format") {
	case "json":
		list := make([]description, 0, len(p.commands))
		for _, c := range p.commands {
			list = append(list, p.description(c, p.options.Name))
		}
		return call.run.writeValue(list)
	case "man":
		return call.WriteText(p.man())
	default:
		return call.WriteText(p.markdown())
	}
}

// paragraph is one part of the documentation of a command.
type paragraph struct {
	title string
	text  string      // one paragraph, or
	rows  [][2]string // terms and what they mean
}

// paragraphs is the documentation of a command.
func (p *Program) paragraphs(c *command) []paragraph {
	list := []paragraph{{title: "Usage", text: p.options.Name + " " + c.path() + c.in.usage()}}
	if note := effectNote(c.capability); note != "" {
		list = append(list, paragraph{title: "Effect", text: note})
	}
	if who := accessNote(c.capability); who != "" {
		list = append(list, paragraph{title: "Access", text: who})
	}
	if text := c.capability.Deprecated(); text != "" {
		list = append(list, paragraph{title: "Deprecated", text: text})
	}
	if doc := c.capability.Doc(); doc != "" {
		list = append(list, paragraph{title: "Description", text: strings.TrimSpace(doc)})
	}
	var rows [][2]string
	for _, l := range c.in.leaves {
		rows = append(rows, [2]string{strings.TrimLeft(l.label(), " "), l.about()})
	}
	if rows != nil {
		list = append(list, paragraph{title: "Input", rows: rows})
	}
	if rows = failureRows(c.capability); rows != nil {
		list = append(list, paragraph{title: "Failures", rows: rows})
	}
	return list
}

// failureRows are the declared failures, with what to do about each.
func failureRows(c *cap.Capability) [][2]string {
	var rows [][2]string
	for _, f := range c.Failures() {
		about := f.Description
		if f.Fix != "" {
			about += "; fix: " + f.Fix
		}
		rows = append(rows, [2]string{f.Tag, about})
	}
	return rows
}

func accessNote(c *cap.Capability) string {
	var note string
	switch c.Access() {
	case cap.AccessAuthenticated:
		note = "For everybody who is known."
	case cap.AccessRule:
		note = "The service decides about each call."
	case cap.AccessPublic:
		note = "For everybody."
	}
	if scopes := c.Scopes(); len(scopes) > 0 {
		note += " Needs the scopes " + strings.Join(scopes, ", ") + "."
	}
	return note
}

// exitRows are the exit codes, for documentation.
var exitRows = [][2]string{
	{"0", "the call answered"},
	{"1", "a declared failure, or output that could not be written"},
	{"2", "unknown command or flag, or invalid input"},
	{"4", "not authenticated, or forbidden"},
	{"5", "confirmation declined or missing"},
	{"6", "an approval was requested and is not decided yet"},
	{"7", "the action was started before and its outcome is not known"},
	{"70", "a defect"},
	{"124", "the time was up"},
	{"130", "cancelled by Ctrl-C"},
	{"141", "the reader of standard output went away"},
	{"143", "cancelled by SIGTERM"},
}

func (p *Program) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", markdownText(p.options.Name))
	if p.options.Summary != "" {
		fmt.Fprintf(&b, "%s\n\n", markdownText(p.options.Summary))
	}
	for _, c := range p.commands {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", markdownText(c.path()), markdownText(c.capability.Description()))
		for _, part := range p.paragraphs(c) {
			switch {
			case part.rows != nil:
				fmt.Fprintf(&b, "%s:\n\n", part.title)
				for _, row := range part.rows {
					fmt.Fprintf(&b, "- `%s`: %s\n", strings.ReplaceAll(row[0], "`", "'"), markdownText(row[1]))
				}
				b.WriteByte('\n')
			case part.title == "Usage":
				fmt.Fprintf(&b, "```\n%s\n```\n\n", part.text)
			case part.title == "Description": // Markdown already
				fmt.Fprintf(&b, "%s\n\n", part.text)
			case part.title == "Deprecated":
				fmt.Fprintf(&b, "**Deprecated:** %s\n\n", markdownText(part.text))
			default:
				fmt.Fprintf(&b, "%s\n\n", markdownText(part.text))
			}
		}
	}
	b.WriteString("## Exit codes\n\n")
	for _, row := range exitRows {
		fmt.Fprintf(&b, "- `%s`: %s\n", row[0], row[1])
	}
	return b.String()
}

// markdownText escapes what Markdown would take for more than text.
func markdownText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "#", `\#`, "\n", " ").Replace(visible(text))
}

// man writes a page of manual in roff.
func (p *Program) man() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s", roffArg(strings.ToUpper(p.options.Name)), roff(p.options.Name))
	if p.options.Summary != "" {
		fmt.Fprintf(&b, ` \- %s`, roff(p.options.Summary))
	}
	fmt.Fprintf(&b, "\n.SH SYNOPSIS\n%s COMMAND [flags]\n.SH COMMANDS\n", roff(p.options.Name))
	for _, c := range p.commands {
		fmt.Fprintf(&b, ".SS %s\n%s.\n", roffArg(c.path()), roff(strings.TrimSuffix(c.capability.Description(), ".")))
		for _, part := range p.paragraphs(c) {
			if part.rows == nil {
				fmt.Fprintf(&b, ".PP\n%s:\n.br\n%s\n", part.title, roff(part.text))
				continue
			}
			fmt.Fprintf(&b, ".PP\n%s:\n", part.title)
			writeRoffRows(&b, part.rows)
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	writeRoffRows(&b, exitRows)
	return b.String()
}

func writeRoffRows(b *strings.Builder, rows [][2]string) {
	for _, row := range rows {
		fmt.Fprintf(b, ".TP\n%s\n%s\n", roff(row[0]), roff(row[1]))
	}
}

// roff escapes text: a line must not begin with a request, and dashes stay dashes.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(visibleLines(text)), "\n")
	for i, line := range lines {
		if line == "" {
			lines[i] = ".PP"
		} else if line[0] == '.' || line[0] == '\'' {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func roffArg(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
