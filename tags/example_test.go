package tags_test

import (
	"fmt"

	"github.com/seed-369ec62e/cap/tags"
)

func ExampleParse() {
	tag, problems := tags.Parse(`json:"order" cap:"The "best" order" validate:"required"`)
	fmt.Println(tag.Keys())
	fmt.Println(problems[0])
	// Output:
	// [json cap]
	// value of tag key "cap" ends early: "best\" order\" validate:\"required\"" is left over (write a quote inside a value as \")
}

func ExampleParseContract() {
	contract, problems := tags.ParseContract(`Cancel an order; acess=public; irreversible; timeout=10s`)
	fmt.Println(contract.Description, contract.Irreversible, contract.Timeout)
	fmt.Println(problems[0])
	// Output:
	// Cancel an order true 10s
	// unknown cap option "acess" (did you mean "access"?)
}

func ExampleParseFailure() {
	failure, _ := tags.ParseFailure(`The order has left; fix=Open a return\; then wait.; retry=30s`)
	fmt.Println(failure.Fix, failure.Retry)
	// Output: Open a return; then wait. 30s
}

func ExampleParseService() {
	service, _ := tags.ParseService(`Orders of the shop; access=authenticated; scope=orders`)
	fmt.Println(service.Access, service.Scopes)
	// Output: authenticated [orders]
}

func ExampleParseField() {
	field, _ := tags.ParseField(`Order number; example=SO-1042; secret`)
	fmt.Println(field.Description, field.Example, field.Secret)
	// Output: Order number SO-1042 true
}

func ExampleParseJSON() {
	json, problems := tags.ParseJSON(`order, omitempty`)
	fmt.Println(json.Name, json.OmitEmpty)
	fmt.Println(problems[0])
	// Output:
	// order true
	// blank around the json option " omitempty" (remove the blank)
}

func ExampleNearest() {
	fmt.Println(tags.Nearest("tiemout", []string{"scope", "timeout", "title"}))
	// Output: timeout true
}
