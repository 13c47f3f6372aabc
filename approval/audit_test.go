package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

// edited is a store whose log was changed behind its back.
type edited struct {
	approval.Store
	edit func([]approval.Entry) []approval.Entry
}

func (s edited) View(ctx context.Context, read func(approval.Tx) error) error {
	return s.Store.View(ctx, func(t approval.Tx) error { return read(editedTx{t, s.edit}) })
}

type editedTx struct {
	approval.Tx
	edit func([]approval.Entry) []approval.Entry
}

func (t editedTx) Log(after int64, limit int) ([]approval.Entry, error) {
	all, err := t.Tx.Log(0, 1_000_000)
	if err != nil {
		return nil, err
	}
	var found []approval.Entry
	for _, e := range t.edit(all) {
		if e.Seq > after && len(found) < limit {
			found = append(found, e)
		}
	}
	return found, nil
}

// busy fills a log with every kind of event.
func busy(t *testing.T, store approval.Store) *approval.Gate {
	t.Helper()
	gate, registry := storetest.Open(t, store, approval.Options{}, &storetest.Shop{Effect: func(_ context.Context, order string) error {
		if order == "SO-2" {
			return errors.New("canary-cause")
		}
		return nil
	}})
	for _, order := range []string{"SO-1", "SO-2", "SO-3"} {
		args := `{"order":"` + order + `","pin":"canary-pin"}`
		asked := storetest.Ask(t, registry, "refund_order", args, storetest.Bot)
		_, err := decide(t, gate, asked.Approval, storetest.Bot, cap.VerdictApprove)
		require.ErrorIs(t, err, cap.ErrApproverRefused)
		if order == "SO-3" {
			_, err := decide(t, gate, asked.Approval, storetest.Boss, cap.VerdictDeny)
			require.NoError(t, err)
			continue
		}
		storetest.Approve(t, gate, asked.Approval, storetest.Boss)
		_, _ = call(t, registry, args, storetest.Bot, cap.Confirmation{Approval: asked.Approval})
	}
	return gate
}

func TestAuditLog(t *testing.T) {
	t.Parallel()
	gate := busy(t, approval.Memory())
	head, err := gate.Verify(t.Context())
	require.NoError(t, err)
	log, err := gate.Log(t.Context(), 0, 100)
	require.NoError(t, err)
	require.Equal(t, head.Seq, int64(len(log)))
	var events []approval.Event
	for _, e := range log {
		events = append(events, e.Event)
	}
	assert.Equal(t, []approval.Event{
		"approver", "approver",
		"proposed", "refused", "decided", "started", "finished",
		"proposed", "refused", "decided", "started", "unknown",
		"proposed", "refused", "decided",
	}, events)
	text, err := json.Marshal(log)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "canary")
	started := log[5]
	assert.Equal(t, "refund_order", started.Capability)
	assert.Equal(t, "planner", started.Requester)
	assert.Equal(t, "ana", started.OnBehalfOf)
	assert.Equal(t, "test", started.Source)
	assert.NotEmpty(t, started.Attempt)
	assert.Equal(t, "boss", log[4].Approver)
	assert.Equal(t, cap.VerdictApprove, log[4].Verdict)

	_, err = busy(t, approval.Memory()).Verify(t.Context(), approval.Head{})
	require.NoError(t, err, "a known head of an empty log fits every log")
}

