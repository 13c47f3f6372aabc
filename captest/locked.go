package captest

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/contracts"
)

// UpdateLock is the environment variable that makes [Locked] write the lock file: set it to 1 to accept what has changed.
const UpdateLock = "CAP_UPDATE_LOCK"

// Locked holds the contracts of a registry against the lock file at path. The test fails with every change: a breaking one
// says whom it breaks, a compatible one has to be locked too, or nobody would notice when it is taken back. With
// CAP_UPDATE_LOCK=1 in the environment the file is written instead.
func Locked(t testing.TB, registry *cap.Registry, path string) {
	t.Helper()
	const how = "run the test with " + UpdateLock + "=1 to lock what is there now, and read the diff"
	data, err := os.ReadFile(path) //nolint:gosec // the test's own path
	switch {
	case os.Getenv(UpdateLock) == "1":
		writeLock(t, registry, path)
		return
	case errors.Is(err, fs.ErrNotExist):
		t.Fatalf("captest: there is no lock file %s (%s)", path, how)
		return
	case err != nil:
		t.Fatalf("captest: %v", err)
		return
	}
	lock, err := contracts.Parse(data)
	if err != nil {
		t.Fatalf("captest: %s: %v (%s)", path, err, how)
		return
	}
	if changes := contracts.Check(lock, registry); len(changes) > 0 {
		t.Errorf("captest: the contracts are not those of %s (%s)\n%s", path, how, contracts.Text(changes))
	}
}

func writeLock(t testing.TB, registry *cap.Registry, path string) {
	t.Helper()
	if err := os.WriteFile(path, contracts.Of(registry).Bytes(), 0o644); err != nil { //nolint:gosec // a lock file is for everybody
		t.Fatalf("captest: %v", err)
	}
	t.Logf("captest: wrote %s", path)
}
