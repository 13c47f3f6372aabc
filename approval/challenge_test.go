package approval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

const cancel = `{"order":"SO-1"}`

func callCancel(t *testing.T, registry *cap.Registry, as cap.Principal, given cap.Confirmation) (*cap.Result, *cap.Error) {
	t.Helper()
	return storetest.Call(t.Context(), registry, "cancel_order", cancel, as, given)
}

func TestAPersonConfirmsTheirWrite(t *testing.T) {
	t.Parallel()
	var runs int
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, counting(&runs))
	asked := storetest.Ask(t, registry, "cancel_order", cancel, storetest.Ana)
	require.NotEmpty(t, asked.Challenge)
	given := cap.Confirmation{Challenge: asked.Challenge}

	result, failed := callCancel(t, registry, storetest.Ana, given)
	require.Nil(t, failed)
	assert.Equal(t, asked.Approval, result.Approval)
	again, failed := callCancel(t, registry, storetest.Ana, given)
	require.Nil(t, failed)
	assert.True(t, again.Replayed, "a challenge that was used gives the stored answer")
	assert.Equal(t, 1, runs)

	shown, err := gate.Show(t.Context(), asked.Approval)
	require.NoError(t, err)
	require.Len(t, shown.Decisions, 1)
	assert.Equal(t, "challenge", shown.Decisions[0].Method)
	assert.Equal(t, "ana", shown.Decisions[0].Approver.ID)
	assert.False(t, shown.Decisions[0].At.IsZero())
}

// Only a person gets a challenge, only for a write of their own, and not through an agent's front.
func TestWhoGetsAChallenge(t *testing.T) {
	t.Parallel()
	service := cap.Principal{ID: "ci", Kind: cap.KindService}
	unknown := cap.Principal{ID: "ana"}
	deputy := cap.Principal{ID: "ana", Kind: cap.KindHuman, OnBehalfOf: "bob"}
	for _, tt := range []struct {
		name       string
		capability string
		as         cap.Principal
		source     string
		confirm    func(cap.Action) bool
		want       bool
	}{
		{"a person", "cancel_order", storetest.Ana, "http", nil, true},
		{"a person through MCP", "cancel_order", storetest.Ana, "mcp-http", nil, false},
		{"a person through MCP over stdio", "cancel_order", storetest.Ana, "mcp-stdio", nil, false},
		{"a person through MCP, where the operator trusts it", "cancel_order", storetest.Ana, "mcp-http", func(cap.Action) bool { return true }, true},
		{"a person, where the operator does not want it", "cancel_order", storetest.Ana, "http", func(cap.Action) bool { return false }, false},
		{"a person's host action", "refund_order", storetest.Ana, "http", func(cap.Action) bool { return true }, false},
		{"an agent", "cancel_order", storetest.Bot, "http", func(cap.Action) bool { return true }, false},
		{"a service", "cancel_order", service, "http", func(cap.Action) bool { return true }, false},
		{"somebody of unknown kind", "cancel_order", unknown, "http", func(cap.Action) bool { return true }, false},
		{"a person who acts for another", "cancel_order", deputy, "http", func(cap.Action) bool { return true }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, registry := storetest.Open(t, approval.Memory(), approval.Options{SelfConfirm: tt.confirm}, &storetest.Shop{})
			_, err := registry.Invoke(t.Context(), tt.capability, []byte(cancel), cap.CallOptions{Principal: &tt.as, Source: tt.source})
			var failed *cap.Error
			require.ErrorAs(t, err, &failed)
			require.NotNil(t, failed.Confirmation)
			assert.NotEmpty(t, failed.Confirmation.Approval)
			assert.Equal(t, tt.want, failed.Confirmation.Challenge != "")
		})
	}
}

// A challenge is worth nothing in another's hand, for another value, through an agent's front, or when its time is up.
func TestChallengeInWrongHands(t *testing.T) {
	t.Parallel()
	var runs int
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	store := storetest.WithClock(approval.Memory(), func() time.Time { return now })
	gate, registry := storetest.Open(t, store, approval.Options{}, counting(&runs))
	given := cap.Confirmation{Challenge: storetest.Ask(t, registry, "cancel_order", cancel, storetest.Ana).Challenge}
	agent := storetest.Ana
	agent.Kind = cap.KindAgent
	for name, as := range map[string]cap.Principal{"an agent of that name": agent, "the agent": storetest.Bot, "another person": storetest.Boss} {
		_, failed := callCancel(t, registry, as, given)
		require.NotNil(t, failed, name)
		requireCode(t, failed, cap.CodeConfirmationInvalid)
	}
	_, failed := storetest.Call(t.Context(), registry, "cancel_order", `{"order":"SO-2"}`, storetest.Ana, given)
	requireCode(t, failed, cap.CodeConfirmationInvalid)
	_, failed = storetest.Call(t.Context(), registry, "refund_order", `{"order":"SO-1"}`, storetest.Ana, given)
	requireCode(t, failed, cap.CodeConfirmationInvalid)
	_, err := registry.Invoke(t.Context(), "cancel_order", []byte(cancel), cap.CallOptions{Principal: &storetest.Ana, Source: "mcp-http", Confirmation: given})
	require.Error(t, err)
	both := given
	both.Approval = storetest.Ask(t, registry, "cancel_order", `{"order":"SO-2"}`, storetest.Ana).Approval
	_, failed = callCancel(t, registry, storetest.Ana, both)
	requireCode(t, failed, cap.CodeConfirmationInvalid)

	denied := storetest.Ask(t, registry, "cancel_order", `{"order":"SO-3"}`, storetest.Ana)
	_, err = decide(t, gate, denied.Approval, storetest.Boss, cap.VerdictDeny)
	require.NoError(t, err)
	_, failed = storetest.Call(t.Context(), registry, "cancel_order", `{"order":"SO-3"}`, storetest.Ana, cap.Confirmation{Challenge: denied.Challenge})
	requireCode(t, failed, cap.CodeConfirmationInvalid)

	now = now.Add(10 * time.Minute)
	_, failed = callCancel(t, registry, storetest.Ana, given)
	requireCode(t, failed, cap.CodeConfirmationInvalid)
	assert.Zero(t, runs)
}

