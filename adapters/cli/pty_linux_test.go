package capcli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// openTerminal opens a pseudo-terminal of a width: what a person types goes into the first file, and what they see comes
// out of it; the second is the program's.
func openTerminal(t *testing.T, width uint16) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = person.Close() })
	fd := int(person.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = program.Close() })
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}))
	return person, program
}

// screen is what a person sees.
type screen struct {
	mu   sync.Mutex
	cond *sync.Cond
	text bytes.Buffer
	done bool
}

func watch(person *os.File) *screen {
	s := &screen{}
	s.cond = sync.NewCond(&s.mu)
	go func() {
		chunk := make([]byte, 4096)
		for {
			n, err := person.Read(chunk)
			s.mu.Lock()
			s.text.Write(chunk[:n])
			s.done = err != nil
			s.cond.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// waitFor waits until a text is on the screen, and returns what is.
func (s *screen) waitFor(t *testing.T, text string) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.text.String(), text) {
		if s.done {
			assert.Fail(t, "the screen went dark", "before %q: %q", text, s.text.String())
			break
		}
		s.cond.Wait()
	}
	return s.text.String()
}

// atTerminal starts demo with a terminal of its own.
func atTerminal(t *testing.T, width uint16, args ...string) (*exec.Cmd, *os.File, *screen) {
	t.Helper()
	person, program := openTerminal(t, width)
	cmd := demo(t, args...)
	cmd.Env = append(cmd.Env, "TERM=xterm", "NO_COLOR=", "PAGER=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, cmd.Start())
	require.NoError(t, program.Close()) // so that the screen ends with the program
	return cmd, person, watch(person)
}

func TestTerminalAsks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   []string
		prompt string
		typed  string
		code   int
		seen   string
	}{
		{"yes", []string{"mail", "send", "you"}, "Do it? [y/N] ", "y\n", 0, "\r\nyou\r\n"},
		{"no", []string{"mail", "send", "you"}, "Do it? [y/N] ", "\n", capcli.ExitDeclined, "declined; nothing was done"},
		{"end of input", []string{"mail", "send", "you"}, "Do it? [y/N] ", "\x04", capcli.ExitDeclined, "declined"},
		{"the name", []string{"mail", "burn-all", "old"}, "It cannot be undone. Type old to do it: ", "old\n", capcli.ExitDefect, "EXECUTION_FAILED"},
		{"another name", []string{"mail", "burn-all", "old"}, "Type old to do it: ", "y\n", capcli.ExitDeclined, "declined"},
		{"what would steer the terminal", []string{"mail", "burn-all", "o\x1b[2Jld"}, `Type o\u{1B}[2Jld to do it: `, "\n", capcli.ExitDeclined, "declined"},
		{"Ctrl-C", []string{"mail", "send", "you"}, "Do it? [y/N] ", "\x03", capcli.ExitInterrupt, "cancelled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd, person, screen := atTerminal(t, 80, tt.args...)
			seen := screen.waitFor(t, tt.prompt)
			assert.NotContains(t, seen, "\x1b[2J")
			_, err := person.WriteString(tt.typed)
			require.NoError(t, err)
			assert.Equal(t, tt.code, codeOf(t, cmd.Wait()))
			screen.waitFor(t, tt.seen)
		})
	}
}

func TestTerminalInterrupts(t *testing.T) {
	t.Parallel()
	cmd, person, screen := atTerminal(t, 80, "wait", "--deaf")
	screen.waitFor(t, "waiting")
	_, err := person.WriteString("\x03")
	require.NoError(t, err)
	screen.waitFor(t, "cancelling; press Ctrl-C again to stop now")
	_, err = person.WriteString("\x03")
	require.NoError(t, err)
	assert.Equal(t, capcli.ExitInterrupt, codeOf(t, cmd.Wait()))
}

func TestTerminalShowsTablesAndColours(t *testing.T) {
	t.Parallel()
	cmd, _, screen := atTerminal(t, 40, "list")
	assert.Equal(t, 0, codeOf(t, cmd.Wait()))
	seen := screen.waitFor(t, "wait")
	assert.Contains(t, seen, "\x1b[1mNAME\x1b[0m")
	assert.Contains(t, seen, "…", "cells are cut to the width of the terminal")
	cmd, _, screen = atTerminal(t, 80, "fail", "declared")
	assert.Equal(t, 1, codeOf(t, cmd.Wait()))
	seen = screen.waitFor(t, "details: ")
	assert.Contains(t, seen, "\x1b[31merror:\x1b[0m The <door> is \\u{1B}[31mbroken.")
}
