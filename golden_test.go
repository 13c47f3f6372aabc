package cap_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// update rewrites the golden files in testdata with what the code says now.
// Read the diff before you commit it.
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with a file, or writes it with -update. A failure shows only the lines that differ.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path) //nolint:gosec // the test's own path
	require.NoError(t, err)
	if string(want) == got {
		return
	}
	assert.ElementsMatchf(t, lines(string(want), got), lines(got, string(want)), "%s differs; run with -update and read the diff", path)
	assert.Failf(t, "golden file differs", "%s", path)
}

// lines gives the lines of text that are not in other.
func lines(text, other string) []string {
	known := make(map[string]bool)
	for line := range strings.Lines(other) {
		known[line] = true
	}
	var list []string
	for line := range strings.Lines(text) {
		if !known[line] {
			list = append(list, line)
		}
	}
	return list
}
