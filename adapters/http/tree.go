package caphttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// tree is a JSON value whose members keep their order, so that documents which are made of schemas are the same in every
// run. A tree is made once and not shared: the functions of this package change trees in place.
type tree struct {
	members []member // of an object
	items   []*tree  // of an array
	scalar  string   // of anything else, as JSON
	kind    byte     // '{', '[' or 's'
}

type member struct {
	name  string
	value *tree
}

// object makes an object of names and values in turn; a nil value is left out. See [treeOf].
func object(pairs ...any) *tree {
	t := &tree{kind: '{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, ok := pairs[i].(string); ok && pairs[i+1] != nil {
			t.set(name, treeOf(pairs[i+1]))
		}
	}
	return t
}

// array makes an array.
func array(items ...any) *tree {
	t := &tree{kind: '['}
	for _, item := range items {
		t.items = append(t.items, treeOf(item))
	}
	return t
}

// treeOf makes a tree of a tree, a text, a number, a boolean or JSON. What is none of them becomes null.
func treeOf(v any) *tree {
	switch v := v.(type) {
	case *tree:
		return v
	case []string:
		t := array()
		for _, s := range v {
			t.items = append(t.items, treeOf(s))
		}
		return t
	case json.RawMessage:
		if t, err := parseTree(v); err == nil {
			return t
		}
	default:
		if data, err := encode(v); err == nil {
			return &tree{kind: 's', scalar: string(bytes.TrimSpace(data))}
		}
	}
	return &tree{kind: 's', scalar: "null"}
}

// parseTree reads a JSON value.
func parseTree(data []byte) (*tree, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	t, err := readTree(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("caphttp: something follows a JSON value")
	}
	return t, nil
}

func readTree(decoder *json.Decoder) (*tree, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return treeOf(token), nil
	}
	t := &tree{kind: byte(delim)}
	for decoder.More() {
		if t.kind == '[' {
			item, err := readTree(decoder)
			if err != nil {
				return nil, err
			}
			t.items = append(t.items, item)
			continue
		}
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := readTree(decoder)
		if err != nil {
			return nil, err
		}
		t.members = append(t.members, member{fmt.Sprint(name), value})
	}
	_, err = decoder.Token()
	return t, err
}

// get returns the member of that name, or nil.
func (t *tree) get(name string) *tree {
	if t == nil {
		return nil
	}
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// text returns the text of a scalar, or "".
func (t *tree) text() string {
	var s string
	if t == nil || t.kind != 's' || json.Unmarshal([]byte(t.scalar), &s) != nil {
		return ""
	}
	return s
}

// set gives a member a value, in its place if it is there, at the end otherwise.
func (t *tree) set(name string, value *tree) {
	for i := range t.members {
		if t.members[i].name == name {
			t.members[i].value = value
			return
		}
	}
	t.members = append(t.members, member{name, value})
}

// drop removes members.
func (t *tree) drop(names ...string) {
	t.members = slices.DeleteFunc(t.members, func(m member) bool { return slices.Contains(names, m.name) })
}

// rename gives a member another name, in its place.
func (t *tree) rename(from, to string) {
	for i := range t.members {
		if t.members[i].name == from {
			t.members[i].name = to
		}
	}
}

// clone copies a tree.
func (t *tree) clone() *tree {
	if t == nil {
		return nil
	}
	copied := &tree{scalar: t.scalar, kind: t.kind}
	for _, m := range t.members {
		copied.members = append(copied.members, member{m.name, m.value.clone()})
	}
	for _, item := range t.items {
		copied.items = append(copied.items, item.clone())
	}
	return copied
}

// append writes the tree as JSON, indented by tabs if indent is not negative.
func (t *tree) append(dst []byte, indent int) []byte {
	switch t.kind {
	case '{':
		return appendList(dst, indent, '{', '}', len(t.members), func(dst []byte, i, indent int) []byte {
			dst = append(dst, treeOf(t.members[i].name).scalar...)
			dst = append(dst, ':')
			if indent >= 0 {
				dst = append(dst, ' ')
			}
			return t.members[i].value.append(dst, indent)
		})
	case '[':
		return appendList(dst, indent, '[', ']', len(t.items), func(dst []byte, i, indent int) []byte {
			return t.items[i].append(dst, indent)
		})
	default:
		return append(dst, t.scalar...)
	}
}

func appendList(dst []byte, indent int, start, end byte, n int, item func(dst []byte, i, indent int) []byte) []byte {
	dst = append(dst, start)
	inner := indent
	if indent >= 0 {
		inner++
	}
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(appendBreak(dst, inner), i, inner)
	}
	if n > 0 {
		dst = appendBreak(dst, indent)
	}
	return append(dst, end)
}

func appendBreak(dst []byte, indent int) []byte {
	if indent < 0 {
		return dst
	}
	return append(append(dst, '\n'), bytes.Repeat([]byte("\t"), indent)...)
}
