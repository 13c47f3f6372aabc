// Package stock is what a warehouse holds. It existed before; what it gained is in docs/annotate.md.
package stock

import (
	"context"
	"sync"

	"github.com/seed-369ec62e/cap"
)

// FindItem asks for an item.
type FindItem struct {
	cap.Read[Item] `cap:"Find an item by its number; title=Find item; access=public"`

	_ cap.Fails[*NotFound]

	SKU string `json:"sku" cap:"Number of the item; example=TEA-01" validate:"required"`
}

// MoveItemRequest asks for pieces to be moved to another shelf.
type MoveItemRequest struct {
	cap.Write[Item] `cap:"Move an item to another shelf; title=Move item; access=authenticated; reversible"`

	_ cap.Fails[*NotFound]

	SKU   string `json:"sku" cap:"Number of the item; example=TEA-01" validate:"required"`
	Shelf string `json:"shelf" cap:"Where it goes; example=B-07" validate:"required"`
	Note  string `json:"note,omitempty" cap:"Why, for the record"`
}

// Describe implements [cap.Describer].
func (in MoveItemRequest) Describe() cap.PendingAction {
	return cap.PendingAction{
		Verb:   "move",
		Target: cap.ObjectRef{Product: "stock", Kind: "item", ID: in.SKU},
		Args:   map[string]string{"shelf": in.Shelf},
	}
}

// Item is one kind of thing in the warehouse.
type Item struct {
	SKU   string `json:"sku" cap:"Number of the item"`
	Shelf string `json:"shelf" cap:"Where it lies"`
	Count int    `json:"count" cap:"How many pieces there are" validate:"min=0,max=1000000"`
}

// NotFound says that there is no such item.
type NotFound struct {
	_   cap.Failure `cap:"No item has this number; fix=Look the number up on the shelf." http:"status=404"`
	SKU string      `json:"sku"`
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
