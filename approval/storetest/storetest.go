// Package storetest holds what every store of approvals must do: one suite for all of them, and a small shop to try a gate.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
)

// Run holds a store against the contract. open returns an empty store, which it closes when its test ends.
func Run(t *testing.T, open func(t *testing.T) approval.Store) {
	t.Helper()
	for _, part := range []struct {
		name string
		test func(*testing.T, approval.Store)
	}{
		{"records", testRecords},
		{"queries", testQueries},
		{"an update that fails leaves nothing", testRollback},
		{"a view cannot write", testReadOnly},
		{"approvers", testApprovers},
		{"log", testLog},
		{"key", testKey},
		{"clock", testClock},
		{"a context that has ended", testContext},
		{"updates do not overlap", testIsolation},
		{"a request is decided and runs once", testLifecycle},
		{"many run one approval", testRace},
		{"equal requests are one", testJoinRace},
		{"time is up to the microsecond", testBoundary},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, open(t))
		})
	}
}

// base is a moment that every store can keep.
var base = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func record(id string) approval.Record {
	return approval.Record{
		ID: id, State: cap.ApprovalPending, Binding: "b-" + id, Audience: "test", Nonce: "n", Quorum: 1,
		Created: base, Expires: base.Add(time.Hour), Text: "text \u00e9 of " + id,
		Action: cap.Action{
			ID: "a-" + id, Capability: "refund_order", Effect: cap.EffectHost,
			Arguments: []cap.Argument{{Name: "n", JSON: []byte(`9007199254740993`)}, {Name: "s", Secret: true}},
			Requester: cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme"},
		},
	}
}

func update(t *testing.T, store approval.Store, change func(approval.Tx) error) {
	t.Helper()
	require.NoError(t, store.Update(t.Context(), change))
}

func get(t *testing.T, store approval.Store, id string) approval.Record {
	t.Helper()
	var r approval.Record
	require.NoError(t, store.View(t.Context(), func(tx approval.Tx) (err error) {
		r, err = tx.Get(id)
		return err
	}))
	return r
}

func testRecords(t *testing.T, store approval.Store) {
	err := store.View(t.Context(), func(tx approval.Tx) error {
		_, err := tx.Get("r1")
		return err
	})
	require.ErrorIs(t, err, approval.ErrNoRecord)

	want := record("r1")
	update(t, store, func(tx approval.Tx) error { return tx.Put(want) })
	want.Version = 1
	require.Equal(t, want, get(t, store, "r1"))

	want.State, want.Attempt, want.Started = cap.ApprovalStarted, "x", base.Add(time.Minute)
	want.Decisions = []cap.Decision{{Verdict: cap.VerdictApprove, Approver: cap.Principal{ID: "boss"}, At: base}}
	want.Outcome = &cap.Outcome{State: cap.OutcomeUnknown}
	update(t, store, func(tx approval.Tx) error { return tx.Put(want) })
	want.Version = 2
	require.Equal(t, want, get(t, store, "r1"))

	for _, version := range []int64{0, 1, 3} {
		stale := want
		stale.Version = version
		err := store.Update(t.Context(), func(tx approval.Tx) error { return tx.Put(stale) })
		require.ErrorIs(t, err, approval.ErrConflict, "version %d", version)
	}
	missing := record("r2")
	missing.Version = 1
	err = store.Update(t.Context(), func(tx approval.Tx) error { return tx.Put(missing) })
	require.ErrorIs(t, err, approval.ErrConflict)
}

