package tags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A StructTag is the whole tag of a struct field, read strictly. The zero value is an empty tag.
type StructTag struct{ pairs []pair }

type pair struct{ key, value string }

// Lookup returns the value of key and reports whether the tag has it.
func (t StructTag) Lookup(key string) (string, bool) {
	for _, p := range t.pairs {
		if p.key == key {
			return p.value, true
		}
	}
	return "", false
}

// Keys returns the keys in the order of the tag.
func (t StructTag) Keys() []string {
	keys := make([]string, 0, len(t.pairs))
	for _, p := range t.pairs {
		keys = append(keys, p.key)
	}
	return keys
}

// Parse reads the text of a struct tag, such as the Tag of a reflect.StructField. Go's own lookup stops in silence where
// a tag departs from the form key:"value" key:"value"; Parse reports what would be lost, and keys that look like a
// misspelling of cap, json or validate. Keys that belong to others are kept and not judged.
func Parse(raw string) (StructTag, []Problem) {
	r := tagReader{rest: raw}
	r.tag.pairs = make([]pair, 0, strings.Count(raw, `:"`))
	for r.next() {
	}
	return r.tag, r.problems
}

// A tagReader takes one pair after the other from the front of a tag.
type tagReader struct {
	rest     string
	last     string // the key of the pair before, for the messages
	tag      StructTag
	problems []Problem
}

// next reads one pair and reports whether another may follow.
func (r *tagReader) next() bool {
	trimmed := strings.TrimLeft(r.rest, " ")
	joined := len(r.tag.pairs) > 0 && len(trimmed) == len(r.rest)
	r.rest = trimmed
	if r.rest == "" {
		return false
	}
	key := r.rest[:keyLength(r.rest)]
	after := r.rest[len(key):]
	if p, ok := r.checkStart(key, after, joined); !ok {
		r.problems = append(r.problems, p)
		return false
	}
	literal, ok := quotedPrefix(after[1:])
	if !ok {
		r.report(fmt.Sprintf("value of tag key %q has no closing quote: %q is left over", key, r.rest), `end the value with a quote`)
		return false
	}
	if joined {
		r.report(fmt.Sprintf("no blank before tag key %q", key), "separate the pairs of a tag by one blank")
	}
	r.rest = after[1+len(literal):]
	r.add(key, literal)
	return true
}

// checkStart judges what stands before a value: a key, a colon and a quote.
func (r *tagReader) checkStart(key, after string, joined bool) (Problem, bool) {
	if key != "" && strings.HasPrefix(after, `:"`) {
		return Problem{}, true
	}
	left := fmt.Sprintf("%q is left over", r.rest)
	switch {
	case key == "" && isControl(after[0]):
		return Problem{fmt.Sprintf("control character %q in the tag: %s", after[:1], left), "separate the pairs of a tag by one blank"}, false
	case joined && strings.HasPrefix(key, ",") && !strings.HasPrefix(after, `:"`):
		return Problem{fmt.Sprintf("comma behind the value of tag key %q: %s", r.last, left), "separate the pairs of a tag by one blank"}, false
	case joined && !strings.HasPrefix(after, `:"`):
		return Problem{fmt.Sprintf("value of tag key %q ends early: %s", r.last, left), `write a quote inside a value as \"`}, false
	case key == "":
		return Problem{"no tag key: " + left, `write key:"value"`}, false
	case after == "" || after[0] != ':':
		return Problem{fmt.Sprintf("no colon after tag key %q: %s", key, left), `write key:"value", and a quote inside a value as \"`}, false
	case strings.HasPrefix(after, ": "):
		return Problem{fmt.Sprintf("blank after the colon of tag key %q: %s", key, left), "remove the blank"}, false
	default:
		return Problem{fmt.Sprintf("no quote after the colon of tag key %q: %s", key, left), `write key:"value"`}, false
	}
}

// add keeps a pair, or reports why it cannot be kept.
func (r *tagReader) add(key, literal string) {
	r.last = key
	if meant, ok := misspelt(key); ok {
		r.report(fmt.Sprintf("unknown tag key %q", key), fmt.Sprintf("did you mean %q?", meant))
	}
	value, err := strconv.Unquote(literal)
	if err != nil {
		// Go's lookup acts as if the key were not there; to keep it lets a second one be seen as repeated.
		r.report(fmt.Sprintf("value of tag key %q is no Go string: %s", key, quoteOnce(literal)), `write a backslash inside a value as \\, and no line breaks`)
	}
	if _, repeated := r.tag.Lookup(key); repeated {
		r.report(fmt.Sprintf("tag key %q is repeated", key), "keep one of them")
		return
	}
	r.tag.pairs = append(r.tag.pairs, pair{key, value})
}

func (r *tagReader) report(what, do string) {
	r.problems = append(r.problems, Problem{What: what, Do: do})
}

// keyLength counts the leading bytes of s that Go's lookup takes for a key.
func keyLength(s string) int {
	n := strings.IndexFunc(s, func(c rune) bool { return c <= ' ' || c == ':' || c == '"' || c == 0x7f })
	if n < 0 {
		return len(s)
	}
	return n
}

// quotedPrefix returns the quoted text that s, which begins with a quote, starts with.
func quotedPrefix(s string) (string, bool) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1], true
		}
	}
	return "", false
}

// quoteOnce shows a literal that is in quotes already, unless it holds what must not be shown as it is.
func quoteOnce(literal string) string {
	if strings.IndexFunc(literal, func(c rune) bool { return !strconv.IsPrint(c) || c == '\uFFFD' }) >= 0 {
		return strconv.Quote(literal)
	}
	return literal
}

func isControl(c byte) bool { return c < ' ' || c == 0x7f }

// otherKeys are keys of other libraries that resemble ours.
var otherKeys = []string{"bson", "ejson", "hjson", "json5", "jsonb", "rjson"}

// misspelt reports whether key looks like a misspelling of a key that is read here, and of which. The shorter a key is,
// the more other libraries have one that resembles it, so cap is held to its own letters and json to one edit.
func misspelt(key string) (string, bool) {
	bare := strings.ToLower(strings.Trim(key, ",.;_-"))
	for _, ours := range []string{"cap", "json", "validate"} {
		switch {
		case key == ours || slices.Contains(otherKeys, key):
			return "", false
		case bare == ours:
			return ours, true
		}
	}
	switch {
	case slices.Contains([]string{"acp", "cpa", "caap", "capp", "ccap", "caps"}, bare):
		return "cap", true
	case distance(bare, "json") == 1:
		return "json", true
	case distance(bare, "validate") <= maxEdits:
		return "validate", true
	default:
		return "", false
	}
}
