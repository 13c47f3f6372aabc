package capcli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

func noEnv(string) (string, bool) { return "", false }

func demoProgram(t *testing.T) *capcli.Program {
	t.Helper()
	program, err := newDemo(adaptertest.NewGate(), noEnv)
	require.NoError(t, err)
	return program
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestGoldenTexts(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"help.txt":          {"--help"},
		"help-wide.txt":     {"wide", "--help"},
		"help-send.txt":     {"mail", "send", "--help"},
		"help-mail.txt":     {"help", "mail"},
		"help-old.txt":      {"old", "--help"},
		"help-fail.txt":     {"fail", "--help"},
		"help-wipe.txt":     {"wipe", "--help"},
		"help-shout.txt":    {"shout", "--help"},
		"help-download.txt": {"help", "download"},
		"docs.md":           {"docs"},
		"docs.1":            {"docs", "--format", "man"},
		"list.txt":          {"list", "--output", "table"},
		"describe.yaml":     {"describe", "mail send", "--output", "yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runWith(t, demoProgram(t), capcli.Streams{}, args...)
			require.Equal(t, 0, got.code, got.err)
			assert.Empty(t, got.err)
			golden(t, name, got.out)
			if strings.HasPrefix(name, "help") {
				for line := range strings.Lines(got.out) {
					assert.LessOrEqual(t, len([]rune(line)), 81, "width of %q", line)
				}
			}
		})
	}
}

func TestDocsAsJSON(t *testing.T) {
	t.Parallel()
	got := runWith(t, demoProgram(t), capcli.Streams{}, "docs", "--format", "json")
	require.Equal(t, 0, got.code)
	assert.Contains(t, got.out, `"inputSchema":{"$schema"`)
	assert.Equal(t, 1, strings.Count(got.out, "\n"))
	assert.Equal(t, got.out, runWith(t, demoProgram(t), capcli.Streams{}, "docs", "--format=json").out, "the same in every run")
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"--version"}} {
		assert.Equal(t, ran{out: "demo 1.2.3\n"}, runWith(t, demoProgram(t), capcli.Streams{}, args...))
	}
	got := runWith(t, demoProgram(t), capcli.Streams{}, "version", "--output", "json")
	assert.Regexp(t, `^{"name":"demo","version":"1.2.3","go":"go[^"]+","contracts":"sha256:[0-9a-f]{64}"}\n$`, got.out)
}

// badWriter fails to write.
type badWriter struct{ err error }

func (w badWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	got := runWith(t, demoProgram(t), capcli.Streams{Out: badWriter{syscall.ENOSPC}}, "list-cells")
	assert.Equal(t, ran{err: "error: the result could not be written: no space left on device\n", code: capcli.ExitFailed}, got)
	got = runWith(t, demoProgram(t), capcli.Streams{Out: badWriter{syscall.EPIPE}}, "list-cells")
	assert.Equal(t, ran{code: capcli.ExitPipe}, got)
}

// panicking panics when it is used.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("canary") }
func (panicking) Read([]byte) (int, error)  { panic("canary") }

func TestPanicsOfStreamsStayInside(t *testing.T) {
	t.Parallel()
	got := runWith(t, demoProgram(t), capcli.Streams{Out: panicking{}}, "list-cells")
	assert.Equal(t, ran{err: "error: the program failed\n", code: capcli.ExitDefect}, got)
	got = runWith(t, demoProgram(t), capcli.Streams{In: panicking{}}, "wide", "--input", "-")
	assert.Equal(t, ran{err: "error: standard input could not be read\n", code: capcli.ExitFailed}, got)
}

// blocked is standard input that nobody writes to.
type blocked struct{ done <-chan struct{} }

func (b blocked) Read([]byte) (int, error) {
	<-b.done
	return 0, errors.New("canary")
}

func TestCancelWhileReading(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	code := demoProgram(t).Run(ctx, []string{"wide", "--input", "-"}, capcli.Streams{In: blocked{t.Context().Done()}, Err: &errs})
	assert.Equal(t, capcli.ExitInterrupt, code)
	assert.Equal(t, "error: Capability execution was cancelled.\n", errs.String())

	errs.Reset()
	terminal := capcli.Streams{In: blocked{t.Context().Done()}, Err: &errs, InTerminal: true, ErrTerminal: true}
	ctx, cancel = context.WithCancel(t.Context())
	asked := &cancelAt{cancel: cancel, text: "Do it?", next: &errs}
	terminal.Err = asked
	assert.Equal(t, capcli.ExitInterrupt, demoProgram(t).Run(ctx, []string{"mail", "send", "you"}, terminal))
}

// cancelAt cancels when a text is written.
type cancelAt struct {
	cancel context.CancelFunc
	text   string
	next   *bytes.Buffer
}

func (w *cancelAt) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.text)) {
		w.cancel()
	}
	return w.next.Write(p)
}

func TestBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--input", "{\"name\":\"\xff\"}"}, {"--name", "\xff"}, {"--input", "\xff"}} {
		got := runWith(t, demoProgram(t), capcli.Streams{}, append([]string{"wide"}, args...)...)
		assert.Equal(t, capcli.ExitUsage, got.code)
		assert.Contains(t, got.err, "is not valid UTF-8")
		assert.NotContains(t, got.err, "\xff")
	}
	got := runWith(t, demoProgram(t), capcli.Streams{In: strings.NewReader(`{"name":"é` + "\xc3")}, "wide", "--input", "-")
	assert.Equal(t, capcli.ExitUsage, got.code)
}

func TestLargeInput(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "large.json")
	item := `{"x":1,"y":2},`
	text := `[` + strings.Repeat(item, 2<<20/len(item)) + `{"x":1,"y":2}]`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	got := runWith(t, demoProgram(t), capcli.Streams{}, "filled", "--cells", "@"+file)
	require.Equal(t, 0, got.code, got.err)
	assert.Contains(t, got.out, text[:1000])
	long := strings.Repeat("x", 100_000)
	got = runWith(t, demoProgram(t), capcli.Streams{}, "counted", "--count", long, "--"+long, long)
	assert.Equal(t, capcli.ExitUsage, got.code)
	assert.Less(t, len(got.err), 2000, "length of what is said about long arguments")
}

func TestConfirmByDigest(t *testing.T) {
	t.Parallel()
	gate := adaptertest.NewGate()
	program, err := newDemo(gate, func(name string) (string, bool) { return "1", name == "DEMO_ALLOW_CONFIRM" })
	require.NoError(t, err)
	dry := runWith(t, program, capcli.Streams{}, "mail", "send", "you", "--dry-run", "--output", "text")
	require.Equal(t, 0, dry.code)
	_, digest, _ := strings.Cut(strings.TrimSpace(dry.out), "Digest: ")
	got := runWith(t, program, capcli.Streams{}, "mail", "send", "you", "--confirm", digest)
	assert.Equal(t, ran{out: `{"input":{"to":"you"}}` + "\n"}, got)
	got = runWith(t, program, capcli.Streams{}, "mail", "send", "me", "--confirm", digest)
	assert.Equal(t, capcli.ExitDeclined, got.code, "a digest is for one value")
}

func TestSystemUser(t *testing.T) {
	t.Parallel()
	user, err := capcli.SystemUser(t.Context())
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(user.ID, "os:"))
	assert.Empty(t, user.Kind, "nobody knows who sits there")
	person, err := capcli.Person(t.Context())
	require.NoError(t, err)
	assert.Equal(t, cap.KindHuman, person.Kind)
	assert.Equal(t, user.ID, person.ID)
}

func TestNoGate(t *testing.T) {
	t.Parallel()
	program, err := newDemo(nil, noEnv)
	require.NoError(t, err)
	got := runWith(t, program, capcli.Streams{}, "mail", "send", "you")
	assert.Equal(t, ran{
		err:  "error: The action must be confirmed first. (CONFIRMATION_REQUIRED)\nThis program has no gate, so nobody can agree to it.\n",
		code: capcli.ExitDeclined,
	}, got)
	got = runWith(t, program, capcli.Streams{}, "approvals", "list")
	assert.Equal(t, capcli.ExitUsage, got.code)
}

func TestNamesOfACompositionAreThoseThatCount(t *testing.T) {
	t.Parallel()
	lib := cap.NewLibrary("acme/demo", "1.0.0", Demo{})
	registry, err := cap.Compose(cap.Options{Name: "composed"}, lib.Select("list_cells").Rename("list_cells", "all_cells"), lib.Export("old").As("older"))
	require.NoError(t, err)
	program, err := capcli.New(registry, capcli.Options{})
	require.NoError(t, err)
	list := runWith(t, program, capcli.Streams{}, "list").out
	assert.Contains(t, list, `"name":"all_cells","command":"all-cells"`)
	assert.NotContains(t, list, "list_cells")
	assert.NotContains(t, list, "acme")
	assert.Equal(t, 0, runWith(t, program, capcli.Streams{}, "all-cells").code)
	assert.Equal(t, capcli.ExitUsage, runWith(t, program, capcli.Streams{}, "list-cells").code)
	assert.Equal(t, capcli.ExitUsage, runWith(t, program, capcli.Streams{}, "describe", "list_cells").code)
}

func TestDeprecatedIsToldToPeople(t *testing.T) {
	t.Parallel()
	got := runWith(t, demoProgram(t), capcli.Streams{ErrTerminal: true}, "old")
	assert.Equal(t, ran{out: "{}\n", err: "deprecated: Use tagged.\n"}, got)
	assert.Equal(t, ran{out: "{}\n"}, runWith(t, demoProgram(t), capcli.Streams{}, "old"))
}

// Runs share nothing, so a program can serve several at once.
func TestRunsAtOnce(t *testing.T) {
	t.Parallel()
	program := demoProgram(t)
	for i := range 20 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat("x", i)
			got := runWith(t, program, capcli.Streams{}, "tagged", "--tags", text, "--place", text)
			assert.Equal(t, `{"input":{"tags":["`+text+`"]}}`+"\n", got.out)
		})
	}
}
