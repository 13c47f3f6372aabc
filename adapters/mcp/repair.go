package capmcp

import (
	"bytes"
	"encoding/json"
	"slices"
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
	path []step // where the repair looks
}

// step is one step into a document: the name of a member as it is written, or the index of an element.
type step struct {
	name  []byte
	index int
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
		r.note("null", "object")
		return []byte("{}")
	}
	return r.value(s, args)
}

// value returns raw itself when there is nothing to do.
func (r *repairs) value(s shape, raw []byte) []byte {
	if len(r.path) > maxRepairDepth || len(raw) == 0 {
		return raw
	}
	switch s.kind {
	case cap.FieldInteger, cap.FieldNumber:
		return r.unquote(raw, string(s.kind), isNumber)
	case cap.FieldBoolean:
		return r.unquote(raw, string(s.kind), func(text string) bool { return text == "true" || text == "false" })
	case cap.FieldObject:
		return r.object(s, r.unpack(raw, '{', "object"))
	case cap.FieldMap:
		return r.values(s, r.unpack(raw, '{', "object"))
	case cap.FieldArray:
		return r.elements(s, r.unpack(raw, '[', "array"))
	default:
		return raw
	}
}

// unquote takes a literal out of the string that holds it.
func (r *repairs) unquote(raw []byte, kind string, fits func(string) bool) []byte {
	text, ok := stringOf(raw)
	if !ok || !fits(text) {
		return raw
	}
	r.note("string", kind)
	return []byte(text)
}

// unpack takes an object or an array out of the string that holds it.
func (r *repairs) unpack(raw []byte, open byte, kind string) []byte {
	text, ok := stringOf(raw)
	if !ok {
		return raw
	}
	text = strings.TrimSpace(text)
	if text == "" || text[0] != open || !json.Valid([]byte(text)) {
		return raw
	}
	r.note("string", kind)
	return []byte(text)
}

// edit is what becomes of one member or element.
type edit struct {
	at    int
	value []byte // nil takes it out
}

func (r *repairs) object(s shape, raw []byte) []byte {
	var edits []edit
	i := 0
	ok := eachMember(raw, func(m member) {
		at := i
		i++
		field := s.lookup(m.name)
		if field == nil {
			return
		}
		r.path = append(r.path, step{name: m.name})
		if isNull(m.value) && !field.Required() && !field.Nullable() {
			r.note("null", "absent")
			edits = append(edits, edit{at: at})
		} else if value := r.member(field, m.value); !same(value, m.value) {
			edits = append(edits, edit{at, value})
		}
		r.path = r.path[:len(r.path)-1]
	})
	return editMembers(raw, edits, ok)
}

// member looks a field's own members up only where the value can have some.
func (r *repairs) member(field *cap.Field, value []byte) []byte {
	if value[0] != '"' && value[0] != '{' && value[0] != '[' {
		return value
	}
	return r.value(shapeOf(field), value)
}

func (r *repairs) values(s shape, raw []byte) []byte {
	elem := s.field.Elem()
	if elem == nil {
		return raw
	}
	var edits []edit
	i, inner := 0, shapeOf(elem)
	ok := eachMember(raw, func(m member) {
		r.path = append(r.path, step{name: m.name})
		if value := r.value(inner, m.value); !same(value, m.value) {
			edits = append(edits, edit{i, value})
		}
		r.path = r.path[:len(r.path)-1]
		i++
	})
	return editMembers(raw, edits, ok)
}

func editMembers(raw []byte, edits []edit, ok bool) []byte {
	if !ok || len(edits) == 0 {
		return raw
	}
	members, _ := membersOf(raw)
	for _, e := range edits {
		members[e.at].value = e.value
	}
	return joinMembers(slices.DeleteFunc(members, func(m member) bool { return m.value == nil }))
}

func (r *repairs) elements(s shape, raw []byte) []byte {
	elem := s.field.Elem()
	if elem == nil {
		return raw
	}
	var edits []edit
	i, inner := 0, shapeOf(elem)
	ok := eachElement(raw, func(element []byte) {
		r.path = append(r.path, step{index: i})
		if value := r.value(inner, element); !same(value, element) {
			edits = append(edits, edit{i, value})
		}
		r.path = r.path[:len(r.path)-1]
		i++
	})
	if !ok || len(edits) == 0 {
		return raw
	}
	elements := make([][]byte, 0, i)
	eachElement(raw, func(element []byte) { elements = append(elements, element) })
	for _, e := range edits {
		elements[e.at] = e.value
	}
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}

func (r *repairs) note(from, to string) {
	if len(r.list) == maxRepairs {
		r.more++
		return
	}
	r.list = append(r.list, repaired{Pointer: boundPlace(r.pointer()), From: from, To: to})
}

// pointer writes the path as a JSON Pointer (RFC 6901).
func (r *repairs) pointer() string {
	var b strings.Builder
	for _, s := range r.path {
		b.WriteByte('/')
		if s.name == nil {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		name, _ := stringOf(s.name)
		b.WriteString(escapePointer(name))
	}
	return b.String()
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
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		text, ok := stringOf(quoted)
		if !ok {
			return nil
		}
		name = []byte(text)
	}
	for _, field := range s.fields {
		if field.Name() == string(name) {
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
