// Command hello is the smallest complete program: one capability on every front.
//
//	go run ./examples/hello greet --name Ana
//	go run ./examples/hello serve
//	go run ./examples/hello mcp
package main

// readme:start
import (
	"context"
	"os"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/app"
)

// Greet is the contract of the capability greet; its marker says what it is, who may call it and what it returns.
type Greet struct {
	cap.Read[Greeting] `cap:"Greet somebody by name; title=Greet; access=public"`

	Name string `json:"name" cap:"Whom to greet; example=Ana" validate:"required,max=40"`
}

// Greeting is what greet returns.
type Greeting struct {
	Text string `json:"text" cap:"What to say"`
}

// Greeter is a service. Its method of the contract's name is the handler.
type Greeter struct{}

func (Greeter) Greet(_ context.Context, in Greet) (Greeting, error) {
	return Greeting{Text: "Hello, " + in.Name + "."}, nil
}

func main() {
	cap.MustRegister(Greeter{})
	os.Exit(app.Main(cap.Default(), app.Options{}))
}

// readme:end
