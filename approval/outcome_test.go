package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

// Each way in which a handler may end, and what is left of it.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		effect func(ctx context.Context, order string) error
		state  cap.ApprovalState
		code   cap.Code
		left   string
	}{
		{"success", func(context.Context, string) error { return nil }, cap.ApprovalSucceeded, "", ""},
		{"a declared failure", func(context.Context, string) error { return storetest.Refunded{Order: "SO-1"} }, cap.ApprovalFailed, cap.CodeCapabilityFailed, ""},
		{"a defect", func(context.Context, string) error { return errors.New("half done") }, cap.ApprovalUnknown, cap.CodeExecutionFailed, cap.EffectUnknown},
		{"a panic", func(context.Context, string) error { panic("half done") }, cap.ApprovalUnknown, cap.CodeExecutionFailed, cap.EffectUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, &storetest.Shop{Effect: func(ctx context.Context, order string) error {
				runs++
				return tt.effect(ctx, order)
			}})
			asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
			storetest.Approve(t, gate, asked.Approval, storetest.Boss)
			given := cap.Confirmation{Approval: asked.Approval}
			for range 2 {
				_, failed := call(t, registry, refund, storetest.Bot, given)
				if tt.code == "" {
					require.Nil(t, failed)
				} else {
					requireCode(t, failed, tt.code)
					assert.Equal(t, tt.left, failed.Effect)
				}
				if tt.code == cap.CodeCapabilityFailed {
					var refunded storetest.Refunded
					require.ErrorAs(t, failed, &refunded)
					assert.Equal(t, "SO-1", refunded.Order)
				}
			}
			assert.Equal(t, 1, runs)
			shown, err := gate.Show(t.Context(), asked.Approval)
			require.NoError(t, err)
			assert.Equal(t, tt.state, shown.State)
			unfinished, err := gate.Unfinished(t.Context(), 0)
			require.NoError(t, err)
			assert.Len(t, unfinished, map[bool]int{true: 1}[tt.state == cap.ApprovalUnknown])
		})
	}
}

// A caller who goes away after the action began does not keep its outcome from being recorded.
func TestOutcomeOfACancelledCall(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, &storetest.Shop{Effect: func(ctx context.Context, _ string) error {
		stop()
		return ctx.Err()
	}})
	asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	storetest.Approve(t, gate, asked.Approval, storetest.Boss)
	_, failed := storetest.Call(ctx, registry, "refund_order", refund, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
	requireCode(t, failed, cap.CodeCancelled)
	assert.Equal(t, cap.EffectUnknown, failed.Effect)
	shown, err := gate.Show(t.Context(), asked.Approval)
	require.NoError(t, err)
	assert.Equal(t, cap.ApprovalUnknown, shown.State)
	assert.Equal(t, cap.CodeCancelled, shown.Outcome.Code)
}

// A handler that takes too long leaves the outcome unknown, also when it comes back late and well.
func TestOutcomeOfALateHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		gate, registry := storetest.Open(t, approval.Memory(), approval.Options{}, &storetest.Shop{Effect: func(context.Context, string) error {
			runs.Add(1)
			time.Sleep(time.Minute) // of the test's own clock
			return nil
		}})
		asked := storetest.Ask(t, registry, "ship_order", `{"order":"SO-1"}`, storetest.Bot)
		storetest.Approve(t, gate, asked.Approval, storetest.Boss)
		for _, code := range []cap.Code{cap.CodeCancelled, cap.CodeCancelled} {
			_, failed := storetest.Call(t.Context(), registry, "ship_order", `{"order":"SO-1"}`, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
			requireCode(t, failed, code)
			assert.Equal(t, cap.EffectUnknown, failed.Effect)
			time.Sleep(time.Hour)
		}
		assert.Equal(t, int64(1), runs.Load())
		shown, err := gate.Show(t.Context(), asked.Approval)
		require.NoError(t, err)
		assert.Equal(t, cap.ApprovalUnknown, shown.State)
	})
}

// failing is a store whose updates fail from the n-th on.
type failing struct {
	approval.Store
	left *int
}

var errDown = errors.New("store is down")

