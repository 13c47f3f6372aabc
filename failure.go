package cap

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// FailureInfo describes one failure that a capability declares.
type FailureInfo struct {
	Tag         string          // names it on every front; the type's name, or tag=
	Description string          // when it happens
	Doc         string          // more of it, in Markdown
	Fix         string          // what the caller can do; empty where it depends on the values
	Retry       string          // a Go duration after which trying again may help, or empty
	Schema      json.RawMessage // of the failure's own members
	failure     *failurePlan
}

// Lookup returns the value of a struct tag key of an adapter's own, such as http, on the failure's [Failure] field.
func (f FailureInfo) Lookup(key string) (string, bool) { return f.failure.tag.Lookup(key) }

// maxUnwrap bounds how much of an error's tree is searched: an error may unwrap to itself.
const maxUnwrap = 100

// declaredFailure looks for a failure that the capability declares in err: by value, by pointer, wrapped or joined. declared
// is false for every other error. A declared failure that breaks its own contract is a defect.
func (c *call) declaredFailure(err error) (declared bool, failed *Error) {
	found, info, value := c.capability.findFailure(err)
	if !found {
		return false, nil
	}
	failed, fault := c.encodeFailure(err, info, value)
	if fault != nil {
		return true, &Error{Code: CodeExecutionFailed, cause: errors.Join(fault, &opaqueError{err})}
	}
	return true, failed
}

// findFailure walks the tree of err. Methods of errors are the user's code: a panic in one ends the search.
func (c *Capability) findFailure(err error) (found bool, info FailureInfo, value reflect.Value) {
	defer func() {
		if recover() != nil {
			found = false
		}
	}()
	steps := 0
	var walk func(error) bool
	walk = func(err error) bool {
		if steps++; err == nil || steps > maxUnwrap {
			return false
		}
		// An *Error of another call is no failure of this one, whatever it carries, and a panic is always a defect.
		switch err.(type) { //nolint:errorlint // each node of the tree is looked at by itself
		case *Error, *panicError:
			return false
		}
		if info, value, found = c.failureOf(err); found {
			return true
		}
		switch err := err.(type) { //nolint:errorlint // each node of the tree is looked at by itself
		case interface{ Unwrap() error }:
			return walk(err.Unwrap())
		case interface{ Unwrap() []error }:
			for _, e := range err.Unwrap() {
				if walk(e) {
					return true
				}
			}
		}
		return false
	}
	walk(err)
	return found, info, value
}

// maxTree bounds how many errors one may hold so that others may search it.
const maxTree = 10_000

// sound returns the cause of an [Error] as callers in process may search it with errors.As. What unwraps without end, or
// panics when it is unwrapped, keeps its text alone: a search would never return.
func sound(cause error) error {
	if cause == nil || isBounded(cause) {
		return cause
	}
	if d, ok := cause.(*declaredError); ok { //nolint:errorlint // our own, at the root
		return &declaredError{value: d.value, original: &opaqueError{d.original}}
	}
	return &opaqueError{cause}
}

// isBounded reports whether err can be unwrapped to its end.
func isBounded(err error) (bounded bool) {
	defer func() {
		if recover() != nil {
			bounded = false
		}
	}()
	left := []error{err}
	for steps := 0; len(left) > 0; steps++ {
		if steps+len(left) > maxTree {
			return false
		}
		last := left[len(left)-1]
		left = left[:len(left)-1]
		switch err := last.(type) { //nolint:errorlint // each node of the tree is looked at by itself
		case interface{ Unwrap() error }:
			if next := err.Unwrap(); next != nil {
				left = append(left, next)
			}
		case interface{ Unwrap() []error }:
			left = append(left, err.Unwrap()...)
		}
	}
	return true
}

// failureOf reports whether err itself is a declared failure, and gives its struct.
func (c *Capability) failureOf(err error) (FailureInfo, reflect.Value, bool) {
	value := reflect.ValueOf(err)
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return FailureInfo{}, reflect.Value{}, false
		}
		value = value.Elem()
	}
	for _, info := range c.failures {
		if info.failure.plan.Type == value.Type() {
			return info, value, true
		}
	}
	return FailureInfo{}, reflect.Value{}, false
}

// encodeFailure builds the error of a declared failure. fault says why it breaks its contract.
func (c *call) encodeFailure(err error, info FailureInfo, value reflect.Value) (failed *Error, fault error) {
	data, issues := info.failure.plan.Encode(nil, value, c.registry.limits)
	if issues != nil {
		return nil, &issuesError{"failure " + info.Tag, issues}
	}
	fresh, fault := info.failure.decode(data, c.registry.ownAnswer)
	if fault != nil {
		return nil, fault
	}
	reason, fix, fault := info.texts(fresh)
	if fault != nil {
		return nil, fault
	}
	return &Error{
		Code: CodeCapabilityFailed, Message: reason, Reason: reason,
		Tag: info.Tag, Fix: fix, Retry: info.Retry, Failure: data,
		cause: &declaredError{value: fresh, original: err},
	}, nil
}

// texts gives the reason and the fix of a failure, from a copy of it.
func (f FailureInfo) texts(value reflect.Value) (reason, fix string, fault error) {
	defer func() {
		if v := recover(); v != nil {
			fault = &panicError{v}
		}
	}()
	err, ok := value.Addr().Interface().(error)
	if !ok {
		return "", "", fmt.Errorf("cap: failure %s is no error", f.Tag)
	}
	reason, fix = err.Error(), f.Fix
	if fixer, ok := value.Addr().Interface().(Fixer); ok {
		fix = fixer.Fix()
	}
	if reason == "" || !utf8.ValidString(reason) || fix == "" || !utf8.ValidString(fix) {
		return "", "", fmt.Errorf("cap: failure %s has an empty reason or fix, or one that is not UTF-8", f.Tag)
	}
	return reason, fix, nil
}

// declaredError is the cause inside CAPABILITY_FAILED: a copy of the failure, for errors.As by value and by pointer, and
// behind it what the handler returned.
type declaredError struct {
	value    reflect.Value // of the failure's struct, addressable
	original error
}

func (e *declaredError) Error() string { return safeText(e.original) }

func (e *declaredError) Unwrap() error { return e.original }

// As gives a copy of the failure to a target of its type or of a pointer to it.
func (e *declaredError) As(target any) bool {
	slot := reflect.ValueOf(target).Elem()
	switch slot.Type() {
	case e.value.Type():
		slot.Set(e.value)
	case reflect.PointerTo(e.value.Type()):
		copied := reflect.New(e.value.Type())
		copied.Elem().Set(e.value)
		slot.Set(copied)
	default:
		return false
	}
	return true
}

// opaqueError hides the type of an error from errors.As, but not its text.
type opaqueError struct{ err error }

func (e *opaqueError) Error() string { return safeText(e.err) }
