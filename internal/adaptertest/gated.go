package adaptertest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// runGated holds that nothing with an effect runs before it is agreed to.
func runGated(t *testing.T, front Front) {
	t.Helper()
	for _, r := range refusedRows() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			leaveOut(t, front, r.name)
			got := front.Call(t, r.capability, json.RawMessage(r.args), r.as)
			check(t, got, r.want)
			if r.want.err.Code == cap.CodeConfirmationRequired {
				checkAction(t, got.Error, r.capability)
			}
		})
	}
	confirmer, ok := front.(Confirmer)
	if !ok {
		return
	}
	for _, r := range confirmedRows() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			leaveOut(t, front, r.name)
			asked := front.Call(t, r.capability, json.RawMessage(r.args), r.as)
			require.NotNil(t, asked.Error)
			require.NotNil(t, asked.Error.Confirmation, "confirmation of %s", asked.Error.Code)
			given := cap.Confirmation{Challenge: asked.Error.Confirmation.Challenge}
			check(t, confirmer.CallConfirmed(t, r.capability, json.RawMessage(r.args), r.as, given), r.want)
		})
	}
	t.Run("a challenge is for one value", func(t *testing.T) {
		t.Parallel()
		leaveOut(t, front, "a challenge is for one value")
		asked := front.Call(t, "rename_item", json.RawMessage(`{"id":"one","to":"two"}`), Ana())
		require.NotNil(t, asked.Error)
		require.NotNil(t, asked.Error.Confirmation)
		given := cap.Confirmation{Challenge: asked.Error.Confirmation.Challenge}
		got := confirmer.CallConfirmed(t, "rename_item", json.RawMessage(`{"id":"one","to":"three"}`), Ana(), given)
		check(t, got, want{err: &cap.Error{Code: cap.CodeConfirmationInvalid}})
	})
}

// checkAction holds that the caller learns what has to be agreed to.
func checkAction(t *testing.T, failed *cap.Error, capability string) {
	t.Helper()
	require.NotNil(t, failed.Confirmation, "confirmation")
	action := failed.Confirmation.Action
	assert.Equal(t, capability, action.Capability, "capability of the action")
	assert.NotEmpty(t, action.ID, "id of the action")
	assert.NotEmpty(t, action.Pending.Verb, "verb of the action")
	assert.NotEmpty(t, action.Arguments, "arguments of the action")
}

func refusedRows() []row {
	required := want{err: &cap.Error{Code: cap.CodeConfirmationRequired, Message: "The action must be confirmed first."}}
	return []row{
		{"a write asks first", "rename_item", `{"id":"asks","to":"b","pin":"` + Canary + `"}`, Ana(), required},
		{"a host call asks first", "wipe_items", `{}`, Ana(), required},
		{"identity comes before the gate", "rename_item", `{"id":"a","to":"b"}`, nil, want{err: &cap.Error{Code: cap.CodeUnauthenticated}}},
		{"the input comes before the gate", "rename_item", `{"id":"a"}`, Ana(), invalid("/to required")},
	}
}

func confirmedRows() []row {
	return []row{
		{
			"a write that is confirmed runs", "rename_item", `{"id":"runs","to":"b"}`, Ana(),
			want{output: `{"id":"b","size":0,"ref":{"product":"store","kind":"item","id":"b"}}`, cites: []cap.ObjectRef{refOf("b")}},
		},
		{"a write that is confirmed may fail", "rename_item", `{"id":"missing","to":"b"}`, Ana(), notFound("missing")},
		{"a write that breaks says that its effect is unknown", "break_write", `{"item":"x"}`, Ana(), defect(cap.EffectUnknown)},
	}
}
