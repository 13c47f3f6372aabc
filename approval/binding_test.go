package approval

// This test sees inside: it holds that no field of what an approval stands for can be added without being bound.

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// fullAction is an action in which nothing is empty.
func fullAction() cap.Action {
	return cap.Action{
		ID: "id", Capability: "refund_order", Contract: "contract", Input: "input", Shown: "shown", State: "state",
		Effect: cap.EffectWrite, Reversible: true,
		Pending:       cap.PendingAction{Verb: "refund", Target: cap.ObjectRef{Product: "shop", Kind: "order", ID: "SO-1"}, Args: map[string]string{"a": "b"}},
		Arguments:     []cap.Argument{{Name: "order", JSON: json.RawMessage(`"SO-1"`), Defaulted: true, Secret: true}},
		Preconditions: []cap.Precondition{{Label: "version", Value: "1"}},
		Requester: cap.Principal{
			ID: "ana", Kind: cap.KindHuman, OnBehalfOf: "bob", Tenant: "acme", Session: "s",
			Scopes: []string{"x"}, Attributes: map[string]any{"a": "b"},
		},
		Source: "http", Reason: "because",
	}
}

// mutations calls try once for every leaf of what v points to, changed, and puts it back.
func mutations(t *testing.T, v reflect.Value, path string, try func(path string)) {
	t.Helper()
	change := func(changed reflect.Value) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		v.Set(changed.Convert(v.Type()))
		try(path)
		v.Set(before)
	}
	switch v.Kind() {
	case reflect.Struct:
		if moment, ok := v.Interface().(time.Time); ok {
			change(reflect.ValueOf(moment.Add(microseconds)))
			return
		}
		for i := range v.NumField() {
			mutations(t, v.Field(i), path+"."+v.Type().Field(i).Name, try)
		}
	case reflect.String:
		change(reflect.ValueOf(v.String() + "x"))
		if v.Len() > 0 {
			change(reflect.ValueOf(""))
		}
	case reflect.Bool:
		change(reflect.ValueOf(!v.Bool()))
	case reflect.Int, reflect.Int64:
		change(reflect.ValueOf(v.Int() + 1))
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			change(reflect.ValueOf(json.RawMessage(`"other"`)))
			return
		}
		require.NotZero(t, v.Len(), "%s is empty, so it is not tried", path)
		change(reflect.Append(v, v.Index(0)))
		change(reflect.Zero(v.Type()))
		mutations(t, v.Index(0), path+"[0]", try)
	case reflect.Map:
		require.NotZero(t, v.Len(), "%s is empty, so it is not tried", path)
		change(reflect.Zero(v.Type()))
		other := reflect.MakeMap(v.Type())
		other.SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf("other"))
		change(other)
	default:
		require.Fail(t, "a field of a kind that this test does not know", "%s: %s", path, v.Kind())
	}
}

// No call that differs in any field from what was approved begins, but for where it comes from and what the caller says.
func TestEveryFieldOfAnActionIsBound(t *testing.T) {
	t.Parallel()
	gate, err := New(Memory(), Options{})
	require.NoError(t, err)
	action := fullAction()
	action.Requester.OnBehalfOf = ""
	_, err = gate.Begin(t.Context(), action, cap.Confirmation{})
	var required *cap.ConfirmationRequired
	require.ErrorAs(t, err, &required)
	approver := cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme"}
	_, err = gate.Decide(t.Context(), required.Approval, cap.Decision{Verdict: cap.VerdictApprove, Approver: approver})
	require.NoError(t, err)
	tried := 0
	mutations(t, reflect.ValueOf(&action).Elem(), "Action", func(path string) {
		if path == "Action.Source" || path == "Action.Reason" {
			return
		}
		tried++
		_, err := gate.Begin(t.Context(), action, cap.Confirmation{Approval: required.Approval})
		require.Error(t, err, path)
		var ran *cap.AlreadyRan
		assert.NotErrorAs(t, err, &ran, path)
		_, err = gate.Begin(t.Context(), action, cap.Confirmation{})
		require.Error(t, err, "%s: an equal call joins, this one does not", path)
	})
	assert.Greater(t, tried, 40)
	_, err = gate.Begin(t.Context(), action, cap.Confirmation{Approval: required.Approval})
	require.NoError(t, err, "the action itself still begins")
}

