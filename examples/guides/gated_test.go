package guides

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/captest"
)

func TestAgreement(t *testing.T) {
	t.Parallel()
	registry, gate, err := withGate()
	require.NoError(t, err)
	agent := captest.Agent("assistant", "ana", "notes")
	args := json.RawMessage(`{"id":"n1"}`)
	require.NoError(t, askDecideRepeat(t.Context(), registry, gate, agent, args))
	assert.Empty(t, captest.Call(t, registry, nil, CountNotes{}).Notes)
}

func withGate() (*cap.Registry, *approval.Gate, error) {
	// docs:gate
	gate, err := approval.New(approval.Memory(), approval.Options{Audience: "notes/production"})
	if err != nil {
		return nil, nil, err
	}
	registry := cap.New(cap.Options{Name: "notes", Version: "1.0.0", Gate: gate})
	err = registry.Register(newNotes())
	// docs:end
	return registry, gate, err
}

func askDecideRepeat(ctx context.Context, registry *cap.Registry, gate *approval.Gate, agent *cap.Principal, args json.RawMessage) error {
	// docs:agree
	// An agent asks. Nothing runs; the error has the action and the id of its approval.
	_, err := registry.Invoke(ctx, "delete_note", args, cap.CallOptions{Principal: agent, Reason: "It is done."})
	asked, ok := errors.AsType[*cap.Error](err)
	if !ok || asked.Code != cap.CodeConfirmationRequired {
		return err
	}
	id := asked.Confirmation.Approval

	// A person decides, with a credential of their own.
	token, err := gate.AddApprover(ctx, cap.Principal{ID: "eva", Kind: cap.KindHuman}, "")
	if err != nil {
		return err
	}
	eva, err := gate.Authenticate(ctx, token)
	if err != nil {
		return err
	}
	if _, err = gate.Decide(ctx, id, cap.Decision{Verdict: cap.VerdictApprove, Approver: *eva, Method: "token"}); err != nil {
		return err
	}

	// The equal call runs, once.
	_, err = registry.Invoke(ctx, "delete_note", args, cap.CallOptions{Principal: agent})
	// docs:end
	return err
}

func TestPreview(t *testing.T) {
	t.Parallel()
	registry, _, err := withGate()
	require.NoError(t, err)
	// docs:prepare
	action, err := registry.Prepare(t.Context(), "delete_note", json.RawMessage(`{"id":"n1"}`), cap.CallOptions{
		Principal: &cap.Principal{ID: "ana", Kind: cap.KindHuman, Scopes: []string{"notes"}},
	})
	// docs:end
	require.NoError(t, err)
	assert.Contains(t, action.Text(), "delete_note: write, IRREVERSIBLE\nAction: delete note \"n1\" of notes\nArguments:\n  id: \"n1\"\nFacts:\n  version: \"3\"\n")
}

func TestGateOptions(t *testing.T) {
	t.Parallel()
	store, directory := approval.Memory(), map[string]bool{"eva": true}
	// docs:policy
	gate, err := approval.New(store, approval.Options{
		Audience: "notes/production",
		// The requester may not confirm their own irreversible writes.
		SelfConfirm: func(a cap.Action) bool { return a.Reversible && a.Source != "mcp-http" },
		// Two approvers for what cannot be undone.
		Quorum: func(a cap.Action) int {
			if a.Reversible {
				return 1
			}
			return 2
		},
		// Who may approve is in a directory of yours.
		MayDecide: func(_ context.Context, approver cap.Principal, _ cap.Action) (bool, error) {
			return directory[approver.ID], nil
		},
	})
	// docs:end
	require.NoError(t, err)
	registry := newRegistry(t, cap.Options{Gate: gate})
	_, err = captest.Try(t, registry, captest.Person("ana", "notes"), DeleteNote{ID: "n1"})
	asked := captest.RequireCode(t, err, cap.CodeConfirmationRequired)
	assert.Empty(t, asked.Confirmation.Challenge)
	shown, err := gate.Decide(t.Context(), asked.Confirmation.Approval, cap.Decision{Verdict: cap.VerdictApprove, Approver: *captest.Person("eva"), Method: "test"})
	require.NoError(t, err)
	assert.Equal(t, cap.ApprovalPending, shown.State, "one of two")
}
