package capcli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// node is a JSON value whose members keep their order and whose numbers keep their digits.
type node struct {
	kind  nodeKind
	text  string // of a string, or of any other scalar as JSON writes it
	names []string
	items []*node // elements, or the values of names
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota // null, true, false, a number
	textNode
	arrayNode
	objectNode
)

// parseNode reads an encoded output.
func parseNode(data []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return readNode(decoder)
}

func readNode(decoder *json.Decoder) (*node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case string:
		return &node{kind: textNode, text: token}, nil
	case json.Number:
		return &node{text: token.String()}, nil
	case bool:
		if token {
			return &node{text: "true"}, nil
		}
		return &node{text: "false"}, nil
	case json.Delim:
		return readItems(decoder, token)
	default:
		return &node{text: "null"}, nil
	}
}

func readItems(decoder *json.Decoder, open json.Delim) (*node, error) {
	n := &node{kind: arrayNode}
	if open == '{' {
		n.kind = objectNode
	}
	for decoder.More() {
		if n.kind == objectNode {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			text, isText := name.(string)
			if !isText {
				return nil, io.ErrUnexpectedEOF
			}
			n.names = append(n.names, text)
		}
		item, err := readNode(decoder)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err := decoder.Token()
	return n, err
}

// isScalar reports whether n fits into a cell.
func (n *node) isScalar() bool { return n.kind == scalarNode || n.kind == textNode }

// isEmpty reports whether n shows nothing: it has no members, or its only one has none.
func (n *node) isEmpty() bool {
	for n.kind == objectNode && len(n.items) == 1 {
		n = n.items[0]
	}
	return !n.isScalar() && len(n.items) == 0
}

// isTable reports whether n is a list of objects.
func (n *node) isTable() bool {
	if n.kind != arrayNode || len(n.items) == 0 {
		return false
	}
	for _, item := range n.items {
		if item.kind != objectNode {
			return false
		}
	}
	return true
}

// cell writes n in one line: text as it is, what nests as JSON.
func (n *node) cell() string {
	if n.kind == scalarNode && n.text == "null" {
		return ""
	}
	if n.isScalar() {
		return visible(n.text)
	}
	var b strings.Builder
	n.json(&b)
	return visible(b.String())
}

func (n *node) json(b *strings.Builder) {
	switch n.kind {
	case scalarNode:
		b.WriteString(n.text)
	case textNode:
		b.Write(jsonText(n.text))
	case arrayNode:
		b.WriteByte('[')
		n.jsonItems(b)
		b.WriteByte(']')
	case objectNode:
		b.WriteByte('{')
		n.jsonItems(b)
		b.WriteByte('}')
	}
}

func (n *node) jsonItems(b *strings.Builder) {
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.kind == objectNode {
			b.Write(jsonText(n.names[i]))
			b.WriteByte(':')
		}
		item.json(b)
	}
}

// member returns the value of a name, or nil.
func (n *node) member(name string) *node {
	for i, have := range n.names {
		if have == name {
			return n.items[i]
		}
	}
	return nil
}
