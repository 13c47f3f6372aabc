// Package adaptertest is one suite of calls and outcomes that every adapter passes: a registry of capabilities made for it,
// and a table that says what their callers must see, whatever the front.
//
// An adapter's test builds a front on [NewRegistry] and hands it to [Run]:
//
//	registry := adaptertest.NewRegistry(t)
//	adaptertest.Run(t, &front{…})
package adaptertest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// Front is an adapter, seen from its caller's side. Call sends args to the capability of that name as the adapter's clients
// do, on behalf of the principal (nil: anonymous), and gives what came back. Run calls it from several goroutines.
type Front interface {
	Call(t *testing.T, name string, args json.RawMessage, as *cap.Principal) Answer
}

// Confirmer is met by a front whose callers can confirm a Write or Host call: with the challenge, or the id of the approval,
// that the refusal of the first call carried.
type Confirmer interface {
	CallConfirmed(t *testing.T, name string, args json.RawMessage, as *cap.Principal, given cap.Confirmation) Answer
}

// Limited is met by a front that cannot send some calls as they stand. Leaves returns why the row of that name is left out,
// or "". The reason is logged.
type Limited interface{ Leaves(row string) string }

// Answer is what a caller saw.
type Answer struct {
	// Output is the output's JSON; Cites are the objects that the answer cites.
	Output json.RawMessage
	Cites  []cap.ObjectRef
	// Error is what came instead, put together from what the front sent. It is nil for a call that answered.
	Error *cap.Error
	// Raw is everything that reached the caller. It is searched for what must never be sent.
	Raw []byte
}

// Canary is in the cause of every defect, in panics and in secret arguments of the suite. No caller may see it, and no log
// may hold the secret ones: a front's test can look for it in what it logged.
const Canary = "canary-7d1fe0"

// want is what a row expects.
type want struct {
	output string // exact but for blanks; "" where an error is expected
	cites  []cap.ObjectRef
	err    *cap.Error // Code, Issues (pointer and rule), Tag, Reason, Fix, Failure, Effect, Message are compared
}

// row is one call.
type row struct {
	name       string
	capability string
	args       string
	as         *cap.Principal
	want       want
}

// Run makes every call of the suite.
func Run(t *testing.T, front Front) {
	t.Helper()
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			leaveOut(t, front, r.name)
			check(t, front.Call(t, r.capability, json.RawMessage(r.args), r.as), r.want)
		})
	}
	t.Run("gated", func(t *testing.T) {
		t.Parallel()
		runGated(t, front)
	})
}

func leaveOut(t *testing.T, front Front, row string) {
	t.Helper()
	if limited, ok := front.(Limited); ok {
		if why := limited.Leaves(row); why != "" {
			t.Skip(why)
		}
	}
}

func check(t *testing.T, got Answer, want want) {
	t.Helper()
	assert.NotContains(t, string(got.Raw), Canary, "what the caller saw")
	if want.err != nil {
		checkError(t, got, want.err)
		return
	}
	require.Nil(t, got.Error, "error of a call that should answer")
	assert.Equal(t, compact(t, []byte(want.output)), compact(t, got.Output), "output")
	if len(want.cites) > 0 || len(got.Cites) > 0 {
		assert.Equal(t, want.cites, got.Cites, "cites")
	}
}

func checkError(t *testing.T, got Answer, want *cap.Error) {
	t.Helper()
	require.NotNil(t, got.Error, "a call that should not answer gave %s", got.Output)
	assert.Empty(t, got.Output, "output beside an error")
	assert.Equal(t, want.Code, got.Error.Code, "code")
	assert.Equal(t, want.Tag, got.Error.Tag, "tag")
	assert.Equal(t, want.Reason, got.Error.Reason, "reason")
	assert.Equal(t, want.Fix, got.Error.Fix, "fix")
	assert.Equal(t, want.Effect, got.Error.Effect, "effect")
	assert.ElementsMatch(t, faults(want.Issues), faults(got.Error.Issues), "issues, as pointer and rule")
	for _, issue := range got.Error.Issues {
		assert.NotEmpty(t, issue.Message, "message of the issue at %s", issue.Pointer)
	}
	if want.Failure != nil || got.Error.Failure != nil {
		assert.Equal(t, compact(t, want.Failure), compact(t, got.Error.Failure), "failure")
	}
	assert.NotEmpty(t, got.Error.RequestID, "request id")
	if want.Message != "" {
		assert.Equal(t, want.Message, got.Error.Message, "message")
	}
}

// faults gives the parts of issues that every front must carry.
func faults(issues []cap.Issue) []string {
	list := []string{}
	for _, issue := range issues {
		list = append(list, issue.Pointer+" "+issue.Rule)
	}
	return list
}

// compact takes blanks out of JSON and leaves everything else, numbers and the order of members too, as it is.
func compact(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, data), "%q is no JSON", data)
	return b.String()
}
