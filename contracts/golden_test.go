package contracts_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with a file, or writes it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644)) //nolint:gosec // a golden file is for everybody
	}
	want, err := os.ReadFile(path) //nolint:gosec // the test's own path
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run with -update and read the diff")
}
