package contracts

import (
	"slices"
	"strings"
)

// isChoice reports whether a schema is nothing but a choice of alternatives, such as a value or null.
func isChoice(s schema) bool {
	if _, ok := s["anyOf"].([]any); !ok {
		return false
	}
	for key := range s {
		if key != "anyOf" && !isWords(key) {
			return false
		}
	}
	return true
}

// alternatives are those of a choice; everything else is a choice of one.
func alternatives(s schema) []any {
	if isChoice(s) {
		return anyList(s["anyOf"])
	}
	one := map[string]any{}
	for key, value := range s {
		if !isWords(key) {
			one[key] = value
		}
	}
	return []any{one}
}

// choices compares alternatives in any order.
func (w *walker) choices(at string, was, is []any) {
	gone, added, kept := apart(was, is)
	for _, one := range kept {
		w.walk(at, one, one) // what it refers to may differ
	}
	if len(gone) == 1 && len(added) == 1 {
		w.walk(at, gone[0], added[0])
		return
	}
	gone, added = w.pair(at, gone, added)
	switch {
	case len(gone) == 0 && len(added) == 0:
	case len(gone) == 0:
		w.report(at, wider, "may now be "+list(added)+" too")
	case len(added) == 0:
		w.report(at, narrower, "may no longer be "+list(gone))
	default:
		w.report(at, other, "may now be "+list(added)+", and no longer "+list(gone))
	}
}

// pair compares alternatives of one type, where each side has one, and gives the rest.
func (w *walker) pair(at string, gone, added []any) (restGone, restAdded []any) {
	restAdded = added
	for _, one := range gone {
		t := typeOf(one)
		like := func(v any) bool { return typeOf(v) == t }
		if t == "" || count(gone, like) != 1 || count(restAdded, like) != 1 {
			restGone = append(restGone, one)
			continue
		}
		i := slices.IndexFunc(restAdded, like)
		w.walk(at, one, restAdded[i])
		restAdded = slices.Delete(slices.Clone(restAdded), i, i+1)
	}
	return restGone, restAdded
}

func typeOf(v any) string {
	s, _ := v.(map[string]any)
	t, _ := s["type"].(string)
	return t
}

func count(values []any, like func(any) bool) int {
	n := 0
	for _, v := range values {
		if like(v) {
			n++
		}
	}
	return n
}

// apart sorts the members of two lists into those of one and those of both.
func apart(was, is []any) (gone, added, kept []any) {
	added = slices.Clone(is)
	for _, one := range was {
		at := slices.IndexFunc(added, func(v any) bool { return canonical(v) == canonical(one) })
		if at < 0 {
			gone = append(gone, one)
			continue
		}
		kept = append(kept, one)
		added = slices.Delete(added, at, at+1)
	}
	return gone, added, kept
}

func list(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = canonical(v)
		if s, ok := v.(map[string]any); ok && len(s) == 1 && s["type"] != nil {
			texts[i] = strings.Trim(canonical(s["type"]), `"`)
		}
	}
	return strings.Join(texts, ", ")
}

// lists compares anyOf beside other keywords, and allOf.
func (w *walker) lists(at string, was, is schema) {
	before, had := was["anyOf"]
	after, has := is["anyOf"]
	switch {
	case had && has:
		w.choices(at, anyList(before), anyList(after))
	case had:
		w.report(at, wider, "one of several conditions need no longer hold")
	case has:
		w.report(at, narrower, "one of several conditions must now hold")
	}
	gone, added, kept := apart(anyList(was["allOf"]), anyList(is["allOf"]))
	for _, one := range kept {
		w.walk(at, one, one)
	}
	switch {
	case len(gone) == 0 && len(added) == 0:
	case len(gone) == 1 && len(added) == 1:
		w.walk(at, gone[0], added[0])
	case len(gone) == 0:
		w.report(at, narrower, "must now hold to "+list(added))
	case len(added) == 0:
		w.report(at, wider, "need no longer hold to "+list(gone))
	default:
		w.report(at, other, "must now hold to "+list(added)+", and no longer to "+list(gone))
	}
}
