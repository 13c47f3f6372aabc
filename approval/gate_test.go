package approval_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

const refund = `{"order":"SO-1","pin":"4711"}`

// counting is a shop that counts what it did.
func counting(runs *int) *storetest.Shop {
	return &storetest.Shop{Effect: func(context.Context, string) error { *runs++; return nil }}
}

func call(t *testing.T, registry *cap.Registry, args string, as cap.Principal, given cap.Confirmation) (*cap.Result, *cap.Error) {
	t.Helper()
	return storetest.Call(t.Context(), registry, "refund_order", args, as, given)
}

// requireCode fails unless a call was refused that way.
func requireCode(t *testing.T, failed *cap.Error, code cap.Code) {
	t.Helper()
	require.NotNil(t, failed)
	require.Equal(t, code, failed.Code, "%v", failed.Unwrap())
}

func decide(t *testing.T, gate *approval.Gate, id string, by cap.Principal, verdict cap.Verdict) (cap.Approval, error) {
	t.Helper()
	return gate.Decide(t.Context(), id, cap.Decision{Verdict: verdict, Approver: by, Method: "test", Reason: "because"})
}

func TestNewRefusesNonsense(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]approval.Options{
		"a week and more":    {HostTTL: 7*24*time.Hour + 1},
		"a negative time":    {WriteTTL: -1},
		"a negative lease":   {Lease: -time.Second},
		"a negative limit":   {MaxPending: -1},
		"a short key":        {Keys: [][]byte{make([]byte, 31)}},
		"a second short key": {Keys: [][]byte{make([]byte, 32), {1}}},
	} {
		_, err := approval.New(approval.Memory(), options)
		require.Error(t, err, name)
	}
	_, err := approval.New(nil, approval.Options{})
	require.Error(t, err)
}