// Every edit, swap and removal is found, wherever it is.
func TestAuditTampering(t *testing.T) {
	t.Parallel()
	store := approval.Memory()
	head, err := busy(t, store).Verify(t.Context())
	require.NoError(t, err)
	verify := func(edit func([]approval.Entry) []approval.Entry, known ...approval.Head) error {
		gate, err := approval.New(edited{store, edit}, approval.Options{})
		require.NoError(t, err)
		_, err = gate.Verify(t.Context(), known...)
		return err
	}
	broken := func(err error, what string, args ...any) {
		var audit *approval.AuditError
		require.ErrorAs(t, err, &audit, append([]any{what}, args...)...)
	}
	require.NoError(t, verify(slices.Clone[[]approval.Entry], head))
	edits := map[string]func(*approval.Entry){
		"event":    func(e *approval.Entry) { e.Event += "x" },
		"state":    func(e *approval.Entry) { e.State = "approved!" },
		"approval": func(e *approval.Entry) { e.Approval += "0" },
		"approver": func(e *approval.Entry) { e.Approver += "x" },
		"reason":   func(e *approval.Entry) { e.Reason += "x" },
		"time":     func(e *approval.Entry) { e.At = e.At.Add(1000) },
		"hash":     func(e *approval.Entry) { e.Hash = "0" + e.Hash[1:] + "0" },
		"prev":     func(e *approval.Entry) { e.Prev += "0" },
		"number":   func(e *approval.Entry) { e.Seq += 100 },
	}
	for at := range int(head.Seq) {
		for name, edit := range edits {
			broken(verify(func(log []approval.Entry) []approval.Entry { edit(&log[at]); return log }), "%s of entry %d", name, at)
		}
		broken(verify(func(log []approval.Entry) []approval.Entry { return slices.Delete(log, at, at+1) }, head), "entry %d removed", at)
		broken(verify(func(log []approval.Entry) []approval.Entry { return log[:at] }, head), "cut at %d", at)
		if at > 0 {
			broken(verify(func(log []approval.Entry) []approval.Entry {
				log[at-1], log[at] = log[at], log[at-1]
				return log
			}), "entry %d swapped", at)
			broken(verify(func(log []approval.Entry) []approval.Entry {
				log[at-1], log[at] = log[at], log[at-1]
				log[at-1].Seq, log[at].Seq = log[at].Seq, log[at-1].Seq
				return log
			}), "entry %d swapped with its number", at)
		}
	}
	broken(verify(func(log []approval.Entry) []approval.Entry { return log[:len(log)-1] }), "the last entry cut, no head known")
	broken(verify(slices.Clone[[]approval.Entry], approval.Head{Seq: head.Seq, Hash: "other"}), "another log of the same length")

	// Whoever approves by writing to the records leaves the log behind.
	require.NoError(t, store.Update(t.Context(), func(tx approval.Tx) error {
		records, err := tx.Find(approval.Query{States: []cap.ApprovalState{cap.ApprovalDenied}})
		require.NoError(t, err)
		require.Len(t, records, 1)
		records[0].State = cap.ApprovalApproved
		return tx.Put(records[0])
	}))
	broken(verify(slices.Clone[[]approval.Entry]), "a record that was approved by hand")
}

func TestApproverTokens(t *testing.T) {
	t.Parallel()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	const given = "a-token-of-at-least-32-characters"
	for name, who := range map[string]cap.Principal{
		"an agent": storetest.Bot, "nobody": {Kind: cap.KindHuman}, "a service": {ID: "ci", Kind: cap.KindService},
		"unknown kind": {ID: "x"}, "blanks": {ID: " x", Kind: cap.KindHuman},
	} {
		_, err := gate.AddApprover(t.Context(), who, "")
		require.Error(t, err, name)
	}
	_, err = gate.AddApprover(t.Context(), storetest.Boss, "short")
	require.Error(t, err)
	first, err := gate.AddApprover(t.Context(), storetest.Boss, "")
	require.NoError(t, err)
	second, err := gate.AddApprover(t.Context(), cap.Principal{ID: "eve", Kind: cap.KindHuman, Tenant: "acme"}, given)
	require.NoError(t, err)
	assert.Equal(t, given, second)
	_, err = gate.AddApprover(t.Context(), storetest.Other, given)
	require.Error(t, err, "one token, one approver")

	who, err := gate.Authenticate(t.Context(), first)
	require.NoError(t, err)
	assert.Equal(t, &storetest.Boss, who)
	who, err = gate.Authenticate(t.Context(), given)
	require.NoError(t, err)
	assert.Equal(t, &cap.Principal{ID: "eve", Kind: cap.KindHuman, Tenant: "acme"}, who)
	for _, wrong := range []string{"", "x", first + "x", first[1:]} {
		_, err = gate.Authenticate(t.Context(), wrong)
		var failed *cap.Error
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, cap.CodeUnauthenticated, failed.Code)
	}
	require.NoError(t, gate.RevokeApprover(t.Context(), "eve"))
	_, err = gate.Authenticate(t.Context(), given)
	require.Error(t, err)
	require.Error(t, gate.RevokeApprover(t.Context(), "nobody"))
	renewed, err := gate.AddApprover(t.Context(), storetest.Boss, "")
	require.NoError(t, err)
	_, err = gate.Authenticate(t.Context(), first)
	require.Error(t, err, "a new token replaces the old")
	_, err = gate.Authenticate(t.Context(), renewed)
	require.NoError(t, err)
}
