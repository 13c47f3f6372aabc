package capmcp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/approval"
)

// newGate returns a gate in which the principal ada decides. Ana may agree to her own writes, also through MCP.
func newGate(t testing.TB) *approval.Gate {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{SelfConfirm: func(cap.Action) bool { return true }})
	require.NoError(t, err)
	_, err = gate.AddApprover(t.Context(), ada(), "")
	require.NoError(t, err)
	return gate
}

func ada() cap.Principal { return cap.Principal{ID: "ada", Kind: cap.KindHuman} }

// A model that is told only that a confirmation is required asks again and again.
func TestWithoutAGateNobodyCanAgree(t *testing.T) {
	t.Parallel()
	ana := &cap.Principal{ID: "ana", Kind: cap.KindHuman, Scopes: []string{"host"}}
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{Principal: ana})
	replies := talk(t, adapter, initialize(legacy), callOf(legacy, 2, "burn", `{"parcel":"p-1"}`))
	w := string(byID(t, replies, 2).Result)
	assert.Contains(t, w, "CONFIRMATION_REQUIRED")
	assert.Contains(t, w, "This program has no gate, so nobody can agree to the call: do not call this tool again.")
}
