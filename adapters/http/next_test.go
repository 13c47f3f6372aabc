package caphttp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/approval"
)

// RingBell is for everybody, so that anonymous callers ask for it too.
type RingBell struct {
	cap.Write[cap.None] `cap:"Ring the bell; access=public; reversible"`
}

type RingAlarm struct {
	cap.Host[cap.None] `cap:"Ring the alarm; access=public; irreversible"`
}

func ringing(kind string) cap.PendingAction {
	return cap.PendingAction{Verb: "ring", Target: cap.ObjectRef{Product: "house", Kind: kind, ID: "1"}}
}

func (RingBell) Describe() cap.PendingAction  { return ringing("bell") }
func (RingAlarm) Describe() cap.PendingAction { return ringing("alarm") }

func newHouse(t *testing.T, gate cap.Gate, options caphttp.Options) *caphttp.Handler {
	t.Helper()
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(
		cap.Func(func(context.Context, RingBell) (cap.None, error) { return cap.None{}, nil }),
		cap.Func(func(context.Context, RingAlarm) (cap.None, error) { return cap.None{}, nil }),
	))
	options.Authenticate = authenticateTest
	house, err := caphttp.New(registry, options)
	require.NoError(t, err)
	return house
}

func TestAnswersSayWhatCanBeDone(t *testing.T) {
	t.Parallel()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	plain := newHouse(t, gate, caphttp.Options{})
	linked := newHouse(t, gate, caphttp.Options{ApprovalURL: func(id string) string { return "/desk/" + id }})
	gateless := newHouse(t, nil, caphttp.Options{})
	const show = "Nothing has happened yet. Show the text to the person who asks; if they agree, send the same request again with Cap-Confirm: the challenge."
	for _, tt := range []struct {
		name, target, as string
		house            *caphttp.Handler
		status           int
		next, detail     string
		location         bool
	}{
		{"a person's write", "ring_bell", asAna, plain, 428, show + " Or let an approver decide, and then send it again with Cap-Approval: the approval.", "", false},
		{"with a page", "ring_bell", asAna, linked, 428, show + " Or let an approver decide at approveAt, and then send it again with Cap-Approval: the approval.", "", false},
		{"an agent's write", "ring_bell", asBot, linked, 428, "Nothing has happened yet. An approver decides at approveAt; then send the same request again with Cap-Approval: the approval.", "", false},
		{"a host call", "ring_alarm", asBot, plain, 202, "Nothing has happened yet. An approver decides; then send the same request again with Cap-Approval: the approval. Location says how it stands.", "", true},
		{"an anonymous host call", "ring_alarm", "X: y", plain, 202, "Nothing has happened yet. An approver decides; then send the same request again with Cap-Approval: the approval.", "", false},
		{"a write without a gate", "ring_bell", asAna, gateless, 428, "", "This service has no gate, so nobody can agree to the call.", false},
		{"a host call without a gate", "ring_alarm", asAna, gateless, 428, "", "This service has no gate, so nobody can agree to the call.", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(tt.house, request(t, "POST", "/capabilities/"+tt.target, `{}`, asJSON, tt.as))
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
			p := problemOf(t, w)
			assert.Equal(t, tt.next, p.Next)
			assert.Equal(t, tt.detail, p.Detail)
			if tt.house == linked {
				assert.Equal(t, "/desk/"+p.Confirmation.Approval, p.ApproveAt)
			} else {
				assert.Empty(t, p.ApproveAt)
			}
			if tt.location {
				where := "/approvals/" + p.Confirmation.Approval
				assert.Equal(t, ".."+where, w.Header().Get("Location"))
				assert.Contains(t, serve(tt.house, request(t, "GET", where, "", tt.as)).Body.String(), `"state":"pending"`)
				assert.Equal(t, 404, serve(tt.house, request(t, "GET", where, "")).Code, "to a stranger")
			} else {
				assert.Empty(t, w.Header().Get("Location"))
			}
		})
	}
}
