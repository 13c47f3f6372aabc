package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// client is an MCP client whose configuration is known.
type client struct {
	name, title string
	// file is where its configuration is; folder is what is there if the client is installed.
	file, folder func(places) string
	// section holds the servers by name; in TOML where the file is one.
	section string
	// kind is whether an entry says how it is spoken to.
	kind bool
}

// places are where a user's configurations are.
type places struct{ home, config, codex string }

func placesOf(lookup func(string) (string, bool)) (places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return places{}, err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return places{}, err
	}
	codex, ok := lookup("CODEX_HOME")
	if !ok || codex == "" {
		codex = filepath.Join(home, ".codex")
	}
	return places{home: home, config: config, codex: codex}, nil
}

// clients are those that "mcp install" knows.
var clients = []client{
	{
		name: "claude-code", title: "Claude Code", section: "mcpServers", kind: true,
		file:   func(p places) string { return filepath.Join(p.home, ".claude.json") },
		folder: func(p places) string { return filepath.Join(p.home, ".claude.json") },
	},
	{
		name: "claude-desktop", title: "Claude Desktop", section: "mcpServers",
		file:   func(p places) string { return filepath.Join(p.config, "Claude", "claude_desktop_config.json") },
		folder: func(p places) string { return filepath.Join(p.config, "Claude") },
	},
	{
		name: "codex", title: "Codex", section: "mcp_servers",
		file:   func(p places) string { return filepath.Join(p.codex, "config.toml") },
		folder: func(p places) string { return p.codex },
	},
	{
		name: "cursor", title: "Cursor", section: "mcpServers",
		file:   func(p places) string { return filepath.Join(p.home, ".cursor", "mcp.json") },
		folder: func(p places) string { return filepath.Join(p.home, ".cursor") },
	},
	{
		name: "vscode", title: "VS Code", section: "servers", kind: true,
		file:   func(p places) string { return filepath.Join(p.config, "Code", "User", "mcp.json") },
		folder: func(p places) string { return filepath.Join(p.config, "Code", "User") },
	},
}

func (c client) isTOML() bool { return c.section == "mcp_servers" }

// entry is how a client starts the program.
type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (p *program) installCommand() capcli.Command {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.name
	}
	return capcli.Command{
		Name: "mcp install", Summary: "Write the program into the configuration of MCP clients",
		Doc: "Without --client, the clients that are found on this machine get it. Flags of the program that are given are written too, " +
			"so that the client starts it the same way. What else a configuration holds stays as it is.",
		Flags: []capcli.Flag{
			{Name: "client", Placeholder: "CLIENT", Choices: names, Help: "Only this one: " + strings.Join(names, ", ")},
			{Name: "name", Placeholder: "NAME", Default: p.name(), Help: "What the client calls the server"},
			{Name: "print", Help: "Show what would be written, write nothing"},
		},
		Run: p.install,
	}
}

// serverName is what every client takes, and every configuration holds without escapes.
var serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`) })

// install writes the configurations, all or as many as work.
func (p *program) install(_ context.Context, call capcli.Invocation) error {
	made, err := entryOf(call)
	if err != nil {
		return err
	}
	where, err := placesOf(call.Streams.LookupEnv)
	if err != nil {
		return err
	}
	name := call.Text("name")
	if !serverName().MatchString(name) {
		return &capcli.ExitError{Code: capcli.ExitUsage, Err: fmt.Errorf("--name %q is no name for a server (use letters, digits, -, _ and .)", name)}
	}
	chosen := chosenClients(call, where)
	if len(chosen) == 0 {
		return &capcli.ExitError{Code: capcli.ExitFailed, Err: errors.New("no MCP client was found (name one with --client)")}
	}
	var failed []error
	for _, c := range chosen {
		text, err := c.install(where, name, made, call.On("print"))
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %s: %w", c.title, c.file(where), err))
			continue
		}
		if err := call.WriteText(text); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

func chosenClients(call capcli.Invocation, where places) []client {
	if name := call.Text("client"); name != "" {
		return clients[slices.IndexFunc(clients, func(c client) bool { return c.name == name }):][:1]
	}
	if call.On("print") {
		return clients
	}
	var found []client
	for _, c := range clients {
		if _, err := os.Stat(c.folder(where)); err == nil {
			found = append(found, c)
		}
	}
	return found
}

// entryOf is how this program is started. One that "go run" made is gone before a client could start it.
func entryOf(call capcli.Invocation) (entry, error) {
	command, err := os.Executable()
	if err != nil {
		return entry{}, err
	}
	if strings.Contains(command, string(filepath.Separator)+"go-build") {
		return entry{}, errors.New("this program was made by \"go run\" and is gone when it ends (build it first, with go build or go install)")
	}
	flags, err := call.ProgramFlags()
	return entry{Command: command, Args: append(flags, "mcp")}, err
}

// install writes one configuration, and returns what it says about that.
func (c client) install(where places, name string, made entry, show bool) (string, error) {
	if c.kind {
		made.Type = "stdio"
	}
	path := c.file(where)
	if show {
		text, err := c.change("", name, made)
		return "# " + c.title + ": " + path + "\n" + text, err
	}
	if err := checkFile(path); err != nil {
		return "", err
	}
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	after, err := c.change(string(before), name, made)
	if err != nil {
		return "", err
	}
	if after == string(before) {
		return c.title + ": " + path + " has it already\n", nil
	}
	return c.title + ": written to " + path + "\n", writeFile(path, []byte(after))
}

// change puts the server into the text of a configuration.
func (c client) change(text, name string, made entry) (string, error) {
	if c.isTOML() {
		return setTOML(text, c.section, name, made.Command, made.Args)
	}
	document := &jsonc{text: []byte(text)}
	if _, found := document.find([]string{c.section, name}); !found {
		err := document.set([]string{c.section, name}, made)
		return string(document.text), err
	}
	// What else the entry holds, such as the environment, is the user's.
	for _, set := range []struct {
		key   string
		value any
		want  bool
	}{{"type", made.Type, c.kind}, {"command", made.Command, true}, {"args", made.Args, true}} {
		if !set.want || document.equals([]string{c.section, name, set.key}, set.value) {
			continue
		}
		if err := document.set([]string{c.section, name, set.key}, set.value); err != nil {
			return "", err
		}
	}
	return string(document.text), nil
}

// checkFile refuses what is there but is no file: to read a pipe may wait for ever, and a link that leads nowhere would be
// replaced by a file beside the one that its owner means.
func checkFile(path string) error {
	if info, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is a link that leads nowhere (make the file that it names, or remove it)")
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	return nil
}

// writeFile replaces a file at once, so that a client never reads half of it. A link stays one.
func writeFile(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // what failed is told; what is left of it is not needed
	}
	return err
}
