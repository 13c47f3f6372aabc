package capmcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// contractTag is what the tag key mcp says of a contract, on its marker.
type contractTag struct {
	none       bool // mcp:"-": no tool
	structured bool // no text beside the structured content
}

// parseContractTag reads the tag of a contract.
func parseContractTag(c *cap.Capability, problems *problems) contractTag {
	text, ok := c.Tag("mcp")
	if !ok {
		return contractTag{}
	}
	if text == "-" {
		return contractTag{none: true}
	}
	var tag contractTag
	for key := range tagOptions(text, nil, []string{"structured"}, problems.at(c.ContractType())) {
		tag.structured = key == "structured"
	}
	return tag
}

// tagOptions yields the options of a tag in their order. What it does not know is reported.
func tagOptions(text string, keys, words []string, report reporter) func(yield func(key, value string) bool) {
	return func(yield func(string, string) bool) {
		seen := make(map[string]bool)
		for part := range strings.SplitSeq(text, ",") {
			part = strings.TrimSpace(part)
			key, value, hasValue := strings.Cut(part, "=")
			switch {
			case hasValue && !slices.Contains(keys, key), !hasValue && !slices.Contains(words, key):
				report(unknownOption(part, key, hasValue, keys, words))
				continue
			case hasValue && value == "":
				report(fmt.Sprintf("mcp option %s has no value", key), "write "+key+"=…")
				continue
			case seen[key]:
				report(fmt.Sprintf("mcp option %s is there twice", key), "keep one")
				continue
			}
			seen[key] = true
			if !yield(key, value) {
				return
			}
		}
	}
}

func unknownOption(part, key string, hasValue bool, keys, words []string) (what, do string) {
	switch {
	case !hasValue && slices.Contains(keys, key):
		return fmt.Sprintf("mcp option %s has no value", key), "write " + key + "=…"
	case hasValue && slices.Contains(words, key):
		return fmt.Sprintf("mcp option %s takes no value", key), "write " + key
	}
	known := slices.Concat(keys, words)
	if near := nearest(key, known); near != "" {
		return fmt.Sprintf("unknown mcp option %q", part), "did you mean " + near + "?"
	}
	if len(known) == 0 {
		return fmt.Sprintf("unknown mcp option %q", part), "remove it"
	}
	return fmt.Sprintf("unknown mcp option %q", part), "there are " + strings.Join(known, ", ")
}

// nearest returns the known word that is two edits away or less, or "".
func nearest(typed string, known []string) string {
	best, bestDistance := "", 3
	for _, word := range known {
		if d := distance(typed, word); d < bestDistance && d < len(word) {
			best, bestDistance = word, d
		}
	}
	return best
}

// maxNearLength bounds the work for a word that somebody made long on purpose.
const maxNearLength = 64

// distance is how many letters have to be put in, taken out or changed to make b of a.
func distance(a, b string) int {
	if len(a) > maxNearLength || len(b) > maxNearLength {
		return maxNearLength
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
