// Package app makes a whole program of a registry: the command of every capability, a server for HTTP and MCP, MCP on
// standard input and output, approvals, and a doctor.
//
//	func main() {
//		cap.MustRegister(&Orders{…})
//		os.Exit(app.Main(cap.Default(), app.Options{Summary: "Orders of a shop"}))
//	}
//
// The commands are those of package capcli, and
//
//	serve         serve HTTP at /capabilities and MCP at /mcp, with the documentation and the approvals page where there are any
//	mcp           serve MCP on standard input and output
//	mcp install   write the program into the configuration of an MCP client
//	approvers     say who may decide, where the registry's gate is one of package approval
//	doctor        look for what could be better about the contracts
//	contracts     write a lock file of the contracts, or say what has changed since and whom it breaks
//
// Whoever starts the program is its operator: where the registry has no logger of its own, causes of defects are logged to
// standard error, with the request id that the caller is told. No answer over HTTP or MCP holds them.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/approval"
)

// Options sets up a program. The zero value works: everything of the registry on every front, nobody authenticated over HTTP.
type Options struct {
	// Summary says in a line what the program is for.
	Summary string

	// Filter chooses the capabilities of every front; nil means all. Each front's own Filter chooses among them.
	Filter func(*cap.Capability) bool

	// Authenticate finds out who is at the keyboard, and on whose behalf MCP on standard input and output is served. Nil means
	// [capcli.Person] at the keyboard, and [capcli.SystemUser], who is no person, for MCP.
	Authenticate func(ctx context.Context) (*cap.Principal, error)

	// ScriptsMayConfirm lets --confirm and the digest that --dry-run shows confirm a write.
	ScriptsMayConfirm bool
	// RefuseYes refuses --yes for writes that can be undone.
	RefuseYes bool

	// Flags are understood by every command, Commands stand beside the program's own.
	Flags    []capcli.Flag
	Commands []capcli.Command
	// Complete names values of fields for shells that complete; see [capcli.Options].
	Complete func(ctx context.Context, capability *cap.Capability, field, prefix string) []string

	// HTTP, MCP and Serve set up the server. MCP asks HTTP's Authenticate where it has none of its own.
	HTTP  caphttp.Options
	MCP   capmcp.Options
	Serve caphttp.ServeOptions

	// Docs is served under /docs/, with that prefix cut off. Nil serves none: the assets of a documentation page stay out of
	// programs that do not want them.
	Docs http.Handler
	// Approvals sets up the page where people decide, at /review/approvals. Where the registry's gate is one of package
	// approval, its approvers sign in there; otherwise there is no page without an Authenticate.
	Approvals caphttp.ApprovalsOptions

	// Close is called when the program ends, to close what it opened.
	Close func() error
}

// Main runs the program of the process and returns the code to end it with. It never ends the process by itself. What is
// wrong with the registry as a program goes to standard error.
func Main(registry *cap.Registry, options Options) int {
	program, err := New(registry, options)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return capcli.ExitDefect
	}
	code := program.Main()
	if options.Close == nil {
		return code
	}
	if err := options.Close(); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "error: %v\n", err)
		if code == capcli.ExitOK {
			code = capcli.ExitFailed
		}
	}
	return code
}

// New makes the program, for tests and for those who end it themselves. The error, if any, lists every problem of the command
// line. The other fronts are made, and report theirs, when they are asked for: a program that runs one command does not
// wait for them. [Check] makes all of them.
func New(registry *cap.Registry, options Options) (*capcli.Program, error) {
	p := &program{registry: registry, options: options}
	if registry == nil {
		return capcli.New(nil, capcli.Options{})
	}
	return capcli.New(registry, capcli.Options{
		Name: p.name(), Summary: options.Summary, Filter: options.Filter, Authenticate: p.person(), Approver: p.approver(),
		RefuseYes: options.RefuseYes, AllowConfirm: options.ScriptsMayConfirm, Complete: options.Complete,
		Context: withLogger, Forgetful: p.forgets(), Flags: options.Flags, Commands: slices.Concat(p.commands(), options.Commands),
	})
}

// Check makes every front of the program, and reports the problems of all of them. It is for tests.
func Check(registry *cap.Registry, options Options) error {
	_, cli := New(registry, options)
	if registry == nil {
		return cli
	}
	p := &program{registry: registry, options: options}
	_, served := p.server(io.Discard)
	_, stdio := p.adapter(capmcp.Options{})
	return errors.Join(cli, served, stdio)
}

// program is what the commands share.
type program struct {
	registry *cap.Registry
	options  Options
}

// name is the registry's, or what the program was started as.
func (p *program) name() string {
	if name := p.registry.Name(); name != "" || len(os.Args) == 0 {
		return name
	}
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

func (p *program) person() func(context.Context) (*cap.Principal, error) {
	if p.options.Authenticate != nil {
		return p.options.Authenticate
	}
	return capcli.Person
}

// gate is the registry's gate, if it is one of package approval.
func (p *program) gate() *approval.Gate {
	gate, _ := p.registry.Gate().(*approval.Gate)
	return gate
}

// forgets reports whether what was asked of the gate ends with the process.
func (p *program) forgets() bool {
	gate := p.gate()
	return gate != nil && gate.Forgets()
}

// approver is how those who decide sign in on the command line.
func (p *program) approver() func(context.Context, string) (*cap.Principal, error) {
	if gate := p.gate(); gate != nil {
		return gate.Authenticate
	}
	return nil
}

// commands are those that a registry's command line has not by itself.
func (p *program) commands() []capcli.Command {
	commands := []capcli.Command{
		p.serveCommand(), p.mcpCommand(), p.installCommand(), p.doctorCommand(),
	}
	commands = append(commands, p.contractCommands()...)
	if p.gate() != nil {
		commands = append(commands, p.approverCommands()...)
	}
	return commands
}

// both chooses what both filters choose.
func both(a, b func(*cap.Capability) bool) func(*cap.Capability) bool {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	default:
		return func(c *cap.Capability) bool { return a(c) && b(c) }
	}
}
