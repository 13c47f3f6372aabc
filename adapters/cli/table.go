package capcli

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// table writes n for people, in columns: a list of objects has a row for each, an object a row for each member. Cells are
// cut to a width of more than 0.
func (n *node) table(width int, colours painter) string {
	t := &tableWriter{width: width, painter: colours}
	n.tableInto(t, "")
	return t.String()
}

// tableWriter writes tables for a terminal, or for none.
type tableWriter struct {
	strings.Builder
	painter
	width int
}

func (n *node) tableInto(b *tableWriter, indent string) {
	switch {
	case n.isTable():
		b.columns(indent, n.rows(), styleTitle, styleNone)
	case n.kind == arrayNode:
		for _, item := range n.items {
			b.WriteString(indent + item.cell() + "\n")
		}
	case n.kind == objectNode && len(n.items) == 1:
		n.items[0].tableInto(b, indent)
	case n.kind == objectNode:
		n.tableObject(b, indent)
	default:
		b.WriteString(indent + n.cell() + "\n")
	}
}

// tableObject writes the members that fit into a line first, and then each list of objects as a table of its own.
func (n *node) tableObject(b *tableWriter, indent string) {
	var rows [][]string
	for i, item := range n.items {
		if !item.isTable() {
			rows = append(rows, []string{visible(n.names[i]), item.cell()})
		}
	}
	b.columns(indent, rows, styleNone, styleFaint)
	for i, item := range n.items {
		if item.isTable() {
			b.WriteString("\n" + indent + b.paint(styleFaint, visible(n.names[i])) + "\n")
			item.tableInto(b, indent+"  ")
		}
	}
}

// rows are the heads and the cells of a list of objects.
func (n *node) rows() [][]string {
	var heads []string
	for _, item := range n.items {
		for _, name := range item.names {
			if !slices.Contains(heads, name) {
				heads = append(heads, name)
			}
		}
	}
	rows := [][]string{make([]string, len(heads))}
	for i, head := range heads {
		rows[0][i] = strings.ToUpper(visible(head))
	}
	for _, item := range n.items {
		row := make([]string, len(heads))
		for i, head := range heads {
			if value := item.member(head); value != nil {
				row[i] = value.cell()
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// columnGap is what stands between two columns.
const columnGap = "  "

// minColumn is how narrow a column may be made.
const minColumn = 8

// columns writes rows: the first in the style head, the first cell of the others in the style name.
func (b *tableWriter) columns(indent string, rows [][]string, head, name style) {
	widths := columnWidths(rows, b.width-len(indent))
	for y, row := range rows {
		line := indent
		for x, cell := range row {
			cell = cut(cell, widths[x])
			gap := ""
			if x < len(row)-1 {
				gap = strings.Repeat(" ", widths[x]-runes(cell)) + columnGap
			}
			switch {
			case y == 0 && head != styleNone:
				cell = b.paint(head, cell)
			case x == 0:
				cell = b.paint(name, cell)
			}
			line += cell + gap
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// columnWidths makes the widest columns narrower until all fit into width, if there is one.
func columnWidths(rows [][]string, width int) []int {
	if len(rows) == 0 {
		return nil
	}
	widths := make([]int, len(rows[0]))
	total := len(columnGap) * (len(widths) - 1)
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], runes(row[i]))
		}
		total += widths[i]
	}
	for width > 0 && total > width {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= minColumn {
			break
		}
		shrink := min(total-width, widths[widest]-minColumn, max(1, widths[widest]/8))
		widths[widest] -= shrink
		total -= shrink
	}
	return widths
}

func runes(text string) int { return utf8.RuneCountInString(text) }

// cut shortens text to width characters, and shows that it did.
func cut(text string, width int) string {
	if runes(text) <= width {
		return text
	}
	return string([]rune(text)[:max(width-1, 0)]) + "…"
}

// plainText writes n for people, indented, one line a value.
func (n *node) plainText() string {
	var b strings.Builder
	switch {
	case n.isScalar():
		b.WriteString(textLines(n.text, "") + "\n")
	case n.kind == objectNode && len(n.items) == 1:
		return n.items[0].plainText()
	default:
		n.plainInto(&b, "")
	}
	return b.String()
}

func (n *node) plainInto(b *strings.Builder, indent string) {
	for i, item := range n.items {
		lead := "- "
		if n.kind == objectNode {
			lead = visible(n.names[i]) + ": "
		}
		if item.isScalar() && strings.Contains(item.text, "\n") {
			lead = strings.TrimSuffix(lead, " ")
		}
		switch {
		case item.isScalar():
			b.WriteString(strings.TrimRight(indent+lead+textLines(item.text, indent+"  "), " ") + "\n")
		case len(item.items) == 0:
			b.WriteString(indent + lead + "none\n")
		case n.kind == objectNode:
			b.WriteString(indent + strings.TrimSuffix(lead, " ") + "\n")
			item.plainInto(b, indent+"  ")
		default:
			var block strings.Builder
			item.plainInto(&block, indent+"  ")
			b.WriteString(indent + lead + strings.TrimPrefix(block.String(), indent+"  "))
		}
	}
}

// textLines writes text of several lines below its name.
func textLines(text, indent string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = visible(strings.TrimSuffix(line, "\r"))
	}
	if len(lines) == 1 {
		return lines[0]
	}
	return "\n" + indent + strings.Join(lines, "\n"+indent)
}
