package app

import (
	"context"
	"errors"
	"fmt"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/lint"
)

func (p *program) doctorCommand() capcli.Command {
	return capcli.Command{
		Name: "doctor", Summary: "Look for what could be better about the contracts",
		Doc:   "Exits with 1 if there is a warning or an error, and with 2 if a front cannot be made at all.",
		Flags: []capcli.Flag{{Name: "notes", Help: "Also what differs from encoding/json"}, {Name: "json", Help: "The same as --output json"}},
		Run:   func(_ context.Context, call capcli.Invocation) error { return p.doctor(call) },
	}
}

func (p *program) doctor(call capcli.Invocation) error {
	if err := Check(p.registry, p.options); err != nil {
		return &capcli.ExitError{Code: capcli.ExitUsage, Err: err}
	}
	found := lint.Check(p.registry, lint.Options{Filter: p.options.Filter})
	worst := lint.Worst(found)
	shown := found
	if !call.On("notes") {
		shown = make([]lint.Finding, 0, len(found))
		for _, f := range found {
			if f.Severity != lint.Note {
				shown = append(shown, f)
			}
		}
	}
	if err := writeFindings(call, shown, len(found)-len(shown)); err != nil {
		return err
	}
	if worst == lint.Error || worst == lint.Warning {
		return &capcli.ExitError{Code: capcli.ExitFailed, Err: errors.New("")}
	}
	return nil
}

// writeFindings writes what was found, and for people how many notes were left out.
func writeFindings(call capcli.Invocation, found []lint.Finding, notes int) error {
	switch {
	case call.On("json"):
		return call.WriteJSON(found)
	case call.JSON || call.Format() == "yaml":
		return call.Write(found)
	default:
		return call.WriteText(lint.Text(found) + summary(len(found), notes))
	}
}

// summary ends what people read.
func summary(shown, notes int) string {
	text := ""
	switch notes {
	case 0:
	case 1:
		text = "1 note: --notes\n"
	default:
		text = fmt.Sprintf("%d notes: --notes\n", notes)
	}
	if shown == 0 {
		text = "no warnings\n" + text
	}
	return text
}
