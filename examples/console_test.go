package examples

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Blocks of the language console are run: a line that begins with "$ " is a command, and what follows is what it says, on
// standard output and standard error together. "…" stands for anything. All blocks of a page run in one new folder. A
// server, a command that ends with "&", is given a free port; 127.0.0.1:8080 means it from there on.

// console is a block that is run.
var console = regexp.MustCompile("(?s)```console\n(.*?)```")

const documentedAddress = "127.0.0.1:8080"

// programs are built from the examples, and found by the commands.
var programs = map[string]string{"orders": "./orders", "hello": "./hello", "pulls": "./pulls", "stock": "./existing"}

func TestConsoles(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed: the commands of the documentation were not run")
		}
	}
	bin := t.TempDir()
	for name, folder := range programs {
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, name), folder).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	ran := 0
	for _, page := range append(pages(t), readme) {
		blocks := console.FindAllStringSubmatch(read(t, page), -1)
		ran += len(blocks)
		if len(blocks) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			shell := &shell{dir: t.TempDir(), path: bin, address: documentedAddress}
			for _, block := range blocks {
				shell.play(t, block[1])
			}
		})
	}
	require.NotZero(t, ran, "blocks of the language console")
}

// shell runs the commands of one page.
type shell struct{ dir, path, address string }

// play runs a block, and holds what its commands say against what the page says.
func (s *shell) play(t *testing.T, block string) {
	t.Helper()
	for command := range strings.SplitSeq("\n"+block, "\n$ ") {
		line, want, _ := strings.Cut(command, "\n")
		switch server, isServer := strings.CutSuffix(line, " &"); {
		case line == "":
		case isServer:
			s.serve(t, server)
		default:
			assert.Regexp(t, anything(want), strings.ReplaceAll(s.run(t, line), s.address, documentedAddress), "what says: %s", line)
		}
	}
}

func (s *shell) command(t *testing.T, line string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PATH="+s.path+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+s.dir)
	return cmd
}

func (s *shell) run(t *testing.T, line string) string {
	t.Helper()
	cmd := s.command(t, strings.ReplaceAll(line, documentedAddress, s.address))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // a command that fails says so in what it says
	return out.String()
}

// serve starts a server, which ends with the test.
func (s *shell) serve(t *testing.T, line string) {
	t.Helper()
	cmd := s.command(t, "exec "+strings.ReplaceAll(line, documentedAddress, "127.0.0.1:0"))
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended with the test's context
		_ = cmd.Wait()
	})
	first, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err, line)
	address, found := strings.CutPrefix(strings.TrimSpace(first), "listening on http://")
	require.True(t, found, "first line of %s: %s", line, first)
	s.address = address
}

// anything makes an expression of text in which "…" stands for anything.
func anything(text string) string {
	return `(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(text, "\n")), "…", ".*") + `\s*\z`
}