func (f failing) Update(ctx context.Context, change func(approval.Tx) error) error {
	if *f.left--; *f.left < 0 {
		return errDown
	}
	return f.Store.Update(ctx, change)
}

// A store that is down keeps gated actions from running.
func TestStoreFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		updates int // that still work
		runs    int
		code    cap.Code
		state   cap.ApprovalState
	}{
		{"at begin", 0, 0, cap.CodeExecutionFailed, cap.ApprovalApproved},
		{"at finish", 1, 1, "", cap.ApprovalStarted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var runs int
			left := 1000
			store := approval.Memory()
			gate, registry := storetest.Open(t, failing{store, &left}, approval.Options{}, counting(&runs))
			asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
			storetest.Approve(t, gate, asked.Approval, storetest.Boss)
			left = tt.updates
			_, failed := call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
			if tt.code == "" {
				require.Nil(t, failed, "the caller gets the answer that there is")
			} else {
				requireCode(t, failed, tt.code)
				assert.Empty(t, failed.Effect, "the handler had not started")
				require.ErrorIs(t, failed, errDown)
			}
			assert.Equal(t, tt.runs, runs)
			left = 1000
			shown, err := gate.Show(t.Context(), asked.Approval)
			require.NoError(t, err)
			assert.Equal(t, tt.state, shown.State)
			if tt.state == cap.ApprovalStarted {
				_, failed = call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
				assert.Equal(t, cap.EffectUnknown, failed.Effect, "never run again")
				assert.Equal(t, 1, runs)
			}
		})
	}
}

// clock is a clock that tests set.
type clock struct{ now time.Time }

func (c *clock) store() approval.Store {
	c.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return storetest.WithClock(approval.Memory(), func() time.Time { return c.now })
}

// began leaves an approval whose attempt never reports.
func began(t *testing.T, gate *approval.Gate, registry *cap.Registry) (string, cap.Attempt) {
	t.Helper()
	asked := storetest.Ask(t, registry, "refund_order", refund, storetest.Bot)
	storetest.Approve(t, gate, asked.Approval, storetest.Boss)
	attempt, err := gate.Begin(t.Context(), asked.Action, cap.Confirmation{Approval: asked.Approval})
	require.NoError(t, err)
	return asked.Approval, attempt
}

