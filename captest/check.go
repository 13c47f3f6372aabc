package captest

import (
	"testing"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/lint"
)

// Check fails the test for every finding of package lint that is an error or a warning, but for the rules that are named.
// Notes are no faults, and neither is a registry without a gate: tests are about the contracts.
func Check(t testing.TB, registry *cap.Registry, disable ...string) {
	t.Helper()
	for _, finding := range lint.Check(registry, lint.Options{Disable: append([]string{"gate"}, disable...)}) {
		if finding.Severity != lint.Note {
			t.Errorf("%s: %s", finding.Severity, finding)
		}
	}
}
