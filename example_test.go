package cap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/seed-369ec62e/cap"
)

// Book is what the capabilities of the examples are about.
type Book struct {
	Book  cap.ObjectRef `json:"book" cap:"The book; cite"`
	Title string        `json:"title" cap:"What is on the cover"`
}

type FindBook struct {
	cap.Read[Book] `cap:"Find a book by its number; title=Find book; access=public"`

	_ cap.Fails[BookNotFound]

	Number string `json:"number" cap:"Number of the book; example=B-1" validate:"required,startswith=B-"`
}

type BookNotFound struct {
	_      cap.Failure `cap:"No book has this number; fix=Ask at the desk."`
	Number string      `json:"number"`
}

func (f BookNotFound) Error() string { return "There is no book " + f.Number + "." }

type LendBook struct {
	cap.Write[cap.None] `cap:"Lend a book to the caller; title=Lend book; access=authenticated; reversible; timeout=5s"`

	Number string `json:"number" cap:"Number of the book; example=B-1" validate:"required,startswith=B-"`
	Days   int    `json:"days" cap:"For how long; default=14" validate:"min=1,max=60"`
}

func (in LendBook) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "lend", Target: bookRef(in.Number)}
}

// Shelf is a service: its methods are the handlers.
type Shelf struct {
	_      cap.Service `cap:"Books of a library"`
	Titles map[string]string
}

func (s Shelf) FindBook(_ context.Context, in FindBook) (Book, error) {
	title, found := s.Titles[in.Number]
	if !found {
		return Book{}, BookNotFound{Number: in.Number}
	}
	return Book{Book: bookRef(in.Number), Title: title}, nil
}

func (s Shelf) LendBook(ctx context.Context, in LendBook) (cap.None, error) {
	call := cap.CallFrom(ctx)
	fmt.Printf("%s lent to %s for %d days\n", in.Number, call.Principal.ID, in.Days)
	return cap.None{}, nil
}

func bookRef(number string) cap.ObjectRef {
	return cap.ObjectRef{Product: "library", Kind: "book", ID: number}
}

func shelfRegistry(options cap.Options) *cap.Registry {
	registry := cap.New(options)
	if err := registry.Register(Shelf{Titles: map[string]string{"B-1": "A first book"}}); err != nil {
		fmt.Println(err)
	}
	return registry
}

// A contract is called by its type, and answers with its output.
func ExampleInvoke() {
	registry := shelfRegistry(cap.Options{Name: "library"})

	book, err := cap.Invoke(context.Background(), registry, FindBook{Number: "B-1"})
	fmt.Println(book.Title, err)

	_, err = cap.Invoke(context.Background(), registry, FindBook{Number: "B-2"})
	if failure, ok := errors.AsType[BookNotFound](err); ok {
		fmt.Println("no book", failure.Number)
	}
	// Output:
	// A first book <nil>
	// no book B-2
}

// JSON in, JSON out: this is what the fronts do.
func ExampleRegistry_Invoke() {
	registry := shelfRegistry(cap.Options{})
	result, err := registry.Invoke(context.Background(), "find_book", json.RawMessage(`{"number":"B-1"}`), cap.CallOptions{})
	fmt.Printf("%s %v %v\n", result.Output, result.Cites, err)
	// Output:
	// {"book":{"product":"library","kind":"book","id":"B-1"},"title":"A first book"} [{library book B-1}] <nil>
}

// An error names every fault of an input, each with its JSON Pointer.
func ExampleError() {
	registry := shelfRegistry(cap.Options{})
	_, err := registry.Invoke(context.Background(), "find_book", json.RawMessage(`{"number":7,"titel":"x"}`), cap.CallOptions{})
	var failed *cap.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Code)
		for _, issue := range failed.Issues {
			fmt.Println(issue.Pointer, issue.Rule, issue.Message)
		}
	}
	// Output:
	// INPUT_INVALID
	// /number type must be a string
	// /titel unknown unknown field
}

// A declared failure is data, with a fix.
func ExampleFails() {
	registry := shelfRegistry(cap.Options{})
	_, err := registry.Invoke(context.Background(), "find_book", json.RawMessage(`{"number":"B-2"}`), cap.CallOptions{RequestID: "r-1"})
	text, _ := json.Marshal(err)
	fmt.Println(string(text))
	// Output:
	// {"code":"CAPABILITY_FAILED","message":"There is no book B-2.","capability":"find_book","requestId":"r-1","reason":"There is no book B-2.","tag":"BookNotFound","fix":"Ask at the desk.","failure":{"number":"B-2"}}
}

type Mistaken struct {
	cap.Read[cap.None] `cap:"Look; acess=public"`

	Name string `json:"name" validate:"requird"`
}

