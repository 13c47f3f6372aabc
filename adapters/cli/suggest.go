package capcli

import "strings"

// nearest returns the known word that was probably meant, or "". A word is near if it is at most two edits away and they
// are at most a third of it, or if one more letter, or one less, at the end makes the two the same.
func nearest(typed string, known []string) string {
	best, bestDistance := "", 3
	for _, word := range known {
		distance := editDistance(typed, word)
		isNear := distance <= max(len(typed), len(word))/3
		if distance == 1 && (strings.HasPrefix(typed, word) || strings.HasPrefix(word, typed)) {
			isNear = true
		}
		if isNear && distance < bestDistance {
			best, bestDistance = word, distance
		}
	}
	return best
}

// didYouMean words a suggestion, or returns "".
func didYouMean(prefix, typed string, known []string) string {
	word := nearest(typed, known)
	if word == "" {
		return ""
	}
	return "did you mean " + prefix + word + "?"
}

// maxSuggestLength bounds the work for a word that somebody made long on purpose.
const maxSuggestLength = 64

// editDistance is the Levenshtein distance with neighbours swapped counted as one edit. Long words are far from all.
func editDistance(a, b string) int {
	if len(a) > maxSuggestLength || len(b) > maxSuggestLength {
		return maxSuggestLength
	}
	var before, previous, current [maxSuggestLength + 1]int
	for j := range len(b) + 1 {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous = previous, current
	}
	return previous[len(b)]
}
