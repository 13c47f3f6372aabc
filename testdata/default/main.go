// Command default uses the default registry, which is one for the whole program, so that no test may share it.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-369ec62e/cap"
)

// Greet is the contract of the capability greet.
type Greet struct {
	cap.Read[string] `cap:"Greet; access=public"`
}

// Greeter serves it.
type Greeter struct{}

// Greet greets.
func (Greeter) Greet(context.Context, Greet) (string, error) { return "hello", nil }

func main() {
	fmt.Println("configure:", cap.Configure(cap.Options{Name: "greeter", Version: "1.0.0"}))
	fmt.Println("configure again:", cap.Configure(cap.Options{Name: "other"}))
	cap.MustRegister(Greeter{})
	fmt.Println("register:", cap.Register(Greeter{}))
	fmt.Println("must register:", panicOf(func() { cap.MustRegister(42) }))
	fmt.Println("name:", cap.Default().Name(), cap.Default().Version())
	text, err := cap.Invoke(context.Background(), cap.Default(), Greet{})
	fmt.Println("call:", text, err)
	fmt.Println("register late:", cap.Register(Greeter{}))
}

// panicOf gives the error that f panics with.
func panicOf(f func()) (err error) {
	defer func() {
		if found, ok := recover().(error); ok {
			err = found
		}
	}()
	f()
	return errors.New("no panic")
}
