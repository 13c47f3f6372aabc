package capcli

import (
	"fmt"
	"strings"
)

// yaml writes n as a YAML document in block style.
func (n *node) yaml() string {
	var b strings.Builder
	if n.isFlat() {
		b.WriteString(n.yamlFlat() + "\n")
		return b.String()
	}
	n.yamlBlock(&b, "")
	return b.String()
}

// isFlat reports whether n stands in the line of its name.
func (n *node) isFlat() bool { return n.isScalar() || len(n.items) == 0 }

func (n *node) yamlFlat() string {
	switch n.kind {
	case textNode:
		return yamlText(n.text)
	case arrayNode:
		return "[]"
	case objectNode:
		return "{}"
	default:
		return n.text
	}
}

func (n *node) yamlBlock(b *strings.Builder, indent string) {
	for i, item := range n.items {
		lead, inner := "- ", indent+"  "
		if n.kind == objectNode {
			lead = yamlText(n.names[i]) + ":"
		}
		b.WriteString(indent + lead)
		switch {
		case item.isFlat() && n.kind == objectNode:
			b.WriteString(" " + item.yamlFlat() + "\n")
		case item.isFlat():
			b.WriteString(item.yamlFlat() + "\n")
		case n.kind == objectNode:
			b.WriteByte('\n')
			item.yamlBlock(b, inner)
		default: // the first line of an element stands behind its dash
			var block strings.Builder
			item.yamlBlock(&block, inner)
			b.WriteString(strings.TrimPrefix(block.String(), inner))
		}
	}
}

// yamlText writes a string plainly where YAML cannot take it for anything else, and in double quotes otherwise.
func yamlText(text string) string {
	if isPlainYAML(text) {
		return text
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !isHidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// yamlWords are plain words that some YAML reader takes for no text.
var yamlWords = map[string]bool{
	"true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true, "null": true,
}

// isPlainYAML reports whether text begins with a letter, holds nothing that means something in YAML, and is no word that
// does.
func isPlainYAML(text string) bool {
	if text == "" || !isLetter(text[0]) || text[len(text)-1] == ' ' || yamlWords[strings.ToLower(text)] {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if !isLetter(c) && (c < '0' || c > '9') && !strings.ContainsRune(" _-./", rune(c)) {
			return false
		}
	}
	return true
}
