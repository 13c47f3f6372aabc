// Command existing serves a service that was there before its annotations; see docs/annotate.md for what it gained.
//
//	go run ./examples/existing find-item --sku TEA-01
package main

import (
	"log"
	"os"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/app"
	"github.com/seed-369ec62e/cap/approval"
	stock "github.com/seed-369ec62e/cap/examples/existing/after"
)

// docs:program
func newRegistry() (*cap.Registry, error) {
	gate, err := approval.New(approval.Memory(), approval.Options{Audience: "stock"})
	if err != nil {
		return nil, err
	}
	registry := cap.New(cap.Options{Name: "stock", Version: "1.0.0", Gate: gate})
	return registry, registry.Register(stock.New(stock.Item{SKU: "TEA-01", Shelf: "A-01", Count: 12}))
}

func main() {
	registry, err := newRegistry()
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(app.Main(registry, app.Options{Summary: "What the warehouse holds"}))
}

// docs:end
