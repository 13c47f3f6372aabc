package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/app"
)

// A program in a test: what it says goes where the test wants it, and its exit code comes back.
func ExampleNew() {
	registry := cap.New(cap.Options{Name: "shop", Version: "1.0.0"})
	if err := registry.Register(Teas{}); err != nil {
		fmt.Println(err)
		return
	}
	program, err := app.New(registry, app.Options{Summary: "Teas, and their prices"})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lock := filepath.Join(dir, "contracts.lock.json")
	for _, line := range []string{"find-tea T-1", "find-tae T-1", "contracts lock --output json --lock " + lock, "contracts check --lock " + lock} {
		var out strings.Builder
		code := program.Run(context.Background(), strings.Fields(line), capcli.Streams{Out: &out, Err: &out})
		fmt.Print(strings.ReplaceAll(out.String(), dir+string(filepath.Separator), ""))
		fmt.Println("exit code", code)
	}
	// Output:
	// {"number":"T-1","price":450}
	// exit code 0
	// error: unknown command "find-tae" (did you mean find-tea?)
	// usage: shop COMMAND [flags]
	// exit code 2
	// {"capabilities":2,"file":"contracts.lock.json"}
	// exit code 0
	// The contracts are as locked.
	// exit code 0
}
