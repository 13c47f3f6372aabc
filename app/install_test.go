package app

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// update rewrites the golden files in testdata with what the code says now. Read the diff before you commit it.
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// The tests of this file look inside: what is done to the configurations of other programs must be exact.

var shopEntry = entry{Command: "/opt/shop", Args: []string{"--db", `C:\shop "1".db`, "mcp"}}

// TestConfigurations changes every file of testdata/config and compares the result with the file beside it. The name of a
// file begins with that of its client.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/config/*.before")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			name, _, _ := strings.Cut(filepath.Base(file), "_")
			c := clientNamed(t, name)
			got, err := changed(c, string(before))
			if err != nil {
				got = "error: " + err.Error() + "\n"
			}
			golden := strings.TrimSuffix(file, ".before") + ".after"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
			if !strings.HasPrefix(got, "error:") {
				again, err := changed(c, got)
				require.NoError(t, err)
				assert.Equal(t, got, again, "a second time changes nothing")
			}
		})
	}
}

func clientNamed(t *testing.T, name string) client {
	t.Helper()
	for _, c := range clients {
		if c.name == name {
			return c
		}
	}
	require.Fail(t, "no client", "%s", name)
	return client{}
}

func changed(c client, text string) (string, error) {
	made := shopEntry
	if c.kind {
		made.Type = "stdio"
	}
	return c.change(text, "shop", made)
}

func TestInstallWritesTheFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	where := places{home: home, config: filepath.Join(home, "config"), codex: filepath.Join(home, ".codex")}
	for _, c := range clients {
		text, err := c.install(where, "shop", shopEntry, true)
		require.NoError(t, err, c.name)
		assert.Contains(t, text, c.file(where))
		assert.NoFileExists(t, c.file(where), "showing writes nothing")

		text, err = c.install(where, "shop", shopEntry, false)
		require.NoError(t, err, c.name)
		assert.Contains(t, text, "written to")
		text, err = c.install(where, "shop", shopEntry, false)
		require.NoError(t, err, c.name)
		assert.Contains(t, text, "has it already")
		info, err := os.Stat(c.file(where))
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "mode of a new file")
		left, err := filepath.Glob(filepath.Join(filepath.Dir(c.file(where)), ".new-*"))
		require.NoError(t, err)
		assert.Empty(t, left, "what is left behind")
	}
}

func TestInstallKeepsLinksAndModes(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	target := filepath.Join(home, "dotfiles.json")
	require.NoError(t, os.WriteFile(target, []byte(`{"theme":"dark"}`), 0o640))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".cursor"), 0o700))
	link := filepath.Join(home, ".cursor", "mcp.json")
	require.NoError(t, os.Symlink(target, link))
	_, err := clientNamed(t, "cursor").install(places{home: home}, "shop", shopEntry, false)
	require.NoError(t, err)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link is still one")
	info, err = os.Stat(target)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	text, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"theme":"dark"`)
}

// FuzzSetJSON holds that a document which is changed is still the document that it was, with one member more.
func FuzzSetJSON(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"mcpServers":{}}`, `{"a":1}`, "{\n  \"a\": [1, {\"b\": \"}\"}],\n}", "// c\n{ /* x */ }", `{"mcpServers":{"shop":{"command":"x","env":{"A":"1"}}}}`,
		`{"mcpServers":[]}`, `{"a":1,"a":2}`, "\ufeff{}", `{"a":"\u0022}"}`, `{"mcpServers":{"shop":1}}`, "{\r\n\t\"a\": 1\r\n}\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, before string) {
		after, err := changed(client{section: "mcpServers"}, before)
		if err != nil {
			return
		}
		var was, is map[string]json.RawMessage
		if json.Unmarshal([]byte(before), &was) != nil || hasTwice(before) {
			return // with comments, which encoding/json does not read
		}
		require.NoError(t, json.Unmarshal([]byte(after), &is), "before: %q\nafter: %q", before, after)
		var servers map[string]struct {
			Command string
			Args    []string
		}
		require.NoError(t, json.Unmarshal(is["mcpServers"], &servers))
		assert.Equal(t, shopEntry.Command, servers["shop"].Command)
		assert.Equal(t, shopEntry.Args, servers["shop"].Args)
		delete(was, "mcpServers")
		delete(is, "mcpServers")
		assert.Len(t, is, len(was), "members before and after")
		for name := range was {
			assert.Equal(t, string(was[name]), string(is[name]), "member %q", name)
		}
	})
}

// hasTwice reports whether the document names a member of its root twice.
func hasTwice(text string) bool {
	root, err := (&jsonc{text: []byte(text)}).root()
	if err != nil {
		return true
	}
	seen := make(map[string]bool)
	for _, m := range root.members {
		if seen[m.name] {
			return true
		}
		seen[m.name] = true
	}
	return false
}

// What is there and is no file stays as it is, and nothing waits for it.
func TestInstallRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"a link that leads nowhere", func(path string) error { return os.Symlink(path+".gone", path) }, "it is a link that leads nowhere (make the file that it names, or remove it)"},
		{"a link to itself", func(path string) error { return os.Symlink(path, path) }, "too many levels of symbolic links"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o700) }, "it is no regular file"},
		{"a device", func(path string) error { return os.Symlink("/dev/null", path) }, "it is no regular file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			path := filepath.Join(home, ".claude.json")
			require.NoError(t, tt.make(path))
			before, err := os.Lstat(path)
			require.NoError(t, err)
			_, err = clientNamed(t, "claude-code").install(places{home: home}, "shop", shopEntry, false)
			require.ErrorContains(t, err, tt.want)
			after, err := os.Lstat(path)
			require.NoError(t, err)
			assert.Equal(t, before.Mode(), after.Mode())
		})
	}
}

// Nothing is written behind what has no end: it would be part of it.
func TestBrokenTOML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a = \"\"\"\nx\n", "a = [1,\n2\n", "a = '''", "[mcp_servers.other\nb = 1\n", "a = 1\nb = { c = [\n"} {
		_, err := setTOML(text, "mcp_servers", "shop", "/opt/shop", nil)
		require.ErrorIs(t, err, errNoTOML, "%q", text)
	}
}

func TestServerNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"shop": true, "my-shop_2.test": true, "": false, "a]b": false, "a b": false, "a\nb": false, `a"b`: false, "ü": false, strings.Repeat("a", 65): false} {
		assert.Equal(t, want, serverName().MatchString(name), "%q", name)
	}
}
