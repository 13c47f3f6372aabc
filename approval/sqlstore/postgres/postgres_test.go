package postgres_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/sqlstore/postgres"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

// envServer names the server to test against, such as "postgres://postgres@127.0.0.1:5432/postgres". The script
// .ci/postgres starts one.
const envServer = "CAP_TEST_POSTGRES"

func open(ctx context.Context, url string) (approval.Store, error) { return postgres.Open(ctx, url) }

func TestMain(m *testing.M) { os.Exit(storetest.Main(m, open)) }

// newSchema makes an empty schema on the server, and returns the URL that leads to it.
func newSchema(t *testing.T) string {
	t.Helper()
	server := os.Getenv(envServer)
	if server == "" {
		t.Skip("PostgreSQL is NOT tested: " + envServer + " names no server (run .ci/postgres, and see CONTRIBUTING.md)")
	}
	random := make([]byte, 8)
	_, err := rand.Read(random)
	require.NoError(t, err)
	schema := "cap_test_" + hex.EncodeToString(random)
	db, err := sql.Open("pgx", server)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE SCHEMA "+schema)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := db.ExecContext(context.WithoutCancel(t.Context()), "DROP SCHEMA "+schema+" CASCADE")
		assert.NoError(t, err)
		assert.NoError(t, db.Close())
	})
	address, err := url.Parse(server)
	require.NoError(t, err)
	query := address.Query()
	query.Set("search_path", schema)
	address.RawQuery = query.Encode()
	return address.String()
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) approval.Store {
		store, err := postgres.Open(t.Context(), newSchema(t))
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, store.Close()) })
		return store
	})
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	newSchema(t) // says once, for all of them, why they are skipped
	storetest.RunProcesses(t, open, newSchema)
}

func TestOpen(t *testing.T) {
	t.Parallel()
	_, err := postgres.Open(t.Context(), "postgres://nobody@127.0.0.1:1/nothing?connect_timeout=1")
	require.Error(t, err)
	address := newSchema(t)
	stores := make(chan error, 8)
	for range cap(stores) {
		go func() {
			store, err := postgres.Open(t.Context(), address)
			if err == nil {
				err = store.Close()
			}
			stores <- err
		}()
	}
	for range cap(stores) {
		require.NoError(t, <-stores, "many open an empty database at the same time")
	}

	_, err = postgres.Open(t.Context(), address+"&synchronous_commit=off")
	require.ErrorContains(t, err, "synchronous_commit is off")

	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), "UPDATE cap_meta SET value = '2' WHERE name = 'schema'")
	require.NoError(t, err)
	_, err = postgres.Open(t.Context(), address)
	require.ErrorContains(t, err, "version")
}

// The log cannot be changed by mistake; who does it on purpose is found out.
func TestAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	address := newSchema(t)
	store, err := postgres.Open(t.Context(), address)
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	gate, registry := storetest.Open(t, store, approval.Options{}, &storetest.Shop{})
	_ = storetest.Ask(t, registry, "refund_order", `{"order":"SO-1"}`, storetest.Bot)
	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	for _, statement := range []string{"DELETE FROM cap_audit", "UPDATE cap_audit SET entry = '{}'", "TRUNCATE cap_audit"} {
		_, err = db.ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "append-only", statement)
	}
	head, err := gate.Verify(t.Context())
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "DROP TRIGGER cap_audit_keep ON cap_audit")
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "DELETE FROM cap_audit WHERE seq = (SELECT max(seq) FROM cap_audit)")
	require.NoError(t, err)
	_, err = gate.Verify(t.Context(), head)
	var broken *approval.AuditError
	require.ErrorAs(t, err, &broken)
}
