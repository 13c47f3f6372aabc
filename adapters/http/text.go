package caphttp

import (
	"strconv"
	"strings"
)

// quote shows an offending text.
func quote(s string) string { return strconv.Quote(s) }

// isHeaderText reports whether s is printable ASCII, which any header can carry.
func isHeaderText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isUnreserved reports whether c stands for itself in a URL (RFC 3986 section 2.3).
func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// isPlainSegment reports whether s is a path segment that is written in one way only.
func isPlainSegment(s string) bool {
	if s == "" || s == "." || s == ".." {
		return false
	}
	for i := range len(s) {
		if !isUnreserved(s[i]) {
			return false
		}
	}
	return true
}

// isPlainPath reports whether s is a path of plain segments.
func isPlainPath(s string) bool {
	for segment := range strings.SplitSeq(strings.TrimPrefix(s, "/"), "/") {
		if !isPlainSegment(segment) {
			return false
		}
	}
	return true
}

// nearest returns the option that word is at most two edits away from, or "".
func nearest(word string, options []string) string {
	best, least := "", 3
	for _, option := range options {
		if d := editDistance(word, option); d < least {
			best, least = option, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete or replace between two short texts.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
