package main

import (
	"fmt"

	"github.com/seed-369ec62e/cap"
)

// OrderNotFound says that there is no such order.
type OrderNotFound struct {
	_     cap.Failure `cap:"No order has this number; fix=List the orders and pick one." http:"status=404"`
	Order string      `json:"order"`
}

func (f OrderNotFound) Error() string { return "There is no order " + f.Order + "." }

// AlreadyShipped says that an order is on its way.
type AlreadyShipped struct {
	_       cap.Failure `cap:"The order has left the warehouse; fix=Open a return instead." http:"status=409"`
	Order   string      `json:"order"`
	Carrier string      `json:"carrier"`
}

func (f AlreadyShipped) Error() string {
	return fmt.Sprintf("Order %s has left with %s.", f.Order, f.Carrier)
}

// OutOfStock says that there are not enough pieces of a product.
type OutOfStock struct {
	_      cap.Failure `cap:"There are not enough pieces of a product" http:"status=409"`
	SKU    string      `json:"sku"`
	Wanted int         `json:"wanted"`
	Left   int         `json:"left"`
}

func (f OutOfStock) Error() string {
	return fmt.Sprintf("%d pieces of %s are wanted, and %d are left.", f.Wanted, f.SKU, f.Left)
}

// Fix implements [cap.Fixer].
func (f OutOfStock) Fix() string {
	if f.Left == 0 {
		return "Choose another product."
	}
	return fmt.Sprintf("Order at most %d.", f.Left)
}
