package adaptertest

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Gate is a small gate for tests: a Write runs with the challenge that the first call was answered with, a Host when its
// approval was decided. It keeps everything in memory and knows no more than the suite needs.
type Gate struct {
	mu        sync.Mutex
	approvals []*cap.Approval
}

// NewGate returns an empty gate.
func NewGate() *Gate { return &Gate{} }

// Lifetime is how long an approval of the gate stands.
const Lifetime = 10 * time.Minute

var (
	_ cap.Gate      = (*Gate)(nil)
	_ cap.Approvals = (*Gate)(nil)
)

// Begin implements cap.Gate.
func (g *Gate) Begin(_ context.Context, action cap.Action, given cap.Confirmation) (cap.Attempt, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case given.Challenge != "":
		if given.Challenge != "challenge-"+action.ID || action.Effect == cap.EffectHost {
			return nil, &cap.ConfirmationInvalid{}
		}
		return &attempt{gate: g, approval: g.propose(action)}, nil
	case given.Approval != "":
		return g.begin(action, given.Approval)
	}
	required := &cap.ConfirmationRequired{Action: action, Approval: g.propose(action).ID, Expires: time.Now().Add(Lifetime)}
	if action.Effect == cap.EffectWrite {
		required.Challenge = "challenge-" + action.ID
	}
	return nil, required
}

// begin runs an approval that was decided. Callers hold mu.
func (g *Gate) begin(action cap.Action, id string) (cap.Attempt, error) {
	approval, err := g.find(id)
	if err != nil || approval.Action.ID != action.ID {
		return nil, &cap.ConfirmationInvalid{}
	}
	switch approval.State {
	case cap.ApprovalApproved:
		approval.State = cap.ApprovalStarted
		return &attempt{gate: g, approval: approval}, nil
	case cap.ApprovalPending:
		return nil, &cap.ConfirmationRequired{Action: action, Approval: id, Expires: approval.Expires}
	case cap.ApprovalSucceeded, cap.ApprovalFailed, cap.ApprovalUnknown:
		return nil, &cap.AlreadyRan{Outcome: *approval.Outcome}
	default:
		return nil, &cap.ConfirmationInvalid{}
	}
}

// propose joins a pending request for the same action, or makes one. Callers hold mu.
func (g *Gate) propose(action cap.Action) *cap.Approval {
	for _, approval := range g.approvals {
		if approval.Action.ID == action.ID && approval.State == cap.ApprovalPending {
			return approval
		}
	}
	now := time.Now()
	approval := &cap.Approval{
		ID: "approval-" + strconv.Itoa(len(g.approvals)+1), State: cap.ApprovalPending,
		Action: action, Text: action.Text(), Created: now, Expires: now.Add(Lifetime),
	}
	g.approvals = append(g.approvals, approval)
	return approval
}

func (g *Gate) find(id string) (*cap.Approval, error) {
	i := slices.IndexFunc(g.approvals, func(a *cap.Approval) bool { return a.ID == id })
	if i < 0 {
		return nil, cap.ErrApprovalNotFound
	}
	return g.approvals[i], nil
}

// List implements cap.Approvals.
func (g *Gate) List(_ context.Context, query cap.ApprovalQuery) ([]cap.Approval, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	states := query.States
	if len(states) == 0 {
		states = []cap.ApprovalState{cap.ApprovalPending}
	}
	var list []cap.Approval
	for _, approval := range g.approvals {
		if slices.Contains(states, approval.State) && (query.Requester == "" || query.Requester == approval.Action.Requester.ID) {
			list = append(list, *approval)
		}
	}
	return list, nil
}

// Show implements cap.Approvals.
func (g *Gate) Show(_ context.Context, id string) (cap.Approval, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	approval, err := g.find(id)
	if err != nil {
		return cap.Approval{}, err
	}
	return *approval, nil
}

// Decide implements cap.Approvals. Only a person who is not the requester decides.
func (g *Gate) Decide(_ context.Context, id string, decision cap.Decision) (cap.Approval, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	approval, err := g.find(id)
	switch {
	case err != nil:
		return cap.Approval{}, err
	case decision.Approver.Kind != cap.KindHuman || decision.Approver.ID == approval.Action.Requester.ID:
		return cap.Approval{}, cap.ErrApproverRefused
	case approval.State != cap.ApprovalPending:
		return *approval, cap.ErrApprovalClosed
	}
	decision.At = time.Now()
	approval.Decisions = append(slices.Clone(approval.Decisions), decision)
	approval.State = cap.ApprovalDenied
	if decision.Verdict == cap.VerdictApprove {
		approval.State = cap.ApprovalApproved
	}
	return *approval, nil
}

// attempt is one run.
type attempt struct {
	gate     *Gate
	approval *cap.Approval
}

func (a *attempt) Approval() string { return a.approval.ID }

func (a *attempt) Finish(_ context.Context, outcome cap.Outcome) error {
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()
	a.approval.Outcome = &outcome
	a.approval.State = cap.ApprovalState(outcome.State)
	return nil
}
