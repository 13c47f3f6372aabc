package contracts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// The fixture is two states of the contracts of one shop.

type Order struct {
	Order    string `json:"order" cap:"Its number"`
	Customer string `json:"customer" cap:"Who ordered"`
	Lines    []Line `json:"lines" cap:"What was ordered"`
}

type Line struct {
	Article string `json:"article" cap:"Number of the article"`
	Count   int    `json:"count" cap:"How many" validate:"min=1"`
	Gift    *Line  `json:"gift,omitempty" cap:"Comes with it"`
}

type GetOrder struct {
	cap.Read[Order] `cap:"Find one order; access=public; idempotent; timeout=10s" http:"GET /orders/{order}"`

	_ cap.Fails[OrderNotFound]
	_ cap.Fails[Archived]

	Order string `json:"order" cap:"Order number" validate:"required,startswith=SO-" cli:"arg"`
	Full  bool   `json:"full,omitempty" cap:"With all lines" cli:"arg,short=f"`
}

type OrderNotFound struct {
	_     cap.Failure `cap:"No order has this number; fix=List the orders." http:"status=404"`
	Order string      `json:"order" cap:"The number"`
}

func (OrderNotFound) Error() string { return "not found" }

type Archived struct {
	_ cap.Failure `cap:"The order is in the archive; fix=Ask the archive."`
}

func (Archived) Error() string { return "archived" }

type CancelOrder struct {
	cap.Write[cap.None] `cap:"Cancel an order; access=authenticated; reversible; idempotent; scope=orders.read"`

	Order string `json:"order" cap:"Order number"`
}

func (CancelOrder) Describe() cap.PendingAction { return cap.PendingAction{} }

type ListOrders struct {
	cap.Read[[]string] `cap:"List the numbers of the orders; access=authenticated"`

	Limit int    `json:"limit" cap:"How many; default=20" validate:"min=1,max=100"`
	State string `json:"state,omitempty" cap:"Only in this state" validate:"oneof=open sent paid"`
}

type DropOrder struct {
	cap.Host[cap.None] `cap:"Delete an order; access=authenticated; irreversible"`
}

func (DropOrder) Describe() cap.PendingAction { return cap.PendingAction{} }

// What follows is the later state. Names are those of above.

type OrderV2 struct {
	Order string   `json:"order" cap:"Its number"`
	Lines []LineV2 `json:"lines" cap:"What was ordered"`
	Total int64    `json:"total" cap:"In cents"`
}

type LineV2 struct {
	Article string  `json:"article" cap:"Number of the article"`
	Count   int     `json:"count" cap:"How many" validate:"min=0"`
	Gift    *LineV2 `json:"gift,omitempty" cap:"Comes with it"`
}

type GetOrderV2 struct {
	cap.Read[OrderV2] `cap:"Find an order; title=Find; name=get_order; access=authenticated; timeout=2s; openworld; deprecated=Use list_orders." http:"GET /shop/{order}"`

	_ cap.Fails[OrderNotFoundV2]
	_ cap.Fails[OrderSealed]

	Full  bool   `json:"full" cap:"With all lines" cli:"arg,short=f"`
	Order string `json:"order" cap:"Order number" validate:"required,startswith=S-" cli:"arg"`
}

type OrderNotFoundV2 struct {
	_     cap.Failure `cap:"No order has that number; tag=OrderNotFound; retry=1s; fix=List all orders." http:"status=410"`
	Order *string     `json:"order" cap:"The number"`
}

func (OrderNotFoundV2) Error() string { return "not found" }

type OrderSealed struct {
	_ cap.Failure `cap:"The order is sealed; fix=Ask for the seal to be broken."`
}

func (OrderSealed) Error() string { return "sealed" }

type CancelOrderV2 struct {
	cap.Write[cap.None] `cap:"Cancel an order; name=cancel_order; access=authenticated; irreversible; destructive; scope=orders.write"`

	Order string `json:"order" cap:"Order number; secret" http:"header=Order"`
}

func (CancelOrderV2) Describe() cap.PendingAction { return cap.PendingAction{} }

type ListOrdersV2 struct {
	cap.Read[[]string] `cap:"List the numbers of the orders; name=list_orders; access=public" http:"GET /orders"`

	Limit int    `json:"limit" cap:"How many; default=50" validate:"min=1,max=50"`
	State string `json:"state,omitempty" cap:"Only in this state" validate:"oneof=open sent paid lost"`
	After string `json:"after,omitempty" cap:"Only those after this one"`
}

type DropOrderV2 struct {
	cap.Write[cap.None] `cap:"Delete an order; name=drop_order; access=authenticated; irreversible"`
}

func (DropOrderV2) Describe() cap.PendingAction { return cap.PendingAction{} }

type CountOrders struct {
	cap.Read[int] `cap:"Count the orders; access=public"`
}

type SendOrder struct {
	cap.Host[cap.None] `cap:"Send an order; access=public; reversible"`
}

func (SendOrder) Describe() cap.PendingAction { return cap.PendingAction{} }

func f[In cap.Contract[Out], Out any]() cap.Declaration {
	return cap.Func(func(context.Context, In) (out Out, err error) { return out, nil })
}

func registryOf(t *testing.T, services ...any) *cap.Registry {
	t.Helper()
	registry := cap.New(cap.Options{Name: "shop", Version: "1"})
	require.NoError(t, registry.Register(services...))
	return registry
}

func before(t *testing.T) *cap.Registry {
	t.Helper()
	return registryOf(t, f[GetOrder](), f[CancelOrder](), f[ListOrders](), f[DropOrder](), f[SendOrder]())
}

func after(t *testing.T) *cap.Registry {
	t.Helper()
	return registryOf(t, f[CountOrders](), f[DropOrderV2](), f[GetOrderV2](), f[ListOrdersV2](), f[CancelOrderV2]())
}
