package plan_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// order is what benchmarks read and write: 11 fields, a nested struct, a slice of items.
type order struct {
	ID       string            `json:"id" validate:"required,startswith=SO-"`
	Customer string            `json:"customer" validate:"required,max=40"`
	Email    string            `json:"email" validate:"email"`
	Priority int               `json:"priority" validate:"min=1,max=5"`
	Total    float64           `json:"total"`
	Express  bool              `json:"express"`
	Placed   time.Time         `json:"placed"`
	Note     *string           `json:"note,omitempty"`
	Tags     []string          `json:"tags" validate:"max=10,unique,dive,alphanum"`
	Address  address           `json:"address"`
	Items    []item            `json:"items" validate:"min=1,dive"`
	Extra    map[string]string `json:"extra,omitempty"`
}

type address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	Country string `json:"country" validate:"iso3166_1_alpha2"`
}

type item struct {
	SKU      string  `json:"sku" validate:"required,max=64,printascii"`
	Quantity int     `json:"quantity" validate:"min=1"`
	Price    float64 `json:"price"`
}

// sampleOrder returns an order with that many items, as a document.
func sampleOrder(tb testing.TB, items int) []byte {
	tb.Helper()
	note := "leave at the door"
	o := order{
		ID: "SO-1042", Customer: "C-77", Email: "ann@example.com", Priority: 3, Total: 129.95, Express: true,
		Placed: time.Date(2024, 5, 31, 14, 30, 0, 0, time.UTC), Note: &note, Tags: []string{"gift", "fragile"},
		Address: address{"1 Main St", "Springfield", "US"},
	}
	for i := range items {
		o.Items = append(o.Items, item{fmt.Sprintf("SKU-%05d-LONGER-NAME-OF-THE-ARTICLE", i), i%9 + 1, float64(i) + 0.95})
	}
	data, err := json.Marshal(o)
	require.NoError(tb, err)
	return data
}

func benchmarkOrders(b *testing.B, run func(b *testing.B, p *plan.Plan, data []byte)) {
	p, problems := plan.New(plan.Config{}).Compile(reflect.TypeFor[order]())
	require.Empty(b, problems)
	for _, items := range []int{1, 40, 1200} {
		data := sampleOrder(b, items)
		b.Run(fmt.Sprintf("%dB", len(data)), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			run(b, p, data)
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	benchmarkOrders(b, func(b *testing.B, p *plan.Plan, data []byte) {
		for b.Loop() {
			if issues := p.Decode(data, reflect.New(p.Type).Elem(), plan.Limits{}); issues != nil {
				b.Fatal(issues)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	benchmarkOrders(b, func(b *testing.B, p *plan.Plan, data []byte) {
		v := reflect.New(p.Type).Elem()
		require.Nil(b, p.Decode(data, v, plan.Limits{}))
		var dst []byte
		for b.Loop() {
			var issues *plan.Issues
			if dst, issues = p.Encode(dst[:0], v, plan.Limits{}); issues != nil {
				b.Fatal(issues)
			}
		}
	})
}

// BenchmarkRefuse reads a document with three faults.
func BenchmarkRefuse(b *testing.B) {
	benchmarkOrders(b, func(b *testing.B, p *plan.Plan, data []byte) {
		data = bytes.Replace(data, []byte(`"priority":3`), []byte(`"priority":9`), 1)
		data = bytes.Replace(data, []byte(`"express":true`), []byte(`"express":"x"`), 1)
		data = bytes.Replace(data, []byte(`"US"`), []byte(`"XX"`), 1)
		for b.Loop() {
			if issues := p.Decode(data, reflect.New(p.Type).Elem(), plan.Limits{}); issues == nil || len(issues.List) != 3 {
				b.Fatal(issues)
			}
		}
	})
}

// BenchmarkStandard is what the others are compared with: encoding/json and validator, there and back.
func BenchmarkStandard(b *testing.B) {
	validate := validator.New(validator.WithRequiredStructEnabled())
	benchmarkOrders(b, func(b *testing.B, _ *plan.Plan, data []byte) {
		for b.Loop() {
			var o order
			if err := json.Unmarshal(data, &o); err != nil {
				b.Fatal(err)
			}
			if err := validate.Struct(&o); err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(&o); err != nil {
				b.Fatal(err)
			}
		}
	})
}
