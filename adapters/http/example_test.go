package caphttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// Greet is the contract of the capability greet.
type Greet struct {
	cap.Read[Greeting] `cap:"Greet somebody; access=public" http:"GET /greetings/{name}"`

	_ cap.Fails[Unknown]

	Name string `json:"name" cap:"Whom to greet" validate:"required,max=20"`
}

// Greeting is its output.
type Greeting struct {
	Text string `json:"text" cap:"The greeting"`
}

// Unknown is its failure.
type Unknown struct {
	_    cap.Failure `cap:"Nobody has this name; fix=Ask for the name again." http:"status=404"`
	Name string      `json:"name"`
}

func (f Unknown) Error() string { return "I do not know " + f.Name + "." }

func greet(_ context.Context, in Greet) (Greeting, error) {
	if in.Name == "nobody" {
		return Greeting{}, Unknown{Name: in.Name}
	}
	return Greeting{Text: "Hello, " + in.Name + "."}, nil
}

func Example() {
	registry := cap.New(cap.Options{Name: "greeter"})
	if err := registry.Register(cap.Func(greet)); err != nil {
		fmt.Println(err)
		return
	}
	api, err := caphttp.New(registry, caphttp.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest("GET", "/greetings/Ana", nil))
	fmt.Print(w.Code, " ", w.Body)

	w = httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/greetings/nobody", nil)
	r.Header.Set("X-Request-Id", "r-1")
	api.ServeHTTP(w, r)
	fmt.Print(w.Code, " ", w.Body)

	// Output:
	// 200 {"text":"Hello, Ana."}
	// 404 {"type":"urn:cap:problem:CAPABILITY_FAILED:Unknown","title":"I do not know nobody.","status":404,"detail":"Ask for the name again.","code":"CAPABILITY_FAILED","capability":"greet","requestId":"r-1","reason":"I do not know nobody.","tag":"Unknown","fix":"Ask for the name again.","failure":{"name":"nobody"}}
}

func ExampleCall() {
	registry := cap.New(cap.Options{})
	if err := registry.Register(cap.Func(greet)); err != nil {
		fmt.Println(err)
		return
	}
	api, err := caphttp.New(registry, caphttp.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(api)
	defer server.Close()

	client, err := caphttp.NewClient(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	greeting, err := caphttp.Call(context.Background(), client, Greet{Name: "Ana"})
	fmt.Println(greeting.Text, err)

	_, err = caphttp.Call(context.Background(), client, Greet{Name: "nobody"})
	if failure, ok := errors.AsType[Unknown](err); ok {
		fmt.Println("unknown:", failure.Name)
	}
	// Output:
	// Hello, Ana. <nil>
	// unknown: nobody
}