// Everything that is wrong is reported at once, with what to do about it.
func ExampleRegistrationError() {
	err := cap.New(cap.Options{}).Register(cap.Func(func(context.Context, Mistaken) (cap.None, error) { return cap.None{}, nil }))
	fmt.Println(err)
	// Output:
	// cap: 2 problems
	//   cap_test.Mistaken: unknown cap option "acess" (did you mean "access"?)
	//   cap_test.Mistaken: input field Name: unknown validate rule "requird" (did you mean "required"?)
}

// Who calls is said by an authenticator, never by the input.
func ExamplePrincipal() {
	registry := shelfRegistry(cap.Options{Gate: agreeable{}})
	ana := &cap.Principal{ID: "ana", Kind: cap.KindHuman}

	_, err := cap.Invoke(context.Background(), registry, LendBook{Number: "B-1"}, cap.CallOptions{Principal: ana})
	fmt.Println(err)
	_, err = cap.Invoke(context.Background(), registry, LendBook{Number: "B-1"})
	fmt.Println(err)
	// Output:
	// B-1 lent to ana for 14 days
	// <nil>
	// lend_book: UNAUTHENTICATED: Authentication is required.
}

// agreeable is a gate that agrees to everything. Package approval has one that asks people.
type agreeable struct{}

func (agreeable) Begin(context.Context, cap.Action, cap.Confirmation) (cap.Attempt, error) {
	return agreed{}, nil
}

type agreed struct{}

func (agreed) Approval() string                          { return "" }
func (agreed) Finish(context.Context, cap.Outcome) error { return nil }

// cautious is a gate that lets nothing begin.
type cautious struct{}

func (cautious) Begin(_ context.Context, action cap.Action, _ cap.Confirmation) (cap.Attempt, error) {
	return nil, &cap.ConfirmationRequired{Action: action}
}

// A gate is asked before a handler with an effect runs.
func ExampleGate() {
	registry := shelfRegistry(cap.Options{Gate: cautious{}})
	ana := &cap.Principal{ID: "ana", Kind: cap.KindHuman}
	_, err := cap.Invoke(context.Background(), registry, LendBook{Number: "B-1", Days: 7}, cap.CallOptions{Principal: ana})
	fmt.Println(err)
	// Output:
	// lend_book: CONFIRMATION_REQUIRED: The action must be confirmed first.
}

