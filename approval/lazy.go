package approval

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Lazy is a store that is opened when it is first needed: a program learns from its flags where the store is, and one that
// only reads never opens it. It is safe for concurrent use.
type Lazy struct {
	open func(context.Context) (Store, error)

	mu     sync.Mutex
	store  Store
	closed bool
}

// NewLazy returns a store that open opens. If that fails, the next use tries again.
func NewLazy(open func(context.Context) (Store, error)) *Lazy { return &Lazy{open: open} }

// View implements [Store].
func (l *Lazy) View(ctx context.Context, read func(Tx) error) error {
	store, err := l.opened(ctx)
	if err != nil {
		return err
	}
	return store.View(ctx, read)
}

// Update implements [Store].
func (l *Lazy) Update(ctx context.Context, change func(Tx) error) error {
	store, err := l.opened(ctx)
	if err != nil {
		return err
	}
	return store.Update(ctx, change)
}

// Close closes the store if it was opened and can be closed. Nothing opens it again.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	closer, ok := l.store.(io.Closer)
	l.store = nil
	if !ok {
		return nil
	}
	return closer.Close()
}

func (l *Lazy) opened(ctx context.Context) (Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, errors.New("approval: the store is closed")
	case l.store != nil:
		return l.store, nil
	}
	store, err := l.open(ctx)
	if err == nil && store == nil {
		err = errors.New("approval: no store was opened")
	}
	if err != nil {
		return nil, err
	}
	l.store = store
	return store, nil
}
