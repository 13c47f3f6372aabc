package plan

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// customForm tells which methods read and write a type with a form of its own.
type customForm uint8

const (
	formNone customForm = iota
	formText
	formJSON
)

// rootTypes is a set of JSON types.
type rootTypes uint8

const (
	rootNull rootTypes = 1 << iota
	rootBool
	rootNumber
	rootString
	rootArray
	rootObject
	rootInteger

	rootAny = rootNull | rootBool | rootNumber | rootString | rootArray | rootObject
)

// onlyObject reports whether nothing but objects is allowed.
func (r rootTypes) onlyObject() bool { return r == rootObject }

// rootNames lists the types as JSON Schema names them.
var rootNames = [...]struct {
	root rootTypes
	name string
}{
	{rootNull, "null"},
	{rootBool, "boolean"},
	{rootNumber, "number"},
	{rootInteger, "integer"},
	{rootString, "string"},
	{rootArray, "array"},
	{rootObject, "object"},
}

// String lists the types, for messages.
func (r rootTypes) String() string {
	text := ""
	for _, n := range rootNames {
		if r&n.root != 0 {
			if text != "" {
				text += " or "
			}
			text += n.name
		}
	}
	return text
}

// allows reports whether a value of the type that begins with c may stand.
func (r rootTypes) allows(c byte) bool {
	switch c {
	case 'n':
		return r&rootNull != 0
	case 't', 'f':
		return r&rootBool != 0
	case '"':
		return r&rootString != 0
	case '[':
		return r&rootArray != 0
	case '{':
		return r&rootObject != 0
	default:
		return r&(rootNumber|rootInteger) != 0
	}
}

// compileCustom compiles a type with a form of its own, described by schema.
func (w *walk) compileCustom(p *Plan, schema json.RawMessage) bool {
	compact, err := jsonvalue.Compact(nil, schema)
	if err != nil || len(compact) == 0 || compact[0] != '{' {
		w.report("give a JSON Schema as an object", "schema of type %s is no JSON object", p.Type)
		return false
	}
	roots, ok := readRoots(compact)
	if !ok {
		w.report(`use the types of JSON Schema, such as "string"`, "schema of type %s has an unknown type", p.Type)
		return false
	}
	pointer := reflect.PointerTo(p.Type)
	switch {
	case isWhole(pointer, formJSON):
		p.custom = formJSON
	case hasJSON(p.Type):
		w.report("give it both MarshalJSON and UnmarshalJSON", "type %s has only one half of a JSON form", p.Type)
		return false
	case isWhole(pointer, formText):
		p.custom = formText
		roots &= rootString
	default:
		w.report("give it both MarshalJSON and UnmarshalJSON", "type %s has a schema but no JSON form of its own", p.Type)
		return false
	}
	p.Kind, p.Schema, p.roots = Custom, compact, roots
	p.wants = "a value that its schema describes"
	return true
}

func readRoots(schema []byte) (rootTypes, bool) {
	var root struct {
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(schema, &root); err != nil {
		return 0, false
	}
	if root.Type == nil {
		return rootAny, true
	}
	var names []string
	if bytes.HasPrefix(root.Type, []byte{'['}) {
		if json.Unmarshal(root.Type, &names) != nil {
			return 0, false
		}
	} else {
		names = make([]string, 1)
		if json.Unmarshal(root.Type, &names[0]) != nil {
			return 0, false
		}
	}
	var roots rootTypes
	for _, name := range names {
		known := rootNamed(name)
		if known == 0 {
			return 0, false
		}
		roots |= known
	}
	return roots, true
}

func rootNamed(name string) rootTypes {
	for _, n := range rootNames {
		if n.name == name {
			return n.root
		}
	}
	return 0
}

// compileDeclared compiles a type with a JSONSchema method: invopop's convention, whose result is marshalled.
func (w *walk) compileDeclared(p *Plan) bool {
	schema, err := declaredSchema(p.Type)
	if err != nil {
		w.report("return a schema that can be marshalled", "JSONSchema method of type %s: %v", p.Type, err)
		return false
	}
	return w.compileCustom(p, schema)
}

// declaredSchema calls the method on a zero value. A panic is an error.
func declaredSchema(t reflect.Type) (schema json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics")
		}
	}()
	result := reflect.New(t).MethodByName("JSONSchema").Call(nil)[0]
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result.Interface()); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// reportPromoted reports a marshalling method that a struct has only from an embedded one: it would stand for the whole
// struct and swallow the other fields.
func (w *walk) reportPromoted(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for _, name := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		from, ok := promotedFrom(t, name)
		if ok {
			w.report("give the embedded field a name", "type %s gets %s from the embedded %s, which would swallow the other fields", t, name, from)
			return true
		}
	}
	return false
}

// promotedFrom returns the embedded type that method name of t, or of its pointer, is promoted from.
func promotedFrom(t reflect.Type, name string) (from reflect.Type, ok bool) {
	method, ok := reflect.PointerTo(t).MethodByName(name)
	if !ok {
		return nil, false
	}
	if m, isValue := t.MethodByName(name); isValue {
		method = m // the method of the pointer would be a wrapper
	}
	if !isWrapper(method) {
		return nil, false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous {
			continue
		}
		if _, has := f.Type.MethodByName(name); has {
			return f.Type, true
		}
		if _, has := reflect.PointerTo(f.Type).MethodByName(name); has {
			return f.Type, true
		}
	}
	return nil, false
}

// isWrapper reports whether the compiler made the method: it has no line in any file then.
func isWrapper(method reflect.Method) bool {
	f := runtime.FuncForPC(method.Func.Pointer())
	if f == nil {
		return false
	}
	file, _ := f.FileLine(f.Entry())
	return file == "<autogenerated>"
}

// addressed returns v, or a copy of it that has an address, for methods of the pointer.
func addressed(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// read hands raw, JSON or text by the form of p, to the type's own method. It reports whether it was taken; a panic is a
// refusal.
func (p *Plan) read(raw []byte, v reflect.Value) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if p.custom == formText {
		u, is := v.Addr().Interface().(encoding.TextUnmarshaler)
		return is && u.UnmarshalText(raw) == nil
	}
	u, is := v.Addr().Interface().(json.Unmarshaler)
	return is && u.UnmarshalJSON(raw) == nil
}

// written asks the type's own method for JSON or text, by the form of p. A panic is a refusal.
func (p *Plan) written(v reflect.Value) (raw []byte, ok bool) {
	defer func() {
		if recover() != nil {
			raw, ok = nil, false
		}
	}()
	var err error
	if p.custom == formText {
		m, is := addressed(v).Addr().Interface().(encoding.TextMarshaler)
		if !is {
			return nil, false
		}
		raw, err = m.MarshalText()
		return raw, err == nil
	}
	m, is := addressed(v).Addr().Interface().(json.Marshaler)
	if !is {
		return nil, false
	}
	raw, err = m.MarshalJSON()
	return raw, err == nil
}
