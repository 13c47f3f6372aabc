package main

import (
	"context"
	"strconv"

	"github.com/seed-369ec62e/cap"
)

// Orders serves the orders of a shop.
type Orders struct {
	Store *Store
}

// ListOrders handles [ListOrders].
func (o *Orders) ListOrders(ctx context.Context, in ListOrders) (OrderList, error) {
	lines, err := o.Store.List(ctx, in.Status, in.Limit)
	return OrderList{Orders: lines}, err
}

// GetOrder handles [GetOrder].
func (o *Orders) GetOrder(ctx context.Context, in GetOrder) (Order, error) {
	return o.Store.Get(ctx, in.Order)
}

// CreateOrder handles [CreateOrder].
func (o *Orders) CreateOrder(ctx context.Context, in CreateOrder) (Order, error) {
	return o.Store.Create(ctx, in.Customer, in.Items)
}

// CancelOrder handles [CancelOrder].
func (o *Orders) CancelOrder(ctx context.Context, in CancelOrder) (Cancellation, error) {
	cap.Progress(ctx, 1, 2, "Putting the pieces back")
	refunded, err := o.Store.Cancel(ctx, in.Order)
	cap.Progress(ctx, 2, 2, "Paying back")
	return Cancellation{Order: refOf(in.Order), Refunded: refunded}, err
}

// PreconditionsCancelOrder shows the approver where the order stands.
func (o *Orders) PreconditionsCancelOrder(ctx context.Context, in CancelOrder) ([]cap.Precondition, error) {
	return o.standing(ctx, in.Order)
}

// RefundOrder handles [RefundOrder].
func (o *Orders) RefundOrder(ctx context.Context, in RefundOrder) (Refund, error) {
	refunded, err := o.Store.Refund(ctx, in.Order)
	return Refund{Order: refOf(in.Order), Refunded: refunded}, err
}

// PreconditionsRefundOrder shows the approver what is at stake.
func (o *Orders) PreconditionsRefundOrder(ctx context.Context, in RefundOrder) ([]cap.Precondition, error) {
	return o.standing(ctx, in.Order)
}

// standing is what an agreement to change an order depends on.
func (o *Orders) standing(ctx context.Context, number string) ([]cap.Precondition, error) {
	order, err := o.Store.Get(ctx, number)
	if err != nil {
		return nil, err
	}
	return []cap.Precondition{
		{Label: "status", Value: order.Status},
		{Label: "paid, in cents", Value: strconv.FormatInt(order.Total-order.Refunded, 10)},
	}, nil
}
