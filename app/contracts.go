package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/contracts"
)

// lockFlag says where the lock file is.
var lockFlag = capcli.Flag{
	Name: "lock", Placeholder: "FILE", Default: "contracts.lock.json", File: true, Help: "The lock file",
}

// contractCommands keep the contracts under version control. They take the whole registry, whatever the fronts filter.
func (p *program) contractCommands() []capcli.Command {
	return []capcli.Command{
		{
			Name: "contracts lock", Summary: "Write what callers are promised into a lock file",
			Doc:   "Commit the file. Its bytes are the same for the same contracts, so that its diff can be read.",
			Flags: []capcli.Flag{lockFlag},
			Run:   func(_ context.Context, call capcli.Invocation) error { return p.lock(call) },
		},
		{
			Name: "contracts check", Summary: "Compare the contracts with the lock file",
			Doc:   "Says of every change whether it breaks callers, and why. Exits with 1 if one does, and with 2 if the lock file cannot be read.",
			Flags: []capcli.Flag{lockFlag, {Name: "json", Help: "The same as --output json"}},
			Run:   func(_ context.Context, call capcli.Invocation) error { return p.checkLock(call) },
		},
	}
}

func (p *program) lock(call capcli.Invocation) error {
	path := call.Text(lockFlag.Name)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		// Not through a link either: /dev/stdout is one, to whatever file the output was sent to.
		return fmt.Errorf("%s: it is no regular file (name the lock file itself)", path)
	}
	lock := contracts.Of(p.registry)
	if err := writeLock(path, lock.Bytes()); err != nil {
		return err
	}
	if call.JSON {
		return call.WriteJSON(map[string]any{"file": path, "capabilities": len(lock.Capabilities)})
	}
	what := "1 capability"
	if n := len(lock.Capabilities); n != 1 {
		what = fmt.Sprintf("%d capabilities", n)
	}
	return call.WriteText(what + ": written to " + path + "\n")
}

// writeLock writes a file that everybody may read: it is committed. What is there keeps its mode.
func writeLock(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the operator's own path
	if err == nil {
		_, err = file.Write(data)
		return errors.Join(err, file.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return writeFile(path, data)
}

func (p *program) checkLock(call capcli.Invocation) error {
	path := call.Text(lockFlag.Name)
	lock, err := readLock(path)
	if err != nil {
		return &capcli.ExitError{Code: capcli.ExitUsage, Err: err}
	}
	changes := contracts.Check(lock, p.registry)
	if err := writeChanges(call, changes); err != nil {
		return err
	}
	if contracts.IsBreaking(changes) {
		return &capcli.ExitError{Code: capcli.ExitFailed, Err: errors.New("")}
	}
	return nil
}

func readLock(path string) (*contracts.Lock, error) {
	if err := checkFile(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := os.ReadFile(path) //nolint:gosec // the operator's own path
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no lock file %q (write it with contracts lock, or name it with --lock)", path)
	}
	if err != nil {
		return nil, err
	}
	lock, err := contracts.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lock, nil
}

func writeChanges(call capcli.Invocation, changes []contracts.Change) error {
	if changes == nil {
		changes = []contracts.Change{} // an empty list, not null
	}
	switch {
	case call.On("json"):
		return call.WriteJSON(changes)
	case call.JSON || call.Format() == "yaml":
		return call.Write(changes)
	default:
		return call.WriteText(contracts.Text(changes))
	}
}
