package rules

import (
	"fmt"
	"strings"
	"unicode"
)

// quotePattern returns a pattern that matches just text. Only what RE2 and ECMA-262 (u flag) both escape is escaped.
func quotePattern(text string) string {
	var b strings.Builder
	for _, r := range text {
		quoteRune(&b, r, `^$\.*+?()[]{}|/`)
	}
	return b.String()
}

// classPattern returns the class of the characters of text.
func classPattern(text string) string {
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range text {
		quoteRune(&b, r, `^\[]-`)
	}
	b.WriteByte(']')
	return b.String()
}

// foldPattern returns a pattern that matches text whatever the case, as strings.EqualFold does.
func foldPattern(text string) string {
	var b strings.Builder
	for _, r := range text {
		next := unicode.SimpleFold(r)
		if next == r {
			quoteRune(&b, r, `^$\.*+?()[]{}|/`)
			continue
		}
		b.WriteByte('[')
		b.WriteRune(r)
		for ; next != r; next = unicode.SimpleFold(next) {
			b.WriteRune(next)
		}
		b.WriteByte(']')
	}
	return b.String()
}

func quoteRune(b *strings.Builder, r rune, special string) {
	switch {
	case strings.ContainsRune(special, r):
		b.WriteByte('\\')
		b.WriteRune(r)
	case r < ' ' || r == 0x7f:
		fmt.Fprintf(b, `\x%02X`, r)
	default:
		b.WriteRune(r)
	}
}

// Source returns the pattern that says what an operation on text does, Not left aside: OpPattern, OpFold, OpContains,
// OpContainsAny, OpPrefix and OpSuffix. It is "" for the other operations.
func (r *Rule) Source() string {
	switch r.Op {
	case OpPattern:
		return r.Pattern.Source
	case OpFold:
		folds := make([]string, len(r.Texts))
		for i, text := range r.Texts {
			folds[i] = foldPattern(text)
		}
		return "^(" + strings.Join(folds, "|") + ")$"
	case OpContains:
		return quotePattern(r.Texts[0])
	case OpContainsAny:
		return classPattern(r.Texts[0])
	case OpPrefix:
		return "^" + quotePattern(r.Texts[0])
	case OpSuffix:
		return quotePattern(r.Texts[0]) + "$"
	default:
		return ""
	}
}
