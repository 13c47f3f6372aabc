package main

import (
	"context"
	"strings"
	"sync"

	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/sqlstore"
	"github.com/seed-369ec62e/cap/approval/sqlstore/sqlite"
)

// lazyApprovals keeps approvals in a file beside the shop's. It is opened at the first call, when its name is known.
type lazyApprovals struct {
	shop *Store

	mu    sync.Mutex
	store *sqlstore.Store
}

var _ approval.Store = (*lazyApprovals)(nil)

func (l *lazyApprovals) open(ctx context.Context) (*sqlstore.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store != nil {
		return l.store, nil
	}
	store, err := sqlite.Open(ctx, strings.TrimSuffix(l.shop.Path, ".db")+".approvals.db")
	if err == nil {
		l.store = store
	}
	return store, err
}

// View implements [approval.Store].
func (l *lazyApprovals) View(ctx context.Context, read func(approval.Tx) error) error {
	store, err := l.open(ctx)
	if err != nil {
		return err
	}
	return store.View(ctx, read)
}

// Update implements [approval.Store].
func (l *lazyApprovals) Update(ctx context.Context, change func(approval.Tx) error) error {
	store, err := l.open(ctx)
	if err != nil {
		return err
	}
	return store.Update(ctx, change)
}
