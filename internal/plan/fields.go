package plan

import (
	"reflect"
	"slices"

	"github.com/seed-369ec62e/cap/tags"
)

// candidate is a field that may become a member, before Go's rules of embedding have chosen.
type candidate struct {
	reflect.StructField
	name   string
	tagged bool
	index  []int
	path   string // Go path from the struct that is compiled
	owner  reflect.Type
	tag    tags.StructTag
	json   tags.JSON
}

// embedded is a struct whose fields are to be flattened into the one that is compiled.
type embedded struct {
	t     reflect.Type
	index []int
	path  string
}

// compileStruct compiles a struct and what is embedded in it.
func (w *walk) compileStruct(p *Plan) bool {
	p.Kind = Struct
	before := len(w.problems)
	candidates, hidden := w.candidates(p.Type)
	chosen := w.dominant(candidates)
	if len(chosen) == 0 && hidden > 0 && len(w.problems) == before {
		w.report("export its fields, or use a type that JSON can hold", "type %s has no exported field: nothing of it would be in the JSON", p.Type)
		return false
	}
	p.Fields = make([]Field, 0, len(chosen))
	p.lookup = make(map[string]int, len(chosen))
	for _, c := range chosen {
		w.at(c.path, func() { w.compileField(p, c) })
	}
	p.room = p.usualRoom()
	return len(w.problems) == before
}

// Guesses at how many bytes values take, so that most documents are written without growing. A wrong one costs little.
const (
	usualScalar = 12
	usualText   = 32
	mostRoom    = 1 << 10
)

// usualRoom guesses how many bytes a value of p takes in a document.
func (p *Plan) usualRoom() int {
	switch {
	case p.Kind == Bool || p.Kind == Int || p.Kind == Uint || p.Kind == Float:
		return usualScalar
	case p.Kind != Struct:
		return usualText
	case p.room > 0:
		return p.room
	}
	room := len("{}")
	for i := range p.Fields {
		room += len(p.Fields[i].prefix) + p.Fields[i].Plan.usualRoom()
	}
	return min(room, mostRoom)
}

// candidates lists the fields of t level by level. hidden counts those that are not in the JSON.
func (w *walk) candidates(t reflect.Type) (list []*candidate, hidden int) {
	level := []embedded{{t: t}}
	for len(level) > 0 {
		var next []embedded
		for _, e := range level {
			for i := range e.t.NumField() {
				c := &candidate{StructField: e.t.Field(i), owner: e.t}
				c.index, c.path = joinIndex(e.index, i), joinPath(e.path, c.Name)
				switch w.sort(c) {
				case isMember:
					list = append(list, c)
				case isEmbedded:
					next = append(next, embedded{t: c.Type, index: c.index, path: c.path})
				case isHidden:
					hidden++
				case isNothing:
				}
			}
		}
		level = next
	}
	return list, hidden
}

