package cap

import (
	"context"
	"errors"
	"time"
)

// Approvals is what adapters show to approvers and decide through. It must be safe for concurrent use.
type Approvals interface {
	// List returns the approvals that a query selects, newest first. Who may see them is the adapter's business.
	List(ctx context.Context, query ApprovalQuery) ([]Approval, error)
	// Show returns one approval, or [ErrApprovalNotFound].
	Show(ctx context.Context, id string) (Approval, error)
	// Decide records a verdict and returns the approval as it stands then. It fails with [ErrApprovalNotFound],
	// [ErrApproverRefused] or [ErrApprovalClosed].
	Decide(ctx context.Context, id string, decision Decision) (Approval, error)
}

// What an [Approvals] says of a request that it refuses. They may be wrapped.
var (
	ErrApprovalNotFound = errors.New("cap: no approval has this id")
	ErrApproverRefused  = errors.New("cap: the approver may not decide this action")
	ErrApprovalClosed   = errors.New("cap: the approval can no longer be decided")
)

// ApprovalState is where an approval stands.
type ApprovalState string

// The states of an approval. Denied, expired, cancelled, succeeded and failed are final.
const (
	ApprovalPending   ApprovalState = "pending"
	ApprovalApproved  ApprovalState = "approved"
	ApprovalDenied    ApprovalState = "denied"
	ApprovalExpired   ApprovalState = "expired"
	ApprovalCancelled ApprovalState = "cancelled"
	ApprovalStarted   ApprovalState = "started"
	ApprovalSucceeded ApprovalState = "succeeded"
	ApprovalFailed    ApprovalState = "failed"
	ApprovalUnknown   ApprovalState = "unknown"
)

// Approval is one request for agreement, as an approver sees it.
type Approval struct {
	ID        string        `json:"id"`
	State     ApprovalState `json:"state"`
	Action    Action        `json:"action"`
	Text      string        `json:"text"` // what was shown, word for word
	Created   time.Time     `json:"created"`
	Expires   time.Time     `json:"expires"`
	Decisions []Decision    `json:"decisions,omitempty"`
	Outcome   *Outcome      `json:"outcome,omitempty"`
}

// ApprovalQuery selects approvals. Its zero value selects all that are pending.
type ApprovalQuery struct {
	States    []ApprovalState
	Requester string
	Tenant    string
	Limit     int // 0: 100
}

// Verdict is an approver's answer.
type Verdict string

const (
	// VerdictApprove lets the action run, once.
	VerdictApprove Verdict = "approve"
	// VerdictDeny refuses it for good.
	VerdictDeny Verdict = "deny"
)

// Decision is an approver's answer to one approval. Approver comes from an authenticator, never from a request's field.
type Decision struct {
	Verdict  Verdict   `json:"verdict"`
	Approver Principal `json:"approver"`
	Method   string    `json:"method,omitempty"` // how it was given, such as "http" or "tty"
	Reason   string    `json:"reason,omitempty"`
	At       time.Time `json:"at,omitzero"` // set by the store's clock
}
