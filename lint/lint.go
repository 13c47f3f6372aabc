// Package lint looks at the contracts of a registry for what works and could be better: what clients refuse, what people and
// models will not understand, and what an existing service's callers would notice if it were annotated. What cannot work at
// all is a problem at registration and never gets this far.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// Severity says how much a finding matters.
type Severity string

const (
	// Error is something that a client will refuse.
	Error Severity = "error"
	// Warning is something that callers will stumble over.
	Warning Severity = "warning"
	// Note is something to know, such as a difference to what encoding/json writes. It is no fault.
	Note Severity = "note"
)

// A Finding is one thing that could be better.
type Finding struct {
	Rule       string   `json:"rule"` // such as "title"
	Severity   Severity `json:"severity"`
	Capability string   `json:"capability,omitempty"` // "" for all of the registry
	Where      string   `json:"where,omitempty"`      // a field or a failure, such as "input items[].sku"
	What       string   `json:"what"`
	Do         string   `json:"do,omitempty"`
}

// String writes the finding in one line. Names stand as JSON strings where they are not plain, so that none can look like
// another line.
func (f Finding) String() string {
	text := "registry"
	if f.Capability != "" {
		text = plain(f.Capability)
	}
	if f.Where != "" {
		text += ": " + f.Where
	}
	text += ": " + f.What
	if f.Do != "" {
		text += " (" + f.Do + ")"
	}
	return text + " [" + f.Rule + "]"
}

// Options chooses what is looked at. The zero value is everything.
type Options struct {
	// Filter chooses the capabilities; nil means all.
	Filter func(*cap.Capability) bool
	// Disable names rules that do not apply here; see [Rules].
	Disable []string
	// Reserved are words that no command may be called, such as the program's own commands.
	Reserved []string
}

// rule is one thing to look for.
type rule struct {
	name  string
	about string
	check func(*checker)
}

// rules are in the order in which findings about one capability are told.
func rules() []rule {
	return []rule{
		{"title", "a capability without a title", checkTitle},
		{"description", "a description that says too little, or too much", checkDescription},
		{"example", "a text that every call needs, without an example", checkExamples},
		{"undescribed", "a field without a description", checkUndescribed},
		{"fix", "a failure that does not say what to do", checkFixes},
		{"js-number", "an integer that JavaScript may change", checkNumbers},
		{"flag", "fields that would be the same flag", checkFlags},
		{"command", "a capability that would be called like a command of every program", checkCommand},
		{"client-name", "a name that some clients refuse", checkNames},
		{"client-depth", "an input that nests deeper than some clients allow", checkDepth},
		{"client-size", "a schema, or a list of values, that is larger than some clients allow", checkSize},
		{"client-recursion", "an input that holds itself, which some clients refuse", checkRecursion},
		{"wire-required", "a field that encoding/json would not miss", checkRequired},
		{"wire-duration", "a length of time, which encoding/json writes as a number", checkDurations},
		{"wire-null", "a list or a map, which encoding/json writes as null when it is nil", checkNulls},
	}
}

// Rules names every rule, with what it looks for.
func Rules() map[string]string {
	about := make(map[string]string)
	for _, r := range rules() {
		about[r.name] = r.about
	}
	for _, r := range registryRules() {
		about[r.name] = r.about
	}
	return about
}

// Check returns the findings about a registry: errors first, then what concerns all of it, then by capability in the
// registry's order, then by rule and field. Equal registries have equal findings.
func Check(registry *cap.Registry, options Options) []Finding {
	var chosen []*cap.Capability
	for c := range registry.All() {
		if options.Filter == nil || options.Filter(c) {
			chosen = append(chosen, c)
		}
	}
	var found []Finding
	for _, r := range registryRules() {
		if slices.Contains(options.Disable, r.name) {
			continue
		}
		for _, f := range r.check(registry, chosen) {
			f.Rule = r.name
			found = append(found, f)
		}
	}
	for _, c := range chosen {
		for _, r := range rules() {
			if slices.Contains(options.Disable, r.name) {
				continue
			}
			k := &checker{capability: c, rule: r.name, options: options}
			r.check(k)
			found = append(found, k.found...)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(weight(a.Severity), weight(b.Severity)) })
	return found
}

func weight(s Severity) int { return slices.Index([]Severity{Error, Warning, Note}, s) }

// Worst is the severity of the worst finding, "" if there is none.
func Worst(found []Finding) Severity {
	if len(found) == 0 {
		return ""
	}
	return slices.MinFunc(found, func(a, b Finding) int { return cmp.Compare(weight(a.Severity), weight(b.Severity)) }).Severity
}

// checker collects what one rule finds about one capability.
type checker struct {
	capability *cap.Capability
	rule       string
	options    Options
	found      []Finding
}

func (k *checker) report(severity Severity, where, what, do string) {
	k.found = append(k.found, Finding{
		Rule: k.rule, Severity: severity, Capability: k.capability.Name(), Where: where, What: what, Do: do,
	})
}

// maxDepth bounds how deep fields are looked at.
const maxDepth = 8

// place is a field with the way to it.
type place struct {
	*cap.Field
	path   string // such as "input items[].sku"
	depth  int
	within []string // the types of the objects around it
}

// places yields every field below root, objects before their members.
func places(what string, root *cap.Field) func(yield func(place) bool) {
	return func(yield func(place) bool) { walk(place{Field: root, path: what}, yield) }
}

func walk(at place, yield func(place) bool) bool {
	within := at.within
	if at.Kind() == cap.FieldObject {
		// What a type holds of its own kind has been seen.
		name := strings.TrimLeft(at.GoType(), "*")
		if slices.Contains(within, name) {
			return true
		}
		within = append(slices.Clone(within), name)
	}
	if at.depth >= maxDepth {
		return true
	}
	for _, field := range at.Fields() {
		separator := "."
		if at.depth == 0 {
			separator = " "
		}
		below := place{field, at.path + separator + plain(field.Name()), at.depth + 1, within}
		if !yield(below) || !walk(below, yield) {
			return false
		}
	}
	if elem := at.Elem(); elem != nil {
		return walk(place{elem, at.path + "[]", at.depth + 1, within}, yield)
	}
	return true
}

// plain is a name as it is, or as a JSON string where it could be taken for something else.
func plain(name string) string {
	for _, c := range name {
		if c > '~' || c <= ' ' || strings.ContainsRune(`"\:()[]`, c) {
			return strconv.QuoteToASCII(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// Text writes findings for people, one a line under a heading for each severity.
func Text(found []Finding) string {
	var b strings.Builder
	for i, f := range found {
		if i == 0 || f.Severity != found[i-1].Severity {
			fmt.Fprintf(&b, "%ss:\n", f.Severity)
		}
		fmt.Fprintf(&b, "  %s\n", f)
	}
	return b.String()
}
