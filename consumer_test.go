package cap_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module outside the repository uses the framework as a program of somebody else does: with the replace line that
// CONTRIBUTING.md shows, and no go.work.

const consumerContract = `package consumer

import (
	"context"

	"github.com/seed-369ec62e/cap"
)

type Greet struct {
	cap.Read[Greeting] ` + "`cap:\"Greet somebody; access=public\"`" + `

	Name string ` + "`json:\"name\" cap:\"Whom\" validate:\"required\"`" + `
}

type Greeting struct {
	Text string ` + "`json:\"text\" cap:\"What to say\"`" + `
}

type Greeter struct{}

func (Greeter) Greet(_ context.Context, in Greet) (Greeting, error) {
	return Greeting{Text: "Hello, " + in.Name + "."}, nil
}

func newRegistry() (*cap.Registry, error) {
	registry := cap.New(cap.Options{Name: "consumer", Version: "1.0.0"})
	return registry, registry.Register(Greeter{})
}
`

const consumerOfCore = `package consumer

import (
	"testing"

	"github.com/seed-369ec62e/cap"
)

func TestGreet(t *testing.T) {
	registry, err := newRegistry()
	if err != nil {
		t.Fatal(err)
	}
	greeting, err := cap.Invoke(t.Context(), registry, Greet{Name: "Ana"})
	if err != nil || greeting.Text != "Hello, Ana." {
		t.Errorf("Greet = %v, %v", greeting, err)
	}
}
`

const consumerOfFronts = `package consumer

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func TestFronts(t *testing.T) {
	registry, err := newRegistry()
	if err != nil {
		t.Fatal(err)
	}
	api, err := caphttp.New(registry, caphttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/capabilities/greet", strings.NewReader(` + "`{\"name\":\"Ana\"}`" + `))
	r.Header.Set("Content-Type", "application/json")
	if api.ServeHTTP(w, r); !strings.Contains(w.Body.String(), "Hello, Ana.") {
		t.Errorf("over HTTP: %d %s", w.Code, w.Body)
	}

	program, err := capcli.New(registry, capcli.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	program.Run(t.Context(), []string{"greet", "--name", "Ana"}, capcli.Streams{Out: &out, Err: &out})
	if !strings.Contains(out.String(), "Hello, Ana.") {
		t.Errorf("on the command line: %s", out.String())
	}

	tools, err := capmcp.New(registry, capmcp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	in := strings.NewReader(` + "`{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"greet\",\"arguments\":{\"name\":\"Ana\"}}}\n`" + `)
	if err := tools.ServeStdio(t.Context(), in, &out); err != nil || !strings.Contains(out.String(), "Hello, Ana.") {
		t.Errorf("over MCP: %s, %v", out.String(), err)
	}
}
`

func TestConsumers(t *testing.T) {
	t.Parallel()
	root, err := os.Getwd()
	require.NoError(t, err)
	for _, tt := range []struct{ name, test string }{
		{"only the core", consumerOfCore},
		{"the three fronts", consumerOfFronts},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write := func(name, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			write("go.mod", "module example.com/consumer\n\ngo 1.26.0\n\nrequire "+module+" v0.0.0\n\nreplace "+module+" => "+root+"\n")
			write("consumer.go", consumerContract)
			write("consumer_test.go", tt.test)

			cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
			out, err := cmd.CombinedOutput()
			if err != nil && isOffline(string(out)) {
				t.Skipf("modules cannot be fetched, so that NO module outside the repository was built:\n%s", out)
			}
			require.NoError(t, err, "%s", out)
		})
	}
}

// isOffline reports whether go could not reach a module proxy.
func isOffline(said string) bool {
	for _, sign := range []string{"dial tcp", "no such host", "module lookup disabled", "i/o timeout", "connection refused", "TLS handshake"} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}
