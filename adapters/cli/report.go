package capcli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/seed-369ec62e/cap"
)

// problem is one thing that is wrong with a command line: where, what, and what to do.
type problem struct {
	where string
	fault
}

func (p problem) String() string {
	text := p.what
	if p.where != "" {
		text = p.where + ": " + text
		if p.where[0] == '-' && !strings.HasPrefix(p.what, "unknown") {
			text = p.where + " " + p.what
		}
	}
	if p.do != "" {
		text += " (" + p.do + ")"
	}
	return text
}

// usageError is a command line that is wrong. usage is the line that says how it should look.
type usageError struct {
	problems []problem
	usage    string
}

func (e *usageError) Error() string {
	var lines []string
	for _, p := range e.problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// codeInvalidUsage is the code of a command line that is wrong in itself, in the JSON form of errors.
const codeInvalidUsage = "INVALID_USAGE"

// usageJSON is the JSON form of a usageError.
type usageJSON struct {
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Problems []problemJSON `json:"problems"`
	Usage    string        `json:"usage"`
}

type problemJSON struct {
	Where string `json:"where,omitempty"`
	What  string `json:"what"`
	Do    string `json:"do,omitempty"`
}

// reportJSON writes what went wrong as one JSON object in one line: the error of the call as on every front, or what is
// wrong with the command line.
func reportJSON(w io.Writer, err error, usage *usageError, failed *cap.Error) {
	code := string(cap.CodeExecutionFailed)
	if exit, ok := errors.AsType[*ExitError](err); ok && exit.Code == ExitUsage {
		code = codeInvalidUsage
	}
	var value any = map[string]string{"code": code, "message": err.Error()}
	switch {
	case failed != nil:
		value = failed
	case usage != nil:
		document := usageJSON{Code: codeInvalidUsage, Message: "The command line is not understood.", Usage: usage.usage}
		for _, p := range usage.problems {
			document.Problems = append(document.Problems, problemJSON{p.where, p.what, p.do})
		}
		value = document
	}
	writeJSON(w, value)
}

func writeJSON(w io.Writer, value any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return // what is written here always has a JSON form
	}
	_, _ = w.Write(b.Bytes())
}

// reportUsage writes what is wrong with a command line, and how it should look.
func reportUsage(w io.Writer, p painter, e *usageError) {
	label := p.paint(styleBad, "error:")
	if len(e.problems) == 1 {
		_, _ = fmt.Fprintf(w, "%s %s\n", label, visible(e.problems[0].String()))
	} else {
		_, _ = fmt.Fprintf(w, "%s %d problems\n", label, len(e.problems))
		for _, p := range e.problems {
			_, _ = fmt.Fprintf(w, "  %s\n", visible(p.String()))
		}
	}
	if e.usage != "" {
		_, _ = fmt.Fprintf(w, "usage: %s\n", e.usage)
	}
}

// reportFailed writes the error of a call for people.
func reportFailed(w io.Writer, p painter, failed *cap.Error) {
	styles := map[string]style{"error": styleBad, "fix": styleGood, "effect": styleBad}
	line := func(label, text string) {
		if text != "" {
			_, _ = fmt.Fprintf(w, "%s %s\n", p.paint(styles[label], label+":"), visible(text))
		}
	}
	switch failed.Code {
	case cap.CodeCapabilityFailed:
		line("error", failed.Reason+" ("+failed.Tag+")")
		line("fix", failed.Fix)
		line("retry after", failed.Retry)
		if data := string(failed.Failure); data != "" && data != "{}" {
			line("details", data)
		}
	case cap.CodeCancelled:
		line("error", failed.Message)
	default:
		line("error", failed.Message+" ("+string(failed.Code)+")")
	}
	if failed.Effect == cap.EffectUnknown {
		line("effect", "unknown; do not simply repeat the call, look first whether it took place")
	}
	if failed.Code == cap.CodeExecutionFailed || failed.Code == cap.CodeOutputInvalid {
		line("request", failed.RequestID)
	}
}

// visible makes every character that could steer a terminal, or hide, an escape that can be seen.
func visible(text string) string {
	if !strings.ContainsFunc(text, isHidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isHidden(r) {
			fmt.Fprintf(&b, `\u{%X}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isHidden reports whether r is no character to look at: controls, formats such as text direction, surrogates, private
// use, line separators, and blanks that are no space.
func isHidden(r rune) bool {
	switch {
	case r == ' ':
		return false
	case r == '\ufffd', r == '\u2800', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0':
		return true
	default:
		return !unicode.IsPrint(r)
	}
}
