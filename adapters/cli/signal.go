package capcli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the program with the arguments and streams of the process, and returns the code to end it with:
//
//	os.Exit(program.Main())
//
// The first Ctrl-C, or SIGTERM, cancels the call; the second ends the process at once.
func (p *Program) Main() int {
	streams := Standard()
	ctx, stop := withSignals(context.Background(), streams)
	defer stop()
	return p.Run(ctx, os.Args[1:], streams)
}

// withSignals returns a context that the first signal ends. From then on signals do again what they do by themselves, so
// that a handler that ignores its context can be ended by a second one.
func withSignals(parent context.Context, streams Streams) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case <-ctx.Done():
		case s := <-signals:
			signal.Stop(signals)
			if streams.ErrTerminal {
				_, _ = fmt.Fprintln(streams.Err, "cancelling; press Ctrl-C again to stop now")
			}
			cancel(&signalError{s})
		}
	}()
	return ctx, func() { cancel(nil) }
}