func testQueries(t *testing.T, store approval.Store) {
	update(t, store, func(tx approval.Tx) error {
		for i, state := range []cap.ApprovalState{cap.ApprovalPending, cap.ApprovalApproved, cap.ApprovalPending, cap.ApprovalDenied} {
			r := record(fmt.Sprint("r", i))
			r.State, r.Expires = state, base.Add(time.Duration(i)*time.Second)
			if i == 3 {
				r.Action.Requester = cap.Principal{ID: "bob", Tenant: "other"}
				r.Audience = "elsewhere"
			}
			if err := tx.Put(r); err != nil {
				return err
			}
		}
		return nil
	})
	pending := []cap.ApprovalState{cap.ApprovalPending}
	for _, tt := range []struct {
		name  string
		query approval.Query
		want  []string
	}{
		{"everything, newest first", approval.Query{}, []string{"r3", "r2", "r1", "r0"}},
		{"a state", approval.Query{States: pending}, []string{"r2", "r0"}},
		{"two states", approval.Query{States: append(pending, cap.ApprovalDenied)}, []string{"r3", "r2", "r0"}},
		{"a limit", approval.Query{States: pending, Limit: 1}, []string{"r2"}},
		{"a binding", approval.Query{Binding: "b-r1"}, []string{"r1"}},
		{"a requester", approval.Query{Requester: "bob"}, []string{"r3"}},
		{"an audience", approval.Query{Audiences: []string{"elsewhere"}}, []string{"r3"}},
		{"two audiences", approval.Query{Audiences: []string{"elsewhere", "test"}, States: pending}, []string{"r2", "r0"}},
		{"a tenant", approval.Query{Tenant: "acme"}, []string{"r2", "r1", "r0"}},
		{"what is due", approval.Query{Due: base.Add(time.Second)}, []string{"r1", "r0"}},
		{"nearly due", approval.Query{Due: base.Add(time.Second - time.Microsecond)}, []string{"r0"}},
		{"nothing", approval.Query{Requester: "bob", Tenant: "acme"}, nil},
	} {
		var got []string
		require.NoError(t, store.View(t.Context(), func(tx approval.Tx) error {
			records, err := tx.Find(tt.query)
			for _, r := range records {
				got = append(got, r.ID)
			}
			return err
		}))
		assert.Equal(t, tt.want, got, tt.name)
	}
}

var errTest = errors.New("storetest: on purpose")

func testRollback(t *testing.T, store approval.Store) {
	update(t, store, func(tx approval.Tx) error { return tx.Put(record("kept")) })
	everything := func(tx approval.Tx) error {
		changed := get0(tx, "kept")
		changed.State = cap.ApprovalDenied
		return errors.Join(
			tx.Put(changed), tx.Put(record("new")), tx.PutApprover(approval.Approver{ID: "boss"}),
			tx.Append(approval.Entry{Seq: 1, At: base, Hash: "h"}),
		)
	}
	err := store.Update(t.Context(), func(tx approval.Tx) error { return errors.Join(everything(tx), errTest) })
	require.ErrorIs(t, err, errTest)
	assert.Panics(t, func() {
		_ = store.Update(t.Context(), func(tx approval.Tx) error {
			if err := everything(tx); err != nil {
				return err
			}
			panic("on purpose")
		})
	})
	require.NoError(t, store.View(t.Context(), func(tx approval.Tx) error {
		assert.Equal(t, cap.ApprovalPending, get0(tx, "kept").State)
		_, err := tx.Get("new")
		assert.ErrorIs(t, err, approval.ErrNoRecord)
		approvers, err := tx.Approvers()
		assert.NoError(t, err)
		assert.Empty(t, approvers)
		head, err := tx.Head()
		assert.Zero(t, head.Seq)
		return err
	}))
}

func get0(tx approval.Tx, id string) approval.Record {
	r, _ := tx.Get(id)
	return r
}

func testReadOnly(t *testing.T, store approval.Store) {
	for name, write := range map[string]func(approval.Tx) error{
		"Put":         func(tx approval.Tx) error { return tx.Put(record("r")) },
		"PutApprover": func(tx approval.Tx) error { return tx.PutApprover(approval.Approver{ID: "boss"}) },
		"Append":      func(tx approval.Tx) error { return tx.Append(approval.Entry{Seq: 1}) },
	} {
		require.ErrorIs(t, store.View(t.Context(), write), approval.ErrReadOnly, name)
	}
	require.NoError(t, store.View(t.Context(), func(tx approval.Tx) error {
		key, err := tx.Key([]byte("fresh"))
		assert.Nil(t, key)
		return err
	}))
}

