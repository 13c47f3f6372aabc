package capcli_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// env is an environment for tests.
func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, pair := range pairs {
			if value, found := strings.CutPrefix(pair, name+"="); found {
				return value, true
			}
		}
		return "", false
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	const bad = "\x1b[31merror:\x1b[0m"
	for _, tt := range []struct {
		name    string
		streams capcli.Streams
		args    []string
		out     bool
		err     bool
	}{
		{"terminals", capcli.Streams{OutTerminal: true, ErrTerminal: true}, nil, true, true},
		{"only standard error", capcli.Streams{ErrTerminal: true}, nil, false, true},
		{"only standard output", capcli.Streams{OutTerminal: true}, nil, true, false},
		{"pipes", capcli.Streams{}, nil, false, false},
		{"NO_COLOR=yes", capcli.Streams{OutTerminal: true, ErrTerminal: true, LookupEnv: env("NO_COLOR=yes")}, nil, false, false},
		{"NO_COLOR=0", capcli.Streams{OutTerminal: true, ErrTerminal: true, LookupEnv: env("NO_COLOR=0")}, nil, false, false},
		{"NO_COLOR is empty", capcli.Streams{OutTerminal: true, ErrTerminal: true, LookupEnv: env("NO_COLOR=")}, nil, true, true},
		{"a dumb terminal", capcli.Streams{OutTerminal: true, ErrTerminal: true, LookupEnv: env("TERM=dumb")}, nil, false, false},
		{"--no-color", capcli.Streams{OutTerminal: true, ErrTerminal: true}, []string{"--no-color"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := runWith(t, demoProgram(t), tt.streams, append([]string{"list-cells", "--output", "table"}, tt.args...)...)
			assert.Equal(t, tt.out, strings.Contains(got.out, "\x1b["), "colours on standard output: %q", got.out)
			got = runWith(t, demoProgram(t), tt.streams, append([]string{"--bad"}, tt.args...)...)
			assert.Equal(t, tt.err, strings.HasPrefix(got.err, bad), "colours on standard error: %q", got.err)
		})
	}
}

func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	streams := capcli.Streams{OutTerminal: true, Width: 40, LookupEnv: env("NO_COLOR=1")}
	got := runWith(t, demoProgram(t), streams, "list")
	for line := range strings.Lines(got.out) {
		assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), 60, "%q", line)
	}
	assert.Contains(t, got.out, "…")
	streams.OutTerminal = false
	got = runWith(t, demoProgram(t), streams, "list", "--output", "table")
	assert.NotContains(t, got.out, "…", "nothing is cut where nobody looks")
}

func TestPaging(t *testing.T) {
	t.Parallel()
	var shown string
	page := func(text []byte) bool { shown = string(text); return true }
	for _, args := range [][]string{{"--help"}, {"list", "--output", "table"}, {"help", "wide"}} {
		shown = ""
		got := runWith(t, demoProgram(t), capcli.Streams{Page: page}, args...)
		assert.Equal(t, ran{}, got)
		assert.NotEmpty(t, shown)
		all := shown
		shown = ""
		got = runWith(t, demoProgram(t), capcli.Streams{Page: page}, append(args, "--no-pager")...)
		assert.Equal(t, ran{out: all}, got)
		assert.Empty(t, shown)
	}
	got := runWith(t, demoProgram(t), capcli.Streams{Page: func([]byte) bool { return false }}, "--help")
	assert.NotEmpty(t, got.out, "a pager that does not start loses nothing")
	shown = ""
	runWith(t, demoProgram(t), capcli.Streams{Page: page}, "list-cells")
	assert.Empty(t, shown, "results are not paged")
}

func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		program, err := newDemo(adaptertest.NewGate(), noEnv)
		require.NoError(t, err)
		streams := capcli.Streams{ErrTerminal: true, LookupEnv: env("NO_COLOR=1")}
		got := runWith(t, program, streams, "wait", "--steps", "10")
		assert.Empty(t, got.err, "a call that is quick shows nothing")
		got = runWith(t, program, streams, "wait", "--steps", "10", "--each", "200ms")
		assert.Equal(t, "\r30% step\\u{1B}\x1b[K", got.err[:len("\r30% step\\u{1B}\x1b[K")])
		assert.True(t, strings.HasSuffix(got.err, "\r100% step\\u{1B}\x1b[K\r\x1b[K"), "%q", got.err)
		streams.ErrTerminal = false
		assert.Empty(t, runWith(t, program, streams, "wait", "--steps", "10", "--each", "200ms").err)
		streams.ErrTerminal, streams.LookupEnv = true, env("TERM=dumb")
		assert.Empty(t, runWith(t, program, streams, "wait", "--steps", "10", "--each", "200ms").err)
	})
}

// syncBuffer is a buffer that several goroutines write to.
type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func TestCompletionOfValuesIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		program := completing(t, func() []string { time.Sleep(time.Hour); return []string{"late"} })
		started := time.Now()
		got := runWith(t, program, capcli.Streams{Err: &syncBuffer{}}, "__complete", "find-item", "--id", "")
		assert.Equal(t, ":4\n", got.out)
		assert.Equal(t, 500*time.Millisecond, time.Since(started))
		time.Sleep(2 * time.Hour) // for the late one
	})
	got := runWith(t, completing(t, func() []string { panic("canary") }), capcli.Streams{Err: &syncBuffer{}}, "__complete", "find-item", "--id", "")
	assert.Equal(t, ":4\n", got.out)
	got = runWith(t, completing(t, func() []string { return []string{"a-1\tthe first", "\x1b[2J"} }), capcli.Streams{Err: &syncBuffer{}}, "__complete", "find-item", "--id", "")
	assert.Equal(t, "a-1\tthe first\n:4\n", got.out)
}
