// Package schema writes JSON Schema 2020-12 from plans: the same data that decodes and encodes a type.
//
// What a plan accepts, its schema accepts. What the schema accepts and the plan refuses is refused by a rule that is named
// in x-cap-rules, beside the keywords of the value, and said in the description. Both hold for documents inside the JSON
// model; duplicate names, negative zero, numbers that a double cannot hold and deep nesting are outside, and no schema can
// speak of them. Formats are meant to be asserted; where a keyword can say the same, it stands beside the format.
//
// The form is the portable one: an object at the root with properties, no boolean schemas for properties, no lists of
// types, references only into $defs of the same document. Equal plans give equal bytes.
package schema

import (
	"encoding/json"

	"github.com/seed-369ec62e/cap/internal/plan"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// Options changes what is written.
type Options struct {
	// DropRules leaves x-cap-rules out. The descriptions still say what it would.
	DropRules bool
}

// Input returns the schema of documents that p decodes.
func Input(p *plan.Plan, o Options) json.RawMessage { return write(p, o, true) }

// Output returns the schema of documents that p encodes.
func Output(p *plan.Plan, o Options) json.RawMessage { return write(p, o, false) }

func write(p *plan.Plan, o Options, input bool) json.RawMessage {
	w := &writer{options: o, input: input, names: nameDefinitions(p)}
	root := w.inline(base(p), nil, false)
	if p.Kind == plan.Map {
		root.set("properties", "{}") // clients look for it in the root
	}
	root.set("$schema", text(dialect))
	if len(w.names.order) > 0 {
		definitions := &node{}
		for _, d := range w.names.order {
			definition := w.inline(d, nil, false)
			definitions.set(w.names.of[d], definition.String())
		}
		definitions.unordered = true
		root.set("$defs", definitions.String())
	}
	return json.RawMessage(root.String())
}

// writer writes one schema.
type writer struct {
	options Options
	input   bool
	names   *definitions
}

// base follows pointers and Maybe.
func base(p *plan.Plan) *plan.Plan {
	for p.Kind == plan.Pointer || p.Kind == plan.Maybe {
		p = p.Elem
	}
	return p
}