func joinIndex(index []int, i int) []int {
	joined := make([]int, len(index)+1)
	joined[copy(joined, index)] = i
	return joined
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// standing tells what a field of a struct is to the JSON.
type standing uint8

const (
	isNothing  standing = iota // a marker, or reported
	isMember                   // a member of the object
	isEmbedded                 // a struct whose fields are members
	isHidden                   // not in the JSON
)

// sort reads the tag of c and tells what it is.
func (w *walk) sort(c *candidate) (s standing) {
	if w.hooks.Marker != nil && w.hooks.Marker(c.Type) {
		return isNothing
	}
	w.at(c.path, func() { s = w.sortTagged(c) })
	return s
}

func (w *walk) sortTagged(c *candidate) standing {
	if !w.readTag(c) {
		return isNothing
	}
	plain := c.Anonymous && c.json.Name == "" && !c.json.Skip
	switch {
	case c.json.Skip:
		w.reportLost(c, `json:"-"`)
		return isHidden
	case plain && c.Type.Kind() == reflect.Pointer && c.Type.Elem().Kind() == reflect.Struct:
		w.report("embed the struct itself, or give the field a json name", "embedded pointer %s: its members would come and go together", c.Type)
		return isNothing
	case plain && c.Type.Kind() == reflect.Struct && !w.hasOwnForm(c.Type):
		return w.sortEmbedded(c)
	case !c.IsExported() && c.Anonymous && c.json.Name != "":
		w.report("give the field a name of its own, with a capital", "embedded type %s is not exported and cannot be a member", c.Type)
		return isNothing
	case !c.IsExported():
		w.reportLost(c, "not exported")
		return isHidden
	default:
		c.name, c.tagged = c.json.Name, c.json.Name != ""
		if !c.tagged {
			c.name = c.Name
		}
		return isMember
	}
}

// hasOwnForm reports whether a struct is written as something else than an object of its fields.
func (w *walk) hasOwnForm(t reflect.Type) bool {
	return w.custom[t] != nil || isKnown(t) || hasForm(t) || w.isMaybe(t)
}

func (w *walk) isMaybe(t reflect.Type) bool {
	if w.hooks.Maybe == nil {
		return false
	}
	_, ok := w.hooks.Maybe(t)
	return ok
}

// sortEmbedded checks that nothing in the tag of an embedded struct is lost.
func (w *walk) sortEmbedded(c *candidate) standing {
	if c.json.OmitEmpty || c.json.OmitZero || c.json.String {
		w.report("remove the option, or give the field a json name", "json option on the embedded %s has no effect", c.Type)
	}
	w.reportLostTags(c, "an embedded struct without a json name", "validate", "cap")
	return isEmbedded
}

// reportLost reports tags that a field which is not in the JSON carries for nothing.
func (w *walk) reportLost(c *candidate, why string) {
	w.reportLostTags(c, why, "validate", "cap")
	if !c.IsExported() && !c.json.Skip {
		w.reportLostTags(c, why, "json")
	}
}

func (w *walk) reportLostTags(c *candidate, why string, keys ...string) {
	for _, key := range keys {
		if _, ok := c.tag.Lookup(key); ok {
			w.report("remove the tag, or put the field into the JSON", "%s tag on a field that is not in the JSON (%s)", key, why)
		}
	}
}

// readTag reads the raw tag of c strictly. It returns false if nothing can be made of it.
func (w *walk) readTag(c *candidate) bool {
	if c.Tag == "" {
		return true
	}
	tag, problems := tags.Parse(string(c.Tag))
	w.reportTag(problems)
	text, _ := tag.Lookup("json")
	json, more := tags.ParseJSON(text)
	w.reportTag(more)
	c.tag, c.json = tag, json
	return len(problems)+len(more) == 0
}

func (w *walk) reportTag(problems []tags.Problem) {
	for _, p := range problems {
		w.report(p.Do, "%s", p.What)
	}
}

// dominant chooses among fields of one name as Go does: the shallowest, and at one depth the one whose tag gives the name.
// Where Go would drop them all it reports a problem.
func (w *walk) dominant(list []*candidate) []*candidate {
	byName := make(map[string][]*candidate, len(list))
	names := make([]string, 0, len(list))
	for _, c := range list {
		if byName[c.name] == nil {
			names = append(names, c.name)
		}
		byName[c.name] = append(byName[c.name], c)
	}
	chosen := make([]*candidate, 0, len(names))
	for _, name := range names {
		best := dominantOf(byName[name])
		if len(best) > 1 {
			w.at(best[1].path, func() {
				w.report("give one of them another json name", "field has the JSON name %q that %s has too", name, best[0].path)
			})
			continue
		}
		chosen = append(chosen, best[0])
	}
	slices.SortFunc(chosen, func(a, b *candidate) int { return slices.Compare(a.index, b.index) })
	return chosen
}

// dominantOf gives those of one name that no other hides: more than one if Go would drop them all.
func dominantOf(list []*candidate) []*candidate {
	if len(list) == 1 {
		return list
	}
	depth := len(list[0].index) // the list is in the order of depth
	list = slices.DeleteFunc(slices.Clone(list), func(c *candidate) bool { return len(c.index) > depth })
	tagged := slices.DeleteFunc(slices.Clone(list), func(c *candidate) bool { return !c.tagged })
	if len(tagged) > 0 {
		return tagged
	}
	return list
}
