package main

import (
	"strconv"
	"time"

	"github.com/seed-369ec62e/cap"
)

// ListOrders is the contract of list_orders.
type ListOrders struct {
	cap.Read[OrderList] `cap:"List the orders of the shop, the latest first; title=List orders; access=public" http:"GET /orders"`

	Status string `json:"status,omitempty" cap:"Only orders that stand there" validate:"oneof=placed shipped cancelled"`
	Limit  int    `json:"limit"            cap:"At most so many; default=20"   validate:"min=1,max=100"`
}

// GetOrder is the contract of get_order.
type GetOrder struct {
	cap.Read[Order] `cap:"Find one order by its number; title=Get order; access=public" http:"GET /orders/{order}"`

	_ cap.Fails[OrderNotFound]

	Order string `json:"order" cap:"Order number; example=SO-1001" cli:"arg" validate:"required,startswith=SO-"`
}

// CreateOrder is the contract of create_order.
type CreateOrder struct {
	cap.Write[Order] `cap:"Place an order; title=Create order; access=authenticated; reversible" http:"POST /orders"`

	_ cap.Fails[OutOfStock]

	Items    []Item `json:"items"    cap:"What is ordered" cli:"flag=item" validate:"min=1,max=20"`
	Customer string `json:"customer" cap:"Who orders; default=walk-in"      validate:"max=80"`
}

// Describe implements [cap.Describer].
func (in CreateOrder) Describe() cap.PendingAction {
	pieces := 0
	for _, item := range in.Items {
		pieces += item.Quantity
	}
	return cap.PendingAction{
		Verb:   "order_for",
		Target: cap.ObjectRef{Product: "shop", Kind: "customer", ID: in.Customer},
		Args:   map[string]string{"pieces": strconv.Itoa(pieces)},
	}
}

// CancelOrder is the contract of cancel_order.
type CancelOrder struct {
	cap.Write[Cancellation] `cap:"Cancel an order that has not shipped; title=Cancel order; access=authenticated; irreversible; destructive; timeout=10s" http:"POST /orders/{order}/cancellation"`

	_ cap.Fails[OrderNotFound]
	_ cap.Fails[AlreadyShipped]

	Order  string `json:"order"            cap:"Order number; example=SO-1001" cli:"arg" validate:"required,startswith=SO-"`
	Reason string `json:"reason,omitempty" cap:"Why, as the customer will read it" cli:"flag=because" validate:"max=200"`
}

// Describe implements [cap.Describer].
func (in CancelOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "cancel", Target: refOf(in.Order)}
}

// RefundOrder is the contract of refund_order.
type RefundOrder struct {
	cap.Host[Refund] `cap:"Pay back what was paid for an order and not paid back yet; title=Refund order; access=authenticated; irreversible; openworld; timeout=30s" http:"POST /orders/{order}/refund"`

	_ cap.Fails[OrderNotFound]

	Order string `json:"order" cap:"Order number; example=SO-1001" cli:"arg" validate:"required,startswith=SO-"`
}

// Describe implements [cap.Describer].
func (in RefundOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "refund", Target: refOf(in.Order)}
}

// Order is one order of the shop.
type Order struct {
	Order    string    `json:"order"             cap:"Order number"`
	Status   string    `json:"status"            cap:"Where it stands" validate:"oneof=placed shipped cancelled"`
	Customer string    `json:"customer"          cap:"Who ordered"`
	Items    []Item    `json:"items"             cap:"What was ordered"`
	Total    int64     `json:"total"             cap:"Price of it all, in cents" validate:"min=0,max=100000000"`
	Refunded int64     `json:"refunded"          cap:"Paid back so far, in cents" validate:"min=0,max=100000000"`
	Carrier  string    `json:"carrier,omitempty" cap:"Who carries it, once it has shipped"`
	Placed   time.Time `json:"placed"            cap:"When it was placed"`
}

// Cites implements [cap.Citer].
func (o Order) Cites() []cap.ObjectRef { return []cap.ObjectRef{refOf(o.Order)} }

// Item is a number of pieces of one product.
type Item struct {
	SKU      string `json:"sku"      cap:"Number of the product; example=TEA-01" validate:"required,max=20"`
	Quantity int    `json:"quantity" cap:"How many pieces; default=1"            validate:"min=1,max=99"`
}

// OrderList is the output of [ListOrders].
type OrderList struct {
	Orders []OrderLine `json:"orders" cap:"The orders, the latest first"`
}

// Cites implements [cap.Citer].
func (l OrderList) Cites() []cap.ObjectRef {
	refs := make([]cap.ObjectRef, len(l.Orders))
	for i, line := range l.Orders {
		refs[i] = refOf(line.Order)
	}
	return refs
}

// OrderLine is an order in a list.
type OrderLine struct {
	Order    string    `json:"order"    cap:"Order number"`
	Status   string    `json:"status"   cap:"Where it stands" validate:"oneof=placed shipped cancelled"`
	Customer string    `json:"customer" cap:"Who ordered"`
	Total    int64     `json:"total"    cap:"Price of it all, in cents" validate:"min=0,max=100000000"`
	Placed   time.Time `json:"placed"   cap:"When it was placed"`
}

// Cancellation is the output of [CancelOrder].
type Cancellation struct {
	Order    cap.ObjectRef `json:"order"    cap:"The order; cite"`
	Refunded int64         `json:"refunded" cap:"Paid back, in cents" validate:"min=0,max=100000000"`
}

// Refund is the output of [RefundOrder].
type Refund struct {
	Order    cap.ObjectRef `json:"order"    cap:"The order; cite"`
	Refunded int64         `json:"refunded" cap:"Paid back now, in cents" validate:"min=0,max=100000000"`
}

func refOf(order string) cap.ObjectRef {
	return cap.ObjectRef{Product: "shop", Kind: "order", ID: order}
}