// Who may decide: never an agent, never whoever asked for a Host action, never somebody unknown.
func TestWhoMayDecide(t *testing.T) {
	t.Parallel()
	human := func(id string) cap.Principal { return cap.Principal{ID: id, Kind: cap.KindHuman} }
	bossAsks := human("boss")
	agentBoss := cap.Principal{ID: "boss", Kind: cap.KindAgent}
	for _, tt := range []struct {
		name       string
		capability string
		requester  cap.Principal
		approver   cap.Principal
		allowSelf  bool
		want       bool
	}{
		{"an approver decides a host action", "refund_order", storetest.Bot, storetest.Boss, false, true},
		{"an approver decides a write", "cancel_order", storetest.Bot, storetest.Boss, false, true},
		{"the agent itself", "refund_order", storetest.Bot, storetest.Bot, false, false},
		{"an agent with an approver's id", "refund_order", storetest.Bot, agentBoss, false, false},
		{"a service with an approver's id", "refund_order", storetest.Bot, cap.Principal{ID: "boss", Kind: cap.KindService}, false, false},
		{"somebody of unknown kind", "refund_order", storetest.Bot, cap.Principal{ID: "boss"}, false, false},
		{"somebody who acts for an approver", "refund_order", storetest.Bot, cap.Principal{ID: "boss", Kind: cap.KindHuman, OnBehalfOf: "boss"}, false, false},
		{"nobody", "refund_order", storetest.Bot, cap.Principal{}, false, false},
		{"a human without a name", "cancel_order", storetest.Bot, cap.Principal{Kind: cap.KindHuman}, false, false},
		{"a human who is no approver", "refund_order", storetest.Bot, human("eve"), false, false},
		{"the agent's owner on a host action", "refund_order", storetest.Bot, storetest.Ana, false, false},
		{"the agent's owner on a write", "cancel_order", storetest.Bot, storetest.Ana, false, true},
		{"the requester on a write", "cancel_order", storetest.Ana, storetest.Ana, false, true},
		{"the requester on a host action", "refund_order", storetest.Ana, storetest.Ana, false, false},
		{"an approver who asked for a host action", "refund_order", bossAsks, storetest.Boss, false, false},
		{"an approver who asked, where the operator allows it", "refund_order", bossAsks, storetest.Boss, true, true},
		{"a requester who is no approver, where self is allowed", "refund_order", storetest.Ana, storetest.Ana, true, false},
		{"an agent, where self is allowed", "refund_order", storetest.Bot, storetest.Bot, true, false},
		{"an approver of another tenant", "refund_order", cap.Principal{ID: "bot", Tenant: "acme"}, storetest.Boss, false, false},
		{"a requester with another's tenant", "cancel_order", cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme"}, storetest.Ana, false, false},
		{"a human with an agent's id", "cancel_order", cap.Principal{ID: "planner", Kind: cap.KindAgent}, human("planner"), false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			gate, registry := storetest.Open(t, approval.Memory(), approval.Options{AllowSelf: func(cap.Action) bool { return tt.allowSelf }}, &storetest.Shop{})
			asked := storetest.Ask(t, registry, tt.capability, `{"order":"SO-1"}`, tt.requester)
			for _, verdict := range []cap.Verdict{cap.VerdictApprove, cap.VerdictDeny} {
				if tt.want && verdict == cap.VerdictDeny {
					continue
				}
				got, err := decide(t, gate, asked.Approval, tt.approver, verdict)
				if tt.want {
					require.NoError(t, err)
					assert.Equal(t, cap.ApprovalApproved, got.State)
					continue
				}
				require.ErrorIs(t, err, cap.ErrApproverRefused)
				assert.Equal(t, cap.ApprovalPending, got.State)
			}
		})
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const yes, no = cap.VerdictApprove, cap.VerdictDeny
	type step struct {
		by      cap.Principal
		verdict cap.Verdict
		state   cap.ApprovalState
		err     error
	}
	boss, other := storetest.Boss, storetest.Other
	for _, tt := range []struct {
		name   string
		quorum int
		steps  []step
	}{
		{"approved", 1, []step{{boss, yes, cap.ApprovalApproved, nil}}},
		{"denied for good", 1, []step{{boss, no, cap.ApprovalDenied, nil}, {other, yes, cap.ApprovalDenied, cap.ErrApprovalClosed}}},
		{"approved twice by one is once", 1, []step{{boss, yes, cap.ApprovalApproved, nil}, {boss, yes, cap.ApprovalApproved, nil}}},
		{"a late second approval", 1, []step{{boss, yes, cap.ApprovalApproved, nil}, {other, yes, cap.ApprovalApproved, cap.ErrApprovalClosed}}},
		{"denied after it was approved", 1, []step{{boss, yes, cap.ApprovalApproved, nil}, {other, no, cap.ApprovalCancelled, nil}}},
		{"taken back by the one who approved", 1, []step{{boss, yes, cap.ApprovalApproved, nil}, {boss, no, cap.ApprovalCancelled, nil}}},
		{"two of two", 2, []step{{boss, yes, cap.ApprovalPending, nil}, {boss, yes, cap.ApprovalPending, nil}, {other, yes, cap.ApprovalApproved, nil}}},
		{"one denial of two is enough", 2, []step{{boss, yes, cap.ApprovalPending, nil}, {other, no, cap.ApprovalDenied, nil}}},
		{"a quorum of nothing is one", 0, []step{{boss, yes, cap.ApprovalApproved, nil}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var runs int
			gate, registry := storetest.Open(t, approval.Memory(), approval.Options{Quorum: func(cap.Action) int { return tt.quorum }}, counting(&runs))
			asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
			state := cap.ApprovalPending
			for i, s := range tt.steps {
				got, err := decide(t, gate, asked.Approval, s.by, s.verdict)
				require.ErrorIs(t, err, s.err, "step %d", i)
				require.Equal(t, s.state, got.State, "step %d", i)
				state = s.state
			}
			_, failed := call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
			switch state {
			case cap.ApprovalApproved:
				require.Nil(t, failed)
				assert.Equal(t, 1, runs)
			case cap.ApprovalPending:
				requireCode(t, failed, cap.CodeConfirmationRequired)
				assert.Zero(t, runs)
			default:
				requireCode(t, failed, cap.CodeConfirmationInvalid)
				assert.Zero(t, runs)
			}
			_, err := gate.Verify(t.Context())
			require.NoError(t, err)
		})
	}
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, &storetest.Shop{})
	asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	_, err := decide(t, gate, asked.Approval, boss, "maybe")
	require.Error(t, err)
	_, err = gate.Decide(t.Context(), asked.Approval, cap.Decision{Verdict: yes, Approver: boss, Reason: "\xff"})
	require.Error(t, err)
	for _, id := range []string{"", "x", asked.Approval[:63], asked.Approval + "0", asked.Approval[1:] + "g"} {
		_, err = decide(t, gate, id, boss, yes)
		require.ErrorIs(t, err, cap.ErrApprovalNotFound, "%q", id)
		_, err = gate.Show(t.Context(), id)
		require.ErrorIs(t, err, cap.ErrApprovalNotFound, "%q", id)
	}
}

