package schema

import (
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// definitions are the plans that are written once, in $defs: named structs that appear twice or more, and whatever named
// type contains itself.
type definitions struct {
	of    map[*plan.Plan]string
	order []*plan.Plan // by name
}

// nameDefinitions finds the definitions below root.
func nameDefinitions(root *plan.Plan) *definitions {
	s := &search{open: map[*plan.Plan]bool{}, closed: map[*plan.Plan]bool{}}
	s.visit(root)
	d := &definitions{of: map[*plan.Plan]string{}, order: s.found}
	for level := range qualifiers {
		taken := map[string][]*plan.Plan{}
		for _, p := range s.found {
			if level == 0 || d.of[p] == "" {
				name := qualifiedName(p.Type, level)
				taken[name] = append(taken[name], p)
			}
		}
		for name, plans := range taken {
			if len(plans) == 1 && !d.has(name) {
				d.of[plans[0]] = name
			}
		}
	}
	for _, p := range s.found { // types of one name in one package: declared inside functions
		for n := 2; d.of[p] == ""; n++ {
			if name := qualifiedName(p.Type, qualifiers-1) + "_" + strconv.Itoa(n); !d.has(name) {
				d.of[p] = name
			}
		}
	}
	slices.SortFunc(d.order, func(a, b *plan.Plan) int { return strings.Compare(d.of[a], d.of[b]) })
	return d
}

func (d *definitions) has(name string) bool {
	for _, taken := range d.of {
		if taken == name {
			return true
		}
	}
	return false
}

// search walks plans in the order of their fields.
type search struct {
	open, closed map[*plan.Plan]bool // being walked, walked
	found        []*plan.Plan
}

func (s *search) visit(p *plan.Plan) {
	if p == nil {
		return
	}
	if p.Type.Name() != "" && (s.open[p] || p.Kind == plan.Struct && s.closed[p]) {
		if !slices.Contains(s.found, p) {
			s.found = append(s.found, p)
		}
		return
	}
	s.open[p] = true
	s.visit(p.Elem)
	s.visit(p.Key)
	for i := range p.Fields {
		s.visit(p.Fields[i].Plan)
	}
	s.open[p], s.closed[p] = false, true
}

// qualifiers is how many ways there are to say a type's name: bare, with its package, with the package's path.
const qualifiers = 3

// qualifiedName returns a name of t that needs no escaping in a reference.
func qualifiedName(t reflect.Type, level int) string {
	name := plainName(t.Name())
	switch level {
	case 1:
		name = plainName(path.Base(t.PkgPath())) + "_" + name
	case 2:
		name = plainName(t.PkgPath()) + "_" + name
	}
	return name
}

// plainName turns Page[example.com/shop.Order] into Page_Order.
func plainName(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[],* ", r) }) {
		if dot := strings.LastIndexByte(part, '.'); dot >= 0 && strings.Contains(name, "[") {
			part = part[dot+1:]
		}
		if b.Len() > 0 {
			b.WriteByte('_')
		}
		b.WriteString(strings.Map(plainRune, part))
	}
	return b.String()
}

func plainRune(r rune) rune {
	if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
		return r
	}
	return '_'
}
