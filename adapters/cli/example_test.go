package capcli_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// AddNumbers adds up.
type AddNumbers struct {
	cap.Read[Sum] `cap:"Add numbers up; access=public"`

	Numbers []int `json:"numbers" cap:"What to add" cli:"arg,short=n" validate:"min=1"`
}

// Sum is what comes of it.
type Sum struct {
	Sum int `json:"sum" cap:"The sum"`
}

func Example() {
	registry := cap.New(cap.Options{Name: "calc"})
	err := registry.Register(cap.Func(func(_ context.Context, in AddNumbers) (Sum, error) {
		var out Sum
		for _, n := range in.Numbers {
			out.Sum += n
		}
		return out, nil
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := capcli.New(registry, capcli.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{"add-numbers 1 2 39", "add-numbers -n 5 --output yaml", "add-numbers 1 2x", "add-numbers --number 1"} {
		code := program.Run(context.Background(), strings.Fields(line), capcli.Streams{Out: os.Stdout, Err: os.Stdout})
		fmt.Println("exit code", code)
	}
	// Output:
	// {"sum":42}
	// exit code 0
	// sum: 5
	// exit code 0
	// error: --numbers is no plain decimal number: "2x" (write it as 10 or -3)
	// usage: calc add-numbers NUMBERS...
	// exit code 2
	// error: unknown flag --number (did you mean --numbers?)
	// usage: calc add-numbers NUMBERS...
	// exit code 2
}
