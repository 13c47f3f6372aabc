package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/captest"
)

// TestContractsAreLocked holds the contracts against the file that is committed, and shows what the program says of it.
func TestContractsAreLocked(t *testing.T) {
	t.Parallel()
	captest.Locked(t, MustRegister(&Store{Path: filepath.Join(t.TempDir(), "orders.db")}), "contracts.lock.json")

	file, err := filepath.Abs("contracts.lock.json")
	require.NoError(t, err)
	stdout, stderr, code := runOrders(t, "contracts", "check", "--lock", file)
	assert.Equal(t, "The contracts are as locked.\n", stdout, stderr)
	assert.Zero(t, code)
}

// A lock that was edited by hand promises nothing.
func TestEditedLockIsRefused(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("contracts.lock.json")
	require.NoError(t, err)
	edited := filepath.Join(t.TempDir(), "contracts.lock.json")
	text := strings.Replace(string(data), `"effect": "read"`, `"effect": "host"`, 1)
	require.NotEqual(t, string(data), text)
	require.NoError(t, os.WriteFile(edited, []byte(text), 0o600))

	stdout, stderr, code := runOrders(t, "contracts", "check", "--lock", edited)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, edited)
	assert.Equal(t, 2, code)
}
