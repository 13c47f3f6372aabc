package tags

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What tells words apart by their letters alone never refuses a word that few edits make.
func TestLettersNeverHideANearWord(t *testing.T) {
	t.Parallel()
	words := []string{"access", "scope", "timeout", "reversible", "ab1_-=Z", "ÿé", ""}
	letters := []byte("aqz09_-=@`\xff ")
	for _, word := range words {
		once := edits(word, letters)
		for _, near := range once {
			assert.LessOrEqual(t, distance(word, near), 1, "%q and %q", word, near)
			assert.LessOrEqual(t, distance(near, word), 1, "%q and %q", near, word)
		}
		for i := 0; i < len(once); i += 7 {
			for _, near := range edits(once[i], letters) {
				if distance(word, near) > maxEdits || distance(near, word) > maxEdits {
					t.Errorf("%q and %q are two edits apart; want them near", word, near)
				}
			}
		}
	}
}

// edits gives every word that one edit makes of the word with one of the letters.
func edits(word string, letters []byte) (words []string) {
	for i := range len(word) + 1 {
		for _, c := range letters {
			words = append(words, word[:i]+string([]byte{c})+word[i:])
			if i < len(word) {
				words = append(words, word[:i]+string([]byte{c})+word[i+1:])
			}
		}
		if i < len(word) {
			words = append(words, word[:i]+word[i+1:])
		}
	}
	return words
}
