package plan_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// maybe is a stand-in for the type that the hooks tell the compiler about.
type maybe[T any] struct {
	Value T
	State plan.MaybeState
}

type maybeSlot interface {
	elem() reflect.Value
	mark(plan.MaybeState)
	look() plan.MaybeState
}

func (m *maybe[T]) elem() reflect.Value    { return reflect.ValueOf(&m.Value).Elem() }
func (m *maybe[T]) mark(s plan.MaybeState) { m.State = s }
func (m *maybe[T]) look() plan.MaybeState  { return m.State }
func (maybe[T]) elemType() reflect.Type    { return reflect.TypeFor[T]() }

type marker struct{}

// ref names an object.
type ref struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

func slotOf(v reflect.Value) maybeSlot {
	if !v.CanAddr() {
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		v = c
	}
	return v.Addr().Interface().(maybeSlot)
}

func hooks() plan.Hooks {
	return plan.Hooks{
		Marker: func(t reflect.Type) bool { return t == reflect.TypeFor[marker]() },
		Maybe: func(t reflect.Type) (reflect.Type, bool) {
			m, ok := reflect.Zero(t).Interface().(interface{ elemType() reflect.Type })
			if !ok || t.Kind() != reflect.Struct {
				return nil, false
			}
			return m.elemType(), true
		},
		SetMaybe: func(v reflect.Value, null bool) reflect.Value {
			slot := slotOf(v)
			if null {
				slot.mark(plan.MaybeNull)
				return reflect.Value{}
			}
			slot.mark(plan.MaybeSet)
			return slot.elem()
		},
		GetMaybe: func(v reflect.Value) (reflect.Value, plan.MaybeState) {
			slot := slotOf(v)
			return slot.elem(), slot.look()
		},
		Ref: reflect.TypeFor[ref](),
	}
}

func newCompiler() *plan.Compiler { return plan.New(plan.Config{Hooks: hooks()}) }

func compile[T any](tb testing.TB) *plan.Plan {
	tb.Helper()
	p, problems := newCompiler().Compile(reflect.TypeFor[T]())
	require.Empty(tb, problems)
	return p
}

// decode reads doc as a T. Issues come as "pointer rule param".
func decode[T any](tb testing.TB, doc string, l plan.Limits) (got T, issues []string) {
	tb.Helper()
	found := compile[T](tb).Decode([]byte(doc), reflect.ValueOf(&got).Elem(), l)
	return got, listed(found)
}

func listed(issues *plan.Issues) []string {
	if issues == nil {
		return nil
	}
	var list []string
	for _, issue := range issues.List {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", issue.Pointer, issue.Rule, issue.Param)))
	}
	if issues.Omitted > 0 {
		list = append(list, fmt.Sprintf("and %d more", issues.Omitted))
	}
	return list
}

// encode writes v.
func encode[T any](tb testing.TB, v T) (string, []string) {
	tb.Helper()
	dst, issues := compile[T](tb).Encode(nil, reflect.ValueOf(&v).Elem(), plan.Limits{})
	return string(dst), listed(issues)
}

// holds decodes as the member v of an object.
type holds[T any] struct {
	V T `json:"v"`
}
