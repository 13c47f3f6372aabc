package approval_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

// picky is a store that fails where it is asked for what no id can be, as a database does with text that is no UTF-8.
type picky struct{ approval.Store }

type pickyTx struct{ approval.Tx }

func (p picky) Update(ctx context.Context, change func(approval.Tx) error) error {
	return p.Store.Update(ctx, func(t approval.Tx) error { return change(pickyTx{t}) })
}

func (t pickyTx) Get(id string) (approval.Record, error) {
	if strings.Trim(id, "0123456789abcdef") != "" {
		return approval.Record{}, errors.New("invalid byte sequence for encoding UTF8")
	}
	return t.Tx.Get(id)
}

// What cannot be an id names nothing, and is never asked of the store.
func TestStrangeIDs(t *testing.T) {
	t.Parallel()
	runs := 0
	gate, registry := storetest.Open(t, picky{approval.Memory()}, approval.Options{}, counting(&runs))
	for name, id := range map[string]string{
		"short": "ab", "no UTF-8": strings.Repeat("\xff", 64), "zero bytes": strings.Repeat("\x00", 64),
		"capitals": strings.Repeat("A", 64), "a path": strings.Repeat("../", 21) + "x", "unknown": strings.Repeat("0", 64),
	} {
		_, err := gate.Show(t.Context(), id)
		require.ErrorIs(t, err, cap.ErrApprovalNotFound, name)
		_, err = decide(t, gate, id, storetest.Boss, cap.VerdictApprove)
		require.ErrorIs(t, err, cap.ErrApprovalNotFound, name)
		_, failed := call(t, registry, refund, storetest.Ana, cap.Confirmation{Approval: id})
		requireCode(t, failed, cap.CodeConfirmationInvalid)
	}
	assert.Zero(t, runs)
}

// Approvers are kept by their ids: one of another tenant must not take somebody's place.
func TestApproverOfTwoTenants(t *testing.T) {
	t.Parallel()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	first := cap.Principal{ID: "eva", Kind: cap.KindHuman, Tenant: "red"}
	token, err := gate.AddApprover(t.Context(), first, "")
	require.NoError(t, err)
	second := cap.Principal{ID: "eva", Kind: cap.KindHuman, Tenant: "blue"}
	_, err = gate.AddApprover(t.Context(), second, "")
	require.ErrorContains(t, err, "eva is an approver of another tenant")
	who, err := gate.Authenticate(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, "red", who.Tenant)
	require.NoError(t, gate.RevokeApprover(t.Context(), "eva"))
	_, err = gate.AddApprover(t.Context(), second, "")
	require.NoError(t, err)
}

// Few long requests weigh as much as many short ones: each new one is held against all that wait, and everybody waits for that.
func TestLongRequestsAreFewer(t *testing.T) {
	t.Parallel()
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, &storetest.Shop{})
	ask := func(order string, who cap.Principal) bool {
		args := `{"order":"` + order + `","notes":["` + strings.Repeat("x", 900<<10) + `"]}`
		return storetest.Ask(t, registry, "refund_order", args, who).Approval != ""
	}
	stored := 0
	for _, order := range []string{"SO-1", "SO-2", "SO-3", "SO-4", "SO-5"} {
		if ask(order, storetest.Bot) {
			stored++
		}
	}
	assert.Equal(t, 2, stored)
	assert.True(t, ask("SO-1", storetest.Bot), "an equal request still joins")
	assert.True(t, ask("SO-1", storetest.Ana), "others are not kept out")
	list, err := gate.List(t.Context(), cap.ApprovalQuery{})
	require.NoError(t, err)
	assert.Len(t, list, 3)
}