// What was approved falls with the right of the one who approved it.
func TestApproverLosesTheRight(t *testing.T) {
	t.Parallel()
	var runs int
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, counting(&runs))
	named := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	joined := storetest.Ask(t, registry, "refund_order", `{"order":"SO-2"}`, storetest.Bot)
	storetest.Approve(t, gate, named.Approval, storetest.Boss)
	storetest.Approve(t, gate, joined.Approval, storetest.Boss)
	require.NoError(t, gate.RevokeApprover(t.Context(), "boss"))
	require.NoError(t, gate.RevokeApprover(t.Context(), "boss"), "twice is once")

	_, failed := call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: named.Approval})
	requireCode(t, failed, cap.CodeConfirmationInvalid)
	again := storetest.Ask(t, registry, "refund_order", `{"order":"SO-2"}`, storetest.Bot)
	assert.NotEqual(t, joined.Approval, again.Approval, "a call that names nothing asks anew")
	for _, id := range []string{named.Approval, joined.Approval} {
		shown, err := gate.Show(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, cap.ApprovalCancelled, shown.State)
	}
	_, err := decide(t, gate, again.Approval, storetest.Boss, cap.VerdictApprove)
	require.ErrorIs(t, err, cap.ErrApproverRefused)
	assert.Zero(t, runs)

	// A directory of the operator's own is asked at both times, too.
	holds := true
	gate, registry = storetest.Open(t, approval.Memory(), approval.Options{
		MayDecide: func(_ context.Context, who cap.Principal, _ cap.Action) (bool, error) {
			return holds && who.ID == "eve", nil
		},
	}, counting(&runs))
	asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	_, err = decide(t, gate, asked.Approval, storetest.Boss, cap.VerdictApprove)
	require.ErrorIs(t, err, cap.ErrApproverRefused)
	storetest.Approve(t, gate, asked.Approval, cap.Principal{ID: "eve", Kind: cap.KindHuman})
	holds = false
	_, failed = call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
	requireCode(t, failed, cap.CodeConfirmationInvalid)
	assert.Zero(t, runs)
}

// Options that fail or panic refuse.
func TestOptionsThatFail(t *testing.T) {
	t.Parallel()
	broken := errors.New("directory is down")
	for name, options := range map[string]approval.Options{
		"policy refuses":     {Policy: func(context.Context, cap.Action) error { return broken }},
		"policy panics":      {Policy: func(context.Context, cap.Action) error { panic("canary") }},
		"quorum panics":      {Quorum: func(cap.Action) int { panic("canary") }},
		"directory errs":     {MayDecide: func(context.Context, cap.Principal, cap.Action) (bool, error) { return true, broken }},
		"directory panics":   {MayDecide: func(context.Context, cap.Principal, cap.Action) (bool, error) { panic("canary") }},
		"self panics (host)": {AllowSelf: func(cap.Action) bool { panic("canary") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs int
			gate, registry := storetest.Open(t, approval.Memory(), options, counting(&runs))
			_, failed := call(t, registry, refund, storetest.Boss, cap.Confirmation{})
			require.NotNil(t, failed)
			if failed.Code == cap.CodeConfirmationRequired {
				for _, by := range []cap.Principal{storetest.Other, storetest.Boss} {
					_, _ = decide(t, gate, failed.Confirmation.Approval, by, cap.VerdictApprove)
				}
				_, failed = call(t, registry, refund, storetest.Boss, cap.Confirmation{Approval: failed.Confirmation.Approval})
			}
			if name == "self panics (host)" {
				require.Nil(t, failed, "another approver had agreed")
				return
			}
			require.NotNil(t, failed)
			assert.Zero(t, runs)
		})
	}
}