// An approval's id changes with every field of what it stands for.
func TestEveryFieldOfAnEnvelopeIsBound(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	e := envelope{
		Format: "1", Audience: "shop", Binding: "b", Text: "t", Nonce: "n", Quorum: 1,
		Created: moment, Expires: moment.Add(time.Hour),
	}
	want, err := e.id()
	require.NoError(t, err)
	seen := map[string]string{want: "nothing"}
	mutations(t, reflect.ValueOf(&e).Elem(), "envelope", func(path string) {
		got, err := e.id()
		require.NoError(t, err)
		assert.NotContains(t, seen, got, path)
		seen[got] = path
	})
	assert.Len(t, seen, 14)
}

// A record whose terms were edited is found out before anything is done with it.
func TestEditedRecords(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*Record){
		"later":         func(r *Record) { r.Expires = r.Expires.Add(time.Hour) },
		"quorum":        func(r *Record) { r.Quorum = 0 },
		"text":          func(r *Record) { r.Text = "harmless" },
		"requester":     func(r *Record) { r.Action.Requester.ID = "eve" },
		"action":        func(r *Record) { r.Action.Pending.Verb = "look at" },
		"binding":       func(r *Record) { r.Binding = "other" },
		"audience":      func(r *Record) { r.Audience = "other" },
		"nonce":         func(r *Record) { r.Nonce = "" },
		"its arguments": func(r *Record) { r.Action.Arguments = nil },
	} {
		store := Memory()
		gate, err := New(store, Options{})
		require.NoError(t, err)
		action := fullAction()
		action.Requester.OnBehalfOf = ""
		_, err = gate.Begin(t.Context(), action, cap.Confirmation{})
		var required *cap.ConfirmationRequired
		require.ErrorAs(t, err, &required)
		require.NoError(t, store.Update(t.Context(), func(tx Tx) error {
			r, err := tx.Get(required.Approval)
			if err != nil {
				return err
			}
			edit(&r)
			return tx.Put(r)
		}))
		_, err = gate.Show(t.Context(), required.Approval)
		require.ErrorIs(t, err, errEdited, name)
		_, err = gate.Begin(t.Context(), action, cap.Confirmation{Approval: required.Approval})
		require.ErrorIs(t, err, errEdited, name)
		_, err = gate.Begin(t.Context(), action, cap.Confirmation{})
		var anew *cap.ConfirmationRequired
		require.ErrorAs(t, err, &anew, name)
		assert.NotEqual(t, required.Approval, anew.Approval, "an equal call does not join what was edited")
		_, err = gate.Verify(t.Context())
		var broken *AuditError
		require.ErrorAs(t, err, &broken, name)
	}
}

// The machine has the states and steps that the documentation gives, and no others.
func TestStates(t *testing.T) {
	t.Parallel()
	all := []cap.ApprovalState{
		cap.ApprovalPending, cap.ApprovalApproved, cap.ApprovalDenied, cap.ApprovalExpired, cap.ApprovalCancelled,
		cap.ApprovalStarted, cap.ApprovalSucceeded, cap.ApprovalFailed, cap.ApprovalUnknown,
	}
	var got []string
	for _, from := range all {
		for _, to := range all {
			r := Record{State: from}
			if r.move(to) == nil {
				assert.Equal(t, to, r.State)
				got = append(got, fmt.Sprintf("%s > %s", from, to))
			} else {
				assert.Equal(t, from, r.State)
			}
		}
	}
	assert.Equal(t, []string{
		"pending > approved", "pending > denied", "pending > expired", "pending > cancelled",
		"approved > expired", "approved > cancelled", "approved > started",
		"started > succeeded", "started > failed", "started > unknown",
		"unknown > succeeded", "unknown > failed",
	}, got)
}
