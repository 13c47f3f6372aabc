package cap

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNameLength is how long a name that people are shown may be, in characters.
const maxNameLength = 200

// ObjectRef names one object of a product: what an answer cites, and what an action is about. Every part is required, has
// no blanks at its ends and is at most 200 characters long.
type ObjectRef struct {
	Product string `json:"product" cap:"The product that holds the object" validate:"required,max=200"`
	Kind    string `json:"kind"    cap:"What sort of object it is"         validate:"required,max=200"`
	ID      string `json:"id"      cap:"The object's id in that product"   validate:"required,max=200"`
}

// fault says what is wrong with r, or "".
func (r ObjectRef) fault() string {
	for _, part := range []struct{ name, value string }{{"product", r.Product}, {"kind", r.Kind}, {"id", r.ID}} {
		if fault := nameFault(part.value); fault != "" {
			return part.name + " " + fault
		}
	}
	return ""
}

// nameFault says what is wrong with a name that people are shown, or "".
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case !utf8.ValidString(name):
		return "is not valid UTF-8"
	case strings.TrimSpace(name) != name:
		return "has blanks at its ends"
	case utf8.RuneCountInString(name) > maxNameLength:
		return "is longer than 200 characters"
	default:
		return ""
	}
}

// PendingAction is what a person is asked to agree to, made by the Describe companion of a [Write] or [Host] contract from
// the input and nothing else. Blanks at the ends of its names are cut off: they often come from the input. A name that is
// then empty or longer than 200 characters is the capability's fault, OUTPUT_INVALID, so hold what Describe takes from the
// input to rules such as required and max.
type PendingAction struct {
	// Verb says what will be done, such as "cancel".
	Verb string `json:"verb"`
	// Target is what it will be done to.
	Target ObjectRef `json:"target"`
	// Args are further facts worth showing, by name. The arguments themselves are always shown.
	Args map[string]string `json:"args,omitempty"`
}

// trimmed is p without blanks at the ends of its names.
func (p PendingAction) trimmed() PendingAction {
	p.Verb = strings.TrimSpace(p.Verb)
	p.Target.Product = strings.TrimSpace(p.Target.Product)
	p.Target.Kind = strings.TrimSpace(p.Target.Kind)
	p.Target.ID = strings.TrimSpace(p.Target.ID)
	return p
}

// fault says what is wrong with p, or "".
func (p PendingAction) fault() string {
	if fault := nameFault(p.Verb); fault != "" {
		return "verb " + fault
	}
	if fault := p.Target.fault(); fault != "" {
		return "target " + fault
	}
	for _, name := range slices.Sorted(maps.Keys(p.Args)) {
		if fault := nameFault(name); fault != "" {
			return "name of an argument " + fault
		}
		if !utf8.ValidString(p.Args[name]) {
			return "value of an argument is not valid UTF-8"
		}
	}
	return ""
}

// Precondition is a labelled fact or version, such as {"stock", "12"} or {"version", "41"}. It is shown to the approver
// and bound into the action: when it has changed, what was agreed to no longer holds.
type Precondition struct {
	Label string `json:"label"`
	Value string `json:"value"`
}
