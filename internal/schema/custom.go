package schema

import (
	"strings"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/plan"
)

// custom writes the schema that a type declares for itself, word for word but for $schema, which stands at the root alone.
// A schema that refers to its own $defs becomes a resource of its own, so that its references still find them.
func custom(p *plan.Plan) *node {
	n := &node{unordered: true}
	refers := false
	for name, span := range jsonvalue.Members(p.Schema) {
		if name == "$schema" {
			continue
		}
		refers = refers || strings.Contains(string(span), `"#/`) || strings.Contains(string(span), `"#"`)
		n.set(name, string(span))
	}
	if _, has := n.get("$id"); refers && !has {
		own := &node{unordered: true}
		own.set("$id", text("urn:cap:"+qualifiedName(p.Type, 2)))
		own.members = append(own.members, n.members...)
		return own
	}
	return n
}
