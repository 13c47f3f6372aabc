//go:build unix

package capcli_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// demo prepares the program as a process of its own: this test binary under another name.
func demo(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "demo")
	require.NoError(t, os.Symlink(self, name))
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "DEMO_TOKEN=")
	return cmd
}

// codeOf is the exit code of a process that ended; for one that a signal ended, what a shell makes of it.
func codeOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, "%v", err)
	status, ok := exit.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// started starts a process and waits until it says so.
func started(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "waiting\n", line)
	return lines
}

func TestSignals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		args    []string
		signals []os.Signal
		code    int
	}{
		{"Ctrl-C cancels", []string{"wait"}, []os.Signal{os.Interrupt}, capcli.ExitInterrupt},
		{"SIGTERM cancels", []string{"wait"}, []os.Signal{syscall.SIGTERM}, capcli.ExitTerminate},
		{"with a timeout that is not up", []string{"wait", "--timeout", "1h"}, []os.Signal{os.Interrupt}, capcli.ExitInterrupt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout bytes.Buffer
			cmd := demo(t, tt.args...)
			cmd.Stdout = &stdout
			lines := started(t, cmd)
			for _, s := range tt.signals {
				require.NoError(t, cmd.Process.Signal(s))
			}
			rest, err := io.ReadAll(lines)
			require.NoError(t, err)
			assert.Equal(t, tt.code, codeOf(t, cmd.Wait()))
			assert.Equal(t, "error: Capability execution was cancelled.\n", string(rest))
			assert.Empty(t, stdout.String())
		})
	}
}

// A handler that ignores its context is ended by the second Ctrl-C. The first says, at a terminal, that there is a second.
func TestSecondInterruptKills(t *testing.T) {
	t.Parallel()
	cmd := demo(t, "wait", "--deaf")
	started(t, cmd)
	// The first may come before or after the program hears of signals; from the one that it hears on they kill.
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		require.NoError(t, ignoreFinished(cmd.Process.Signal(os.Interrupt)))
		select {
		case err := <-ended:
			assert.Equal(t, capcli.ExitInterrupt, codeOf(t, err))
			return
		default:
		}
	}
}

func ignoreFinished(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

func TestClosedOutput(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	var stderr bytes.Buffer
	cmd := demo(t, "list-cells")
	cmd.Stdout, cmd.Stderr = write, &stderr
	assert.Equal(t, capcli.ExitPipe, codeOf(t, cmd.Run()))
	assert.Empty(t, stderr.String(), "the reader has gone away, so nobody is told")
	require.NoError(t, write.Close())
}

// Standard input that nobody writes to is not read, so nothing hangs.
func TestOpenInputIsNotRead(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer func() { assert.NoError(t, errors.Join(read.Close(), write.Close())) }()
	cmd := demo(t, "list-cells")
	cmd.Stdin = read
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(out), `{"result":`))
}

// A pipe that nobody writes to holds up neither --timeout nor the first signal.
func TestPipeAsFile(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	var stderr bytes.Buffer
	cmd := demo(t, "list-cells", "--input", "@"+pipe, "--timeout", "50ms")
	cmd.Stderr = &stderr
	assert.Equal(t, capcli.ExitTimeout, codeOf(t, cmd.Run()), "%s", &stderr)

	for sent, want := range map[os.Signal]int{os.Interrupt: capcli.ExitInterrupt, syscall.SIGTERM: capcli.ExitTerminate} {
		cmd := demo(t, "list-cells", "--input", "@"+pipe)
		require.NoError(t, cmd.Start())
		// To open the writing end waits until the process has opened the reading one.
		held, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(sent))
		assert.Equal(t, want, codeOf(t, cmd.Wait()))
		require.NoError(t, held.Close())
	}
}
