package capcli

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// object is a JSON object whose members keep their order, their bytes and even their duplicates, so that what a caller
// wrote is judged by the call and by nobody before it.
type object struct{ members []member }

type member struct {
	name  string
	value json.RawMessage // nil where object is set
	inner *object
}

// parseObject reads data, which is JSON. ok is false if it is no object.
func parseObject(data json.RawMessage) (parsed *object, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	parsed = &object{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, false
		}
		text, isText := name.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil || !isText {
			return nil, false
		}
		parsed.members = append(parsed.members, member{name: text, value: value})
	}
	if _, err := decoder.Token(); err != nil && err != io.EOF {
		return nil, false
	}
	return parsed, true
}

// set puts value at path. It reports false, and changes nothing, if something is there already.
func (o *object) set(path []string, value json.RawMessage) bool {
	i := slices.IndexFunc(o.members, func(m member) bool { return m.name == path[0] })
	switch {
	case i < 0 && len(path) == 1:
		o.members = append(o.members, member{name: path[0], value: value})
		return true
	case i < 0:
		inner := &object{}
		o.members = append(o.members, member{name: path[0], inner: inner})
		return inner.set(path[1:], value)
	case len(path) == 1:
		return false
	}
	inner := o.members[i].inner
	if inner == nil {
		parsed, ok := parseObject(o.members[i].value)
		if !ok {
			return false
		}
		inner = parsed
	}
	if !inner.set(path[1:], value) {
		return false
	}
	o.members[i].inner, o.members[i].value = inner, nil
	return true
}

// has reports whether something is at path.
func (o *object) has(path []string) bool {
	i := slices.IndexFunc(o.members, func(m member) bool { return m.name == path[0] })
	if i < 0 || len(path) == 1 {
		return i >= 0
	}
	inner := o.members[i].inner
	if inner == nil {
		parsed, ok := parseObject(o.members[i].value)
		if !ok {
			return false
		}
		inner = parsed
	}
	return inner.has(path[1:])
}

// appendTo writes o as JSON.
func (o *object) appendTo(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, jsonText(m.name)...), ':')
		if m.inner != nil {
			dst = m.inner.appendTo(dst)
			continue
		}
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}
