package capmcp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
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
