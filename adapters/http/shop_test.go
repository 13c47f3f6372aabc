package caphttp_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// The shop has capabilities with paths of their own.

// GetOrder has a wildcard and parameters of every kind.
type GetOrder struct {
	cap.Read[ShopOrder] `cap:"Get an order; access=public" http:"GET /orders/{order}"`

	_ cap.Fails[OrderNotFound]

	Order  string          `json:"order"            cap:"Number of the order" validate:"required"`
	Limit  int             `json:"limit"            cap:"At most so many lines; default=10" validate:"min=1,max=100"`
	Small  int8            `json:"small,omitempty"  cap:"Integer of 8 bits"`
	Ratio  float64         `json:"ratio,omitempty"  cap:"Number"`
	Full   bool            `json:"full,omitempty"   cap:"With all details"`
	Since  time.Time       `json:"since,omitzero"   cap:"Only younger lines"`
	Tags   []string        `json:"tags,omitempty"   cap:"Only lines with these tags" validate:"max=3,dive,max=5"`
	Rows   []int64         `json:"rows,omitempty"   cap:"Only these lines"`
	Maybe  cap.Maybe[bool] `json:"maybe,omitzero"   cap:"Yes, no or nothing said"`
	Region string          `json:"region,omitempty" cap:"Where" http:"header=X-Region" validate:"oneof=eu us"`
}

// ShopOrder is an order, with all that came in.
type ShopOrder struct {
	Order   string          `json:"order"   cap:"Number of the order"`
	Limit   int             `json:"limit"   cap:"Limit"`
	Ratio   float64         `json:"ratio"   cap:"Ratio"`
	Full    bool            `json:"full"    cap:"Full"`
	Since   time.Time       `json:"since"   cap:"Since"`
	Tags    []string        `json:"tags"    cap:"Tags"`
	Rows    []int64         `json:"rows"    cap:"Rows"`
	Maybe   cap.Maybe[bool] `json:"maybe,omitzero" cap:"Maybe"`
	Region  string          `json:"region"  cap:"Region"`
	Version int             `json:"version" cap:"Version of the order; version"`
	Refs    []cap.ObjectRef `json:"refs"    cap:"What it is about; cite"`
}

// OrderNotFound is a failure with a status.
type OrderNotFound struct {
	_     cap.Failure `cap:"There is no such order; fix=List the orders." http:"status=404"`
	Order string      `json:"order"`
}

func (f OrderNotFound) Error() string { return "There is no order " + f.Order + "." }

// SearchOrders shares its path with GetOrder, but for the wildcard.
type SearchOrders struct {
	cap.Read[ShopHits] `cap:"Search orders; access=authenticated" http:"GET /orders/search"`

	Text string `json:"text,omitempty" cap:"What to look for"`
}

// ShopHits has no version.
type ShopHits struct {
	Hits []string `json:"hits" cap:"Numbers of orders"`
}

// ChangeOrder has its version in If-Match and the rest in the body.
type ChangeOrder struct {
	cap.Write[ShopOrder] `cap:"Change an order; access=public; reversible" http:"PUT /orders/{order}"`

	Order   string   `json:"order"          cap:"Number of the order" validate:"required"`
	Version int      `json:"version"        cap:"Version that is changed; version"`
	Note    string   `json:"note,omitempty" cap:"Note" validate:"max=10"`
	Tags    []string `json:"tags,omitempty" cap:"Tags"`
}

// Describe implements cap.Describer.
func (in ChangeOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "change", Target: shopRef(in.Order)}
}

// DropOrder has no body.
type DropOrder struct {
	cap.Host[cap.None] `cap:"Drop an order; access=authenticated; irreversible; destructive" http:"DELETE /orders/{order}"`

	Order string `json:"order"           cap:"Number of the order" validate:"required"`
	Force bool   `json:"force,omitempty" cap:"Even if it was paid"`
}

// Describe implements cap.Describer.
func (in DropOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "drop", Target: shopRef(in.Order)}
}

func shopRef(order string) cap.ObjectRef {
	return cap.ObjectRef{Product: "shop", Kind: "order", ID: order}
}

type shop struct{}

func (shop) GetOrder(_ context.Context, in GetOrder) (*ShopOrder, error) {
	if in.Order == "missing" {
		return nil, OrderNotFound{Order: in.Order}
	}
	order := &ShopOrder{
		Order: in.Order, Limit: in.Limit, Ratio: in.Ratio, Full: in.Full, Since: in.Since, Tags: in.Tags, Rows: in.Rows,
		Maybe: in.Maybe, Region: in.Region, Version: 41,
	}
	for range in.Limit {
		order.Refs = append(order.Refs, shopRef(in.Order))
	}
	return order, nil
}

func (shop) SearchOrders(context.Context, SearchOrders) (ShopHits, error) { return ShopHits{}, nil }

func (shop) ChangeOrder(_ context.Context, in ChangeOrder) (ShopOrder, error) {
	return ShopOrder{Order: in.Order, Region: in.Note, Tags: in.Tags, Version: in.Version + 1}, nil
}

func (shop) DropOrder(context.Context, DropOrder) (cap.None, error) { return cap.None{}, nil }

// newShop makes a handler of the shop. Its writes need no confirmation where the gate is open.
func newShop(t *testing.T, gate cap.Gate, options caphttp.Options) *caphttp.Handler {
	t.Helper()
	registry := newShopRegistry(t, gate)
	if options.Authenticate == nil {
		options.Authenticate = authenticateTest
	}
	h, err := caphttp.New(registry, options)
	require.NoError(t, err)
	return h
}

func newShopRegistry(t testing.TB, gate cap.Gate) *cap.Registry {
	t.Helper()
	registry := cap.New(cap.Options{Name: "shop", Version: "1.2.3", Gate: gate})
	require.NoError(t, registry.Register(&shop{}))
	return registry
}

// openGate lets everything begin.
type openGate struct{}

func (openGate) Begin(context.Context, cap.Action, cap.Confirmation) (cap.Attempt, error) {
	return openAttempt{}, nil
}

type openAttempt struct{}

func (openAttempt) Approval() string                          { return "" }
func (openAttempt) Finish(context.Context, cap.Outcome) error { return nil }
