package capcli

import (
	"encoding/json"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// sample is what help shows as one use of the flag, as a shell takes it: the example of the field, of a list its first
// element, and of an object without one what its members' examples make. "" if there is none.
func (l *leaf) sample() string {
	if l.secret {
		return ""
	}
	value := l.field.Example()
	switch {
	case l.shape == shapeList:
		return l.form.typed(firstElement(value, l.field.Elem()))
	case l.shape == shapeMap:
		return firstPair(value, l.form)
	case value == nil && l.field.Kind() == cap.FieldObject:
		value = sampleOf(l.field, maxSampleDepth)
	}
	return l.form.typed(value)
}

// firstElement is the first element of a list's example, or one that is made up.
func firstElement(list json.RawMessage, elem *cap.Field) json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(list, &elements) == nil && len(elements) > 0 {
		return elements[0]
	}
	if elem.Example() == nil && elem.Kind() == cap.FieldObject {
		return sampleOf(elem, maxSampleDepth)
	}
	return elem.Example()
}

// firstPair is the first member of a map's example, as its flag takes it.
func firstPair(value json.RawMessage, f form) string {
	if parsed, ok := parseObject(value); ok && len(parsed.members) > 0 {
		first := parsed.members[0]
		return typed(first.name + "=" + f.plain(first.value))
	}
	return ""
}

// plain is how a value is written as one argument: JSON stays JSON.
func (f form) plain(value json.RawMessage) string {
	if f == formJSON {
		return string(value)
	}
	return textOf(value)
}

func (f form) typed(value json.RawMessage) string {
	if value == nil {
		return ""
	}
	return typed(f.plain(value))
}

// typed puts quotes around what a shell would not take as one word.
func typed(text string) string {
	quoted := shellQuote(text)
	if quoted != text && !strings.ContainsAny(text, "\"\\$`!'") && text != "" && visible(text) == text {
		return `"` + text + `"`
	}
	return quoted
}

// maxSampleDepth bounds samples: a type that holds itself has no end.
const maxSampleDepth = 3

// sampleOf makes a value of the examples of an object's members. Those that may be left out are, unless they have one.
func sampleOf(field *cap.Field, depth int) json.RawMessage {
	made := &object{}
	for _, member := range field.Fields() {
		value := member.Example()
		if value == nil && member.Required() {
			value = madeUp(member, depth)
		}
		if value != nil && !member.Secret() {
			made.set([]string{member.Name()}, value)
		}
	}
	return made.appendTo(nil)
}

// madeUp is a value of the right kind, for a member that must be there and has no example.
func madeUp(field *cap.Field, depth int) json.RawMessage {
	if values := field.Enum(); len(values) > 0 {
		return values[0]
	}
	switch field.Kind() {
	case cap.FieldObject:
		if depth > 0 {
			return sampleOf(field, depth-1)
		}
		return json.RawMessage("{}")
	case cap.FieldArray:
		return json.RawMessage("[]")
	case cap.FieldMap:
		return json.RawMessage("{}")
	case cap.FieldInteger, cap.FieldNumber:
		return json.RawMessage("1")
	case cap.FieldBoolean:
		return json.RawMessage("true")
	default:
		return jsonText("…")
	}
}
