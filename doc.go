// Package cap turns the structs that a service already takes and returns into capabilities: one contract, one pipeline, and
// the same behaviour for AI agents (MCP), HTTP clients, the command line and plain Go callers.
//
// # A capability
//
// The contract is the input struct. It embeds [Read], [Write] or [Host] with the output type, and says in its tags what the
// capability does and who may call it:
//
//	type GetOrder struct {
//		cap.Read[Order] `cap:"Find one order; access=public"`
//
//		_ cap.Fails[OrderNotFound]
//
//		Order string `json:"order" cap:"Order number; example=SO-1042" validate:"required,startswith=SO-"`
//	}
//
// The handler is the method that bears the contract's name, without a suffix Input, Request, Params or Args:
//
//	func (o *Orders) GetOrder(ctx context.Context, in GetOrder) (Order, error)
//
// It takes and returns its types by value or by pointer. [Register] finds the handlers of a service, and every mistake in
// any of them at once:
//
//	cap.MustRegister(&Orders{Store: store})
//	order, err := cap.Invoke(ctx, cap.Default(), GetOrder{Order: "SO-1042"})
//
// An output whose JSON is no object is wrapped: {"result": …}. [None] is the empty output.
//
// # Companions
//
// Further methods are found by name. On the input: Describe() [PendingAction], which [Write] and [Host] need, and
// Doc() string. On the output: Cites() [][ObjectRef]. On a failure: Fix() string and Doc() string. On the service:
//
//	Allow<Name>(ctx, in) (bool, error)                     exactly when the contract says access=rule
//	Preconditions<Name>(ctx, in) ([]cap.Precondition, error)  facts that an approver sees and that are bound into the action
//	Reconcile<Name>(ctx, in, approvalID string) (cap.Outcome, error)  did it happen after all?
//
// A near miss, such as a misspelt companion or a method that takes a contract and is not named for it, is a problem, never
// skipped. An unexported method cannot be seen.
//
// # Tags
//
// A cap tag is "<description>; <option>; <key>=<value>"; a literal semicolon is written \\; in a struct tag.
//
//	contract marker  name= title= access=public|authenticated|rule scope= (repeatable) timeout= idempotent destructive
//	                 openworld reversible|irreversible (Write and Host: one is required) deprecated=
//	[Failure]        tag= fix= retry=
//	[Service]        access= scope= timeout=, the defaults of its capabilities
//	field            example= default= format= secret cite version deprecated=
//
// The validate tag is that of github.com/go-playground/validator: what JSON Schema can say of it is in the schema, and
// everything of it is enforced. Access must be stated; nothing is public by accident.
//
// # A call
//
// [Registry.Invoke] takes JSON and returns JSON; [Invoke] is its typed form and runs the same path: look-up, identity and
// scopes, strict decoding with every issue at once, the access rule, the gate, the handler under its timeout, encoding.
// Callers, rules and handlers each get their own copy of the input and of the principal. An error is an *[Error] with a
// [Code]; a declared failure comes back as its Go type for errors.As; every other error of a handler is a defect, whose
// text stays inside the process.
//
// # What is refused
//
// In an input: what is not RFC 8259, duplicate and unknown names, names in another case, invalid UTF-8, lone surrogates, negative
// zero, numbers that would change, null where Go cannot hold it, nesting over 64 levels. In an output: NaN, infinities,
// cycles, invalid UTF-8, and what breaks a validate tag.
//
// # Concurrency
//
// Registries, capabilities and everything else here are safe for concurrent use. A registry seals at its first use.
//
// The package hides Go's builtin cap in files that import it.
package cap
