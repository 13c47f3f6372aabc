package sqlite_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/sqlstore/sqlite"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

func open(ctx context.Context, path string) (approval.Store, error) { return sqlite.Open(ctx, path) }

func TestMain(m *testing.M) { os.Exit(storetest.Main(m, open)) }

func newFile(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "approvals ?#%41.db")
}

// raw opens the file beside the store.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) approval.Store {
		store, err := sqlite.Open(t.Context(), newFile(t))
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, store.Close()) })
		return store
	})
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	storetest.RunProcesses(t, open, newFile)
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", ":memory:", filepath.Join(t.TempDir(), "missing", "file.db")} {
		_, err := sqlite.Open(t.Context(), path)
		require.Error(t, err, "%q", path)
	}
	path := newFile(t)
	store, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	_, registry := storetest.Open(t, store, approval.Options{}, &storetest.Shop{})
	_ = storetest.Ask(t, registry, "refund_order", `{"order":"SO-1"}`, storetest.Bot)
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "nobody else reads %s", filepath.Base(file))
	}
	require.NoError(t, store.Close())

	db := raw(t, path)
	_, err = db.ExecContext(t.Context(), "UPDATE cap_meta SET value = '2' WHERE name = 'schema'")
	require.NoError(t, err)
	_, err = sqlite.Open(t.Context(), path)
	require.ErrorContains(t, err, "version")
}

// The log cannot be changed by mistake; who does it on purpose is found out.
func TestAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	store, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	gate, registry := storetest.Open(t, store, approval.Options{}, &storetest.Shop{})
	asked := storetest.Ask(t, registry, "refund_order", `{"order":"SO-1"}`, storetest.Bot)
	db := raw(t, path)
	for _, statement := range []string{"DELETE FROM cap_audit", "UPDATE cap_audit SET entry = '{}'"} {
		_, err = db.ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "append-only", statement)
	}
	head, err := gate.Verify(t.Context())
	require.NoError(t, err)

	_, err = db.ExecContext(t.Context(), "UPDATE cap_approval SET state = 'approved', record = replace(record, '\"pending\"', '\"approved\"') WHERE id = ?", asked.Approval)
	require.NoError(t, err)
	_, err = gate.Verify(t.Context(), head)
	var broken *approval.AuditError
	require.ErrorAs(t, err, &broken)
}

// BenchmarkApproval is one approval's whole way: asked for, approved, begun and finished, each in a transaction of its own.
func BenchmarkApproval(b *testing.B) {
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "approvals.db"))
	require.NoError(b, err)
	defer func() { assert.NoError(b, store.Close()) }()
	gate, registry := storetest.Open(b, store, approval.Options{}, &storetest.Shop{})
	for b.Loop() {
		asked := storetest.Ask(b, registry, "refund_order", `{"order":"SO-1"}`, storetest.Bot)
		storetest.Approve(b, gate, asked.Approval, storetest.Boss)
		_, failed := storetest.Call(b.Context(), registry, "refund_order", `{"order":"SO-1"}`, storetest.Bot, cap.Confirmation{})
		require.Nil(b, failed)
	}
}
