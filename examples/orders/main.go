// Command orders is a shop's orders as capabilities over HTTP, MCP and the command line, kept in one SQLite file.
//
//	go run ./examples/orders get-order --order SO-1001
//	go run ./examples/orders serve --addr 127.0.0.1:8080
//	go run ./examples/orders mcp
package main

import (
	"os"

	"github.com/seed-369ec62e/cap/app"
)

func main() {
	store := &Store{Path: "orders.db"}
	registry := MustRegister(store)
	os.Exit(app.Main(registry, options(store)))
}
