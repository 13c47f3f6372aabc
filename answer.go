package cap

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// readAnswer is how an output or a failure is read back: our own, or one of another process.
type readAnswer func(*plan.Plan, []byte, reflect.Value) *plan.Issues

// contained reads an answer into v. The methods of the user's types are asked: what they panic with is an error.
func (read readAnswer) contained(what string, p *plan.Plan, data []byte, v reflect.Value) (err error) {
	defer contain(&err)
	if issues := read(p, data, v); issues != nil {
		return &issuesError{what, issues}
	}
	return nil
}

// ownAnswer reads what this registry has encoded.
func (r *Registry) ownAnswer(p *plan.Plan, data []byte, v reflect.Value) *plan.Issues {
	return p.DecodeAnswer(data, v, r.limits)
}

// decodeOutput reads an encoded output into out, which is addressable and of the contract's output type or a pointer to it.
func (d *description) decodeOutput(data json.RawMessage, out reflect.Value, read readAnswer) error {
	if out.Kind() == reflect.Pointer {
		out.Set(reflect.New(out.Type().Elem()))
		out = out.Elem()
	}
	target := out
	if d.wrapped != nil {
		target = reflect.New(d.wrapped).Elem()
	}
	if err := read.contained("output", d.out, data, target); err != nil {
		return &Error{Code: CodeOutputInvalid, Message: messageOf(CodeOutputInvalid), Capability: d.name, cause: err}
	}
	if d.wrapped != nil {
		out.Set(target.Field(0))
	}
	return nil
}

// issuesError says inside the process what was wrong with a value that is no caller's fault.
type issuesError struct {
	what   string
	issues *plan.Issues
}

func (e *issuesError) Error() string {
	var b strings.Builder
	b.WriteString("cap: " + e.what)
	for _, issue := range e.issues.List {
		fmt.Fprintf(&b, "; %s %s", pointerText(issue.Pointer), issue.Message)
	}
	if e.issues.Omitted > 0 {
		fmt.Fprintf(&b, "; and %d more", e.issues.Omitted)
	}
	return b.String()
}
