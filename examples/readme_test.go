package examples

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// update writes the code of the examples into the README.
var update = flag.Bool("update", false, "rewrite the README with the code of the examples")

const readme = "../README.md"

// cut is a place of the README that holds the code between the markers of a file.
var cut = regexp.MustCompile("(?s)<!-- cut: (\\S+) -->\n```go\n(.*?)```\n<!-- end -->")

func TestREADMEShowsTheExamples(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	places := cut.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, places, "places of the README that are cut from examples")
	if *update {
		written := cut.ReplaceAllStringFunc(string(text), func(place string) string {
			name := cut.FindStringSubmatch(place)[1]
			return "<!-- cut: " + name + " -->\n```go\n" + marked(t, name) + "```\n<!-- end -->"
		})
		require.NoError(t, os.WriteFile(readme, []byte(written), 0o600))
		return
	}
	for _, place := range places {
		assert.Equal(t, marked(t, place[1]), place[2], "code of %s in the README; run: go test . -update", place[1])
	}
}

func TestREADMEIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(text), "\n"), 180, "lines of the README")
}

// link is a link of the README to a file of the repository.
var link = regexp.MustCompile(`\]\(([A-Za-z][\w./-]*)\)`)

func TestREADMELinksToFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	for _, target := range link.FindAllStringSubmatch(string(text), -1) {
		assert.FileExists(t, filepath.Join("..", target[1]))
	}
}

// marked returns the code of a file of the repository between its markers.
func marked(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	require.NoError(t, err)
	_, rest, started := strings.Cut(string(text), "// readme:start\n")
	code, _, ended := strings.Cut(rest, "\n// readme:end\n")
	require.True(t, started && ended, "%s has the markers readme:start and readme:end", name)
	return code
}
