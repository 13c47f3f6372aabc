package method

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap/tags"
)

// A Shape is the signature of a companion, without its receiver.
type Shape struct{ In, Out []reflect.Type }

// A TypeCompanion is a method of a contract, an output or a failure that is found by its name.
type TypeCompanion struct {
	Method  reflect.Method
	Pointer bool // the receiver is a pointer to the type
	File    string
	Line    int
}

// Find looks for the companion of this name and shape on a type or on a pointer to it. Without one it returns nil. A
// method that has the name and not the shape, that has the shape and almost the name, or that is hidden by embedding or
// by a field is a problem.
func Find(t reflect.Type, name string, shape Shape) (*TypeCompanion, *Problem) {
	t, _ = deref(t)
	if t.Kind() == reflect.Interface {
		return nil, nil
	}
	m, ok := t.MethodByName(name)
	pointer := false
	if !ok {
		m, ok = reflect.PointerTo(t).MethodByName(name)
		pointer = true
	}
	if !ok {
		return nil, findNearMiss(t, name, shape)
	}
	at := locate(t, name)
	if !shape.fits(m.Type, 1) {
		return nil, &Problem{
			Where: typeText(t) + "." + name, What: "is " + funcText(m.Type),
			Do: "want " + shape.text(), File: at.file, Line: at.line,
		}
	}
	return &TypeCompanion{Method: m, Pointer: pointer, File: at.file, Line: at.line}, nil
}

// fits reports whether f has the shape behind its first parameters, which are receivers.
func (s Shape) fits(f reflect.Type, from int) bool {
	if f.IsVariadic() || f.NumIn() != from+len(s.In) || f.NumOut() != len(s.Out) {
		return false
	}
	for i, in := range s.In {
		if f.In(from+i) != in {
			return false
		}
	}
	for i, out := range s.Out {
		if f.Out(i) != out {
			return false
		}
	}
	return true
}

func (s Shape) text() string {
	if len(s.Out) == 1 {
		return "func" + listText(s.In) + " " + typeText(s.Out[0])
	}
	return "func" + listText(s.In) + " " + listText(s.Out)
}

// findNearMiss looks for a companion that t would have but for a field, an embedding or a wrong letter.
func findNearMiss(t reflect.Type, name string, shape Shape) *Problem {
	if f, ok := ownField(t, name); ok && f.Type.Kind() == reflect.Func && shape.fits(f.Type, 0) {
		return &Problem{Where: typeText(t) + "." + name, What: "is a field, not a method", Do: "declare a method, and rename the field"}
	}
	for _, level := range levels(t)[1:] {
		for _, p := range level {
			for _, m := range methodsOf(p.t) {
				if m.Name == name && shape.fits(m.Type, receivers(p.t)) {
					problem := whyHidden(t, name)
					return &problem
				}
			}
		}
	}
	for _, m := range methodsOf(t) {
		if shape.fits(m.Type, 1) && isMisspelt(t, m.Name, name) {
			at := locate(t, m.Name)
			return &Problem{
				Where: typeText(t) + "." + m.Name, What: fmt.Sprintf("looks like the companion %s", name),
				Do: fmt.Sprintf("did you mean %q?", name), File: at.file, Line: at.line,
			}
		}
	}
	return nil
}

// isMisspelt reports whether a method of t is named almost like a companion. Many a short word is near another one, and
// the shapes of short companions are common: there, only the plural or another case counts, on a method that t declares
// itself and so can rename.
func isMisspelt(t reflect.Type, got, name string) bool {
	if len(name) > 4 {
		_, near := tags.Nearest(got, []string{name})
		return near
	}
	_, _, own := declares(t, got)
	return own && slices.ContainsFunc([]string{name, name + "s", name + "es"}, func(v string) bool { return strings.EqualFold(got, v) })
}
