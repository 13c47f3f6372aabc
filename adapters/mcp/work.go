package capmcp

import (
	"context"
	"errors"
	"sync"
)

// work counts the calls in progress, so that closing can wait for them.
type work struct {
	mu      sync.Mutex
	calls   int
	closing bool
	idle    chan struct{} // closed when closing and no call is left

	all    context.Context // ended when closing has waited long enough
	cancel context.CancelFunc
}

var errClosing = errors.New("the server is closing")

func (w *work) init() {
	w.idle = make(chan struct{})
	w.all, w.cancel = context.WithCancel(context.Background())
}

// begin admits one call. Its context ends with ctx, with gone (which may be nil), and when closing runs out of patience. The
// caller calls end once.
func (w *work) begin(ctx, gone context.Context) (call context.Context, end func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closing {
		return nil, nil, errClosing
	}
	w.calls++
	call, cancel := context.WithCancel(ctx)
	stop, forget := context.AfterFunc(w.all, cancel), func() bool { return true }
	if gone != nil {
		forget = context.AfterFunc(gone, cancel)
	}
	return call, func() {
		stop()
		forget()
		cancel()
		w.end()
	}, nil
}

func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls--
	if w.closing && w.calls == 0 {
		close(w.idle)
	}
}

func (w *work) isClosing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closing
}

// drain refuses new calls and waits for those in progress, until ctx ends; then it cancels them.
func (w *work) drain(ctx context.Context) error {
	w.mu.Lock()
	if !w.closing {
		w.closing = true
		if w.calls == 0 {
			close(w.idle)
		}
	}
	w.mu.Unlock()
	select {
	case <-w.idle:
		return nil
	case <-ctx.Done():
		w.cancel()
		return ctx.Err()
	}
}
