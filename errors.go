package cap

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Code says why a call did not answer. It is the same on every front.
type Code string

// The codes of an [Error].
const (
	CodeCapabilityNotFound   Code = "CAPABILITY_NOT_FOUND"
	CodeInputInvalid         Code = "INPUT_INVALID"
	CodeUnauthenticated      Code = "UNAUTHENTICATED"
	CodeForbidden            Code = "FORBIDDEN"
	CodeConfirmationRequired Code = "CONFIRMATION_REQUIRED"
	CodeConfirmationInvalid  Code = "CONFIRMATION_INVALID"
	CodeCapabilityFailed     Code = "CAPABILITY_FAILED"
	CodeOutputInvalid        Code = "OUTPUT_INVALID"
	CodeCancelled            Code = "CANCELLED"
	CodeExecutionFailed      Code = "EXECUTION_FAILED"
)

// Reasons of a CANCELLED error.
const (
	ReasonCaller  = "caller"  // the caller went away or cancelled
	ReasonTimeout = "timeout" // the capability's timeout was up
)

// EffectUnknown is [Error.Effect] when the handler of a [Write] or [Host] had started and nobody knows how far it came:
// do not repeat the call blindly.
const EffectUnknown = "unknown"

// Error is how a call ends that does not answer. Everything exported in it is safe to send to the caller; its JSON form is
// the same on every front. What went wrong inside stays behind Unwrap, for callers in process: no adapter sends it.
type Error struct {
	Code       Code   `json:"code"`
	Message    string `json:"message"`
	Capability string `json:"capability,omitempty"`
	RequestID  string `json:"requestId,omitempty"`

	// Issues are the faults of an INPUT_INVALID input; OmittedIssues counts those beyond the limit.
	Issues        []Issue `json:"issues,omitempty"`
	OmittedIssues int     `json:"omittedIssues,omitempty"`

	// Reason is the failure's own message (CAPABILITY_FAILED), or "caller" or "timeout" (CANCELLED).
	Reason string `json:"reason,omitempty"`
	// Tag, Fix, Retry and Failure are the declared failure. Retry is a Go duration after which trying again may help.
	Tag     string          `json:"tag,omitempty"`
	Fix     string          `json:"fix,omitempty"`
	Retry   string          `json:"retryAfter,omitempty"`
	Failure json.RawMessage `json:"failure,omitempty"`

	// Effect is EffectUnknown, or empty.
	Effect string `json:"effect,omitempty"`

	// Confirmation says what has to be agreed to (CONFIRMATION_REQUIRED). It is nil where the registry has no gate.
	Confirmation *ConfirmationRequired `json:"confirmation,omitempty"`

	cause error
}

// Issue is one fault of an input. It never holds the value.
type Issue struct {
	// Pointer is the JSON Pointer (RFC 6901) of the value; "" is the whole input.
	Pointer string `json:"pointer"`
	// Rule names what was broken: a validate tag such as "min", or the model's own, such as "type", "required", "unknown".
	Rule string `json:"rule"`
	// Param is the rule's parameter, such as "3".
	Param string `json:"param,omitempty"`
	// Message says it for people.
	Message string `json:"message"`
}

// Error gives the code, the message and the issues. It never gives the cause.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Capability != "" {
		b.WriteString(e.Capability + ": ")
	}
	b.WriteString(string(e.Code) + ": " + e.Message)
	for _, issue := range e.Issues {
		fmt.Fprintf(&b, "\n  %s: %s", pointerText(issue.Pointer), issue.Message)
	}
	if e.OmittedIssues > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.OmittedIssues)
	}
	return b.String()
}

// Unwrap returns what went wrong inside: the declared failure as its Go type, a handler's error, a recovered panic, the
// context's error. It is for callers in process and must not be sent to anybody else.
func (e *Error) Unwrap() error { return e.cause }

func pointerText(pointer string) string {
	if pointer == "" {
		return "input"
	}
	return pointer
}

// messageOf returns the fixed message of a code. CAPABILITY_FAILED has the failure's own instead.
func messageOf(code Code) string {
	switch code {
	case CodeCapabilityNotFound:
		return "Capability was not found."
	case CodeInputInvalid:
		return "Capability input is invalid."
	case CodeUnauthenticated:
		return "Authentication is required."
	case CodeForbidden:
		return "Capability access is forbidden."
	case CodeConfirmationRequired:
		return "The action must be confirmed first."
	case CodeConfirmationInvalid:
		return "The confirmation does not fit this action."
	case CodeCapabilityFailed:
		return "Capability failed."
	case CodeOutputInvalid:
		return "Capability output is invalid."
	case CodeCancelled:
		return "Capability execution was cancelled."
	default:
		return "Capability execution failed."
	}
}

// panicError is the cause inside a defect that was a panic.
type panicError struct{ value any }

// Error does not call methods of the value: they may panic again.
func (p *panicError) Error() string {
	switch v := p.value.(type) {
	case string:
		return "panic: " + v
	case error:
		return "panic: " + safeText(v)
	default:
		return fmt.Sprintf("panic: a value of type %T", v)
	}
}

// Unwrap gives the error that was panicked with, if it was one.
func (p *panicError) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// safeText returns err.Error(), or a fixed text if that panics.
func safeText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("an error of type %T whose Error method panics", err)
		}
	}()
	return err.Error()
}
