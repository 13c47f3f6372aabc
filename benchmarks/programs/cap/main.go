// Command cap is the command line of this project: as many capabilities as BENCH_COMMANDS says, with types of their own.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/benchmarks/many"
)

func main() {
	n, err := strconv.Atoi(os.Getenv("BENCH_COMMANDS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	registry := cap.New(cap.Options{Name: "shop"})
	if err := registry.Register(many.Services(n)...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program, err := capcli.New(registry, capcli.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(program.Main())
}
