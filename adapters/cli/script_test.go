package capcli_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// update rewrites the golden files in testdata with what the code says now. Read the diff before you commit it.
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"demo":       func() { os.Exit(demoMain()) },
		"fifty":      func() { os.Exit(fiftyMain()) },
		"bare":       func() { os.Exit(bareMain()) },
		"registered": func() { os.Exit(registeredMain()) },
	})
}

// demoMain is the program as a process of its own.
func demoMain() int {
	program, err := newDemo(adaptertest.NewGate(), os.LookupEnv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return capcli.ExitDefect
	}
	return program.Main()
}

type gateKey struct{}

// TestScripts runs the scripts of testdata/script. A script may say
//
//	run CODE ARG...     runs demo in this process; all runs of a script share one gate, so that approvals outlive them.
//	                    The file stdin, if there is one, is its standard input; TTY=1 makes all its streams terminals.
//	spawn CODE ARG...   runs demo in a process of its own
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Values[gateKey{}] = adaptertest.NewGate()
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"run": runDemo, "spawn": spawnDemo},
	})
}

func wantCode(ts *testscript.TestScript, neg bool, args []string) (code int, rest []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: run CODE ARG...")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	return code, args[1:]
}

func runDemo(ts *testscript.TestScript, neg bool, args []string) {
	want, args := wantCode(ts, neg, args)
	gate, ok := ts.Value(gateKey{}).(*adaptertest.Gate)
	if !ok {
		ts.Fatalf("the script has no gate")
	}
	lookup := func(name string) (string, bool) { value := ts.Getenv(name); return value, value != "" }
	program, err := newDemo(gate, lookup)
	ts.Check(err)
	streams := capcli.Streams{In: scriptInput(ts), Out: ts.Stdout(), Err: ts.Stderr(), LookupEnv: lookup}
	if ts.Getenv("TTY") != "" {
		streams.InTerminal, streams.OutTerminal, streams.ErrTerminal = true, true, true
	}
	if got := program.Run(context.Background(), args, streams); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// scriptInput is the file stdin, or input that must not be read.
func scriptInput(ts *testscript.TestScript) io.Reader {
	if _, err := os.Stat(ts.MkAbs("stdin")); err != nil {
		return forbidden{}
	}
	return strings.NewReader(ts.ReadFile("stdin"))
}

// forbidden fails whoever reads it: standard input is read only where the command line asks for it.
type forbidden struct{}

func (forbidden) Read([]byte) (int, error) { return 0, errors.New("standard input was read") }

func spawnDemo(ts *testscript.TestScript, neg bool, args []string) {
	want, args := wantCode(ts, neg, args)
	err := ts.Exec("demo", args...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// ran is what one run of a program left.
type ran struct {
	out, err string
	code     int
}

// runWith runs a program in this process.
func runWith(t *testing.T, program *capcli.Program, streams capcli.Streams, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	if streams.Out == nil {
		streams.Out = &out
	}
	if streams.Err == nil {
		streams.Err = &errs
	}
	code := program.Run(t.Context(), args, streams)
	return ran{out.String(), errs.String(), code}
}
