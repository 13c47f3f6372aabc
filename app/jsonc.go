package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// jsonc is a JSON document that people may have written: with comments and trailing commas. It is changed where it must be
// and kept to the letter everywhere else.
type jsonc struct{ text []byte }

// span is a place in a document.
type span struct{ start, end int }

// object is what was found of an object: its members, and its braces.
type object struct {
	span
	members []member
}

type member struct {
	name  string
	key   span
	value span
}

// set puts a value at a path of names. Objects on the way are made where they are missing; a value that is there already is
// replaced.
func (d *jsonc) set(path []string, value any) error {
	if len(bytes.TrimSpace(bytes.TrimPrefix(d.text, []byte("\ufeff")))) == 0 {
		d.text = []byte("{}\n")
	}
	root, err := d.root()
	if err != nil {
		return err
	}
	at, depth := root, 0
	for ; depth < len(path)-1; depth++ {
		found, err := at.member(path[depth])
		if err != nil {
			return err
		}
		if found == nil {
			break
		}
		if d.text[found.value.start] != '{' {
			return fmt.Errorf("%q is no object", strings.Join(path[:depth+1], "."))
		}
		if at, err = d.object(found.value.start); err != nil {
			return err
		}
	}
	for i := len(path) - 1; i > depth; i-- {
		value = map[string]any{path[i]: value}
	}
	return d.put(at, path[depth], value)
}

// find gives the value at a path of names.
func (d *jsonc) find(path []string) (value span, found bool) {
	at, err := d.root()
	for i, name := range path {
		if err != nil {
			return span{}, false
		}
		member, _ := at.member(name)
		switch {
		case member == nil:
			return span{}, false
		case i == len(path)-1:
			return member.value, true
		case d.text[member.value.start] != '{':
			return span{}, false
		}
		at, err = d.object(member.value.start)
	}
	return span{}, false
}

// equals reports whether the value at a path says the same already.
func (d *jsonc) equals(path []string, value any) bool {
	at, found := d.find(path)
	if !found {
		return false
	}
	want, wrong := json.Marshal(value)
	text, commented := json.Marshal(json.RawMessage(d.text[at.start:at.end]))
	return wrong == nil && commented == nil && string(text) == string(want)
}

// put replaces a member of an object, or adds it behind the others.
func (d *jsonc) put(at object, name string, value any) error {
	found, err := at.member(name)
	if err != nil {
		return err
	}
	indent, unit := d.indent(at)
	encoded, err := encode(value, indent, unit)
	if err != nil {
		return err
	}
	if found != nil {
		d.splice(found.value, encoded)
		return nil
	}
	key, err := encode(name, "", "")
	if err != nil {
		return err
	}
	line := "\n" + indent + key + ": " + encoded
	if len(at.members) > 0 {
		last := at.members[len(at.members)-1].value.end
		d.splice(span{last, last}, ","+line)
		return nil
	}
	closing := "\n" + strings.TrimSuffix(indent, unit)
	inside := bytes.TrimSpace(d.text[at.start+1 : at.end-1])
	if len(inside) > 0 { // comments
		closing = ""
	}
	d.splice(span{at.start + 1, at.start + 1 + blanks(d.text[at.start+1:at.end-1], len(inside) == 0)}, line+closing)
	return nil
}

// blanks is how much of an empty object is dropped before its first member is written.
func blanks(inside []byte, isEmpty bool) int {
	if isEmpty {
		return len(inside)
	}
	return 0
}

func (d *jsonc) splice(at span, text string) {
	if bytes.Contains(d.text, []byte("\r\n")) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	d.text = append(d.text[:at.start:at.start], append([]byte(text), d.text[at.end:]...)...)
}

// encode writes a value as it stands behind an indented name.
func encode(value any, indent, unit string) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(indent, unit)
	err := encoder.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// indent is how members of an object are indented, and by how much more than the object.
func (d *jsonc) indent(at object) (indent, unit string) {
	outer := d.lineIndent(at.start)
	unit = "  "
	if len(at.members) > 0 {
		indent = d.lineIndent(at.members[0].key.start)
		if more, found := strings.CutPrefix(indent, outer); found && more != "" {
			return indent, more
		}
		if indent != outer {
			return indent, unit
		}
	}
	return outer + unit, unit
}

// lineIndent is the blanks at the start of the line that a place is in.
func (d *jsonc) lineIndent(at int) string {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	end := start
	for end < at && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[start:end])
}

// member finds a member by its name. A name that is there twice means what nobody knows.
func (o object) member(name string) (*member, error) {
	var found *member
	for i := range o.members {
		if o.members[i].name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%q is there twice", name)
		}
		found = &o.members[i]
	}
	return found, nil
}

