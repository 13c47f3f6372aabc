package cap

import (
	"reflect"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// Maybe is a JSON member that tells absent, null and a value apart. The zero Maybe is absent. A Maybe field is optional.
type Maybe[T any] struct {
	value T
	state plan.MaybeState
}

// Some returns a Maybe that holds value.
func Some[T any](value T) Maybe[T] { return Maybe[T]{value: value, state: plan.MaybeSet} }

// Null returns a Maybe that says null.
func Null[T any]() Maybe[T] { return Maybe[T]{state: plan.MaybeNull} }

// Get returns the value and reports whether there is one.
func (m Maybe[T]) Get() (T, bool) { return m.value, m.state == plan.MaybeSet }

// IsNull reports whether the member was null.
func (m Maybe[T]) IsNull() bool { return m.state == plan.MaybeNull }

// IsZero reports whether the member is absent.
func (m Maybe[T]) IsZero() bool { return m.state == plan.MaybeAbsent }

// maybe is what reflection asks a Maybe of any type.
type maybe interface {
	look() (value any, state plan.MaybeState)
	types() (own, elem reflect.Type)
}

func (m Maybe[T]) look() (any, plan.MaybeState) { return m.value, m.state }

func (Maybe[T]) types() (own, elem reflect.Type) {
	return reflect.TypeFor[Maybe[T]](), reflect.TypeFor[T]()
}

// slot marks m null, or marks it set and returns a pointer to the value to fill.
func (m *Maybe[T]) slot(null bool) any {
	if null {
		m.state = plan.MaybeNull
		return nil
	}
	m.state = plan.MaybeSet
	return &m.value
}

type maybeSlot interface{ slot(null bool) any }

// planHooks tells the plan compiler about the types of this package that it may not import.
func planHooks() plan.Hooks {
	return plan.Hooks{
		Marker:   isMarker,
		Maybe:    maybeElem,
		SetMaybe: setMaybe,
		GetMaybe: getMaybe,
		Ref:      objectRefType,
	}
}

// isMarker reports whether t is one of the empty structs that carry a declaration and stay out of the JSON.
func isMarker(t reflect.Type) bool {
	if t == failureType || t == serviceType {
		return true
	}
	return t.Kind() == reflect.Struct && (t.Implements(contractMarkerType) || t.Implements(failsMarkerType)) && t.NumField() == 0
}

func maybeElem(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || !t.Implements(maybeType) {
		return nil, false
	}
	m, ok := reflect.Zero(t).Interface().(maybe)
	if !ok {
		return nil, false
	}
	// A struct that embeds a Maybe has its methods too, but more fields than it.
	own, elem := m.types()
	return elem, own == t
}

func setMaybe(v reflect.Value, null bool) reflect.Value {
	m, ok := v.Addr().Interface().(maybeSlot)
	if !ok {
		return reflect.Value{}
	}
	slot := m.slot(null)
	if slot == nil {
		return reflect.Value{}
	}
	return reflect.ValueOf(slot).Elem()
}

func getMaybe(v reflect.Value) (reflect.Value, plan.MaybeState) {
	m, ok := v.Interface().(maybe)
	if !ok {
		return reflect.Value{}, plan.MaybeAbsent
	}
	value, state := m.look()
	return reflect.ValueOf(value), state
}