func testApprovers(t *testing.T, store approval.Store) {
	b := approval.Approver{ID: "b", Tenant: "acme", Token: "t", Added: base}
	a := approval.Approver{ID: "a", Token: "u", Added: base}
	update(t, store, func(tx approval.Tx) error { return errors.Join(tx.PutApprover(b), tx.PutApprover(a)) })
	b.Revoked = base.Add(time.Second)
	update(t, store, func(tx approval.Tx) error { return tx.PutApprover(b) })
	require.NoError(t, store.View(t.Context(), func(tx approval.Tx) error {
		got, err := tx.Approvers()
		assert.Equal(t, []approval.Approver{a, b}, got)
		return err
	}))
}

func testLog(t *testing.T, store approval.Store) {
	entries := []approval.Entry{
		{Seq: 1, At: base, Event: approval.EventProposed, Approval: "r", Reason: "caf\u00e9 <&>", Hash: "h1"},
		{Seq: 2, At: base.Add(time.Microsecond), Event: approval.EventDecided, Prev: "h1", Hash: "h2"},
	}
	for _, e := range entries {
		update(t, store, func(tx approval.Tx) error { return tx.Append(e) })
	}
	err := store.Update(t.Context(), func(tx approval.Tx) error { return tx.Append(entries[1]) })
	require.ErrorIs(t, err, approval.ErrConflict, "a number is given once")
	require.NoError(t, store.View(t.Context(), func(tx approval.Tx) error {
		got, err := tx.Log(0, 10)
		assert.NoError(t, err)
		assert.Equal(t, entries, got)
		got, err = tx.Log(1, 10)
		assert.NoError(t, err)
		assert.Equal(t, entries[1:], got)
		got, err = tx.Log(0, 1)
		assert.NoError(t, err)
		assert.Equal(t, entries[:1], got)
		head, err := tx.Head()
		assert.Equal(t, entries[1], head)
		return err
	}))
}

func testKey(t *testing.T, store approval.Store) {
	for _, fresh := range []string{"first", "second"} {
		update(t, store, func(tx approval.Tx) error {
			key, err := tx.Key([]byte(fresh))
			assert.Equal(t, "first", string(key))
			return err
		})
	}
}

func testClock(t *testing.T, store approval.Store) {
	update(t, store, func(tx approval.Tx) error {
		before, err := tx.Now()
		require.NoError(t, err)
		after, err := tx.Now()
		assert.False(t, after.Before(before))
		assert.WithinDuration(t, time.Now(), before, time.Hour)
		assert.Equal(t, before.Truncate(time.Microsecond), before)
		return err
	})
}

func testContext(t *testing.T, store approval.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(approval.Tx) error { return errors.New("must not run") }
	require.ErrorIs(t, store.Update(ctx, never), context.Canceled)
	require.ErrorIs(t, store.View(ctx, never), context.Canceled)
}

func testIsolation(t *testing.T, store approval.Store) {
	update(t, store, func(tx approval.Tx) error { return tx.Put(record("counter")) })
	const workers, rounds = 8, 5
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range rounds {
				err := store.Update(t.Context(), func(tx approval.Tx) error {
					r, err := tx.Get("counter")
					if err != nil {
						return err
					}
					r.Quorum++
					return tx.Put(r)
				})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 1+workers*rounds, get(t, store, "counter").Quorum)
}

