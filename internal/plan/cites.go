package plan

import (
	"reflect"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// Cites returns the values of the fields that are tagged cite, in their order: of the type Hooks.Ref, pointers followed,
// slices one by one. What lies deeper than a document may be nested is left out.
func (p *Plan) Cites(v reflect.Value) []reflect.Value {
	var c citations
	c.walk(p, v, jsonvalue.DefaultDepth)
	return c.found
}

type citations struct{ found []reflect.Value }

func (c *citations) walk(p *Plan, v reflect.Value, depth int) {
	if !p.cites || depth == 0 {
		return
	}
	switch p.Kind {
	case Struct:
		for i := range p.Fields {
			f := &p.Fields[i]
			field := f.in(v)
			switch {
			case f.Optional && f.leavesOut(field): // what is not in the answer is not cited
			case f.Cite:
				c.take(f.Plan, field)
			default:
				c.walk(f.Plan, field, depth-1)
			}
		}
	case Pointer:
		if !v.IsNil() {
			c.walk(p.Elem, v.Elem(), depth)
		}
	case Maybe:
		if elem, state := p.hooks.GetMaybe(v); state == MaybeSet {
			c.walk(p.Elem, elem, depth)
		}
	case Slice, Array:
		for i := range v.Len() {
			c.walk(p.Elem, v.Index(i), depth-1)
		}
	case Map:
		c.walkMap(p, v, depth)
	default: // no other kind holds fields
	}
}

// walkMap takes the entries in the order in which they are written.
func (c *citations) walkMap(p *Plan, v reflect.Value, depth int) {
	for _, entry := range p.sortedEntries(v) {
		c.walk(p.Elem, entry.value, depth-1)
	}
}

// take adds what a field tagged cite holds.
func (c *citations) take(p *Plan, v reflect.Value) {
	switch p.Kind {
	case Pointer:
		if !v.IsNil() {
			c.found = append(c.found, v.Elem())
		}
	case Slice:
		for i := range v.Len() {
			c.found = append(c.found, v.Index(i))
		}
	default:
		c.found = append(c.found, v)
	}
}