// Whatever differs from what was agreed to, nothing runs, and the caller does not learn what it was.
func TestDrift(t *testing.T) {
	t.Parallel()
	facts := []cap.Precondition{{Label: "version", Value: "1"}}
	var runs int
	shop := counting(&runs)
	shop.Facts = func(string) ([]cap.Precondition, error) { return facts, nil }
	store := approval.Memory()
	gate, registry := storetest.Open(t, store, approval.Options{Audience: "shop/test"}, shop)
	asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	storetest.Approve(t, gate, asked.Approval, storetest.Boss)
	given := cap.Confirmation{Approval: asked.Approval}

	other := storetest.Bot
	other.ID = "another"
	for name, refused := range map[string]func() *cap.Error{
		"another requester": func() *cap.Error { _, e := call(t, registry, refund, other, given); return e },
		"another owner": func() *cap.Error {
			_, e := call(t, registry, refund, cap.Principal{ID: "planner", Kind: cap.KindAgent, OnBehalfOf: "eve"}, given)
			return e
		},
		"another tenant": func() *cap.Error {
			p := storetest.Bot
			p.Tenant = "acme"
			_, e := call(t, registry, refund, p, given)
			return e
		},
		"another input": func() *cap.Error {
			_, e := call(t, registry, `{"order":"SO-2","pin":"4711"}`, storetest.Bot, given)
			return e
		},
		"another secret": func() *cap.Error {
			_, e := call(t, registry, `{"order":"SO-1","pin":"4712"}`, storetest.Bot, given)
			return e
		},
		"another capability": func() *cap.Error {
			_, e := storetest.Call(t.Context(), registry, "cancel_order", `{"order":"SO-1"}`, storetest.Bot, given)
			return e
		},
		"another state": func() *cap.Error {
			facts = []cap.Precondition{{Label: "version", Value: "2"}}
			defer func() { facts = []cap.Precondition{{Label: "version", Value: "1"}} }()
			_, e := call(t, registry, refund, storetest.Bot, given)
			return e
		},
		"another audience": func() *cap.Error {
			_, elsewhere := storetest.Open(t, store, approval.Options{Audience: "shop/production"}, shop)
			_, e := call(t, elsewhere, refund, storetest.Bot, given)
			return e
		},
		"an approval that does not exist": func() *cap.Error {
			_, e := call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: strings.Repeat("0", 64)})
			return e
		},
	} {
		failed := refused()
		requireCode(t, failed, cap.CodeConfirmationInvalid)
		assert.Equal(t, "The confirmation does not fit this action.", failed.Message, name)
	}
	assert.Zero(t, runs)
	log, err := gate.Log(t.Context(), 0, 100)
	require.NoError(t, err)
	notes := map[string]int{}
	for _, e := range log {
		if e.Event == approval.EventRefused {
			notes[e.Note]++
		}
	}
	assert.Equal(t, map[string]int{
		"the call differs in its requester": 3, "the call differs in its input": 2, "the call differs in its capability": 1,
		"the call differs in its preconditions": 1,
	}, notes, "insiders learn what it was")

	_, failed := call(t, registry, refund, storetest.Bot, given)
	require.Nil(t, failed, "what was agreed to still runs")
	assert.Equal(t, 1, runs)
	_, failed = call(t, registry, `{"order":"SO-2","pin":"4711"}`, storetest.Bot, given)
	requireCode(t, failed, cap.CodeConfirmationInvalid)
	facts = nil
	again, failed := call(t, registry, refund, storetest.Bot, given)
	require.Nil(t, failed)
	assert.True(t, again.Replayed, "the stored answer comes back, whatever has changed since")
}

