package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap"
)

// maxWords is how long an approver's reason may be, in characters.
const maxWords = 1000

// Decide records an approver's verdict. The approver must come from an authenticator, such as [Gate.Authenticate]. It fails
// with [cap.ErrApproverRefused] if they may not decide this action, and with [cap.ErrApprovalClosed] if it is past deciding.
// A denial also takes back what was approved and has not begun. To approve twice changes nothing.
func (g *Gate) Decide(ctx context.Context, id string, decision cap.Decision) (cap.Approval, error) {
	if decision.Verdict != cap.VerdictApprove && decision.Verdict != cap.VerdictDeny {
		return cap.Approval{}, fmt.Errorf("approval: verdict %q (want %q or %q)", decision.Verdict, cap.VerdictApprove, cap.VerdictDeny)
	}
	if !isText(decision.Reason) || !isText(decision.Method) {
		return cap.Approval{}, fmt.Errorf("approval: the reason is longer than %d characters or no UTF-8", maxWords)
	}
	var decided cap.Approval
	var refused error
	err := g.update(ctx, func(t *tx) error {
		record, err := t.load(id)
		if err != nil {
			return err
		}
		refused, err = t.judge(record, decision)
		decided = record.approval()
		return err
	})
	if err != nil {
		return cap.Approval{}, err
	}
	return decided, refused
}

func isText(s string) bool { return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxWords }

// judge records a decision, if the approver may make it. refused is the answer where the record stays as it is.
func (t *tx) judge(record *Record, decision cap.Decision) (refused, err error) {
	err = t.mayDecide(decision.Approver, record.Action)
	if errors.Is(err, cap.ErrApproverRefused) {
		entry := Entry{Approver: decision.Approver.ID, Verdict: decision.Verdict, Method: decision.Method, Note: err.Error()}
		return cap.ErrApproverRefused, t.logRefusal(record, entry)
	}
	if err != nil {
		return nil, err
	}
	switch record.State {
	case cap.ApprovalPending:
		return nil, t.decide(record, decision)
	case cap.ApprovalApproved:
		if decision.Verdict == cap.VerdictDeny {
			return nil, t.takeBack(record, decision)
		}
		if hasApproved(record, decision.Approver.ID) {
			return nil, nil
		}
	default:
	}
	return cap.ErrApprovalClosed, nil
}

// decide records a verdict on a pending record, and moves it on when that settles it.
func (t *tx) decide(record *Record, decision cap.Decision) error {
	if decision.Verdict == cap.VerdictApprove && hasApproved(record, decision.Approver.ID) {
		return nil
	}
	entry := t.note(record, decision)
	if decision.Verdict == cap.VerdictDeny {
		return t.change(record, cap.ApprovalDenied, entry)
	}
	if len(record.Decisions) < record.Quorum {
		return t.save(record, entry)
	}
	return t.change(record, cap.ApprovalApproved, entry)
}

// takeBack denies what was approved and has not begun.
func (t *tx) takeBack(record *Record, decision cap.Decision) error {
	return t.change(record, cap.ApprovalCancelled, t.note(record, decision))
}

// note adds a decision to a record, by the store's clock, and returns its audit entry.
func (t *tx) note(record *Record, decision cap.Decision) Entry {
	decision.At, decision.Approver = t.now, bare(decision.Approver)
	record.Decisions = append(slices.Clone(record.Decisions), decision)
	return Entry{
		Event: EventDecided, Approver: decision.Approver.ID, Verdict: decision.Verdict, Method: decision.Method, Reason: decision.Reason,
	}
}

// bare is what is kept of an approver: no claim of a token.
func bare(p cap.Principal) cap.Principal {
	return cap.Principal{ID: p.ID, Kind: p.Kind, OnBehalfOf: p.OnBehalfOf, Tenant: p.Tenant}
}

func hasApproved(record *Record, approver string) bool {
	return slices.ContainsFunc(record.Decisions, func(d cap.Decision) bool {
		return d.Approver.ID == approver && d.Verdict == cap.VerdictApprove
	})
}

// mayDecide judges who may decide what, now. A refusal wraps [cap.ErrApproverRefused].
func (t *tx) mayDecide(approver cap.Principal, action cap.Action) error {
	requester := action.Requester
	switch {
	case approver.ID == "" || approver.Kind != cap.KindHuman:
		return fmt.Errorf("%w: it is no person", cap.ErrApproverRefused)
	case approver.OnBehalfOf != "":
		return fmt.Errorf("%w: it acts for somebody else", cap.ErrApproverRefused)
	case approver.Tenant != requester.Tenant:
		return fmt.Errorf("%w: it is of another tenant", cap.ErrApproverRefused)
	}
	asked := requester.Kind == cap.KindHuman && approver.ID == requester.ID
	owner := requester.OnBehalfOf != "" && approver.ID == requester.OnBehalfOf
	if action.Effect == cap.EffectWrite && (asked || owner) {
		return nil
	}
	if action.Effect == cap.EffectHost && (approver.ID == requester.ID || owner) && !t.gate.allowsSelf(action) {
		return fmt.Errorf("%w: it asked for this itself", cap.ErrApproverRefused)
	}
	holds, err := t.holdsRight(approver, action)
	if err != nil {
		return err
	}
	if !holds {
		return fmt.Errorf("%w: it is no approver", cap.ErrApproverRefused)
	}
	return nil
}

func (g *Gate) allowsSelf(action cap.Action) bool {
	return g.options.AllowSelf != nil && g.options.AllowSelf(action)
}

// holdsRight asks the directory.
func (t *tx) holdsRight(approver cap.Principal, action cap.Action) (bool, error) {
	if t.gate.options.MayDecide != nil {
		return t.gate.options.MayDecide(t.ctx, approver, action)
	}
	known, err := t.Approvers()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(known, func(a Approver) bool {
		return a.ID == approver.ID && a.Tenant == approver.Tenant && a.isActive()
	}), nil
}

// Cancel withdraws a request that has not begun. The one who asked may do that, and whoever may decide it.
func (g *Gate) Cancel(ctx context.Context, id string, by cap.Principal) (cap.Approval, error) {
	var cancelled cap.Approval
	err := g.update(ctx, func(t *tx) error {
		record, err := t.load(id)
		if err != nil {
			return err
		}
		requester := record.Action.Requester
		if by.ID == "" || by.ID != requester.ID || by.Kind != requester.Kind || by.Tenant != requester.Tenant {
			if err := t.mayDecide(by, record.Action); err != nil {
				return err
			}
		}
		if err := t.change(record, cap.ApprovalCancelled, Entry{Event: EventCancelled, Approver: by.ID}); err != nil {
			return fmt.Errorf("%w: %w", cap.ErrApprovalClosed, err)
		}
		cancelled = record.approval()
		return nil
	})
	return cancelled, err
}
