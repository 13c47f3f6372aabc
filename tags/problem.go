package tags

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Problem is one mistake in a tag.
type Problem struct {
	What string // what is wrong, with the text at fault quoted
	Do   string // what to do about it
}

// String gives the problem as "what (do)".
func (p Problem) String() string {
	if p.Do == "" {
		return p.What
	}
	return p.What + " (" + p.Do + ")"
}

// maxEdits is how far a word may be from a known one to be taken for a misspelling of it.
const maxEdits = 2

// Nearest returns the known word that is nearest to word, and reports whether one is two edits away or less: a letter
// added, dropped, replaced or swapped with its neighbour. Case does not count. The first of several equally near ones
// wins. Replacing every letter of a short word makes another word, so that is never near.
func Nearest(word string, known []string) (string, bool) {
	nearest, best := "", maxEdits+1
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if d < best && d < min(len(word), len(k)) {
			nearest, best = k, d
		}
	}
	return nearest, best <= maxEdits
}

// suggest says which known word is meant, or which words there are.
func suggest(word string, known []string) string {
	if nearest, ok := Nearest(word, known); ok {
		return fmt.Sprintf("did you mean %q?", nearest)
	}
	return "known here: " + strings.Join(known, ", ")
}

// distance counts the edits between a and b, where swapping two neighbours is one edit. Any number above maxEdits only
// means "too far".
func distance(a, b string) int {
	if len(a)-len(b) > maxEdits || len(b)-len(a) > maxEdits || lacking(a, b) > maxEdits {
		return maxEdits + 1
	}
	// Three rows take turns: the one that is filled, the last one, and the one before.
	var room [3 * (typicalWord + 1)]int
	rows := room[:]
	width := len(b) + 1
	if len(b) > typicalWord {
		rows = make([]int, 3*width)
	}
	before, last, row := rows[:width], rows[width:2*width], rows[2*width:3*width]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differs(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > maxEdits { // no row below has less
			return least
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// lacking is how many kinds of letters a has and b lacks, at most: no edit takes away more than one. Most words that are not
// near one another are told apart by it, and every key of every tag is asked about.
func lacking(a, b string) int { return bits.OnesCount32(kinds(a) &^ kinds(b)) }

// kinds has a bit for each kind of letter in s; some share one.
func kinds(s string) (set uint32) {
	for i := range len(s) {
		set |= 1 << (s[i] % 32)
	}
	return set
}

// typicalWord is how long a word may be whose distance is counted without allocating.
const typicalWord = 24

func differs(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
