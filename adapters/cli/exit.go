package capcli

import (
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/seed-369ec62e/cap"
)

// The exit codes of a program. They are a contract: scripts and agents decide by them.
const (
	ExitOK        = 0   // the call answered
	ExitFailed    = 1   // a declared failure, or output that could not be written
	ExitUsage     = 2   // unknown command or flag, or invalid input
	ExitAuth      = 4   // not authenticated, or forbidden
	ExitDeclined  = 5   // confirmation declined or missing
	ExitPending   = 6   // an approval was requested and is not decided yet
	ExitUnknown   = 7   // the action was started before and its outcome is not known
	ExitDefect    = 70  // a defect
	ExitTimeout   = 124 // the time was up
	ExitInterrupt = 130 // cancelled by Ctrl-C
	ExitTerminate = 143 // cancelled by SIGTERM
	ExitPipe      = 141 // the reader of standard output went away
)

// ExitError is what [Command.Run] returns to end with a code of its own. The text of Err, if there is one, goes to standard
// error.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// errTimeout is the cause of a context that --timeout ended.
var errTimeout = errors.New("capcli: the time that --timeout allows is up")

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "capcli: " + e.signal.String() }

// exitCode says how a program ends with err. ctx is the context of the call.
func exitCode(ctx context.Context, err error) int {
	if err == nil {
		return ExitOK
	}
	if failed, ok := errors.AsType[*cap.Error](err); ok {
		return callExitCode(ctx, failed)
	}
	if _, ok := errors.AsType[*pendingError](err); ok {
		return ExitPending
	}
	if _, ok := errors.AsType[*unaskedError](err); ok {
		return ExitDeclined
	}
	if _, ok := errors.AsType[*startedError](err); ok {
		return ExitUnknown
	}
	if exit, ok := errors.AsType[*ExitError](err); ok {
		return exit.Code
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return ExitUsage
	}
	if _, ok := errors.AsType[*writeError](err); ok {
		return writeExitCode(err)
	}
	if ctx.Err() != nil {
		return cancelExitCode(ctx)
	}
	return ExitFailed
}

func callExitCode(ctx context.Context, failed *cap.Error) int {
	switch failed.Code {
	case cap.CodeCapabilityFailed:
		return ExitFailed
	case cap.CodeCapabilityNotFound, cap.CodeInputInvalid:
		return ExitUsage
	case cap.CodeUnauthenticated, cap.CodeForbidden:
		return ExitAuth
	case cap.CodeConfirmationRequired, cap.CodeConfirmationInvalid:
		return ExitDeclined
	case cap.CodeCancelled:
		if failed.Reason == cap.ReasonTimeout {
			return ExitTimeout
		}
		return cancelExitCode(ctx)
	default:
		return ExitDefect
	}
}

// cancelExitCode tells by the cause of ctx who cancelled.
func cancelExitCode(ctx context.Context) int {
	cause := context.Cause(ctx)
	if errors.Is(cause, errTimeout) || errors.Is(cause, context.DeadlineExceeded) {
		return ExitTimeout
	}
	if s, ok := errors.AsType[*signalError](cause); ok && s.signal == syscall.SIGTERM {
		return ExitTerminate
	}
	return ExitInterrupt
}

// writeError says that standard output could not be written.
type writeError struct{ err error }

func (e *writeError) Error() string { return "the result could not be written: " + e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

// writeExitCode is quiet about a reader that went away, as "… | head" makes it.
func writeExitCode(err error) int {
	if errors.Is(err, syscall.EPIPE) {
		return ExitPipe
	}
	return ExitFailed
}
