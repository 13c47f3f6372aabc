package rules

import (
	"fmt"
	"reflect"
)

// compileUnique compiles unique on a collection.
func compileUnique(param string, at target) (Rule, error) {
	kind := at.kind()
	if kind != reflect.Slice && kind != reflect.Array && kind != reflect.Map || at.wire != WireKind {
		return Rule{}, wrongKind("unique", "collections", at)
	}
	elem := at.typ.Elem()
	if elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	r := Rule{Op: OpUnique, message: "must not repeat a member"}
	if kind == reflect.Map || !isScalar(elem.Kind()) || elem.Kind() == reflect.Float32 || wireOf(elem) != WireKind {
		// Members that differ in JSON may be equal in Go.
		r.Class = Wider
	}
	if param != "" {
		if kind == reflect.Map || elem.Kind() != reflect.Struct {
			return Rule{}, fmt.Errorf("rule \"unique\" has the parameter %q, but %s has no structs as members", param, at.typ)
		}
		field, ok := elem.FieldByName(param)
		if !ok || !field.IsExported() {
			return Rule{}, fmt.Errorf("rule \"unique\" names the field %q, which %s does not have%s", param, elem, suggestion(param, fieldNames(elem)))
		}
		if len(field.Index) > 1 {
			return Rule{}, fmt.Errorf("rule \"unique\" names the field %q, which %s only embeds", param, elem)
		}
		r.Op, r.Class, r.Field = OpUniqueField, Opaque, field.Index
		r.message = "must not repeat " + jsonName(field)
		elem = field.Type
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		}
	}
	if !hasValueEquality(elem) {
		return Rule{}, fmt.Errorf("rule \"unique\" cannot compare %s", elem)
	}
	return r, nil
}

// hasValueEquality reports whether == on values of t compares what JSON shows: no pointers, interfaces or slices inside.
func hasValueEquality(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !hasValueEquality(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return hasValueEquality(t.Elem())
	default:
		return isScalar(t.Kind())
	}
}

// isUnique reports whether no two members of v are equal, or have an equal field. Short collections of strings and
// numbers are compared one by one; the others go through a map, so that a long one costs no more than its length.
func isUnique(v reflect.Value, field []int) bool {
	const short = 16
	if v.Kind() != reflect.Map && v.Len() <= short && field == nil {
		for i := 1; i < v.Len(); i++ {
			for j := range i {
				if equal(v.Index(i), v.Index(j)) {
					return false
				}
			}
		}
		return true
	}
	seen := make(map[any]struct{}, v.Len())
	if v.Kind() == reflect.Map {
		for members := v.MapRange(); members.Next(); {
			if repeated(seen, members.Value()) {
				return false
			}
		}
		return true
	}
	for i := range v.Len() {
		member := v.Index(i)
		if field != nil {
			if member.Kind() == reflect.Pointer && !member.IsNil() {
				member = member.Elem()
			}
			if member.Kind() == reflect.Struct {
				member = member.FieldByIndex(field)
			}
		}
		if repeated(seen, member) {
			return false
		}
	}
	return true
}

func equal(a, b reflect.Value) bool {
	if a.Kind() == reflect.Pointer {
		if a.IsNil() || b.IsNil() {
			return a.IsNil() && b.IsNil()
		}
		a, b = a.Elem(), b.Elem()
	}
	return a.Equal(b)
}

// repeated notes v, and reports whether it was there. All nil pointers are one value.
func repeated(seen map[any]struct{}, v reflect.Value) bool {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = reflect.Value{}
		} else {
			v = v.Elem()
		}
	}
	var key any
	if v.IsValid() {
		key = v.Interface()
	}
	if _, ok := seen[key]; ok {
		return true
	}
	seen[key] = struct{}{}
	return false
}
