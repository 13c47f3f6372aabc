package lint_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/lint"
)

// Drop changes something.
type Drop struct {
	cap.Write[cap.None] `cap:"Drop one object of the shop; title=Drop object; access=public; irreversible"`

	Number string `json:"number" cap:"Number of the object; example=A-1" validate:"required"`
}

func (in Drop) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "drop", Target: cap.ObjectRef{Product: "shop", Kind: "object", ID: in.Number}}
}

// gate agrees to nothing.
type gate struct{ forgets bool }

func (gate) Begin(_ context.Context, a cap.Action, _ cap.Confirmation) (cap.Attempt, error) {
	return nil, &cap.ConfirmationRequired{Action: a}
}

func (g gate) Forgets() bool { return g.forgets }

func TestGate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		gate cap.Gate
		want string
	}{
		{"none", nil, "warnings:\n  registry: has no gate, so nobody can agree to drop (set Options.Gate; approval.New makes one) [gate]\n"},
		{"one that forgets", gate{true}, "notes:\n  registry: its gate forgets when the process ends, so nobody can decide in another about drop (keep approvals with a store of approval/sqlstore) [gate]\n"},
		{"one that lasts", gate{false}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := cap.New(cap.Options{Gate: tt.gate})
			require.NoError(t, registry.Register(cap.Func(func(context.Context, Drop) (cap.None, error) { return cap.None{}, nil })))
			assert.Equal(t, tt.want, lint.Text(lint.Check(registry, lint.Options{})))
			assert.Empty(t, lint.Check(registry, lint.Options{Disable: []string{"gate"}}))
			none := func(*cap.Capability) bool { return false }
			assert.Empty(t, lint.Check(registry, lint.Options{Filter: none}))
		})
	}
	assert.Contains(t, lint.Rules(), "gate")
}

// Wipe needs another person.
type Wipe struct {
	cap.Host[cap.None] `cap:"Wipe everything that the shop holds; title=Wipe shop; access=public; irreversible"`
}

func (Wipe) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "wipe", Target: cap.ObjectRef{Product: "shop", Kind: "shop", ID: "1"}}
}

func TestGateThatForgetsCannotServeOthers(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{Gate: gate{forgets: true}})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Wipe) (cap.None, error) { return cap.None{}, nil })))
	found := lint.Check(registry, lint.Options{})
	require.Len(t, found, 1)
	assert.Equal(t, lint.Warning, found[0].Severity)
}

// Family holds people, who hold people, none of them described.
type Family struct {
	cap.Read[cap.None] `cap:"Look at all the members of one family; title=Family; access=public"`

	Head *Person `json:"head,omitempty"`
}

type Person struct {
	Parent   *Person           `json:"parent,omitempty"`
	Children []Person          `json:"children,omitempty" cap:"Children"`
	ByName   map[string]Person `json:"by_name,omitempty" cap:"By name"`
}

func TestRecursiveTypesAreToldOnce(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Family) (cap.None, error) { return cap.None{}, nil })))
	assert.Equal(t, `warnings:
  family: input head: has no description (add one to its tag) [undescribed]
  family: input head.parent: has no description (add one to its tag) [undescribed]
  family: input: holds the type Person, which holds itself; some clients refuse that (bound it, or take it as text) [client-recursion]
`, lint.Text(lint.Check(registry, lint.Options{})))
}
