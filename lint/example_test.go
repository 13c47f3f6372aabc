package lint_test

import (
	"context"
	"fmt"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/lint"
)

// FindNote is called by its number.
type FindNote struct {
	cap.Read[cap.None] `cap:"Find a note by its number; access=public"`

	Number string `json:"number" cap:"Number of the note" validate:"required"`
}

func ExampleCheck() {
	registry := cap.New(cap.Options{})
	err := registry.Register(cap.Func(func(context.Context, FindNote) (cap.None, error) { return cap.None{}, nil }))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, finding := range lint.Check(registry, lint.Options{}) {
		fmt.Println(finding.Severity, finding)
	}
	// Output:
	// warning find_note: has no title, which clients show to people (add title= to its tag) [title]
	// warning find_note: input number: has no example, so its form must be guessed (add example= to its tag) [example]
}