func testLifecycle(t *testing.T, store approval.Store) {
	var runs atomic.Int64
	gate, registry := Open(t, store, approval.Options{}, &Shop{Effect: func(context.Context, string) error {
		runs.Add(1)
		return nil
	}})
	const args = `{"order":"SO-1","pin":"4711"}`
	asked := Ask(t, registry, "refund_order", args, Bot)
	assert.Equal(t, asked.Approval, Ask(t, registry, "refund_order", args, Bot).Approval, "an equal call joins")
	list, err := gate.List(t.Context(), cap.ApprovalQuery{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, cap.ApprovalApproved, Approve(t, gate, asked.Approval, Boss).State)

	result, failed := Call(t.Context(), registry, "refund_order", args, Bot, cap.Confirmation{})
	require.Nil(t, failed)
	assert.False(t, result.Replayed)
	assert.JSONEq(t, `{"cents":100,"approval":"`+asked.Approval+`"}`, string(result.Output))

	again, failed := Call(t.Context(), registry, "refund_order", args, Bot, cap.Confirmation{Approval: asked.Approval})
	require.Nil(t, failed)
	assert.True(t, again.Replayed)
	assert.Equal(t, result.Output, again.Output)
	assert.NotEqual(t, asked.Approval, Ask(t, registry, "refund_order", args, Bot).Approval, "the same may be asked for again")
	assert.Equal(t, int64(1), runs.Load())
	_, err = gate.Verify(t.Context())
	require.NoError(t, err)
}

func testRace(t *testing.T, store approval.Store) {
	var runs atomic.Int64
	gate, registry := Open(t, store, approval.Options{}, &Shop{Effect: func(context.Context, string) error {
		runs.Add(1)
		return nil
	}})
	const workers, rounds = 8, 5
	for round := range rounds {
		args := fmt.Sprintf(`{"order":"SO-%d"}`, round)
		asked := Ask(t, registry, "refund_order", args, Bot)
		Approve(t, gate, asked.Approval, Boss)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				_, failed := Call(t.Context(), registry, "refund_order", args, Bot, cap.Confirmation{Approval: asked.Approval})
				if failed != nil {
					assert.Equal(t, cap.EffectUnknown, failed.Effect, "the losers learn the outcome, or that it is unknown: %v", failed.Unwrap())
				}
			})
		}
		wg.Wait()
		assert.Equal(t, int64(round+1), runs.Load())
	}
}

func testJoinRace(t *testing.T, store approval.Store) {
	gate, registry := Open(t, store, approval.Options{}, &Shop{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, failed := Call(t.Context(), registry, "refund_order", `{"order":"SO-1"}`, Bot, cap.Confirmation{})
			assert.Equal(t, cap.CodeConfirmationRequired, failed.Code)
		})
	}
	wg.Wait()
	list, err := gate.List(t.Context(), cap.ApprovalQuery{})
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func testBoundary(t *testing.T, store approval.Store) {
	now := base
	options := approval.Options{HostTTL: time.Hour}
	gate, registry := Open(t, WithClock(store, func() time.Time { return now }), options, &Shop{})
	for _, tt := range []struct {
		name                string
		decideAt, beginAt   time.Duration
		decidable, runnable bool
	}{
		{"decided and begun at the last moment", time.Hour - time.Microsecond, time.Hour - time.Microsecond, true, true},
		{"decided in time and begun when it is up", time.Hour - time.Microsecond, time.Hour, true, false},
		{"decided when it is up", time.Hour, time.Hour, false, false},
		{"a clock that goes back wakes nothing", time.Hour, 0, false, false},
	} {
		args := fmt.Sprintf(`{"order":"SO-1","notes":[%q]}`, tt.name)
		start := now
		asked := Ask(t, registry, "refund_order", args, Bot)
		assert.True(t, asked.Expires.Equal(start.Add(time.Hour)), tt.name)
		now = start.Add(tt.decideAt)
		_, err := gate.Decide(t.Context(), asked.Approval, cap.Decision{Verdict: cap.VerdictApprove, Approver: Boss})
		if tt.decidable {
			require.NoError(t, err, tt.name)
		} else {
			require.ErrorIs(t, err, cap.ErrApprovalClosed, tt.name)
		}
		now = start.Add(tt.beginAt)
		_, failed := Call(t.Context(), registry, "refund_order", args, Bot, cap.Confirmation{Approval: asked.Approval})
		if tt.runnable {
			assert.Nil(t, failed, tt.name)
		} else if assert.NotNil(t, failed, tt.name) {
			assert.Equal(t, cap.CodeConfirmationInvalid, failed.Code, tt.name)
		}
		now = start.Add(2 * time.Hour)
	}
}
