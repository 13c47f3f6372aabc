// Package sqlstore keeps approvals in an SQL database. It knows no driver: package sqlite opens a file, package postgres a
// server, and each links its own driver alone.
package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap/approval"
)

// Dialect is a kind of database.
type Dialect int

// The databases that are known.
const (
	SQLite Dialect = iota
	PostgreSQL
)

// Store is an [approval.Store] in a database.
type Store struct {
	db      *sql.DB
	dialect Dialect
}

var _ approval.Store = (*Store)(nil)

// Open returns the store of a database, and makes its tables if they are missing. Closing the store closes db. SQLite must
// begin transactions that write with BEGIN IMMEDIATE and commit with synchronous=FULL, or a machine that loses power can
// forget that an approval was used; package sqlite sees to both.
func Open(ctx context.Context, db *sql.DB, dialect Dialect) (*Store, error) {
	s := &Store{db: db, dialect: dialect}
	if err := s.migrate(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// View implements [approval.Store].
func (s *Store) View(ctx context.Context, read func(approval.Tx) error) error {
	options := &sql.TxOptions{ReadOnly: true}
	if s.dialect == PostgreSQL {
		options.Isolation = sql.LevelRepeatableRead
	}
	return s.transact(ctx, options, func(t *tx) error {
		t.readOnly = true
		return read(t)
	})
}

// Update implements [approval.Store]. SQLite has one writer at a time; on PostgreSQL every Update first locks one row.
func (s *Store) Update(ctx context.Context, change func(approval.Tx) error) error {
	return s.transact(ctx, nil, func(t *tx) error {
		if s.dialect == PostgreSQL {
			var version string
			if err := t.row("SELECT value FROM cap_meta WHERE name = 'schema' FOR UPDATE").Scan(&version); err != nil {
				return err
			}
		}
		return change(t)
	})
}

// transact runs work in one transaction. It returns nil only if that was committed.
func (s *Store) transact(ctx context.Context, options *sql.TxOptions, work func(*tx) error) error {
	begun, err := s.db.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	// After a commit this does nothing; after an error or a panic it undoes everything.
	defer func() { _ = begun.Rollback() }()
	if err := work(&tx{ctx: ctx, tx: begun, dialect: s.dialect}); err != nil {
		return err
	}
	return begun.Commit()
}

// schemaVersion is that of the tables. Another one is refused.
const schemaVersion = "1"

// migrate makes the tables, unless they are there.
func (s *Store) migrate(ctx context.Context) error {
	return s.transact(ctx, nil, func(t *tx) error {
		if s.dialect == PostgreSQL {
			// CREATE … IF NOT EXISTS is not safe against itself.
			if _, err := t.exec("SELECT pg_advisory_xact_lock(7163377321)"); err != nil {
				return err
			}
		}
		for _, statement := range s.dialect.schema() {
			if _, err := t.exec(statement); err != nil {
				return fmt.Errorf("sqlstore: %w", err)
			}
		}
		var version string
		if err := t.row("SELECT value FROM cap_meta WHERE name = 'schema'").Scan(&version); err != nil {
			return err
		}
		if version != schemaVersion {
			return fmt.Errorf("sqlstore: the tables are of version %q (want %q)", version, schemaVersion)
		}
		return nil
	})
}

// schema gives the statements that make the tables. Each can be repeated.
func (d Dialect) schema() []string {
	number := "n INTEGER PRIMARY KEY AUTOINCREMENT"
	if d == PostgreSQL {
		number = "n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
	}
	statements := []string{
		`CREATE TABLE IF NOT EXISTS cap_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS cap_approval (` + number + `, id TEXT NOT NULL UNIQUE, version BIGINT NOT NULL,
			state TEXT NOT NULL, audience TEXT NOT NULL, binding TEXT NOT NULL, requester TEXT NOT NULL, tenant TEXT NOT NULL, expires BIGINT NOT NULL,
			record TEXT NOT NULL)`,
		`CREATE INDEX IF NOT EXISTS cap_approval_state ON cap_approval (state, expires)`,
		`CREATE INDEX IF NOT EXISTS cap_approval_binding ON cap_approval (binding, state)`,
		`CREATE TABLE IF NOT EXISTS cap_approver (id TEXT PRIMARY KEY, approver TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS cap_audit (seq BIGINT PRIMARY KEY, entry TEXT NOT NULL)`,
	}
	statements = append(statements, d.appendOnly()...)
	return append(statements, `INSERT INTO cap_meta (name, value) VALUES ('schema', '`+schemaVersion+`') ON CONFLICT DO NOTHING`)
}

// appendOnly gives the triggers that keep the audit log from being changed by mistake.
func (d Dialect) appendOnly() []string {
	if d == PostgreSQL {
		return []string{
			`CREATE OR REPLACE FUNCTION cap_audit_keep() RETURNS trigger LANGUAGE plpgsql AS
				$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$`,
			`CREATE OR REPLACE TRIGGER cap_audit_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON cap_audit EXECUTE FUNCTION cap_audit_keep()`,
		}
	}
	const trigger = `CREATE TRIGGER IF NOT EXISTS cap_audit_%s BEFORE %s ON cap_audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END`
	return []string{fmt.Sprintf(trigger, "update", "UPDATE"), fmt.Sprintf(trigger, "delete", "DELETE")}
}

// tx is an [approval.Tx].
type tx struct {
	ctx      context.Context
	tx       *sql.Tx
	dialect  Dialect
	readOnly bool
}

// Statements are written with $1, $2, …; SQLite calls them ?1, ?2, ….
func (t *tx) bound(statement string) string {
	if t.dialect == SQLite {
		return strings.ReplaceAll(statement, "$", "?")
	}
	return statement
}

func (t *tx) exec(statement string, args ...any) (int64, error) {
	if len(args) > 0 {
		statement = t.bound(statement)
	}
	result, err := t.tx.ExecContext(t.ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (t *tx) row(statement string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(t.ctx, t.bound(statement), args...)
}

// write runs a statement that must change one row. conflict is what it means if it changes none.
func (t *tx) write(conflict error, statement string, args ...any) error {
	if t.readOnly {
		return approval.ErrReadOnly
	}
	changed, err := t.exec(statement, args...)
	if err == nil && changed == 0 {
		return conflict
	}
	return err
}

// Now implements [approval.Tx]: the clock of the machine that the database is on.
func (t *tx) Now() (time.Time, error) {
	if t.dialect == SQLite {
		return time.Now().UTC().Truncate(time.Microsecond), nil
	}
	var micros int64
	err := t.row("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&micros)
	return time.UnixMicro(micros).UTC(), err
}

// Key implements [approval.Tx].
func (t *tx) Key(fresh []byte) ([]byte, error) {
	var text string
	err := t.row("SELECT value FROM cap_meta WHERE name = 'key'").Scan(&text)
	switch {
	case err == nil:
		return hex.DecodeString(text)
	case !errors.Is(err, sql.ErrNoRows):
		return nil, err
	case t.readOnly:
		return nil, nil
	}
	err = t.write(approval.ErrConflict, "INSERT INTO cap_meta (name, value) VALUES ('key', $1)", hex.EncodeToString(fresh))
	return fresh, err
}
