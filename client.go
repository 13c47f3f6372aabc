package cap

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// clientContracts compiles contracts for those who have no registry.
var clientContracts = sync.OnceValue(func() *contracts { return newContracts(plan.Config{Rules: rules.NewForeign()}) })

// ContractOf describes the contract In without its handler: what clients, generators and tests stand on. The error, if any,
// is a *[RegistrationError].
func ContractOf[In any]() (*ContractInfo, error) {
	t := deref(reflect.TypeFor[In]())
	if _, ok := isContract(t); !ok {
		return nil, problemError([]Problem{noContract(t)})
	}
	c := clientContracts().lookup(t)
	if err := problemError(c.problems); err != nil {
		return nil, err
	}
	return &ContractInfo{description: c.description}, nil
}

// noContract is the problem of a type that stands where a contract is wanted, such as the interface [Contract].
func noContract(t reflect.Type) Problem {
	return Problem{Where: typeName(deref(t)), What: "is no contract", Do: "embed cap.Read, cap.Write or cap.Host in it"}
}

// Encode writes a value of the contract, or a pointer to one, as the JSON that a call takes. The rules of the input are not
// judged: the callee does. The error is an *[Error].
func (c *ContractInfo) Encode(in any) (json.RawMessage, error) {
	value := reflect.ValueOf(in)
	if !value.IsValid() || deref(value.Type()) != c.in.Type {
		return nil, &Error{Code: CodeInputInvalid, Message: "The value is no " + c.contract + "."}
	}
	data, failed := c.encodeInput(value, plan.Limits{})
	if failed != nil {
		failed.Capability, failed.Message = c.name, messageOf(failed.Code)
		return nil, failed
	}
	return data, nil
}

// DecodeOutput reads the JSON output of a call into out, a pointer to the contract's output type.
func (c *ContractInfo) DecodeOutput(data json.RawMessage, out any) error {
	value := reflect.ValueOf(out)
	if value.Kind() != reflect.Pointer || value.IsNil() || deref(value.Type().Elem()) != c.outType {
		return &Error{Code: CodeOutputInvalid, Message: "The target is no pointer to " + c.outType.String() + ".", Capability: c.name}
	}
	return c.decodeOutput(data, value.Elem(), foreignAnswer)
}

// DecodeFailure makes the Go type of a failure that a call answered with, for errors.As, by value and by pointer. It
// returns nil if the contract declares no failure with that tag or the data does not fit it.
func (c *ContractInfo) DecodeFailure(tag string, data json.RawMessage) error {
	for _, info := range c.failures {
		if info.Tag != tag {
			continue
		}
		value, err := info.failure.decode(data, foreignAnswer)
		if err != nil {
			return nil
		}
		original, ok := value.Addr().Interface().(error)
		if !ok {
			return nil
		}
		return &declaredError{value: value, original: original}
	}
	return nil
}

// maxForeignDepth is how deep an answer of another process may be nested: its limit may be higher than ours.
const maxForeignDepth = 1000

// foreignAnswer reads what another process has encoded.
func foreignAnswer(p *plan.Plan, data []byte, v reflect.Value) *plan.Issues {
	return p.DecodeForeignAnswer(data, v, plan.Limits{Depth: maxForeignDepth})
}
