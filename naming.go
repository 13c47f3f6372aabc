package cap

import (
	"slices"
	"strings"
	"unicode"
)

// contractSuffixes are cut from a contract's type name, if anything is left.
var contractSuffixes = []string{"Input", "Request", "Params", "Args"}

// mixedWords are names that bear capitals inside and still are one word.
var mixedWords = []string{"OAuth", "OpenAPI", "OpenID", "GraphQL", "GitHub", "GitLab", "IPv", "MySQL", "PostgreSQL", "SQLite", "NoSQL", "JavaScript", "TypeScript", "YouTube", "LinkedIn", "PayPal", "WhatsApp", "DevOps"}

// namePattern is what a capability's name must match.
const namePattern = `^[a-zA-Z0-9_-]{1,64}$`

const maxCapabilityName = 64

// isName reports whether s matches namePattern, without a regular expression: it is asked on every call, and compiling one
// costs every program that imports this package.
func isName(s string) bool {
	if s == "" || len(s) > maxCapabilityName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// handlerName is the name of the method that handles a contract type of this name.
func handlerName(typeName string) string {
	for _, suffix := range contractSuffixes {
		if name, found := strings.CutSuffix(typeName, suffix); found && name != "" {
			return name
		}
	}
	return typeName
}

// snakeCase writes a Go name as a capability's: GetPRByID is get_pr_by_id.
func snakeCase(name string) string {
	var words []string
	for name != "" {
		n := wordLength(name)
		words = append(words, strings.ToLower(name[:n]))
		name = strings.TrimLeft(name[n:], "_")
	}
	return strings.Join(words, "_")
}

// wordLength is the length in bytes of the first word of name.
func wordLength(name string) int {
	runes := []rune(name)
	for _, word := range mixedWords {
		if strings.HasPrefix(name, word) {
			return len(string(runes[:tailEnd(runes, len([]rune(word)))]))
		}
	}
	upper := 0
	for upper < len(runes) && unicode.IsUpper(runes[upper]) {
		upper++
	}
	var end int
	switch {
	case upper <= 1: // Order, order
		end = tailEnd(runes, max(upper, 1))
	case upper == len(runes) || !unicode.IsLower(runes[upper]): // ID, PR_, SHA256
		end = digitsEnd(runes, upper)
	case isPlural(runes, upper): // IDs, PRsByAuthor
		end = upper + 1
	default: // HTTPServer: the last capital begins the next word
		end = upper - 1
	}
	return len(string(runes[:end]))
}

// tailEnd is the end of the lower-case letters and digits that follow from.
func tailEnd(runes []rune, from int) int {
	for from < len(runes) && !unicode.IsUpper(runes[from]) && runes[from] != '_' {
		from++
	}
	return from
}

func digitsEnd(runes []rune, from int) int {
	for from < len(runes) && unicode.IsDigit(runes[from]) {
		from++
	}
	return from
}

// isPlural reports whether the capitals before at are an initialism that ends in a plural s.
func isPlural(runes []rune, at int) bool {
	return runes[at] == 's' && (at+1 == len(runes) || !unicode.IsLower(runes[at+1])) && !slices.Contains(runes[:at], '_')
}
