package cap

import "reflect"

// Effect says what a capability does to the world, and so who must agree before it runs.
type Effect string

const (
	// EffectRead changes nothing and runs at once.
	EffectRead Effect = "read"
	// EffectWrite changes something; a person confirms this exact action first.
	EffectWrite Effect = "write"
	// EffectHost acts with the host's own power; somebody else than the caller approves it first.
	EffectHost Effect = "host"
)

// Contract is met by every struct that embeds [Read], [Write] or [Host]. It lets [Invoke], [Handle], [Func] and any
// client in another package infer the output type from the input, so that a wrong output type does not compile.
// Only the markers of this package can meet it.
type Contract[Out any] interface {
	contractOutput() Out
}

// Read marks the struct that embeds it as the contract of a capability that changes nothing and returns an Out.
//
//	type GetOrder struct {
//		cap.Read[Order] `cap:"Find one order; access=public"`
//
//		Order string `json:"order" cap:"Order number; example=SO-1042"`
//	}
//
// A marker is an empty struct that stays out of the JSON. Embed it by value and never as the last field: an empty struct
// at the end makes Go pad the struct.
type Read[Out any] struct{}

// Write marks a contract whose capability changes something. It needs a Describe companion and says whether what it
// does can be undone: reversible or irreversible. See [Read].
type Write[Out any] struct{}

// Host marks a contract whose capability acts with the host's own power. It is held to what [Write] is, and somebody
// else than the caller approves each call. See [Read].
type Host[Out any] struct{}

// None is the output of a capability that returns nothing: an empty JSON object.
type None struct{}

// Fails declares, as a blank field of a contract, that the capability may fail with a T:
//
//	_ cap.Fails[OrderNotFound]
//
// T is a struct with a blank [Failure] field; its Error method gives the reason that callers read.
type Fails[T error] struct{}

// Failure marks the struct that declares it, as a blank field, as a declared failure: data that a caller may read, with a
// fix.
//
//	type OrderNotFound struct {
//		_     cap.Failure `cap:"No order has this number; fix=List the orders and pick one."`
//		Order string      `json:"order"`
//	}
type Failure struct{}

// Service carries, as a blank field of a service, defaults for the capabilities of that service:
//
//	_ cap.Service `cap:"Orders of the shop; access=authenticated"`
type Service struct{}

// contractMarker is what reflection asks a marker.
type contractMarker interface {
	effect() Effect
	outputType() reflect.Type
}

// failsMarker is what reflection asks a [Fails] field.
type failsMarker interface{ failureType() reflect.Type }

func (Read[Out]) contractOutput() (out Out)  { return out }
func (Write[Out]) contractOutput() (out Out) { return out }
func (Host[Out]) contractOutput() (out Out)  { return out }

func (Read[Out]) effect() Effect  { return EffectRead }
func (Write[Out]) effect() Effect { return EffectWrite }
func (Host[Out]) effect() Effect  { return EffectHost }

func (Read[Out]) outputType() reflect.Type  { return reflect.TypeFor[Out]() }
func (Write[Out]) outputType() reflect.Type { return reflect.TypeFor[Out]() }
func (Host[Out]) outputType() reflect.Type  { return reflect.TypeFor[Out]() }

func (Fails[T]) failureType() reflect.Type { return reflect.TypeFor[T]() }

// Describer is met by a contract that says what its call will do. It is required for [Write] and [Host]. Describe sees
// the input and nothing else: it must be pure, and it is called on a copy.
type Describer interface{ Describe() PendingAction }

// Citer is met by an output that names the objects it speaks of, unless its fields are tagged cite.
type Citer interface{ Cites() []ObjectRef }

// Fixer is met by a failure whose fix depends on its values; it replaces the fix= of the tag.
type Fixer interface{ Fix() string }

// Documenter is met by a contract or a failure with a long description, in Markdown. Doc is called once, at registration.
type Documenter interface{ Doc() string }
