// Package sqlite keeps approvals in a file: the store for one machine, also with several processes. The file must be on a
// local disk.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/seed-369ec62e/cap/approval/sqlstore"
)

// settings make SQLite wait for other writers, keep what was committed through a loss of power, and begin every
// transaction that may write as a writer: one that turned into a writer midway could fail.
const settings = "?_busy_timeout=30000&_journal_mode=WAL&_synchronous=FULL&_txlock=immediate"

// Open opens the store in a file, and makes it, readable by its owner alone, if it is missing.
func Open(ctx context.Context, path string) (*sqlstore.Store, error) {
	if path == "" || path == ":memory:" {
		return nil, errors.New("sqlite: the store needs a file (use approval.Memory() to keep nothing)")
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+settings)
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, db, sqlstore.SQLite)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return store, nil
}
