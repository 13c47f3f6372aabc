package guides

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/sqlstore/sqlite"
	"github.com/seed-369ec62e/cap/captest"
)

// The first block of each reference page.

func TestApprovalsPage(t *testing.T) {
	t.Parallel()
	registry, token, err := approvalsPage(t.Context(), filepath.Join(t.TempDir(), "approvals.db"))
	require.NoError(t, err)
	assert.NotEmpty(t, token)
	assert.NotNil(t, registry.Gate())
}

func approvalsPage(ctx context.Context, path string) (*cap.Registry, string, error) {
	// docs:approvals
	store, err := sqlite.Open(ctx, path) // approval/sqlstore/sqlite; or postgres.Open, or approval.Memory()
	if err != nil {
		return nil, "", err
	}
	gate, err := approval.New(store, approval.Options{Audience: "shop/production"})
	if err != nil {
		return nil, "", err
	}
	registry := cap.New(cap.Options{Gate: gate})
	token, err := gate.AddApprover(ctx, cap.Principal{ID: "eva", Kind: cap.KindHuman}, "") // shown once; only its digest is kept
	// docs:end
	return registry, token, err
}

func TestHTTPPage(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, httpPage(ctx, newRegistry(t, cap.Options{})))
}

func httpPage(ctx context.Context, registry *cap.Registry) error {
	authenticate := authenticateAna
	// docs:http
	api, err := caphttp.New(registry, caphttp.Options{Authenticate: authenticate})
	if err != nil {
		return err // every wrong tag at once
	}
	err = caphttp.Serve(ctx, api, caphttp.ServeOptions{Addr: "127.0.0.1:0"})
	// docs:end
	return err
}

// Order is the output of [GetOrder].
type Order struct {
	Order string `json:"order" cap:"Order number"`
}

// docs:route
// GetOrder has a path of its own.
type GetOrder struct {
	cap.Read[Order] `cap:"Find one order; access=public" http:"GET /orders/{order}"`

	Order  string   `json:"order"            cap:"Order number"`
	Tags   []string `json:"tags,omitempty"   cap:"Only with these tags"`
	Region string   `json:"region,omitempty" cap:"Where" http:"header=X-Region"`
}

// docs:end

func TestRoute(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(_ context.Context, in GetOrder) (Order, error) { return Order{Order: in.Order}, nil })))
	_, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(t, err)
}

func TestMCPPage(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, mcpPage(ctx, http.NewServeMux(), newRegistry(t, cap.Options{Name: "notes"})), context.Canceled)
}

func mcpPage(ctx context.Context, mux *http.ServeMux, registry *cap.Registry) error {
	// docs:mcp
	adapter, err := capmcp.New(registry, capmcp.Options{})
	if err != nil {
		return err
	}
	mux.Handle("/mcp", adapter.Handler())               // streamable HTTP
	err = adapter.ServeStdio(ctx, os.Stdin, os.Stdout)  // or standard input and output
	closed := adapter.Close(context.WithoutCancel(ctx)) // no new calls; those in progress may answer
	// docs:end
	if closed != nil {
		return closed
	}
	return err
}

func TestContractsPage(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t, cap.Options{})
	// docs:locked
	captest.Locked(t, registry, "testdata/contracts.lock.json")
	// docs:end
}
