package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-369ec62e/cap"
)

// What the gate says of an outcome that cannot be settled.
var (
	// ErrRunning is returned for an attempt that may still report: its lease is not over.
	ErrRunning = errors.New("approval: the action may still be running")
	// ErrNotRun is returned for an approval that was never used.
	ErrNotRun = errors.New("approval: the action was never begun")
)

// attempt is one run of an approved action.
type attempt struct {
	gate         *Gate
	approval, id string
}

// finishTime is how long the store may take to record an outcome.
const finishTime = 30 * time.Second

// Approval implements [cap.Attempt].
func (a *attempt) Approval() string { return a.approval }

// Finish implements [cap.Attempt]. It also settles an attempt whose lease was over: it knows how it ended.
func (a *attempt) Finish(ctx context.Context, outcome cap.Outcome) error {
	state, event, err := stateOf(outcome)
	if err != nil {
		return err
	}
	// The caller waits for its answer meanwhile, and a store that hangs must not keep it.
	ctx, cancel := context.WithTimeout(ctx, finishTime)
	defer cancel()
	return a.gate.update(ctx, func(t *tx) error {
		record, err := t.load(a.approval)
		if err != nil {
			return err
		}
		if record.Attempt != a.id {
			return errors.New("approval: another attempt holds this approval")
		}
		if record.State == state && state == cap.ApprovalUnknown {
			return nil
		}
		return t.finish(record, state, outcome, Entry{Event: event})
	})
}

func stateOf(outcome cap.Outcome) (cap.ApprovalState, Event, error) {
	switch outcome.State {
	case cap.OutcomeSucceeded:
		return cap.ApprovalSucceeded, EventFinished, nil
	case cap.OutcomeFailed:
		return cap.ApprovalFailed, EventFinished, nil
	case cap.OutcomeUnknown:
		return cap.ApprovalUnknown, EventUnknown, nil
	default:
		return "", "", fmt.Errorf("approval: an action cannot end %q", outcome.State)
	}
}

// finish stores how an attempt ended.
func (t *tx) finish(record *Record, state cap.ApprovalState, outcome cap.Outcome, entry Entry) error {
	record.Outcome, record.Finished = &outcome, t.now
	entry.Code, entry.Tag = outcome.Code, outcome.Tag
	return t.change(record, state, entry)
}

// Unfinished returns what began at least that long ago and has not ended well or ill: attempts that may still run, and those
// of which nobody knows.
func (g *Gate) Unfinished(ctx context.Context, olderThan time.Duration) ([]cap.Approval, error) {
	var list []cap.Approval
	err := g.update(ctx, func(t *tx) error {
		records, err := t.Find(t.query(cap.ApprovalStarted, cap.ApprovalUnknown))
		for i := range records {
			if !records[i].Started.After(t.now.Add(-olderThan)) {
				list = append(list, records[i].approval())
			}
		}
		return err
	})
	return list, err
}

// Resolve settles an unknown outcome by the word of an approver who found out. The outcome succeeded or failed.
func (g *Gate) Resolve(ctx context.Context, id string, outcome cap.Outcome, by cap.Principal) (cap.Approval, error) {
	state, _, err := stateOf(outcome)
	if err != nil || state == cap.ApprovalUnknown {
		return cap.Approval{}, fmt.Errorf("approval: an outcome is resolved as %q or %q", cap.OutcomeSucceeded, cap.OutcomeFailed)
	}
	var resolved cap.Approval
	err = g.update(ctx, func(t *tx) error {
		record, err := t.load(id)
		if err != nil {
			return err
		}
		if err := t.mayDecide(by, record.Action); err != nil {
			return err
		}
		if err := isOpen(record); err != nil {
			return err
		}
		if err := t.finish(record, state, outcome, Entry{Event: EventReconciled, Approver: by.ID}); err != nil {
			return err
		}
		resolved = record.approval()
		return nil
	})
	return resolved, err
}

// isOpen reports whether the outcome of a record waits to be found out.
func isOpen(record *Record) error {
	switch record.State {
	case cap.ApprovalUnknown:
		return nil
	case cap.ApprovalStarted:
		return ErrRunning
	case cap.ApprovalSucceeded, cap.ApprovalFailed:
		return cap.ErrApprovalClosed
	default:
		return ErrNotRun
	}
}

// Reconcile settles an unknown outcome by asking find, which knows whether the effect happened. The core calls it for
// [cap.Registry.Reconcile]. An outcome that is known already is returned as it is, and find is not asked.
func (g *Gate) Reconcile(ctx context.Context, action cap.Action, id string, find func(context.Context) (cap.Outcome, error)) (cap.Outcome, error) {
	known, err := g.recall(ctx, action, id)
	if err != nil || known.State != cap.OutcomeUnknown {
		return known, err
	}
	found, err := find(ctx)
	if err != nil {
		return known, err
	}
	state, _, err := stateOf(found)
	if err != nil || state == cap.ApprovalUnknown {
		return known, err
	}
	err = g.update(ctx, func(t *tx) error {
		record, err := t.load(id)
		if err != nil {
			return err
		}
		if record.State != cap.ApprovalUnknown {
			return cap.ErrApprovalClosed
		}
		return t.finish(record, state, found, Entry{Event: EventReconciled})
	})
	return found, err
}

// recall returns what is known of an approval that ran this input.
func (g *Gate) recall(ctx context.Context, action cap.Action, id string) (known cap.Outcome, err error) {
	err = g.update(ctx, func(t *tx) error {
		record, err := t.load(id)
		if err != nil {
			return err
		}
		if record.Action.Capability != action.Capability || record.Action.Input != action.Input {
			return &cap.ConfirmationInvalid{}
		}
		known = cap.Outcome{State: cap.OutcomeUnknown}
		if record.Outcome != nil {
			known = *record.Outcome
		}
		if err := isOpen(record); !errors.Is(err, cap.ErrApprovalClosed) {
			return err
		}
		return nil
	})
	return known, err
}