func TestLease(t *testing.T) {
	t.Parallel()
	var c clock
	gate, registry := storetest.Open(t, c.store(), approval.Options{Lease: time.Minute}, &storetest.Shop{})
	id, attempt := began(t, gate, registry)
	stateAt := func(after time.Duration) cap.ApprovalState {
		c.now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(after)
		shown, err := gate.Show(t.Context(), id)
		require.NoError(t, err)
		return shown.State
	}
	assert.Equal(t, cap.ApprovalStarted, stateAt(time.Minute-time.Microsecond))
	unfinished, err := gate.Unfinished(t.Context(), time.Minute)
	require.NoError(t, err)
	assert.Empty(t, unfinished)
	assert.Equal(t, cap.ApprovalUnknown, stateAt(time.Minute))
	unfinished, err = gate.Unfinished(t.Context(), time.Minute)
	require.NoError(t, err)
	assert.Len(t, unfinished, 1)
	_, err = gate.Begin(t.Context(), unfinished[0].Action, cap.Confirmation{Approval: id})
	var ran *cap.AlreadyRan
	require.ErrorAs(t, err, &ran)
	assert.Equal(t, cap.OutcomeUnknown, ran.Outcome.State)

	require.NoError(t, attempt.Finish(t.Context(), cap.Outcome{State: cap.OutcomeSucceeded, Output: json.RawMessage(`{}`)}), "the attempt itself knows best")
	assert.Equal(t, cap.ApprovalSucceeded, stateAt(time.Hour))
	require.Error(t, attempt.Finish(t.Context(), cap.Outcome{State: cap.OutcomeFailed}), "once is enough")
	require.Error(t, attempt.Finish(t.Context(), cap.Outcome{State: "perhaps"}))
	_, err = gate.Verify(t.Context())
	require.NoError(t, err)
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	var c clock
	var asked int
	found := cap.Outcome{State: cap.OutcomeUnknown}
	var findErr error
	shop := &storetest.Shop{Find: func(string) (cap.Outcome, error) { asked++; return found, findErr }}
	gate, registry := storetest.Open(t, c.store(), approval.Options{}, shop)
	id, _ := began(t, gate, registry)
	reconcile := func(name, args, id string) (cap.Outcome, error) {
		return registry.Reconcile(t.Context(), name, json.RawMessage(args), id)
	}
	_, err := reconcile("refund_order", refund, id)
	require.ErrorIs(t, err, approval.ErrRunning)
	c.now = c.now.Add(time.Hour)

	var failed *cap.Error
	_, err = reconcile("nothing", refund, id)
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, cap.CodeCapabilityNotFound, failed.Code)
	_, err = reconcile("refund_order", `{}`, id)
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, cap.CodeInputInvalid, failed.Code)
	_, err = reconcile("refund_order", `{"order":"SO-1","pin":"4712"}`, id)
	var invalid *cap.ConfirmationInvalid
	require.ErrorAs(t, err, &invalid, "the input must be the one that ran")
	_, err = reconcile("cancel_order", cancel, id)
	require.Error(t, err, "it has no Reconcile companion")
	_, err = reconcile("refund_order", refund, strings.Repeat("0", 64))
	require.ErrorIs(t, err, cap.ErrApprovalNotFound)
	assert.Zero(t, asked)

	findErr = errors.New("bank is down")
	_, err = reconcile("refund_order", refund, id)
	require.ErrorIs(t, err, findErr)
	findErr = nil
	got, err := reconcile("refund_order", refund, id)
	require.NoError(t, err)
	assert.Equal(t, cap.OutcomeUnknown, got.State)
	found = cap.Outcome{State: cap.OutcomeSucceeded, Output: json.RawMessage(`{"cents":"x"}`)}
	_, err = reconcile("refund_order", refund, id)
	require.Error(t, err, "an output that breaks the contract")

	found.Output = json.RawMessage(`{"cents":100,"approval":"` + id + `"}`)
	for range 2 {
		got, err = reconcile("refund_order", refund, id)
		require.NoError(t, err)
		assert.Equal(t, found, got)
	}
	assert.Equal(t, 4, asked, "a known outcome is not asked for")
	result, refused := call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: id})
	require.Nil(t, refused)
	assert.True(t, result.Replayed)
	_, err = gate.Verify(t.Context())
	require.NoError(t, err)
}

// An operator who found out by other means says so; a state is enough.
func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		outcome cap.OutcomeState
		state   cap.ApprovalState
		code    cap.Code
	}{
		{"it happened", cap.OutcomeSucceeded, cap.ApprovalSucceeded, cap.CodeOutputInvalid},
		{"it did not", cap.OutcomeFailed, cap.ApprovalFailed, cap.CodeCapabilityFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c clock
			gate, registry := storetest.Open(t, c.store(), approval.Options{}, &storetest.Shop{})
			id, _ := began(t, gate, registry)
			outcome := cap.Outcome{State: tt.outcome}
			_, err := gate.Resolve(t.Context(), id, outcome, storetest.Boss)
			require.ErrorIs(t, err, approval.ErrRunning)
			c.now = c.now.Add(time.Hour)
			_, err = gate.Resolve(t.Context(), id, outcome, storetest.Bot)
			require.ErrorIs(t, err, cap.ErrApproverRefused)
			_, err = gate.Resolve(t.Context(), id, cap.Outcome{State: cap.OutcomeUnknown}, storetest.Boss)
			require.Error(t, err)
			got, err := gate.Resolve(t.Context(), id, outcome, storetest.Boss)
			require.NoError(t, err)
			assert.Equal(t, tt.state, got.State)
			_, err = gate.Resolve(t.Context(), id, outcome, storetest.Boss)
			require.ErrorIs(t, err, cap.ErrApprovalClosed)
			_, failed := call(t, registry, refund, storetest.Bot, cap.Confirmation{Approval: id})
			requireCode(t, failed, tt.code)
			assert.Empty(t, failed.Effect, "it is known now")
		})
	}
}