// Prepare shows an action and runs nothing.
func ExampleRegistry_Prepare() {
	registry := shelfRegistry(cap.Options{Gate: cautious{}})
	action, err := registry.Prepare(context.Background(), "lend_book", json.RawMessage(`{"number":"B-1"}`), cap.CallOptions{
		Principal: &cap.Principal{ID: "ana", Kind: cap.KindHuman},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The text ends with a code, by which two people can compare what they see.
	text, _, _ := strings.Cut(action.Text(), "Code: ")
	fmt.Print(text)
	// Output:
	// lend_book: write, reversible
	// Action: lend book "B-1" of library
	// Arguments:
	//   number: "B-1"
	//   days (default): 14
	// Asked by: "ana" (human)
	// Via: direct
}

// Fronts describe what is there.
func ExampleRegistry_All() {
	for capability := range shelfRegistry(cap.Options{}).All() {
		fmt.Println(capability.Name(), capability.Effect(), capability.Access(), capability.Timeout())
		for _, field := range capability.Input().Fields() {
			fmt.Println(" ", field.Name(), field.Kind(), field.Required(), field.Description())
		}
	}
	// Output:
	// find_book read public 0s
	//   number string true Number of the book
	// lend_book write authenticated 5s
	//   number string true Number of the book
	//   days integer false For how long
}

// A client needs the contract, and neither its handler nor a registry.
func ExampleContractOf() {
	contract, err := cap.ContractOf[FindBook]()
	if err != nil {
		fmt.Println(err)
		return
	}
	input, err := contract.Encode(FindBook{Number: "B-1"})
	fmt.Println(contract.Name(), string(input), err)

	var book Book
	err = contract.DecodeOutput(json.RawMessage(`{"book":{"product":"library","kind":"book","id":"B-1"},"title":"A first book"}`), &book)
	fmt.Println(book.Title, err)

	err = contract.DecodeFailure("BookNotFound", json.RawMessage(`{"number":"B-2"}`))
	fmt.Println(err)
	// Output:
	// find_book {"number":"B-1"} <nil>
	// A first book <nil>
	// There is no book B-2.
}

// Handle registers one handler through a typed closure.
func ExampleHandle() {
	registry := cap.New(cap.Options{})
	err := cap.Handle(registry, Shelf{Titles: map[string]string{"B-1": "A first book"}}, Shelf.FindBook)
	fmt.Println(registry.Len(), err)
	// Output:
	// 1 <nil>
}

// Func makes a capability of a function.
func ExampleFunc() {
	registry := cap.New(cap.Options{})
	err := registry.Register(cap.Func(func(_ context.Context, in FindBook) (Book, error) {
		return Book{Book: bookRef(in.Number), Title: "Any book"}, nil
	}))
	book, invoked := cap.Invoke(context.Background(), registry, FindBook{Number: "B-9"})
	fmt.Println(book.Title, err, invoked)
	// Output:
	// Any book <nil> <nil>
}

type RetitleBook struct {
	cap.Read[string] `cap:"Say what would be written on the cover; access=public"`

	Title cap.Maybe[string] `json:"title" cap:"The new title, or null for none"`
}

// Maybe tells a field that is absent from one that is null.
func ExampleMaybe() {
	registry := cap.New(cap.Options{})
	err := registry.Register(cap.Func(func(_ context.Context, in RetitleBook) (string, error) {
		title, given := in.Title.Get()
		switch {
		case in.Title.IsNull():
			return "nothing", nil
		case given:
			return title, nil
		default:
			return "as before", nil
		}
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, input := range []string{`{}`, `{"title":null}`, `{"title":"Another"}`} {
		result, err := registry.Invoke(context.Background(), "retitle_book", json.RawMessage(input), cap.CallOptions{})
		fmt.Println(input, string(result.Output), err)
	}
	title, err := cap.Invoke(context.Background(), registry, RetitleBook{Title: cap.Some("Another")})
	fmt.Println(title, err)
	// Output:
	// {} {"result":"as before"} <nil>
	// {"title":null} {"result":"nothing"} <nil>
	// {"title":"Another"} {"result":"Another"} <nil>
	// Another <nil>
}

// Options set a registry up. An operator's override can only restrict.
func ExampleOptions() {
	registry := shelfRegistry(cap.Options{
		Name:   "library",
		Logger: zerolog.New(os.Stderr),
		Limits: cap.Limits{Bytes: 64},
		Observers: []cap.Observer{func(_ context.Context, e cap.Event) {
			fmt.Println(e.Type, e.Capability)
		}},
		Override: func(c *cap.Capability) cap.Override {
			return cap.Override{Disable: c.Effect() != cap.EffectRead, Timeout: time.Second}
		},
	})
	_, err := registry.Invoke(context.Background(), "lend_book", json.RawMessage(`{"number":"B-1"}`), cap.CallOptions{})
	fmt.Println(err)
	// Output:
	// started lend_book
	// failed lend_book
	// lend_book: CAPABILITY_NOT_FOUND: Capability was not found.
}

type CountBooks struct {
	cap.Read[int] `cap:"Count the books; access=public"`
}

// A handler says how far it is, and knows what it serves.
func ExampleProgress() {
	registry := cap.New(cap.Options{})
	_ = registry.Register(cap.Func(func(ctx context.Context, _ CountBooks) (int, error) {
		cap.Progress(ctx, 1, 2, "Counting the first shelf")
		fmt.Println("serving", cap.CallFrom(ctx).Capability)
		return 42, nil
	}))
	count, err := cap.Invoke(context.Background(), registry, CountBooks{}, cap.CallOptions{
		Progress: func(done, total float64, message string) { fmt.Println(done, "of", total, message) },
	})
	fmt.Println(count, err)
	// Output:
	// 1 of 2 Counting the first shelf
	// serving count_books
	// 42 <nil>
}

// Colour has a JSON form of its own.
type Colour struct{ hex string }

func (c Colour) MarshalJSON() ([]byte, error) { return json.Marshal("#" + c.hex) }

func (c *Colour) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	c.hex = strings.TrimPrefix(text, "#")
	return nil
}

type PaintBook struct {
	cap.Read[Colour] `cap:"Say what colour a cover would have; access=public"`

	Colour Colour `json:"colour" cap:"Of the cover"`
}

// A type with a JSON form of its own needs a schema.
func ExampleSchemaFor() {
	registry := cap.New(cap.Options{Types: []cap.TypeSchema{
		cap.SchemaFor[Colour](json.RawMessage(`{"type":"string","pattern":"^#[0-9a-f]{6}$"}`)),
	}})
	err := registry.Register(cap.Func(func(_ context.Context, in PaintBook) (Colour, error) { return in.Colour, nil }))
	fmt.Println(err)
	result, err := registry.Invoke(context.Background(), "paint_book", json.RawMessage(`{"colour":"#00ff00"}`), cap.CallOptions{})
	fmt.Println(string(result.Output), err)
	// Output:
	// <nil>
	// {"result":"#00ff00"} <nil>
}

// A selection mounts some of a library, under names of the program's choice.
func ExampleLibrary_Select() {
	lib := cap.NewLibrary("acme/books", "1.0.0", Shelf{Titles: map[string]string{"B-1": "A first book"}})
	registry, err := cap.Compose(cap.Options{Name: "desk"}, lib.Select("find_book").Rename("find_book", "look"))
	if err != nil {
		fmt.Println(err)
		return
	}
	book, err := cap.Invoke(context.Background(), registry, FindBook{Number: "B-1"})
	fmt.Println(registry.Len(), book.Title, err)
	// Output:
	// 1 A first book <nil>
}
