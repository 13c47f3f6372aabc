package capmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// Adapter serves the capabilities of a registry as the tools of an MCP server. Make one with [New]. It is safe for
// concurrent use.
type Adapter struct {
	registry *cap.Registry
	options  Options
	server   *mcp.Server
	tools    []*tool // in the order of registration
	byName   map[string]*tool
	work     work
	seal     *seal

	shared    atomic.Bool // others may have changed the server
	plainList atomic.Pointer[rawResult]
}

// New returns an adapter for the capabilities that the registry holds. The error, if any, is a *[cap.RegistrationError] with
// every problem of the options and of mcp tags.
func New(registry *cap.Registry, options Options) (*Adapter, error) {
	var problems problems
	if registry == nil {
		problems.at("New")("the registry is nil", "pass one")
		return nil, problems.err()
	}
	options.check(&problems)
	a := &Adapter{registry: registry, options: options, byName: make(map[string]*tool)}
	a.work.init()
	var err error
	if a.seal, err = newSeal(options.StateKey); err != nil {
		problems.at("Options")("StateKey: "+err.Error(), "")
	}
	if a.server, err = a.newServer(); err != nil {
		problems.at("Options")("Configure: "+err.Error(), "")
		return nil, problems.err()
	}
	for c := range registry.All() {
		if options.Filter == nil || options.Filter(c) {
			a.add(c, &problems)
		}
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	a.server.AddReceivingMiddleware(a.receive)
	return a, nil
}

// Server is the server under the adapter, for what the adapter has no words for: prompts, resources, completion, tools with
// contents of their own, middleware. It is safe to extend while it serves.
func (a *Adapter) Server() *mcp.Server {
	a.shared.Store(true)
	return a.server
}

// Connect serves one connection over any transport, on behalf of [Options.Principal]. It is meant for tests and for
// transports that this package does not know.
func (a *Adapter) Connect(ctx context.Context, transport mcp.Transport) (*mcp.ServerSession, error) {
	return a.server.Connect(withCaller(ctx, &caller{source: sourceOther, principal: a.options.Principal}), transport, nil)
}

// Close refuses new calls, waits for those in progress and ends every session. When ctx ends first, it cancels the calls
// that are left. It may be called more than once.
func (a *Adapter) Close(ctx context.Context) error {
	err := a.work.drain(ctx)
	var sessions sync.WaitGroup
	for session := range a.server.Sessions() {
		sessions.Go(func() {
			if err := session.Close(); err != nil {
				a.options.Logger.Debug("a session did not close cleanly", "error", err)
			}
		})
	}
	closed := make(chan struct{})
	go func() {
		sessions.Wait()
		close(closed)
	}()
	select {
	case <-closed:
		return err
	case <-ctx.Done():
		return errors.Join(err, ctx.Err())
	}
}

// newServer makes the server, which panics when it does not like its options.
func (a *Adapter) newServer() (server *mcp.Server, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%v", value)
		}
	}()
	options := &mcp.ServerOptions{
		Instructions: a.options.Instructions,
		Logger:       a.options.Logger,
		// A registry is sealed, so the list of tools does not change. Without this, the server would also claim to log.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		// Everything fits on one page: clients that do not ask for the second miss no tool.
		PageSize:     maxTools,
		SetCacheable: setCacheable,
	}
	if a.options.Configure != nil {
		a.options.Configure(options)
	}
	return mcp.NewServer(&mcp.Implementation{
		Name:    cmp.Or(a.options.Name, a.registry.Name(), "cap"),
		Version: cmp.Or(a.options.Version, a.registry.Version(), "0.0.0"),
		Title:   a.options.Title,
	}, options), nil
}

// maxTools is more than any client could use.
const maxTools = 1 << 20

// add makes a tool of a capability, or reports why it cannot be one.
func (a *Adapter) add(c *cap.Capability, problems *problems) {
	tag := parseContractTag(c, problems)
	if tag.none {
		return
	}
	t := newTool(c, tag, problems)
	t.index = len(a.tools)
	if a.options.MaxCalls > 0 {
		t.turns = make(chan struct{}, a.options.MaxCalls)
	}
	if err := a.register(t); err != nil {
		problems.at(c.ContractType())(err.Error(), "")
		return
	}
	a.tools = append(a.tools, t)
	a.byName[t.name] = t
}

// register adds a tool to the server, which panics when it does not like one.
func (a *Adapter) register(t *tool) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("cannot be a tool: %v", value)
		}
	}()
	a.server.AddTool(t.declaration(), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		// The adapter's middleware answers first, with results that the server's own types could not write.
		return nil, errors.New("capmcp: the call went around the adapter")
	})
	return nil
}
