package capmcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// shape is what the repair of arguments knows of a field. The members of an object are looked up once for each value of it:
// a recursive type has endless fields, so they cannot all be kept.
type shape struct {
	field  *cap.Field
	kind   cap.FieldKind
	fields []*cap.Field
}

func shapeOf(field *cap.Field) shape {
	s := shape{field: field, kind: field.Kind()}
	if s.kind == cap.FieldObject {
		s.fields = field.Fields()
	}
	return s
}

// repaired says what was done to one argument. It holds nothing of the value.
type repaired struct {
	Pointer string `json:"pointer"`
	From    string `json:"from"`
	To      string `json:"to"`
}

// repairs are what was done to the arguments of one call.
type repairs struct {
	list []repaired
	more int
}

const (
	// maxRepairs bounds the report, not the repair.
	maxRepairs = 20
	// maxRepairDepth is where the repair stops looking, beyond what the registry accepts.
	maxRepairDepth = 64
)

// repair changes arguments that a model wrote as text into what the schema asks for: "5" for a number, "true" for a boolean,
// JSON in a string for an object or a list, null for what may be left out. A string that the schema allows is never touched.
func (r *repairs) repair(s shape, args []byte) []byte {
	if isNull(args) {
		r.note("", "null", "object")
		return []byte("{}")
	}
	return r.value(s, args, "", 0)
}

// value returns raw itself when there is nothing to do.
func (r *repairs) value(s shape, raw []byte, at string, depth int) []byte {
	if depth > maxRepairDepth || len(raw) == 0 {
		return raw
	}
	switch s.kind {
	case cap.FieldInteger, cap.FieldNumber:
		return r.unquote(raw, at, string(s.kind), isNumber)
	case cap.FieldBoolean:
		return r.unquote(raw, at, string(s.kind), func(text string) bool { return text == "true" || text == "false" })
	case cap.FieldObject:
		return r.object(s, r.unpack(raw, at, '{', "object"), at, depth)
	case cap.FieldMap:
		return r.values(s, r.unpack(raw, at, '{', "object"), at, depth)
	case cap.FieldArray:
		return r.elements(s, r.unpack(raw, at, '[', "array"), at, depth)
	default:
		return raw
	}
}

// unquote takes a literal out of the string that holds it.
func (r *repairs) unquote(raw []byte, at, kind string, fits func(string) bool) []byte {
	text, ok := stringOf(raw)
	if !ok || !fits(text) {
		return raw
	}
	r.note(at, "string", kind)
	return []byte(text)
}

// unpack takes an object or an array out of the string that holds it.
func (r *repairs) unpack(raw []byte, at string, open byte, kind string) []byte {
	text, ok := stringOf(raw)
	if !ok {
		return raw
	}
	text = strings.TrimSpace(text)
	if text == "" || text[0] != open || !json.Valid([]byte(text)) {
		return raw
	}
	r.note(at, "string", kind)
	return []byte(text)
}

func (r *repairs) object(s shape, raw []byte, at string, depth int) []byte {
	members, ok := membersOf(raw)
	if !ok {
		return raw
	}
	changed := false
	kept := members[:0:len(members)]
	for _, m := range members {
		field := s.lookup(m.name)
		if field == nil {
			kept = append(kept, m)
			continue
		}
		here := at + "/" + escapePointer(field.Name())
		if isNull(m.value) && !field.Required() && !field.Nullable() {
			r.note(here, "null", "absent")
			changed = true
			continue
		}
		if value := r.member(field, m.value, here, depth); !same(value, m.value) {
			m.value, changed = value, true
		}
		kept = append(kept, m)
	}
	if !changed {
		return raw
	}
	return joinMembers(kept)
}

// member looks a field's own members up only where the value can have some.
func (r *repairs) member(field *cap.Field, value []byte, at string, depth int) []byte {
	if len(value) == 0 || value[0] != '"' && value[0] != '{' && value[0] != '[' {
		return value
	}
	return r.value(shapeOf(field), value, at, depth+1)
}

func (r *repairs) values(s shape, raw []byte, at string, depth int) []byte {
	members, ok := membersOf(raw)
	elem := s.field.Elem()
	if !ok || elem == nil {
		return raw
	}
	changed, inner := false, shapeOf(elem)
	for i, m := range members {
		name, ok := stringOf(m.name)
		if !ok {
			return raw
		}
		if value := r.value(inner, m.value, at+"/"+escapePointer(name), depth+1); !same(value, m.value) {
			members[i].value, changed = value, true
		}
	}
	if !changed {
		return raw
	}
	return joinMembers(members)
}

func (r *repairs) elements(s shape, raw []byte, at string, depth int) []byte {
	elements, ok := elementsOf(raw)
	elem := s.field.Elem()
	if !ok || elem == nil {
		return raw
	}
	changed, inner := false, shapeOf(elem)
	for i, element := range elements {
		if value := r.value(inner, element, at+"/"+strconv.Itoa(i), depth+1); !same(value, element) {
			elements[i], changed = value, true
		}
	}
	if !changed {
		return raw
	}
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}

func (r *repairs) note(pointer, from, to string) {
	if len(r.list) == maxRepairs {
		r.more++
		return
	}
	r.list = append(r.list, repaired{Pointer: pointer, From: from, To: to})
}

// report gives the repairs as metadata, or nil.
func (r *repairs) report() any {
	if len(r.list) == 0 {
		return nil
	}
	if r.more == 0 {
		return r.list
	}
	return append(r.list, repaired{From: "and " + strconv.Itoa(r.more) + " more"})
}

// lookup finds the field of a name as it is written in a document.
func (s shape) lookup(quoted []byte) *cap.Field {
	name, ok := stringOf(quoted)
	if !ok {
		return nil
	}
	for _, field := range s.fields {
		if field.Name() == name {
			return field
		}
	}
	return nil
}

func joinMembers(members []member) []byte {
	dst := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, m.name...), ':'), m.value...)
	}
	return append(dst, '}')
}

// same reports whether a repair left a value as it was: then it is the same memory.
func same(a, b []byte) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

func isNull(raw []byte) bool { return string(raw) == "null" }

// stringOf decodes a JSON string. ok is false when raw is none.
func stringOf(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	return text, json.Unmarshal(raw, &text) == nil
}

// isNumber reports whether text is a JSON number, whole.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text)) && text[len(text)-1] > ' '
}

func escapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