// A contract that changed while a request waited is another action.
func TestContractDrift(t *testing.T) {
	t.Parallel()
	store := approval.Memory()
	gate, registry := storetest.Open(t, store, approval.Options{}, &storetest.Shop{})
	asked := storetest.Ask(t, registry, "cancel_order", `{"order":"SO-1"}`, storetest.Bot)
	storetest.Approve(t, gate, asked.Approval, storetest.Boss)
	for name, declaration := range map[string]cap.Declaration{
		"irreversible now": cap.Func(func(context.Context, irreversible) (cap.None, error) { panic("must not run") }),
		"host now":         cap.Func(func(context.Context, hosted) (cap.None, error) { panic("must not run") }),
		"a new rule":       cap.Func(func(context.Context, ruled) (cap.None, error) { panic("must not run") }),
		"a new output":     cap.Func(func(context.Context, answering) (storetest.Refund, error) { panic("must not run") }),
	} {
		changed := cap.New(cap.Options{Gate: gate})
		require.NoError(t, changed.Register(declaration))
		_, failed := storetest.Call(t.Context(), changed, "cancel_order", `{"order":"SO-1"}`, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
		require.NotNil(t, failed, name)
		requireCode(t, failed, cap.CodeConfirmationInvalid)
	}
}

func pendingCancel(order string) cap.PendingAction {
	return cap.PendingAction{Verb: "cancel", Target: cap.ObjectRef{Product: "shop", Kind: "order", ID: order}}
}

type irreversible struct {
	cap.Write[cap.None] `cap:"Cancel an order; name=cancel_order; access=authenticated; irreversible"`

	Order string `json:"order" cap:"Order number"`
}

func (in irreversible) Describe() cap.PendingAction { return pendingCancel(in.Order) }

type hosted struct {
	cap.Host[cap.None] `cap:"Cancel an order; name=cancel_order; access=authenticated; reversible"`

	Order string `json:"order" cap:"Order number"`
}

func (in hosted) Describe() cap.PendingAction { return pendingCancel(in.Order) }

type ruled struct {
	cap.Write[cap.None] `cap:"Cancel an order; name=cancel_order; access=authenticated; reversible"`

	Order string `json:"order" cap:"Order number" validate:"max=20"`
}

func (in ruled) Describe() cap.PendingAction { return pendingCancel(in.Order) }

type answering struct {
	cap.Write[storetest.Refund] `cap:"Cancel an order; name=cancel_order; access=authenticated; reversible"`

	Order string `json:"order" cap:"Order number"`
}

func (in answering) Describe() cap.PendingAction { return pendingCancel(in.Order) }

func TestMaxPending(t *testing.T) {
	t.Parallel()
	_, registry := storetest.Open(t, approval.Memory(), approval.Options{MaxPending: 3}, &storetest.Shop{})
	for i := range 3 {
		asked := storetest.Ask(t, registry, "refund_order", fmt.Sprintf(`{"order":"SO-%d"}`, i), storetest.Bot)
		assert.NotEmpty(t, asked.Approval)
	}
	asked := storetest.Ask(t, registry, "refund_order", `{"order":"SO-3"}`, storetest.Bot)
	assert.Empty(t, asked.Approval, "a flood is not stored")
	assert.Empty(t, asked.Challenge)
	assert.NotEmpty(t, storetest.Ask(t, registry, "refund_order", `{"order":"SO-0"}`, storetest.Bot).Approval, "an equal request still joins")
	assert.NotEmpty(t, storetest.Ask(t, registry, "refund_order", `{"order":"SO-3"}`, storetest.Ana).Approval, "others are not kept out")
}

func TestCancel(t *testing.T) {
	t.Parallel()
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, &storetest.Shop{})
	for name, tt := range map[string]struct {
		by   cap.Principal
		want bool
	}{
		"the requester":  {storetest.Bot, true},
		"an approver":    {storetest.Boss, true},
		"somebody":       {cap.Principal{ID: "eve", Kind: cap.KindHuman}, false},
		"another tenant": {cap.Principal{ID: "planner", Kind: cap.KindAgent, Tenant: "acme"}, false},
		"nobody":         {cap.Principal{}, false},
	} {
		asked := storetest.Ask(t, registry, "refund_order", fmt.Sprintf(`{"order":%q}`, name), storetest.Bot)
		got, err := gate.Cancel(t.Context(), asked.Approval, tt.by)
		if !tt.want {
			require.ErrorIs(t, err, cap.ErrApproverRefused, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, cap.ApprovalCancelled, got.State)
		_, err = gate.Cancel(t.Context(), asked.Approval, tt.by)
		require.ErrorIs(t, err, cap.ErrApprovalClosed)
		_, failed := call(t, registry, fmt.Sprintf(`{"order":%q}`, name), storetest.Bot, cap.Confirmation{Approval: asked.Approval})
		requireCode(t, failed, cap.CodeConfirmationInvalid)
	}
}

// What nobody can read is not stored.
func TestHugeAction(t *testing.T) {
	t.Parallel()
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, &storetest.Shop{})
	asked := storetest.Ask(t, registry, "refund_order", `{"order":"SO-1","notes":["`+strings.Repeat("x", 1<<20)+`"]}`, storetest.Ana)
	assert.Empty(t, asked.Approval)
	assert.Empty(t, asked.Challenge)
	list, err := gate.List(t.Context(), cap.ApprovalQuery{})
	require.NoError(t, err)
	assert.Empty(t, list)
}

