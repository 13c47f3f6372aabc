package app

import (
	"context"
	"errors"

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
	if !call.On("notes") {
		shown := make([]lint.Finding, 0, len(found))
		for _, f := range found {
			if f.Severity != lint.Note {
				shown = append(shown, f)
			}
		}
		found = shown
	}
	if err := writeFindings(call, found); err != nil {
		return err
	}
	if worst == lint.Error || worst == lint.Warning {
		return &capcli.ExitError{Code: capcli.ExitFailed, Err: errors.New("")}
	}
	return nil
}

func writeFindings(call capcli.Invocation, found []lint.Finding) error {
	switch {
	case call.On("json"):
		return call.WriteJSON(found)
	case call.JSON || call.Format() == "yaml":
		return call.Write(found)
	default:
		return call.WriteText(lint.Text(found))
	}
}
