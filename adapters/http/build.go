package caphttp

import (
	"iter"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// builder reads the registry and collects every problem, so that all are reported at once.
type builder struct {
	*Handler
	problems []cap.Problem
}

func (b *builder) problem(where, what, do string) {
	b.problems = append(b.problems, cap.Problem{Where: where, What: what, Do: do})
}

// err gives all problems as one error.
func (b *builder) err() error {
	if len(b.problems) == 0 {
		return nil
	}
	return &cap.RegistrationError{Problems: b.problems}
}

// readCapability reads the http tags of a capability.
func (b *builder) readCapability(c *cap.Capability) {
	for _, f := range c.Failures() {
		b.readFailure(c, f)
	}
}

// tagOption is one item of an http tag: a key with its value, or a word.
type tagOption struct{ key, value string }

// readTag splits the text of an http tag.
func readTag(text string) []tagOption {
	var options []tagOption
	for item := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		options = append(options, tagOption{strings.TrimSpace(key), strings.TrimSpace(value)})
	}
	return options
}

// each gives the options that are known, and reports the others and what is there twice.
func (b *builder) each(where string, options []tagOption, known ...string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for i, o := range options {
			switch {
			case !slices.Contains(known, o.key):
				b.unknown(where, o, known)
			case slices.ContainsFunc(options[:i], func(other tagOption) bool { return other.key == o.key }):
				b.problem(where, "http option "+quote(o.key)+" is there twice", "keep one")
			case !yield(o.key, o.value):
				return
			}
		}
	}
}

// unknown reports an option that means nothing here.
func (b *builder) unknown(where string, o tagOption, known []string) {
	do := "use " + strings.Join(known, ", ")
	if guess := nearest(o.key, known); guess != "" {
		do = "did you mean " + quote(guess) + "?"
	}
	b.problem(where, "unknown http option "+quote(o.key), do)
}