// Applications that share a store see nothing of each other.
func TestAudiences(t *testing.T) {
	t.Parallel()
	store := approval.Memory()
	var runs int
	staging, stagingRegistry := storetest.Open(t, store, approval.Options{Audience: "staging"}, counting(&runs))
	production, productionRegistry := storetest.Open(t, store, approval.Options{Audience: "production"}, counting(&runs))
	asked := storetest.Ask(t, stagingRegistry, "refund_order", refund, storetest.Bot)
	_, err := production.Show(t.Context(), asked.Approval)
	require.ErrorIs(t, err, cap.ErrApprovalNotFound)
	_, err = decide(t, production, asked.Approval, storetest.Boss, cap.VerdictApprove)
	require.ErrorIs(t, err, cap.ErrApprovalNotFound)
	_, err = production.Cancel(t.Context(), asked.Approval, storetest.Bot)
	require.ErrorIs(t, err, cap.ErrApprovalNotFound)
	list, err := production.List(t.Context(), cap.ApprovalQuery{})
	require.NoError(t, err)
	assert.Empty(t, list)
	storetest.Approve(t, staging, asked.Approval, storetest.Boss)
	assert.NotEqual(t, asked.Approval, storetest.Ask(t, productionRegistry, "refund_order", refund, storetest.Bot).Approval)
	_, failed := call(t, productionRegistry, refund, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
	requireCode(t, failed, cap.CodeConfirmationInvalid)
	assert.Zero(t, runs)
	_, failed = call(t, stagingRegistry, refund, storetest.Bot, cap.Confirmation{})
	require.Nil(t, failed)
	assert.Equal(t, 1, runs)
}

// Whoever decides on an action that may have happened already is told so.
func TestLostActionIsShown(t *testing.T) {
	t.Parallel()
	shop := &storetest.Shop{Effect: func(context.Context, string) error { return errors.New("half done") }}
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, shop)
	first := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	shown, err := gate.Show(t.Context(), first.Approval)
	require.NoError(t, err)
	assert.NotContains(t, shown.Text, "Attention")
	assert.True(t, strings.HasPrefix(shown.Text, first.Action.Text()), "the requester and the approver see the same")
	assert.Contains(t, shown.Text, "Expires: ")
	storetest.Approve(t, gate, first.Approval, storetest.Boss)
	_, failed := call(t, registry, refund, storetest.Bot, cap.Confirmation{})
	assert.Equal(t, cap.EffectUnknown, failed.Effect)
	second := storetest.Ask(t, registry, "refund_order", refund, storetest.Ana)
	shown, err = gate.Show(t.Context(), second.Approval)
	require.NoError(t, err)
	assert.Contains(t, shown.Text, "Attention: an equal action was begun before, and nobody knows how it ended: approval "+first.Approval)
}

// Nobody fills the log by trying.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	var runs int
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, counting(&runs))
	asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	for range 150 {
		_, failed := call(t, registry, `{"order":"SO-9"}`, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
		requireCode(t, failed, cap.CodeConfirmationInvalid)
		_, err := decide(t, gate, asked.Approval, storetest.Bot, cap.VerdictApprove)
		require.ErrorIs(t, err, cap.ErrApproverRefused)
	}
	head, err := gate.Verify(t.Context())
	require.NoError(t, err)
	assert.Equal(t, int64(2+1+100), head.Seq, "approvers, the request, refusals")
	storetest.Approve(t, gate, asked.Approval, storetest.Boss)
	_, failed := call(t, registry, refund, storetest.Bot, cap.Confirmation{})
	require.Nil(t, failed)
	assert.Equal(t, 1, runs)
}

// A clock that was far ahead for a while does not keep requests from expiring for years.
func TestClockThatWasAhead(t *testing.T) {
	t.Parallel()
	var c clock
	gate, registry := storetest.Open(t, c.store(), approval.Options{}, &storetest.Shop{})
	right := c.now
	c.now = right.AddDate(10, 0, 0)
	_ = storetest.Ask(t, registry, "cancel_order", cancel, storetest.Bot)
	c.now = right
	asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	assert.Equal(t, right.Add(24*time.Hour), asked.Expires)
	c.now = right.Add(24 * time.Hour)
	shown, err := gate.Show(t.Context(), asked.Approval)
	require.NoError(t, err)
	assert.Equal(t, cap.ApprovalExpired, shown.State)

	c.now = right.Add(48 * time.Hour)
	asked = storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	c.now = c.now.Add(-time.Minute)
	again := storetest.Ask(t, registry, "refund_order", `{"order":"SO-2"}`, storetest.Bot)
	assert.Equal(t, asked.Expires, again.Expires, "a clock that goes back a little stands still")
}
