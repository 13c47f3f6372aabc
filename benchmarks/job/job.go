// Package job is the work that every row does: take an order, judge it, add it up and answer with a receipt. The types carry
// the tags of all frameworks, so that each has the rules in the words that it knows.
package job

import (
	"context"

	"github.com/seed-369ec62e/cap"
)

// Order is the input. Huma reads format, enum, minimum and the like, the others read validate.
type Order struct {
	Customer string            `json:"customer" cap:"Who orders" validate:"required,uuid" format:"uuid"`
	Email    string            `json:"email" cap:"Where the receipt goes" validate:"required,email" format:"email"`
	Currency string            `json:"currency" cap:"Currency of the prices" validate:"required,oneof=EUR USD GBP" enum:"EUR,USD,GBP"`
	Channel  string            `json:"channel" cap:"Where it was ordered" validate:"required,oneof=web app shop" enum:"web,app,shop"`
	Priority int               `json:"priority" cap:"1 is first" validate:"min=1,max=5" minimum:"1" maximum:"5"`
	Express  bool              `json:"express" cap:"By express"`
	Note     string            `json:"note,omitempty" cap:"For the packer" validate:"omitempty,max=200" maxLength:"200"`
	Coupon   string            `json:"coupon,omitempty" cap:"Code of a voucher" validate:"omitempty,alphanum,max=20" pattern:"^[a-zA-Z0-9]+$" maxLength:"20"`
	Labels   map[string]string `json:"labels,omitempty" cap:"Marks of the shop" validate:"max=64,dive,max=100"`
	Items    []Item            `json:"items" cap:"What is ordered" validate:"required,min=1,max=100000,dive" minItems:"1" maxItems:"100000"`
}

// Item is one position.
type Item struct {
	SKU       string `json:"sku" cap:"Article" validate:"required,alphanum,max=20" pattern:"^[a-zA-Z0-9]+$" maxLength:"20"`
	Name      string `json:"name" cap:"As the customer sees it" validate:"required,max=80" minLength:"1" maxLength:"80"`
	Quantity  int    `json:"quantity" cap:"How many" validate:"min=1,max=1000" minimum:"1" maximum:"1000"`
	UnitPrice int64  `json:"unit_price" cap:"In cents" validate:"min=0" minimum:"0"`
}

// Receipt is the output.
type Receipt struct {
	Order    string `json:"order" cap:"Order number"`
	Currency string `json:"currency" cap:"Currency of the total"`
	Items    int    `json:"items" cap:"How many positions" validate:"min=0"`
	Total    int64  `json:"total" cap:"In cents" validate:"min=0"`
}

// Add is the handler's work.
func Add(in *Order) Receipt {
	var total int64
	for i := range in.Items {
		total += int64(in.Items[i].Quantity) * in.Items[i].UnitPrice
	}
	return Receipt{Order: "SO-1042", Currency: in.Currency, Items: len(in.Items), Total: total}
}

// CreateOrder is the contract of create_order.
type CreateOrder struct {
	cap.Read[Receipt] `cap:"Create an order; access=public"`

	Order
}

// Shop is the service.
type Shop struct{}

// CreateOrder is the handler.
func (*Shop) CreateOrder(_ context.Context, in CreateOrder) (Receipt, error) {
	return Add(&in.Order), nil
}