// No byte of a challenge can be changed, left out or added, and no other key makes one.
func TestChallengeTampering(t *testing.T) {
	t.Parallel()
	var runs int
	_, registry := storetest.Open(t, approval.Memory(), approval.Options{}, counting(&runs))
	challenge := storetest.Ask(t, registry, "cancel_order", cancel, storetest.Ana).Challenge
	tried := 0
	refused := func(changed string) {
		tried++
		_, failed := callCancel(t, registry, storetest.Ana, cap.Confirmation{Challenge: changed})
		if failed == nil || failed.Code != cap.CodeConfirmationInvalid {
			t.Fatalf("%q was not refused: %v", changed, failed)
		}
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := range challenge {
		for _, c := range alphabet + "=+/ .\n\x00\xff" {
			if changed := challenge[:i] + string(c) + challenge[i+1:]; changed != challenge {
				refused(changed)
			}
		}
		if i > 0 {
			refused(challenge[:i])
		}
		refused(challenge[:i] + challenge[i+1:])
	}
	for _, more := range []string{"A", "=", "==", "\n", " ", challenge} {
		refused(challenge + more)
		refused(more + challenge)
	}
	refused(strings.ToUpper(challenge))
	assert.Greater(t, tried, 6000)
	_, elsewhere := storetest.Open(t, approval.Memory(), approval.Options{}, counting(&runs))
	refused(storetest.Ask(t, elsewhere, "cancel_order", cancel, storetest.Ana).Challenge)
	assert.Zero(t, runs)
	_, failed := callCancel(t, registry, storetest.Ana, cap.Confirmation{Challenge: challenge})
	require.Nil(t, failed)
	assert.Equal(t, 1, runs)
}

// A challenge outlives a change of keys while the old key is still listed.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	before, after := []byte(strings.Repeat("a", 32)), []byte(strings.Repeat("b", 32))
	store := approval.Memory()
	var runs int
	_, old := storetest.Open(t, store, approval.Options{Keys: [][]byte{before}}, counting(&runs))
	challenge := storetest.Ask(t, old, "cancel_order", cancel, storetest.Ana).Challenge

	_, without := storetest.Open(t, store, approval.Options{Keys: [][]byte{after}}, counting(&runs))
	_, failed := callCancel(t, without, storetest.Ana, cap.Confirmation{Challenge: challenge})
	requireCode(t, failed, cap.CodeConfirmationInvalid)

	_, with := storetest.Open(t, store, approval.Options{Keys: [][]byte{after, before}}, counting(&runs))
	assert.NotEqual(t, challenge, storetest.Ask(t, with, "cancel_order", cancel, storetest.Ana).Challenge, "the first key seals")
	_, failed = callCancel(t, with, storetest.Ana, cap.Confirmation{Challenge: challenge})
	require.Nil(t, failed)
	assert.Equal(t, 1, runs)
}

// Whatever is sent as a challenge, only the one that was made is one.
func FuzzChallenge(f *testing.F) {
	gate, registry := storetest.Open(f, approval.Memory(), approval.Options{}, &storetest.Shop{})
	asked := storetest.Ask(f, registry, "cancel_order", cancel, storetest.Ana)
	action := asked.Action
	action.Requester.Kind = cap.KindAgent // so that the right challenge is known by the log, and runs nothing
	f.Add(asked.Challenge)
	f.Add("")
	f.Add(strings.Repeat("A", len(asked.Challenge)))
	f.Fuzz(func(t *testing.T, challenge string) {
		before, err := gate.Verify(t.Context())
		require.NoError(t, err)
		_, err = gate.Begin(t.Context(), asked.Action, cap.Confirmation{Approval: "x", Challenge: challenge})
		require.Error(t, err)
		_, err = gate.Begin(t.Context(), action, cap.Confirmation{Challenge: challenge})
		require.Error(t, err)
		after, err := gate.Verify(t.Context())
		require.NoError(t, err)
		if challenge != asked.Challenge && challenge != "" {
			require.Equal(t, before, after, "an approval was found by %q", challenge)
		}
	})
}
