package contracts

import (
	"maps"
	"slices"
	"strings"
)

// object is what a schema says of the members of an object.
type object struct {
	properties map[string]any
	required   []string
	others     any // the schema of members that are not named; nil for anything
	closed     bool
}

func objectOf(s schema) object {
	o := object{others: s["additionalProperties"]}
	o.properties, _ = s["properties"].(map[string]any)
	for _, name := range anyList(s["required"]) {
		if text, ok := name.(string); ok {
			o.required = append(o.required, text)
		}
	}
	o.closed = o.others == false
	if o.others == true {
		o.others = nil
	}
	return o
}

func (o object) requires(name string) bool { return slices.Contains(o.required, name) }

// members compares the members of objects.
func (w *walker) members(at string, was, is schema) {
	before, after := objectOf(was), objectOf(is)
	for _, name := range sortedKeys(before.properties, after.properties) {
		inside := at + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		old, had := before.properties[name]
		now, has := after.properties[name]
		switch {
		case had && has:
			w.presence(inside, name, before, after)
			w.fallback(inside, old, now, before.requires(name), after.requires(name))
			w.walk(inside, old, now)
		case had:
			w.memberGone(inside, old, after)
		default:
			w.memberNew(inside, now, before, after.requires(name))
		}
	}
	for _, name := range missing(before.required, after.required) {
		if before.properties[name] == nil {
			w.report(at, wider, "member "+name+" may be left out now")
		}
	}
	for _, name := range missing(after.required, before.required) {
		if after.properties[name] == nil {
			w.report(at, narrower, "member "+name+" is required now")
		}
	}
	w.others(at, before, after)
}

// presence compares whether a member must be there.
func (w *walker) presence(inside, name string, before, after object) {
	switch {
	case before.requires(name) == after.requires(name):
	case after.requires(name):
		w.report(inside, narrower, "is required now")
	default:
		w.report(inside, wider, "may be left out now")
	}
}

// fallback compares what an absent member means.
func (w *walker) fallback(inside string, old, now any, wasRequired, isRequired bool) {
	before, had := defaultOf(old)
	after, has := defaultOf(now)
	where := place(w.where, inside)
	switch {
	case before == after:
	case w.side == sideOutput || wasRequired && isRequired:
		w.report(inside, words, "default differs")
	case wasRequired, isRequired:
		// Nobody left it out before, or nobody may now; that has been said.
	case !had:
		w.breaking(where, "default "+after+" is new", "callers that leave it out get another behaviour")
	case !has:
		w.breaking(where, "default "+before+" is gone", "callers that leave it out get another behaviour")
	default:
		w.breaking(where, "default "+before+" became "+after, "callers that leave it out get another behaviour")
	}
}

func defaultOf(v any) (string, bool) {
	s, ok := v.(map[string]any)
	if !ok {
		return "", false
	}
	value, ok := s["default"]
	if !ok {
		return "", false
	}
	return canonical(value), true
}

// memberGone reports a member that is no longer named. In an output that breaks whoever reads it, though a schema without
// it admits less.
func (w *walker) memberGone(inside string, old any, after object) {
	where := place(w.where, inside)
	switch {
	case w.side == sideOutput:
		w.breaking(where, "is gone", "callers that read it find nothing")
	case after.closed:
		w.breaking(where, "is gone", "callers that send it are refused")
	case after.others == nil:
		w.report(inside, wider, "is no longer named")
	default:
		w.report(inside, words, "is no longer named")
		w.walk(inside, old, after.others)
	}
}

// memberNew reports a member that was not named before.
func (w *walker) memberNew(inside string, now any, before object, required bool) {
	where := place(w.where, inside)
	switch {
	case w.side == sideInput && required:
		w.breaking(where, "is new and required", "callers that do not know it are refused")
	case w.side == sideInput && before.closed:
		w.compatible(where, "is new and may be left out", "callers that do not know it go on as before")
	case w.side == sideOutput && before.closed:
		w.breaking(where, "is new", "callers were told that there are no other members; clients made from the old contract refuse it")
	case before.others != nil:
		w.report(inside, words, "is named now")
		w.walk(inside, before.others, now)
	case w.side == sideInput:
		w.breaking(where, "is new, and was free before", "callers may send something else under this name")
	default:
		w.compatible(where, "is new", "callers were told that there may be others")
	}
}

// others compares the schemas of members that are not named.
func (w *walker) others(at string, before, after object) {
	switch {
	case before.closed && after.closed, before.others == nil && after.others == nil:
	case before.closed:
		w.report(at, wider, "other members are allowed now")
	case after.closed:
		w.report(at, narrower, "other members are no longer allowed")
	case before.others == nil:
		w.report(at, narrower, "other members are now limited")
	case after.others == nil:
		w.report(at, wider, "other members are no longer limited")
	default:
		w.walk(at+"/*", before.others, after.others)
	}
}

// sortedKeys are the keys of both.
func sortedKeys(a, b map[string]any) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
