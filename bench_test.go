package cap_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-369ec62e/cap"
)

// PlaceOrder is a contract of the size that services really take.
type PlaceOrder struct {
	cap.Read[Receipt] `cap:"Place an order; access=public"`

	Customer string    `json:"customer" cap:"Customer" validate:"uuid"`
	Email    string    `json:"email" cap:"Where the receipt goes" validate:"email"`
	Currency string    `json:"currency" cap:"Currency" validate:"oneof=EUR USD GBP"`
	Note     string    `json:"note,omitempty" cap:"Note" validate:"max=200"`
	Express  bool      `json:"express" cap:"Express"`
	At       time.Time `json:"at" cap:"When"`
	Items    []Item    `json:"items" cap:"What" validate:"min=1,max=2000"`
}

type Item struct {
	SKU      string `json:"sku" cap:"Article" validate:"required,max=40"`
	Quantity int    `json:"quantity" cap:"How many" validate:"min=1,max=1000"`
	Price    int64  `json:"price" cap:"In cents" validate:"min=0"`
}

type Receipt struct {
	Order string `json:"order" cap:"Order number"`
	Total int64  `json:"total" cap:"In cents" validate:"min=0"`
}

type Shop struct{}

func (*Shop) PlaceOrder(_ context.Context, in PlaceOrder) (Receipt, error) {
	var total int64
	for _, item := range in.Items {
		total += int64(item.Quantity) * item.Price
	}
	return Receipt{Order: "SO-1", Total: total}, nil
}

func BenchmarkInvoke(b *testing.B) {
	args := raw(`{"customer":"7d444840-9dc0-11d1-b245-5ffdce74fad2","email":"ana@example.com","currency":"EUR","express":true,"at":"2026-01-02T03:04:05Z","items":[{"sku":"A-100","quantity":2,"price":1250}]}`)
	registry := cap.New(cap.Options{})
	if err := registry.Register(&Shop{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := registry.Invoke(b.Context(), "place_order", args, cap.CallOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
