package contracts

import (
	"fmt"
	"slices"
	"strings"
)

// isWords reports whether a keyword says something to people and admits nothing.
func isWords(key string) bool {
	switch key {
	case "title", "description", "examples", "deprecated", "default", "readOnly", "writeOnly", "$comment", "$schema", "$id", "$defs":
		return true
	default:
		return false
	}
}

// describe compares what a schema says to people.
func (w *walker) describe(at string, was, is schema) {
	w.description(at, was, is)
	for _, said := range []struct{ key, what string }{
		{"title", "title differs"},
		{"examples", "examples differ"},
		{"deprecated", "deprecation differs"},
		{"$comment", "comment differs"},
		{"readOnly", "readOnly differs"},
	} {
		if canonical(was[said.key]) != canonical(is[said.key]) {
			w.report(at, words, said.what)
		}
	}
	if canonical(was["$schema"]) != canonical(is["$schema"]) || canonical(was["$id"]) != canonical(is["$id"]) {
		w.report(at, other, "its dialect or id differs")
	}
	if before, after := was["writeOnly"] == true, is["writeOnly"] == true; before && !after {
		w.breaking(place(w.where, at), "is no longer a secret", "what callers send may now be shown and logged")
	} else if after && !before {
		w.compatible(place(w.where, at), "is now a secret", "it is sent as before")
	}
}

// description compares two descriptions. Where rules go beyond the schema, their words stand in the description and are all
// that shows a rule's parameter.
func (w *walker) description(at string, was, is schema) {
	before, _ := was["description"].(string)
	after, _ := is["description"].(string)
	rules := allRules(was)
	switch {
	case before == after:
	case !slices.Equal(rules, allRules(is)):
		// That other rules hold is said with the rules; their words follow.
	case len(rules) > 0 && ruleWords(before) != ruleWords(after):
		w.report(at, other, fmt.Sprintf("the words of its rules %q became %q", ruleWords(before), ruleWords(after)))
	default:
		w.report(at, words, "description differs")
	}
}

// allRules are the rules of a schema and of its alternatives.
func allRules(s schema) []string {
	names := ruleNames(s)
	for _, one := range anyList(s["anyOf"]) {
		if inner, ok := one.(map[string]any); ok {
			names = append(names, allRules(inner)...)
		}
	}
	return names
}

// ruleWords is the end of a description that speaks of rules: sentences that begin with It.
func ruleWords(description string) string {
	if strings.HasPrefix(description, "It ") {
		return description
	}
	if at := strings.Index(description, " It "); at >= 0 {
		return description[at+1:]
	}
	return ""
}

func anyList(v any) []any {
	list, _ := v.([]any)
	return list
}

// types compares the types, and reports whether it makes sense to go on.
func (w *walker) types(at string, was, is schema) bool {
	before, after := typesOf(was), typesOf(is)
	what := fmt.Sprintf("type %s became %s", typeText(before), typeText(after))
	switch {
	case slices.Equal(before, after):
		return true
	case before != nil && (after == nil || covers(after, before)):
		w.report(at, wider, what)
		return true
	case after != nil && (before == nil || covers(before, after)):
		w.report(at, narrower, what)
		return true
	default:
		w.report(at, unlike, what)
		return false
	}
}

// typesOf are the types of a schema, sorted; nil for any.
func typesOf(s schema) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var names []string
		for _, one := range t {
			names = append(names, strings.Trim(canonical(one), `"`))
		}
		slices.Sort(names)
		return names
	default:
		return nil
	}
}

func typeText(types []string) string {
	if types == nil {
		return "any"
	}
	return strings.Join(types, " or ")
}

// covers reports whether each type of b is in a.
func covers(a, b []string) bool {
	for _, t := range b {
		if !slices.Contains(a, t) && (t != "integer" || !slices.Contains(a, "number")) {
			return false
		}
	}
	return true
}

// values compares enum and const.
func (w *walker) values(at string, was, is schema) {
	before, had := allowed(was)
	after, has := allowed(is)
	switch {
	case !had && !has:
	case !had:
		w.report(at, narrower, "is now one of "+strings.Join(after, ", "))
	case !has:
		w.report(at, wider, "need no longer be one of "+strings.Join(before, ", "))
	default:
		if gone := missing(before, after); len(gone) > 0 {
			w.report(at, narrower, "may no longer be "+strings.Join(gone, ", "))
		}
		if added := missing(after, before); len(added) > 0 {
			w.report(at, wider, "may now be "+strings.Join(added, ", "))
		}
	}
}

func allowed(s schema) ([]string, bool) {
	if v, ok := s["const"]; ok {
		if _, both := s["enum"]; !both {
			return []string{canonical(v)}, true
		}
	}
	values, ok := s["enum"].([]any)
	if !ok {
		return nil, false
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = canonical(v)
	}
	if v, both := s["const"]; both {
		texts = slices.DeleteFunc(texts, func(t string) bool { return t != canonical(v) })
	}
	return texts, true
}

func (w *walker) unique(at string, was, is schema) {
	before, after := was["uniqueItems"] == true, is["uniqueItems"] == true
	switch {
	case before && !after:
		w.report(at, wider, "elements may now be equal")
	case after && !before:
		w.report(at, narrower, "elements must now be unique")
	}
}

// rules compares the names of the rules that go beyond the schema.
func (w *walker) rules(at string, was, is schema) {
	before, after := ruleNames(was), ruleNames(is)
	if gone := missing(before, after); len(gone) > 0 {
		w.report(at, wider, "rule "+strings.Join(gone, ", ")+" no longer holds")
	}
	if added := missing(after, before); len(added) > 0 {
		w.report(at, narrower, "rule "+strings.Join(added, ", ")+" holds now")
	}
}

func ruleNames(s schema) []string {
	var names []string
	for _, v := range anyList(s["x-cap-rules"]) {
		names = append(names, canonical(v))
	}
	return names
}
