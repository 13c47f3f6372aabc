// Package postgres keeps approvals on a PostgreSQL server, version 14 or later: the store for several machines.
package postgres

import (
	"context"
	"database/sql"
	"errors"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/seed-369ec62e/cap/approval/sqlstore"
)

// maxConnections is how many connections one store opens.
const maxConnections = 4

// Open opens the store of a database, such as "postgres://user:password@host/database". The tables are made, in the first
// schema of the search path, if they are missing. The server must not run with synchronous_commit off.
func Open(ctx context.Context, url string) (*sqlstore.Store, error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, err
	}
	// Updates run one after the other whatever is open, so more connections would only wait.
	db.SetMaxOpenConns(maxConnections)
	if err := checkCommit(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	store, err := sqlstore.Open(ctx, db, sqlstore.PostgreSQL)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return store, nil
}

// checkCommit refuses a server that forgets what it has committed: a used approval could be used again.
func checkCommit(ctx context.Context, db *sql.DB) error {
	var setting string
	if err := db.QueryRowContext(ctx, "SHOW synchronous_commit").Scan(&setting); err != nil {
		return err
	}
	if setting == "off" {
		return errors.New("postgres: synchronous_commit is off, so a crash can forget that an approval was used (turn it on for this role or database)")
	}
	return nil
}
