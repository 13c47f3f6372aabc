package app_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/app"
	"github.com/seed-369ec62e/cap/approval"
)

// FindTea is a contract that nothing can be said of.
type FindTea struct {
	cap.Read[Tea] `cap:"Find a tea by its number, with its price; title=Find tea; access=public"`

	Number string `json:"number" cap:"Number of the tea; example=T-1" cli:"arg" validate:"required"`
}

type Tea struct {
	Number string `json:"number" cap:"Number of the tea"`
	Price  int32  `json:"price"  cap:"Price, in cents"`
}

// PourTea changes something.
type PourTea struct {
	cap.Write[Tea] `cap:"Pour a cup of one of the teas; title=Pour tea; access=authenticated; reversible"`

	Number string `json:"number" cap:"Number of the tea; example=T-1" cli:"arg" validate:"required"`
}

func (in PourTea) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "pour", Target: cap.ObjectRef{Product: "shop", Kind: "tea", ID: in.Number}}
}

// Vague says little.
type Vague struct {
	cap.Read[cap.None] `cap:"Vague; access=public"`
}

// BadRoute cannot be served.
type BadRoute struct {
	cap.Read[cap.None] `cap:"Cannot be served over HTTP; title=Bad route; access=public" http:"FETCH nowhere"`
}

type Teas struct{}

func (Teas) FindTea(_ context.Context, in FindTea) (Tea, error) { return Tea{in.Number, 450}, nil }
func (Teas) PourTea(_ context.Context, in PourTea) (Tea, error) { return Tea{in.Number, 450}, nil }

type Vagues struct{ Teas }

func (Vagues) Vague(context.Context, Vague) (cap.None, error) { return cap.None{}, nil }

// FindLeanTea is find_tea after its output has lost a member.
type FindLeanTea struct {
	cap.Read[LeanTea] `cap:"Find a tea by its number, with its price; name=find_tea; title=Find tea; access=public"`

	Number string `json:"number" cap:"Number of the tea; example=T-1" cli:"arg" validate:"required"`
}

type LeanTea struct {
	Number string `json:"number" cap:"Number of the tea"`
}

type Lean struct{}

func (Lean) FindLeanTea(_ context.Context, in FindLeanTea) (LeanTea, error) {
	return LeanTea{in.Number}, nil
}
func (Lean) PourTea(_ context.Context, in PourTea) (Tea, error) { return Tea{in.Number, 450}, nil }
func (Lean) Vague(context.Context, Vague) (cap.None, error)     { return cap.None{}, nil }

type BadRoutes struct{}

func (BadRoutes) BadRoute(context.Context, BadRoute) (cap.None, error) { return cap.None{}, nil }

func newRegistry(gated bool, services ...any) (*cap.Registry, error) {
	options := cap.Options{Name: "shop", Version: "1.0.0"}
	if gated {
		gate, err := approval.New(approval.Memory(), approval.Options{})
		if err != nil {
			return nil, err
		}
		options.Gate = gate
	}
	registry := cap.New(options)
	return registry, registry.Register(services...)
}

func TestMain(m *testing.M) {
	programs := map[string]any{"shop": Teas{}, "vague": &Vagues{}, "lean": Lean{}, "badroute": BadRoutes{}}
	commands := make(map[string]func())
	for name, service := range programs {
		commands[name] = func() { os.Exit(mainOf(name, service)) }
	}
	testscript.Main(m, commands)
}

func mainOf(name string, service any) int {
	registry, err := newRegistry(name == "shop", service)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return capcli.ExitDefect
	}
	return app.Main(registry, app.Options{
		Summary: "A shop for tests",
		Flags:   []capcli.Flag{{Name: "db", Placeholder: "FILE", Default: "shop.db", File: true, Help: "The file"}},
		Docs:    http.NotFoundHandler(),
		Close: func() error {
			if os.Getenv("CLOSE_FAILS") != "" {
				return errors.New("the file could not be closed")
			}
			return nil
		},
	})
}

// TestScripts runs the scripts of testdata/script. "exits CODE PROGRAM ARG…" runs a program and holds its exit code.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				got := 0
				err = ts.Exec(args[1], args[2:]...)
				if exit, ok := errors.AsType[*exec.ExitError](err); ok {
					got = exit.ExitCode()
				} else {
					ts.Check(err)
				}
				if got != want {
					ts.Fatalf("exit code %d, want %d", got, want)
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/config")
			return nil
		},
	})
}

func TestCheckMakesEveryFront(t *testing.T) {
	t.Parallel()
	registry, err := newRegistry(true, Teas{})
	require.NoError(t, err)
	require.NoError(t, app.Check(registry, app.Options{}))

	bad, err := newRegistry(false, BadRoutes{})
	require.NoError(t, err)
	_, err = app.New(bad, app.Options{})
	require.NoError(t, err, "the command line is not to blame")
	require.ErrorContains(t, app.Check(bad, app.Options{}), "FETCH")

	_, err = app.New(nil, app.Options{})
	require.ErrorContains(t, err, "the registry is nil")
	require.Error(t, app.Check(nil, app.Options{}))
	assert.Equal(t, capcli.ExitDefect, app.Main(nil, app.Options{}))
}
