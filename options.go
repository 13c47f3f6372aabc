package cap

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/rs/zerolog"
)

// Options sets up a [Registry]. The zero value works.
type Options struct {
	// Name and Version are what adapters call the whole: the MCP server, the OpenAPI document, the program.
	Name    string
	Version string

	// Logger gets what goes wrong inside: defects, contained panics, late returns. The zero Logger is silent. Handlers find
	// one that carries request id and capability with zerolog.Ctx(ctx). Inputs, outputs and secrets are never logged.
	Logger zerolog.Logger

	// Observers are told of every call, in this order.
	Observers []Observer

	// Gate decides on Write and Host calls. Without one they are refused.
	Gate Gate

	// Validator carries rules of your own, registered before New. Nil means the rules of go-playground/validator alone.
	Validator *validator.Validate

	// Types are the schemas of types with a JSON form of their own; see [SchemaFor].
	Types []TypeSchema

	Limits Limits

	// Override is the operator's hook: it is asked once for each capability, when it is registered.
	Override func(*Capability) Override
}

// Limits bounds what one call may bring. Zero means the default.
type Limits struct {
	Depth  int // levels of nesting in a document; 64
	Bytes  int // bytes of an input, and of an output; 10 MiB
	Issues int // issues that are listed, the rest are counted; 100
}

// Override changes how one capability is served. It can only restrict.
type Override struct {
	Disable bool          // calls answer CAPABILITY_NOT_FOUND, and it is not listed
	Timeout time.Duration // a timeout, if the capability has none or a longer one
	Scopes  []string      // further scopes that a caller needs
}

// TypeSchema is the JSON Schema of one Go type; see [SchemaFor].
type TypeSchema struct {
	goType reflect.Type
	schema json.RawMessage
}

// SchemaFor states the JSON Schema of a type that has a JSON form of its own, for [Options.Types]. The type must implement
// json.Marshaler and json.Unmarshaler (or their text counterparts), and what it writes must fit the schema.
func SchemaFor[T any](schema json.RawMessage) TypeSchema {
	return TypeSchema{goType: reflect.TypeFor[T](), schema: append(json.RawMessage(nil), schema...)}
}
