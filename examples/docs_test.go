package examples

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every block of Go in the documentation is cut from a file that is compiled and, nearly always, run by a test:
//
//	<!-- cut: examples/guides/testing_test.go#call -->
//
// cuts what stands between "// docs:call" and "// docs:end". Two files with an arrow between them make their difference.

const docsFolder = "../docs"

var (
	// docsCut is a block that is cut from a file, or the difference between two.
	docsCut = regexp.MustCompile("(?s)<!-- cut: (\\S+(?: -> \\S+)?) -->\n```(\\w+)\n(.*?)```\n<!-- end -->")
	// goBlock is any block of Go.
	goBlock = regexp.MustCompile("(?m)^```go$")
)

func TestDocsShowCompiledCode(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		text := read(t, page)
		if *update {
			written := docsCut.ReplaceAllStringFunc(text, func(place string) string {
				p := docsCut.FindStringSubmatch(place)
				return "<!-- cut: " + p[1] + " -->\n```" + p[2] + "\n" + source(t, p[1]) + "```\n<!-- end -->"
			})
			require.NoError(t, os.WriteFile(page, []byte(written), 0o600))
			continue
		}
		places := docsCut.FindAllStringSubmatch(text, -1)
		blocks := 0
		for _, p := range places {
			assert.Equal(t, source(t, p[1]), p[3], "%s: the code of %s; run: make docs", page, p[1])
			if p[2] == "go" {
				blocks++
			}
		}
		assert.Len(t, goBlock.FindAllString(text, -1), blocks, "%s: blocks of Go that are cut from a file, as <!-- cut: file#name -->", page)
	}
}

// TestDocsLinkToFiles also holds that an anchor is a heading.
func TestDocsLinkToFiles(t *testing.T) {
	t.Parallel()
	docsLink := regexp.MustCompile(`\]\(([\w./-]+\.(?:md|go|svg)|\.\.?/[\w./-]+)(?:#([\w-]+))?\)`)
	for _, page := range pages(t) {
		for _, target := range docsLink.FindAllStringSubmatch(read(t, page), -1) {
			file := filepath.Join(filepath.Dir(page), target[1])
			if assert.FileExists(t, file, page) && target[2] != "" {
				assert.Contains(t, anchors(read(t, file)), target[2], "%s: headings of %s", page, target[1])
			}
		}
	}
}

// TestDocsAreFound holds that every page can be reached from the README.
func TestDocsAreFound(t *testing.T) {
	t.Parallel()
	var links []string
	for _, target := range regexp.MustCompile(`\]\((docs/[\w.-]+\.md)\)`).FindAllStringSubmatch(read(t, readme), -1) {
		links = append(links, target[1])
	}
	for _, page := range pages(t) {
		assert.Contains(t, links, "docs/"+filepath.Base(page), "links of the README")
	}
}

// pages are the files of the documentation.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(docsFolder, "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	return found
}

// source returns what a cut names.
func source(t *testing.T, name string) string {
	t.Helper()
	if before, after, differ := strings.Cut(name, " -> "); differ {
		return difference(t, before, after)
	}
	file, part, _ := strings.Cut(name, "#")
	text := read(t, filepath.Join("..", file))
	_, rest, started := strings.Cut(text, "// docs:"+part+"\n")
	code, _, ended := strings.Cut(rest, "// docs:end\n")
	require.True(t, started && ended, "%s has the markers docs:%s and docs:end", file, part)
	return outdent(strings.TrimRight(code, " \t\n") + "\n")
}

// outdent takes away the tabs that all lines begin with.
func outdent(code string) string {
	lines := strings.SplitAfter(code, "\n")
	for {
		for _, line := range lines {
			if line != "" && line != "\n" && line[0] != '\t' {
				return strings.Join(lines, "")
			}
		}
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line, "\t")
		}
	}
}

// difference is what diff says of two files, without their names.
func difference(t *testing.T, before, after string) string {
	t.Helper()
	if _, err := exec.LookPath("diff"); err != nil {
		t.Skip("diff is not installed: the difference that the documentation shows was not compared")
	}
	cmd := exec.CommandContext(t.Context(), "diff", "-U1", before, after)
	cmd.Dir = ".."
	out, _ := cmd.Output() // it ends with 1 where there is a difference
	_, hunks, found := strings.Cut(string(out), "\n@@")
	require.True(t, found, "%s and %s differ", before, after)
	return "@@" + hunks
}

// anchors are the names of a page's headings, as links have them.
func anchors(text string) []string {
	var names []string
	scanner := bufio.NewScanner(strings.NewReader(text))
	for scanner.Scan() {
		if heading, is := strings.CutPrefix(strings.TrimLeft(scanner.Text(), "#"), " "); is && strings.HasPrefix(scanner.Text(), "#") {
			dashed := strings.ReplaceAll(strings.ToLower(heading), " ", "-")
			names = append(names, regexp.MustCompile(`[^\w-]`).ReplaceAllString(dashed, ""))
		}
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}
