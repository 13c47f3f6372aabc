// Package stock is what a warehouse holds, as the service was before it was annotated.
package stock

import (
	"context"
	"sync"
)

// FindItem asks for an item.
type FindItem struct {
	SKU string `json:"sku" validate:"required"`
}

// MoveItemRequest asks for pieces to be moved to another shelf.
type MoveItemRequest struct {
	SKU   string `json:"sku" validate:"required"`
	Shelf string `json:"shelf" validate:"required"`
	Note  string `json:"note,omitempty"`
}

// Item is one kind of thing in the warehouse.
type Item struct {
	SKU   string `json:"sku"`
	Shelf string `json:"shelf"`
	Count int    `json:"count"`
}

// NotFound says that there is no such item.
type NotFound struct {
	SKU string `json:"sku"`
}

func (e *NotFound) Error() string { return "There is no item " + e.SKU + "." }

// Stock is the service. It is safe for concurrent use.
type Stock struct {
	mu    sync.Mutex
	items map[string]Item
}

// New returns a stock of items.
func New(items ...Item) *Stock {
	s := &Stock{items: map[string]Item{}}
	for _, item := range items {
		s.items[item.SKU] = item
	}
	return s
}

// FindItem returns one item.
func (s *Stock) FindItem(_ context.Context, in FindItem) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item, found := s.items[in.SKU]
	if !found {
		return nil, &NotFound{SKU: in.SKU}
	}
	return &item, nil
}

// MoveItem moves an item to another shelf.
func (s *Stock) MoveItem(_ context.Context, in *MoveItemRequest) (*Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item, found := s.items[in.SKU]
	if !found {
		return nil, &NotFound{SKU: in.SKU}
	}
	item.Shelf = in.Shelf
	s.items[in.SKU] = item
	return &item, nil
}
