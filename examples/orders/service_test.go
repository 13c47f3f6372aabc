package main

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newOrders(t *testing.T) *Orders {
	t.Helper()
	store := &Store{Path: filepath.Join(t.TempDir(), "a shop?.db")}
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return &Orders{Store: store}
}

func TestAnOrderTakesFromStock(t *testing.T) {
	t.Parallel()
	orders := newOrders(t)
	made, err := orders.CreateOrder(t.Context(), CreateOrder{Customer: "dora", Items: []Item{{"TEA-02", 2}, {"POT-01", 1}}})
	require.NoError(t, err)
	assert.Equal(t, "SO-1005", made.Order)
	assert.Equal(t, int64(2*620+3900), made.Total)

	again, err := orders.GetOrder(t.Context(), GetOrder{Order: made.Order})
	require.NoError(t, err)
	assert.Equal(t, made, again)

	_, err = orders.CreateOrder(t.Context(), CreateOrder{Customer: "dora", Items: []Item{{"POT-01", 1}, {"TEA-02", 2}}})
	assert.Equal(t, OutOfStock{SKU: "TEA-02", Wanted: 2, Left: 1}, err)
	_, err = orders.CreateOrder(t.Context(), CreateOrder{Customer: "dora", Items: []Item{{"NO-SUCH", 1}}})
	assert.Equal(t, OutOfStock{SKU: "NO-SUCH", Wanted: 1}, err)
	_, err = orders.CreateOrder(t.Context(), CreateOrder{Customer: "dora", Items: []Item{{"POT-01", 4}}})
	require.NoError(t, err, "an order that failed took nothing")
}

func TestCancelling(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, order string
		refunded    int64
		err         error
	}{
		{"placed", "SO-1001", 1350, nil},
		{"shipped", "SO-1002", 0, AlreadyShipped{Order: "SO-1002", Carrier: "Post"}},
		{"cancelled", "SO-1003", 0, nil},
		{"unknown", "SO-9999", 0, OrderNotFound{Order: "SO-9999"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			orders := newOrders(t)
			got, err := orders.CancelOrder(t.Context(), CancelOrder{Order: tt.order})
			assert.Equal(t, tt.err, err)
			assert.Equal(t, tt.refunded, got.Refunded)
			if tt.err == nil {
				order, err := orders.GetOrder(t.Context(), GetOrder{Order: tt.order})
				require.NoError(t, err)
				assert.Equal(t, "cancelled", order.Status)
				assert.Equal(t, order.Total, order.Refunded)
			}
		})
	}
}

func TestARefundIsPaidOnce(t *testing.T) {
	t.Parallel()
	orders := newOrders(t)
	before, err := orders.PreconditionsRefundOrder(t.Context(), RefundOrder{Order: "SO-1002"})
	require.NoError(t, err)
	first, err := orders.RefundOrder(t.Context(), RefundOrder{Order: "SO-1002"})
	require.NoError(t, err)
	assert.Equal(t, int64(3900), first.Refunded)
	second, err := orders.RefundOrder(t.Context(), RefundOrder{Order: "SO-1002"})
	require.NoError(t, err)
	assert.Zero(t, second.Refunded)
	after, err := orders.PreconditionsRefundOrder(t.Context(), RefundOrder{Order: "SO-1002"})
	require.NoError(t, err)
	assert.NotEqual(t, before, after, "what was agreed to no longer holds")
}

func TestTheShopIsOpenedOnce(t *testing.T) {
	t.Parallel()
	orders := newOrders(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			list, err := orders.ListOrders(t.Context(), ListOrders{Limit: 100})
			if assert.NoError(t, err) {
				assert.Len(t, list.Orders, 4)
			}
		})
	}
	group.Wait()
}
