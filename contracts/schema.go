package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// side says who reads the values of a schema: callers write an input and read an output.
type side int

const (
	sideInput side = iota
	sideOutput
)

// kind says how the values that a schema admits have changed.
type kind int

const (
	wider    kind = iota // everything that was admitted is, and more
	narrower             // nothing is admitted that was not
	unlike               // what was admitted is not, and the other way round
	other                // nobody knows
	words                // the same values
)

// schemas compares two states of one schema.
func (c *comparison) schemas(where string, side side, before, after json.RawMessage) {
	if bytes.Equal(before, after) {
		return
	}
	was, errBefore := parse(before)
	is, errAfter := parse(after)
	if errBefore != nil || errAfter != nil {
		c.breaking(where, "its schema cannot be read", unknownWhy)
		return
	}
	found := len(c.changes)
	w := &walker{comparison: c, where: where, side: side, before: was, after: is, met: make(map[string]bool)}
	w.walk("", was, is)
	switch {
	case len(c.changes) > found:
	case canonical(was) == canonical(is):
		c.compatible(where, "the members stand in another order", "JSON has none")
	default:
		c.compatible(where, "its schema is written in another way", "it says the same of every value")
	}
}

func parse(data json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	return v, err
}

// canonical writes a parsed value; members are sorted by encoding/json.
func canonical(v any) string { return string(encode(v)) }

// walker goes through two schemas side by side.
type walker struct {
	*comparison
	where         string
	side          side
	before, after any
	met           map[string]bool // pairs of references
	depth         int
}

// maxDepth is more than any schema of a registry has.
const maxDepth = 100

// report notes that what is admitted at a pointer has changed.
func (w *walker) report(at string, k kind, what string) {
	where := place(w.where, at)
	switch {
	case k == words:
		w.compatible(where, what, wordsWhy)
	case k == other:
		w.breaking(where, what, unknownWhy)
	case w.side == sideInput && k != wider:
		w.breaking(where, what, "callers that send what was taken before are refused")
	case w.side == sideInput:
		w.compatible(where, what, "what was taken before still is")
	case k != narrower:
		w.breaking(where, what, "callers get what they were not told of")
	default:
		w.compatible(where, what, "what is answered was allowed before")
	}
}

// schema is a schema that is an object, references followed.
type schema map[string]any

// open follows the references of a schema, and makes objects of true and false.
func open(root, v any) (s schema, ref string, ok bool) {
	for range maxDepth {
		switch v := v.(type) {
		case bool:
			if v {
				return schema{}, ref, true
			}
			return schema{"not": map[string]any{}}, ref, true
		case map[string]any:
			if _, refers := v["$ref"]; !refers {
				return joined(v, s), ref, true
			}
			target, _ := v["$ref"].(string)
			ref += " " + target
			rest := maps.Clone(v)
			delete(rest, "$ref")
			s = joined(rest, s)
			if root == nil {
				return nil, ref, false
			}
		default:
			return nil, ref, false
		}
		target, found := resolve(root, v)
		if !found {
			return nil, ref, false
		}
		v = target
	}
	return nil, ref, false
}

// joined adds to a schema what stood beside the reference to it. A keyword that both have becomes one that is only
// compared as a whole.
func joined(target, beside schema) schema {
	s := maps.Clone(target)
	for key, value := range beside {
		if _, taken := s[key]; taken && !isWords(key) {
			key = "both " + key
			value = []any{value, target[key]}
		}
		s[key] = value
	}
	return s
}

// resolve finds what a reference inside the document names.
func resolve(root, v any) (any, bool) {
	s, _ := v.(map[string]any)
	ref, _ := s["$ref"].(string)
	if ref == "#" {
		return root, true
	}
	path, inside := strings.CutPrefix(ref, "#/")
	if !inside {
		return nil, false
	}
	at := root
	for _, step := range strings.Split(path, "/") {
		members, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		if at, ok = members[step]; !ok {
			return nil, false
		}
	}
	return at, true
}

// walk compares the schemas of the value at a pointer.
func (w *walker) walk(at string, before, after any) {
	was, refBefore, okBefore := open(w.before, before)
	is, refAfter, okAfter := open(w.after, after)
	if !okBefore || !okAfter {
		if canonical(before) != canonical(after) {
			w.report(at, other, "its schema cannot be read")
		}
		return
	}
	if refBefore != "" || refAfter != "" {
		pair := refBefore + "|" + refAfter
		if w.met[pair] {
			return
		}
		if refBefore != "" && refAfter != "" {
			w.met[pair] = true
		}
	}
	if w.depth++; w.depth > maxDepth {
		w.report(at, other, "its schema is nested too deeply")
		return
	}
	defer func() { w.depth-- }()
	w.describe(at, was, is)
	w.constrain(at, was, is)
}

// constrain compares everything that decides which values are admitted.
func (w *walker) constrain(at string, was, is schema) {
	if isChoice(was) || isChoice(is) {
		w.choices(at, alternatives(was), alternatives(is))
		return
	}
	if !w.types(at, was, is) {
		return
	}
	w.values(at, was, is)
	w.bounds(at, was, is)
	for _, key := range []string{"pattern", "format", "contentEncoding", "contentMediaType", "multipleOf", "not"} {
		w.whole(at, key, was, is)
	}
	w.unique(at, was, is)
	w.rules(at, was, is)
	w.members(at, was, is)
	w.nested(at, "items", at+"/*", was, is)
	w.nested(at, "propertyNames", at+" (its names)", was, is)
	w.lists(at, was, is)
	w.rest(at, was, is)
}

// judged are the keywords that have a comparison of their own.
var judged = []string{
	"type", "enum", "const", "pattern", "format", "contentEncoding", "contentMediaType", "multipleOf", "not", "uniqueItems",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
	"properties", "required", "additionalProperties", "items", "propertyNames", "anyOf", "allOf", "x-cap-rules",
}

// rest compares the keywords that nothing here understands: they are equal, or nobody knows.
func (w *walker) rest(at string, was, is schema) {
	keys := slices.Sorted(maps.Keys(was))
	for key := range is {
		if _, both := was[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if slices.Contains(judged, key) || isWords(key) {
			continue
		}
		if !w.same(was[key], is[key]) {
			w.report(at, other, fmt.Sprintf("keyword %q differs", key))
		}
	}
}

// same reports whether two values are equal, with everything that they may refer to.
func (w *walker) same(a, b any) bool {
	if text := canonical(a); text != canonical(b) {
		return false
	} else if !strings.Contains(text, `"$ref"`) {
		return true
	}
	return canonical(w.before) == canonical(w.after)
}

// whole compares a keyword whose values cannot be ordered.
func (w *walker) whole(at, key string, was, is schema) {
	before, had := was[key]
	after, has := is[key]
	switch {
	case !had && !has || had && has && w.same(before, after):
	case !had:
		w.report(at, narrower, fmt.Sprintf("%s %s is new", key, canonical(after)))
	case !has:
		w.report(at, wider, fmt.Sprintf("%s %s is gone", key, canonical(before)))
	default:
		w.report(at, other, fmt.Sprintf("%s %s became %s", key, canonical(before), canonical(after)))
	}
}

// nested compares a keyword that is a schema itself; without it everything is admitted.
func (w *walker) nested(at, key, inside string, was, is schema) {
	before, had := was[key]
	after, has := is[key]
	switch {
	case had && has:
		w.walk(inside, before, after)
	case had:
		w.report(at, wider, key+" is no longer limited")
	case has:
		w.report(at, narrower, key+" is now limited")
	}
}
