package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// NewRegistry returns the registry of the suite, with a gate that lets what a [Gate] lets.
func NewRegistry(t testing.TB) *cap.Registry {
	t.Helper()
	return NewRegistryWith(t, cap.Options{})
}

// NewRegistryWith is [NewRegistry] with options of the adapter's test, such as a logger or observers. Its gate is a new
// [Gate] unless options have one.
func NewRegistryWith(t testing.TB, options cap.Options) *cap.Registry {
	t.Helper()
	if options.Name == "" {
		options.Name, options.Version = "adaptertest", "1.0.0"
	}
	if options.Gate == nil {
		options.Gate = NewGate()
	}
	registry := cap.New(options)
	require.NoError(t, registry.Register(&Store{}))
	return registry
}

// Store is the service of the suite.
type Store struct{}

// Echo returns what it is given.
func (*Store) Echo(_ context.Context, in Echo) (Echoed, error) { return Echoed{Values: in.Values}, nil }

// FindItem fails for the ids missing, broken and wrapped.
func (*Store) FindItem(_ context.Context, in FindItem) (*Item, error) {
	switch in.ID {
	case "missing":
		return nil, ItemNotFound{ID: in.ID}
	case "broken":
		return nil, &ItemBroken{ID: in.ID, Parts: []int64{9007199254740993, -1}}
	case "wrapped":
		return nil, fmt.Errorf("%s: %w", Canary, ItemNotFound{ID: in.ID})
	}
	return &Item{ID: in.ID, Size: 3, Ref: refOf(in.ID)}, nil
}

// ListIDs returns none for a limit of 0.
func (*Store) ListIDs(_ context.Context, in ListIDs) ([]string, error) {
	if in.Limit == 0 {
		return nil, nil
	}
	return []string{"a-1", "<b>&\u2028"}, nil
}

// Touch does nothing.
func (*Store) Touch(context.Context, Touch) (cap.None, error) { return cap.None{}, nil }

// Whoami tells who calls.
func (*Store) Whoami(ctx context.Context, _ Whoami) (Caller, error) {
	p := cap.CallFrom(ctx).Principal
	return Caller{ID: p.ID, Tenant: p.Tenant, Scopes: p.Scopes}, nil
}

// AuditItems does nothing.
func (*Store) AuditItems(context.Context, AuditItems) (cap.None, error) { return cap.None{}, nil }

// AllowOpenDrawer lets owners open their own drawers.
func (*Store) AllowOpenDrawer(ctx context.Context, in OpenDrawer) (bool, error) {
	switch in.Owner {
	case "nobody":
		return true, ItemNotFound{ID: in.Owner}
	case "error":
		return true, errors.New(Canary)
	case "panic":
		panic(Canary)
	}
	p := cap.CallFrom(ctx).Principal
	return p != nil && p.ID == in.Owner, nil
}

// OpenDrawer does nothing.
func (*Store) OpenDrawer(context.Context, OpenDrawer) (cap.None, error) { return cap.None{}, nil }

// Break goes wrong.
func (*Store) Break(ctx context.Context, in Break) (*Broken, error) {
	switch in.How {
	case "error":
		return nil, errors.New("dial tcp 10.0.0.1:5432: password=" + Canary)
	case "panic":
		panic(Canary)
	case "nil":
		return nil, nil
	case "infinite":
		return &Broken{Number: math.Inf(1)}, nil
	case "cite":
		return &Broken{Refs: []cap.ObjectRef{{Product: "store", Kind: "item"}}}, nil
	case "undeclared":
		return nil, ItemNotFound{ID: Canary}
	case "deep":
		return nil, errors.Join(errors.New(Canary), context.DeadlineExceeded)
	case "foreign":
		return nil, &cap.Error{Code: cap.CodeForbidden, Message: Canary}
	}
	<-ctx.Done()
	return nil, fmt.Errorf("%s: %w", Canary, ctx.Err())
}

// RenameItem fails for the id missing.
func (*Store) RenameItem(_ context.Context, in RenameItem) (Item, error) {
	if in.ID == "missing" {
		return Item{}, ItemNotFound{ID: in.ID}
	}
	return Item{ID: in.To, Ref: refOf(in.To)}, nil
}

// WipeItems does nothing.
func (*Store) WipeItems(context.Context, WipeItems) (cap.None, error) { return cap.None{}, nil }

// BreakWrite goes wrong.
func (*Store) BreakWrite(context.Context, BreakWrite) (cap.None, error) {
	return cap.None{}, errors.New(Canary)
}
