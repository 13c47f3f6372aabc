package cap_test

import (
	"context"
	"fmt"

	"github.com/seed-369ec62e/cap"
)

type Hello struct {
	cap.Read[string] `cap:"Greet somebody; access=public"`

	Name string `json:"name" cap:"Whom"`
}

// greetings is what a package publishes.
func greetings() *cap.Library {
	return cap.NewLibrary("acme/greetings", "1.0.0", cap.Func(func(_ context.Context, in Hello) (string, error) {
		return "Hello, " + in.Name + ".", nil
	}))
}

func ExampleCompose() {
	registry, err := cap.Compose(cap.Options{Name: "front-desk"}, greetings().Export("hello").As("welcome"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for capability := range registry.All() {
		fmt.Println(capability.Name())
	}
	text, err := cap.Invoke(context.Background(), registry, Hello{Name: "Ana"})
	fmt.Println(text, err)
	// Output:
	// welcome
	// Hello, Ana. <nil>
}

func ExampleCompose_collision() {
	lib := greetings()
	_, err := cap.Compose(cap.Options{}, lib, lib.Export("hello"))
	fmt.Println(err)
	// Output:
	// cap: CAPABILITY_COMPOSITION_INVALID
	//   CAPABILITY_ID_COLLISION "hello": 2 declarations have this name (mount them under different names, or leave all but one out)
	//     library "acme/greetings" "1.0.0" "hello" (cap_test.Hello)
	//     atomic "acme/greetings" "1.0.0" "hello" (cap_test.Hello)
}

func ExampleInvokeAs() {
	lib := greetings()
	registry, err := cap.Compose(cap.Options{}, lib, lib.Export("hello").As("welcome"))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = cap.Invoke(context.Background(), registry, Hello{Name: "Ana"})
	fmt.Println(err)
	text, err := cap.InvokeAs(context.Background(), registry, "welcome", Hello{Name: "Ana"})
	fmt.Println(text, err)
	// Output:
	// cap: contract cap_test.Hello is mounted as hello and welcome, so its type alone does not say which to call
	// Hello, Ana. <nil>
}
