package capmcp

import (
	"context"
	"errors"
	"sync"
)

// work counts what is in progress, so that closing can wait for it: calls, and requests whose answers are not written yet. The
// SDK drops an answer that comes after it was told to close.
type work struct {
	mu      sync.Mutex
	count   int
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
	w.count++
	call, cancel := context.WithCancel(ctx)
	stop, forget := context.AfterFunc(w.all, cancel), func() bool { return true }
	if gone != nil {
		forget = context.AfterFunc(gone, cancel)
	}
	return call, func() {
		stop()
		forget()
		cancel()
		w.release()
	}, nil
}

// hold keeps closing from ending the sessions until release is called, once.
func (w *work) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
}

func (w *work) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count--
	if w.closing && w.count == 0 && !w.isIdle() {
		close(w.idle)
	}
}

func (w *work) isIdle() bool {
	select {
	case <-w.idle:
		return true
	default:
		return false
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
		if w.count == 0 {
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
