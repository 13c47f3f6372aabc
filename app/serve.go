package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// closeTimeout is how long calls of agents may take to end after the server.
const closeTimeout = 5 * time.Second

// reviewPrefix is where people decide: apart from where callers ask.
const reviewPrefix = "/review"

func (p *program) serveCommand() capcli.Command {
	addr := p.options.Serve.Addr
	if addr == "" {
		addr = "127.0.0.1:8080"
	}
	return capcli.Command{
		Name: "serve", Summary: "Serve HTTP at /capabilities and MCP at /mcp",
		Doc: "Serves until it is told to stop. The first Ctrl-C lets calls end, the second stops at once.",
		Flags: []capcli.Flag{
			{Name: "addr", Placeholder: "ADDRESS", Default: addr, Help: "Where to listen; port 0 takes a free one"},
			{Name: "exposed", Help: "Listen beyond this machine although callers are not authenticated"},
		},
		Run: p.serve,
	}
}

// server is everything that serve serves.
type server struct {
	http.Handler
	api   *caphttp.Handler
	tools *capmcp.Adapter
	pages []string // further pages, for the person who started it
}

// Drain makes the service say that it is not ready; caphttp.Serve calls it.
func (s *server) Drain() { s.api.Drain() }

// Authenticates reports whether callers are told apart; caphttp.Serve asks it. MCP asks HTTP's authenticator where it has none
// of its own.
func (s *server) Authenticates() bool { return s.api.Authenticates() }

// server makes every front that is served.
func (p *program) server(log io.Writer) (*server, error) {
	options := p.options.HTTP
	if options.Report == nil {
		options.Report = report
	}
	options.Filter = both(p.options.Filter, options.Filter)
	if options.ApprovalURL == nil && p.hasReview() {
		options.ApprovalURL = func(approval string) string { return reviewPrefix + "/approvals/" + url.PathEscape(approval) }
	}
	api, apiErr := caphttp.New(p.registry, options)
	tools, toolsErr := p.adapter(p.loggedMCP(log))
	review, reviewErr := p.review()
	if err := errors.Join(apiErr, toolsErr, reviewErr); err != nil {
		return nil, err
	}
	fronts := &routes{
		exact: map[string]http.Handler{"/mcp": tools.Handler()}, prefixes: make(map[string]http.Handler), rest: api,
	}
	s := &server{Handler: fronts, api: api, tools: tools}
	if review != nil {
		fronts.prefixes[reviewPrefix+"/"] = review
		s.pages = append(s.pages, reviewPrefix+"/approvals")
	}
	if p.options.Docs != nil {
		fronts.prefixes["/docs/"] = http.StripPrefix("/docs", p.options.Docs)
		s.pages = append(s.pages, "/docs/")
	}
	if p.options.HTTP.OAuth != nil {
		path, metadata := api.Metadata()
		fronts.exact[path] = metadata
	}
	if p.options.MCP.OAuth != nil {
		path, metadata := tools.Metadata()
		fronts.exact[path] = metadata
	}
	return s, nil
}

// loggedMCP are the options of MCP, with a log where they have none.
func (p *program) loggedMCP(log io.Writer) capmcp.Options {
	options := p.options.MCP
	if options.Logger == nil {
		options.Logger = protocolLog(log)
	}
	return options
}

// hasReview reports whether there is a page where people decide.
func (p *program) hasReview() bool {
	_, ok := p.registry.Gate().(cap.Approvals)
	return ok && (p.options.Approvals.Authenticate != nil || p.gate() != nil)
}

// review is the page where people decide; nil where there is none.
func (p *program) review() (http.Handler, error) {
	if !p.hasReview() {
		return nil, nil
	}
	options := p.options.Approvals
	if gate := p.gate(); options.Authenticate == nil && gate != nil {
		options.Authenticate = caphttp.Tokens(gate.Authenticate)
	}
	approvals, _ := p.registry.Gate().(cap.Approvals)
	if options.Report == nil {
		options.Report = report
	}
	options.Prefix = reviewPrefix
	made, err := caphttp.NewApprovals(approvals, options)
	if err != nil {
		return nil, err
	}
	return made, nil
}

// adapter makes the MCP front.
func (p *program) adapter(options capmcp.Options) (*capmcp.Adapter, error) {
	options.Filter = both(p.options.Filter, options.Filter)
	if options.Name == "" {
		options.Name = p.name()
	}
	if options.Authenticate == nil && p.options.HTTP.Authenticate != nil {
		options.Authenticate = forMCP(p.options.HTTP.Authenticate)
	}
	return capmcp.New(p.registry, options)
}

// forMCP lets the authenticator of HTTP say in the words of MCP that credentials are not good.
func forMCP(authenticate func(*http.Request) (*cap.Principal, error)) func(*http.Request) (*cap.Principal, error) {
	return func(r *http.Request) (*cap.Principal, error) {
		principal, err := authenticate(r)
		if errors.Is(err, caphttp.ErrUnauthenticated) {
			err = errors.Join(capmcp.ErrUnauthenticated, err)
		}
		return principal, err
	}
}

func (p *program) serve(ctx context.Context, call capcli.Invocation) error {
	s, err := p.server(call.Streams.Err)
	if err != nil {
		return err
	}
	options := p.options.Serve
	options.Addr = call.Text("addr")
	options.Exposed = options.Exposed || call.On("exposed")
	listening := options.Listening
	options.Listening = func(addr net.Addr) {
		_, _ = fmt.Fprintf(call.Streams.Err, "listening on http://%s\n", addr)
		for _, page := range s.pages {
			_, _ = fmt.Fprintf(call.Streams.Err, "           http://%s%s\n", addr, page)
		}
		if listening != nil {
			listening(addr)
		}
	}
	served := caphttp.Serve(ctx, s, options)
	if errors.Is(served, caphttp.ErrExposed) {
		served = &capcli.ExitError{Code: capcli.ExitUsage, Err: fmt.Errorf(
			"--addr %s can be reached from other machines, and nobody finds out who calls (set Options.HTTP.Authenticate, or say --exposed if that is meant)", options.Addr,
		)}
	}
	// Sessions of agents end after the calls have.
	closing, stop := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer stop()
	if err := s.tools.Close(closing); err != nil && served == nil {
		return &capcli.ExitError{Code: capcli.ExitFailed, Err: fmt.Errorf("calls of agents were cut off: %w", err)}
	}
	return served
}

func (p *program) mcpCommand() capcli.Command {
	return capcli.Command{
		Name: "mcp", Summary: "Serve MCP on standard input and output",
		Run: func(ctx context.Context, call capcli.Invocation) error {
			options := p.loggedMCP(call.Streams.Err)
			if options.Principal == nil {
				principal, err := p.agent(ctx)
				if err != nil {
					return &cap.Error{Code: cap.CodeUnauthenticated, Message: "Authentication is required."}
				}
				options.Principal = principal
			}
			adapter, err := p.adapter(options)
			if err != nil {
				return err
			}
			return adapter.ServeStdio(ctx, call.Streams.In, call.Streams.Out)
		},
	}
}

// agent is on whose behalf MCP is served: whoever started the process. What speaks is a program, so unless the author says
// otherwise it is no person.
func (p *program) agent(ctx context.Context) (*cap.Principal, error) {
	if p.options.Authenticate != nil {
		return p.options.Authenticate(ctx)
	}
	return capcli.SystemUser(ctx)
}
