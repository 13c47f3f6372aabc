package cap

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Problem is one mistake found at registration: where it is in your own code, what it is, and what to do about it.
type Problem struct {
	Where string `json:"where"` // package, type, method, field
	What  string `json:"what"`
	Do    string `json:"do,omitempty"`
	File  string `json:"file,omitempty"` // of the handler, where Go knows it
	Line  int    `json:"line,omitempty"`
}

func (p Problem) String() string {
	text := p.Where + ": " + p.What
	if p.Do != "" {
		text += " (" + p.Do + ")"
	}
	return text
}

// RegistrationError reports every problem of a registration at once, in a fixed order. Error lists them one a line; the
// verb %+v adds file and line where Go knows them.
type RegistrationError struct{ Problems []Problem }

func (e *RegistrationError) Error() string { return e.text(false) }

// Format implements fmt.Formatter for %+v.
func (e *RegistrationError) Format(s fmt.State, verb rune) {
	if verb == 'q' {
		_, _ = io.WriteString(s, strconv.Quote(e.Error()))
		return
	}
	_, _ = io.WriteString(s, e.text(s.Flag('+')))
}

func (e *RegistrationError) text(withLines bool) string {
	var b strings.Builder
	noun := "problems"
	if len(e.Problems) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(&b, "cap: %d %s", len(e.Problems), noun)
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
		if withLines && p.File != "" {
			fmt.Fprintf(&b, "\n      %s:%d", p.File, p.Line)
		}
	}
	return b.String()
}

func problemError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &RegistrationError{Problems: problems}
}
