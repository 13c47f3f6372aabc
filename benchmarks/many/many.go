// Package many has a thousand capabilities with types of their own, which gen writes. It measures what a large program pays
// at its start.
package many

//go:generate go run ./gen

// Count is how many there are.
const Count = 1000

// perService is how many handlers one service has.
const perService = 10

// Order is the order of package job with positions of a type of its own.
type Order[Item any] struct {
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

// Services are services that hold the first n capabilities together: n is 1 or a multiple of ten.
func Services(n int) []any {
	if n == 1 {
		return []any{&One{}}
	}
	return services()[:n/perService]
}