var errNoJSON = errors.New("it is no JSON")

// root reads the whole document, which must be one object.
func (d *jsonc) root() (object, error) {
	start, err := d.skip(len(d.text) - len(bytes.TrimPrefix(d.text, []byte("\ufeff"))))
	if err != nil {
		return object{}, err
	}
	if start == len(d.text) || d.text[start] != '{' {
		return object{}, errNoJSON
	}
	root, err := d.object(start)
	if err != nil {
		return object{}, err
	}
	if end, err := d.skip(root.end); err != nil || end != len(d.text) {
		return object{}, errNoJSON
	}
	return root, nil
}

// object reads the object that begins at a place.
func (d *jsonc) object(start int) (object, error) {
	o := object{span: span{start: start}}
	at := start + 1
	for {
		var err error
		if at, err = d.skip(at); err != nil || at == len(d.text) {
			return o, errNoJSON
		}
		if d.text[at] == '}' {
			o.end = at + 1
			return o, nil
		}
		if at, err = d.readMember(&o, at); err != nil {
			return o, err
		}
		if at, err = d.skip(at); err != nil || at == len(d.text) {
			return o, errNoJSON
		}
		switch d.text[at] {
		case ',':
			at++
		case '}':
		default:
			return o, errNoJSON
		}
	}
}

// readMember reads a name and what it stands for, and returns where that ends.
func (d *jsonc) readMember(o *object, at int) (int, error) {
	key, err := d.value(at)
	if err != nil {
		return 0, err
	}
	var name string
	if json.Unmarshal(d.text[key.start:key.end], &name) != nil {
		return 0, errNoJSON
	}
	if at, err = d.skip(key.end); err != nil || at == len(d.text) || d.text[at] != ':' {
		return 0, errNoJSON
	}
	if at, err = d.skip(at + 1); err != nil {
		return 0, err
	}
	value, err := d.value(at)
	if err != nil {
		return 0, err
	}
	o.members = append(o.members, member{name: name, key: key, value: value})
	return value.end, nil
}

// value finds where the value that begins at a place ends.
func (d *jsonc) value(at int) (span, error) {
	if at >= len(d.text) {
		return span{}, errNoJSON
	}
	switch d.text[at] {
	case '"':
		return d.quoted(at)
	case '{', '[':
		return d.nested(at)
	default:
		end := at
		for end < len(d.text) && !bytes.ContainsRune([]byte(" \t\r\n,:]}/"), rune(d.text[end])) {
			end++
		}
		if !json.Valid(d.text[at:end]) {
			return span{}, errNoJSON
		}
		return span{at, end}, nil
	}
}

func (d *jsonc) quoted(at int) (span, error) {
	for end := at + 1; end < len(d.text); end++ {
		switch d.text[end] {
		case '\\':
			end++
		case '"':
			if !json.Valid(d.text[at : end+1]) {
				return span{}, errNoJSON
			}
			return span{at, end + 1}, nil
		}
	}
	return span{}, errNoJSON
}

// nested finds the end of an object or a list by its brackets.
func (d *jsonc) nested(at int) (span, error) {
	var open []byte
	for end := at; end < len(d.text); {
		switch c := d.text[end]; c {
		case '{', '[':
			open = append(open, c+2) // the bracket that closes it
			end++
		case '}', ']':
			if open[len(open)-1] != c {
				return span{}, errNoJSON
			}
			open = open[:len(open)-1]
			end++
			if len(open) == 0 {
				return span{at, end}, nil
			}
		case '"':
			text, err := d.quoted(end)
			if err != nil {
				return span{}, err
			}
			end = text.end
		case '/':
			next, err := d.skip(end)
			if err != nil || next == end {
				return span{}, errNoJSON
			}
			end = next
		default:
			end++
		}
	}
	return span{}, errNoJSON
}

// skip passes over blanks and comments.
func (d *jsonc) skip(at int) (int, error) {
	for at < len(d.text) {
		switch c := d.text[at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		case bytes.HasPrefix(d.text[at:], []byte("//")):
			end := bytes.IndexByte(d.text[at:], '\n')
			if end < 0 {
				return len(d.text), nil
			}
			at += end
		case bytes.HasPrefix(d.text[at:], []byte("/*")):
			end := bytes.Index(d.text[at+2:], []byte("*/"))
			if end < 0 {
				return 0, errNoJSON
			}
			at += end + len("/**/")
		default:
			return at, nil
		}
	}
	return at, nil
}
