package approval

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-369ec62e/cap"
)

// following lists the states that may come after one. A final state has none.
func following(state cap.ApprovalState) []cap.ApprovalState {
	switch state {
	case cap.ApprovalPending:
		return []cap.ApprovalState{cap.ApprovalApproved, cap.ApprovalDenied, cap.ApprovalExpired, cap.ApprovalCancelled}
	case cap.ApprovalApproved:
		return []cap.ApprovalState{cap.ApprovalStarted, cap.ApprovalExpired, cap.ApprovalCancelled}
	case cap.ApprovalStarted:
		return []cap.ApprovalState{cap.ApprovalSucceeded, cap.ApprovalFailed, cap.ApprovalUnknown}
	case cap.ApprovalUnknown:
		return []cap.ApprovalState{cap.ApprovalSucceeded, cap.ApprovalFailed}
	default:
		return nil
	}
}

// move changes the state, if the new one may follow.
func (r *Record) move(to cap.ApprovalState) error {
	if !slices.Contains(following(r.State), to) {
		return fmt.Errorf("approval: %s cannot become %s", r.State, to)
	}
	r.State = to
	return nil
}

// sweep moves on what time has decided: requests whose time is up, and attempts that have not reported for a whole lease.
func (t *tx) sweep() error {
	waiting := []cap.ApprovalState{cap.ApprovalPending, cap.ApprovalApproved}
	query := t.query(waiting...)
	query.Due = t.now
	due, err := t.Find(query)
	if err != nil {
		return err
	}
	for i := range due {
		if err := t.change(&due[i], cap.ApprovalExpired, Entry{Event: EventExpired}); err != nil {
			return err
		}
	}
	started, err := t.Find(t.query(cap.ApprovalStarted))
	if err != nil {
		return err
	}
	for i := range started {
		if t.now.Before(started[i].Started.Add(t.gate.options.Lease)) {
			continue
		}
		if err := t.change(&started[i], cap.ApprovalUnknown, Entry{Event: EventUnknown, Note: "no answer within the lease"}); err != nil {
			return err
		}
	}
	return nil
}

// query selects records of the gate's audience.
func (t *tx) query(states ...cap.ApprovalState) Query {
	return Query{States: states, Audiences: []string{t.gate.options.Audience}}
}

// change moves a record to a state, and stores both it and the audit entry.
func (t *tx) change(r *Record, to cap.ApprovalState, entry Entry) error {
	if err := r.move(to); err != nil {
		return err
	}
	return t.save(r, entry)
}

// save stores a record and the audit entry of what happened to it.
func (t *tx) save(r *Record, entry Entry) error {
	if err := t.Put(*r); err != nil {
		return err
	}
	r.Version++
	return t.log(r, entry)
}

// microseconds is the precision that every store keeps.
const microseconds = time.Microsecond
