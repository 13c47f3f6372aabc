// Command badtags prints what Register says of struct tags that go vet refuses, which is why they stand here: vet does not
// look into testdata.
package main

import (
	"context"
	"fmt"

	"github.com/seed-369ec62e/cap"
)

// CutShort has a description with an unescaped quote: Go's own lookup would stop there and lose the access.
type CutShort struct {
	cap.Read[cap.None] `cap:"Say "hello" to all; access=public"`
}

// LostRule would lose its rule in silence.
type LostRule struct {
	cap.Read[cap.None] `cap:"Lost; access=public"`
	A                  string `json:"a" cap:"A" validate: "required"`
	B                  string `json:"b",validate:"required"`
}

// SameName has two fields of one JSON name: encoding/json would drop both.
type SameName struct {
	cap.Read[cap.None] `cap:"Twice; access=public"`
	A                  string `json:"x"`
	B                  string `json:"x"`
}

func main() {
	print(register[CutShort](), register[LostRule](), register[SameName]())
}

func register[In cap.Contract[cap.None]]() error {
	return cap.New(cap.Options{}).Register(cap.Func(func(context.Context, In) (cap.None, error) { return cap.None{}, nil }))
}

func print(errs ...error) {
	for _, err := range errs {
		fmt.Println(err)
	}
}
