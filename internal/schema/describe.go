package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// described joins what the tag of f says with what the schema could not. rest is JSON text, or "".
func described(f *plan.Field, rest string) string {
	var parts []string
	if f.Description != "" {
		parts = append(parts, sentence(f.Description))
	}
	if rest != "" {
		var said string
		if json.Unmarshal([]byte(rest), &said) == nil {
			parts = append(parts, said)
		}
	}
	if f.Deprecated != "" {
		parts = append(parts, sentence("Deprecated: "+f.Deprecated))
	}
	if len(parts) == 1 && parts[0] == sentence(f.Description) {
		return f.Description // as it was written, when nothing follows
	}
	if len(parts) == 0 && isAny(f.Plan) {
		return "Any JSON value."
	}
	return strings.Join(parts, " ")
}

func isAny(p *plan.Plan) bool {
	kind := base(p).Kind
	return kind == plan.Any || kind == plan.Raw
}

// sentence ends text with a full stop, unless it ends in one or its like.
func sentence(text string) string {
	if last, _ := utf8.DecodeLastRuneInString(text); unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(")]\"'%`", last) {
		return text + "."
	}
	return text
}

// formWords says what the text forms refuse beyond their keywords.
func formWords(p *plan.Plan) string {
	switch p.Kind {
	case plan.Duration:
		return "must be a duration such as 1h30m, below 292 years"
	case plan.Prefix:
		return "must be a network such as 10.0.0.0/8"
	case plan.AddrPort:
		return "must be an IP address and port such as 10.0.0.1:80"
	case plan.URL:
		return "must be a URL"
	default:
		if p.Format == "" {
			return "must be text of its own form"
		}
		return "must be of the form " + p.Format
	}
}

// name lists in x-cap-rules what refuses more than the keywords of n, and says it in the description. more are names of
// the form's own.
func (w *writer) name(n *node, set *rules.Set, more []string, form string) {
	names := slices.Clone(more)
	var said []string
	if form != "" {
		said = append(said, form)
	}
	if set != nil {
		for _, name := range set.Wider {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		for _, list := range [][]rules.Rule{set.Rules, set.Cross} {
			for i := range list {
				if slices.Contains(set.Wider, list[i].Name) {
					said = append(said, list[i].Message())
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	if !w.options.DropRules {
		n.set("x-cap-rules", texts(names))
	}
	if len(said) > 0 {
		for i := range said {
			said[i] = sentence("It " + said[i])
		}
		n.set("description", text(strings.Join(said, " ")))
	}
}

// ruled adds to n what the rules of set say, and names those that refuse more.
func (w *writer) ruled(n *node, p *plan.Plan, set *rules.Set, quoted bool) *node {
	var more []string
	form := ""
	switch {
	case quoted && (p.Kind == plan.Int || p.Kind == plan.Uint):
		low, high := bounds(p)
		more, form = []string{plan.RuleRange}, "must be an integer, "+low+" to "+high+", as text"
	case p.Wider != "":
		more, form = []string{plan.RuleFormat}, formWords(p)
	}
	if !quoted {
		w.constrain(n, p, set)
	}
	w.name(n, set, more, form)
	return n
}
