// Command hello is the smallest complete program: one capability on the command line.
//
//	go run ./examples/hello greet --name Ana
package main

// readme:start
import (
	"context"
	"log"
	"os"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// Greet is the contract of the capability greet; its marker says what it is, who may call it and what it returns.
type Greet struct {
	cap.Read[Greeting] `cap:"Greet somebody by name; access=public"`

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
	program, err := capcli.New(cap.Default(), capcli.Options{Name: "hello"})
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(program.Main())
}

// readme:end
