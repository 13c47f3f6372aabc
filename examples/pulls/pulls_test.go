package main

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/app"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/captest"
)

func TestPulls(t *testing.T) {
	t.Parallel()
	gate := new(captest.OpenGate)
	registry, err := newRegistry(NewPulls(), gate)
	require.NoError(t, err)
	captest.Check(t, registry)
	captest.Locked(t, registry, "testdata/contracts.lock.json")
	require.NoError(t, app.Check(registry, app.Options{}))

	pull := captest.Call(t, registry, nil, GetPullRequestInput{Repository: "shop", Number: 7})
	assert.Equal(t, "Count the change", pull.Title)
	_, err = captest.Try(t, registry, nil, GetPullRequestInput{Repository: "shop", Number: 9})
	assert.Equal(t, 9, captest.RequireFailure[PullRequestNotFound](t, err).Number)

	comment := captest.Call(t, registry, captest.Person("ana"), PostComment{Repository: "shop", Number: 7, Body: "Looks good."})
	assert.Equal(t, "ana", comment.Author)
	assert.Equal(t, "comment_on", gate.Actions()[0].Pending.Verb)
	_, err = captest.Try(t, registry, captest.Person("ana"), PostComment{Repository: "shop", Number: 8, Body: "And me?"})
	_ = captest.RequireFailure[ConversationLocked](t, err)
	_, err = captest.Try(t, registry, nil, PostComment{Repository: "shop", Number: 7, Body: "Who am I?"})
	captest.RequireCode(t, err, cap.CodeUnauthenticated)
}

// An agent asks for a comment, the person whom it acts for agrees to these words, and other words are not posted.
func TestAgentPostsWhatAPersonAgreedTo(t *testing.T) {
	t.Parallel()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	pulls := NewPulls()
	registry, err := newRegistry(pulls, gate)
	require.NoError(t, err)
	agent := captest.Agent("reviewer", "ana")
	post := func(body, given string) error {
		args, err := json.Marshal(map[string]any{"repository": "shop", "number": 7, "body": body})
		require.NoError(t, err)
		options := cap.CallOptions{Principal: agent, Confirmation: cap.Confirmation{Approval: given}}
		_, err = registry.Invoke(t.Context(), "post_comment", args, options)
		return err
	}

	asked, ok := errors.AsType[*cap.Error](post("Looks good.", ""))
	require.True(t, ok)
	require.Equal(t, cap.CodeConfirmationRequired, asked.Code)
	require.Empty(t, pulls.comments)
	assert.Contains(t, asked.Confirmation.Action.Text(), `Action: comment_on pull_request "shop#7" of git`)

	id := asked.Confirmation.Approval
	_, err = gate.Decide(t.Context(), id, cap.Decision{Verdict: cap.VerdictApprove, Approver: *captest.Person("ana"), Method: "test"})
	require.NoError(t, err)
	captest.RequireCode(t, post("Looks bad.", id), cap.CodeConfirmationInvalid)
	require.NoError(t, post("Looks good.", id))
	require.NoError(t, post("Looks good.", id))
	assert.Len(t, pulls.comments, 1, "the second call gets the first one's answer")
}
