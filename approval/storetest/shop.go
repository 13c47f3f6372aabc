package storetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
)

// RefundOrder is a Host action: somebody else than the requester approves it.
type RefundOrder struct {
	cap.Host[Refund] `cap:"Refund an order; access=authenticated; irreversible"`

	_ cap.Fails[Refunded]

	Order string   `json:"order" cap:"Order number" validate:"required"`
	Cents int64    `json:"cents" cap:"How much; default=100"`
	PIN   string   `json:"pin,omitempty" cap:"PIN of the till; secret"`
	Notes []string `json:"notes,omitempty" cap:"Notes"`
}

// Describe would tell the PIN, if it were given it.
func (in RefundOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "refund", Target: cap.ObjectRef{Product: "shop", Kind: "order", ID: in.Order}, Args: map[string]string{"pin": in.PIN}}
}

// Refund is the output of RefundOrder.
type Refund struct {
	Cents    int64  `json:"cents" cap:"Paid back"`
	Approval string `json:"approval" cap:"Under which approval"`
}

// Refunded is a declared failure.
type Refunded struct {
	_     cap.Failure `cap:"The order was refunded before; fix=Do nothing."`
	Order string      `json:"order"`
}

func (f Refunded) Error() string { return "order " + f.Order + " was refunded before" }

// CancelOrder is a Write: the requesting person may agree to it.
type CancelOrder struct {
	cap.Write[cap.None] `cap:"Cancel an order; access=authenticated; reversible"`

	Order string `json:"order" cap:"Order number"`
}

// Describe says what will be done.
func (in CancelOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "cancel", Target: cap.ObjectRef{Product: "shop", Kind: "order", ID: in.Order}}
}

// ShipOrder is a Host action that may take a second.
type ShipOrder struct {
	cap.Host[cap.None] `cap:"Ship an order; access=authenticated; irreversible; timeout=1s"`

	Order string `json:"order" cap:"Order number"`
}

// Describe says what will be done.
func (in ShipOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "ship", Target: cap.ObjectRef{Product: "shop", Kind: "order", ID: in.Order}}
}

// Shop is a service for tests. Nil functions do nothing.
type Shop struct {
	Effect func(ctx context.Context, order string) error
	Facts  func(order string) ([]cap.Precondition, error)
	Find   func(order string) (cap.Outcome, error)
}

// RefundOrder is a handler.
func (s *Shop) RefundOrder(ctx context.Context, in RefundOrder) (Refund, error) {
	if s.Effect != nil {
		if err := s.Effect(ctx, in.Order); err != nil {
			return Refund{}, err
		}
	}
	return Refund{Cents: in.Cents, Approval: cap.CallFrom(ctx).Approval}, nil
}

// PreconditionsRefundOrder is a companion.
func (s *Shop) PreconditionsRefundOrder(_ context.Context, in RefundOrder) ([]cap.Precondition, error) {
	if s.Facts == nil {
		return []cap.Precondition{{Label: "paid", Value: "100"}}, nil
	}
	return s.Facts(in.Order)
}

// ReconcileRefundOrder is a companion.
func (s *Shop) ReconcileRefundOrder(_ context.Context, in RefundOrder, _ string) (cap.Outcome, error) {
	if s.Find == nil {
		return cap.Outcome{State: cap.OutcomeUnknown}, nil
	}
	return s.Find(in.Order)
}

// CancelOrder is a handler.
func (s *Shop) CancelOrder(ctx context.Context, in CancelOrder) (cap.None, error) {
	if s.Effect == nil {
		return cap.None{}, nil
	}
	return cap.None{}, s.Effect(ctx, in.Order)
}

// ShipOrder is a handler.
func (s *Shop) ShipOrder(ctx context.Context, in ShipOrder) (cap.None, error) {
	if s.Effect == nil {
		return cap.None{}, nil
	}
	return cap.None{}, s.Effect(ctx, in.Order)
}

// The people of the tests.
var (
	Ana   = cap.Principal{ID: "ana", Kind: cap.KindHuman}
	Boss  = cap.Principal{ID: "boss", Kind: cap.KindHuman}
	Other = cap.Principal{ID: "other", Kind: cap.KindHuman}
	Bot   = cap.Principal{ID: "planner", Kind: cap.KindAgent, OnBehalfOf: "ana"}
)

// Open returns a gate over a store with Boss and Other as approvers, and a registry with the shop.
func Open(t testing.TB, store approval.Store, options approval.Options, shop *Shop) (*approval.Gate, *cap.Registry) {
	t.Helper()
	gate, err := approval.New(store, options)
	require.NoError(t, err)
	for _, who := range []cap.Principal{Boss, Other} {
		_, err := gate.AddApprover(t.Context(), who, "")
		require.NoError(t, err)
	}
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(shop))
	return gate, registry
}

// Call calls a capability as somebody who holds something.
func Call(ctx context.Context, registry *cap.Registry, name, args string, as cap.Principal, given cap.Confirmation) (*cap.Result, *cap.Error) {
	result, err := registry.Invoke(ctx, name, json.RawMessage(args), cap.CallOptions{Principal: &as, Confirmation: given, Source: "test"})
	if err == nil {
		return result, nil
	}
	failed, ok := err.(*cap.Error) //nolint:errorlint // Invoke returns nothing else
	if !ok {
		failed = &cap.Error{Code: cap.CodeExecutionFailed, Message: err.Error()}
	}
	return nil, failed
}

// Ask makes a request and returns what is required.
func Ask(t testing.TB, registry *cap.Registry, name, args string, as cap.Principal) *cap.ConfirmationRequired {
	t.Helper()
	_, failed := Call(t.Context(), registry, name, args, as, cap.Confirmation{})
	require.NotNil(t, failed)
	require.Equal(t, cap.CodeConfirmationRequired, failed.Code, "%v", failed.Unwrap())
	require.NotNil(t, failed.Confirmation)
	return failed.Confirmation
}

// Approve decides for an approver.
func Approve(t testing.TB, gate *approval.Gate, id string, by cap.Principal) cap.Approval {
	t.Helper()
	decided, err := gate.Decide(t.Context(), id, cap.Decision{Verdict: cap.VerdictApprove, Approver: by, Method: "test"})
	require.NoError(t, err)
	return decided
}

// WithClock returns the store with another clock.
func WithClock(store approval.Store, now func() time.Time) approval.Store {
	return clocked{Store: store, now: now}
}

type clocked struct {
	approval.Store
	now func() time.Time
}

func (c clocked) View(ctx context.Context, read func(approval.Tx) error) error {
	return c.Store.View(ctx, func(t approval.Tx) error { return read(clockedTx{t, c.now}) })
}

func (c clocked) Update(ctx context.Context, change func(approval.Tx) error) error {
	return c.Store.Update(ctx, func(t approval.Tx) error { return change(clockedTx{t, c.now}) })
}

type clockedTx struct {
	approval.Tx
	now func() time.Time
}

func (t clockedTx) Now() (time.Time, error) { return t.now(), nil }
