package capmcp

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client over a pair of streams, one message a line, until the input ends, ctx ends or [Adapter.Close]
// is called. Nil streams are standard input and output. While it serves standard output, os.Stdout is os.Stderr, so that a
// stray print cannot end up between two messages.
//
// What is no message is answered with an error and skipped. After the end of the input, calls in progress may still answer
// for as long as [Options.DrainTimeout]; then the result is nil. A stream that breaks is an error, and so is the end of ctx.
//
// A read from standard input cannot be interrupted: when ctx ends first, one goroutine waits for a last line.
func (a *Adapter) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	if in == nil {
		in = os.Stdin
	}
	if out == nil {
		out = os.Stdout
	}
	if out == io.Writer(os.Stdout) {
		standard := os.Stdout
		os.Stdout = os.Stderr
		defer func() { os.Stdout = standard }()
	}
	if a.work.isClosing() {
		return errClosing
	}
	lines := newLines(in, out, a.options.maxBytes(defaultStdioBytes), &a.work)
	who := &caller{source: sourceStdio, principal: a.options.Principal}
	connection, leave := context.WithCancel(withCaller(ctx, who))
	defer leave()
	lines.shortcut = newShortcut(connection, a, lines, who)
	session, err := a.server.Connect(connection, lines, nil)
	if err != nil {
		return err
	}
	return a.serve(ctx, session, lines)
}

// serve waits for the end of a connection, whichever way it comes.
func (a *Adapter) serve(ctx context.Context, session *mcp.ServerSession, lines *lines) error {
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return lines.verdict(err)
	case <-ctx.Done():
		lines.stop()
		a.await(ended)
		return ctx.Err()
	case <-lines.eof:
	}
	// The input has ended. What is in progress may answer; then the reader tells the SDK, which ends the session.
	patience := time.NewTimer(a.options.DrainTimeout)
	defer patience.Stop()
	select {
	case err := <-ended:
		return lines.verdict(err)
	case <-lines.idle():
	case <-patience.C:
	case <-ctx.Done():
	}
	lines.stop()
	a.await(ended)
	return lines.verdict(nil)
}

// goodbye is how long the SDK may take to end a session whose streams are closed. A handler that ignores its context, or a
// client that does not read, must not keep the process alive.
const goodbye = 500 * time.Millisecond

func (a *Adapter) await(ended <-chan error) {
	timer := time.NewTimer(goodbye)
	defer timer.Stop()
	select {
	case err := <-ended:
		a.options.Logger.Debug("the session has ended", "error", err)
	case <-timer.C:
		a.options.Logger.Warn("the session did not end in time")
	}
}

// isClosed reports whether an error says no more than that the other side has gone.
func isClosed(err error) bool {
	return err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed) || isBrokenPipe(err)
}
