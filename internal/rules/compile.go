package rules

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	stringerType  = reflect.TypeFor[fmt.Stringer]()
	urlType       = reflect.TypeFor[url.URL]()
	rawType       = reflect.TypeFor[json.RawMessage]()
)

// A target is the value that a tag is compiled for.
type target struct {
	typ     reflect.Type // pointers followed
	pointer bool
	wire    Wire
	member  bool // of a collection: not the field itself
}

func targetOf(t reflect.Type, wire Wire) target {
	at := target{typ: t, wire: wire}
	for at.typ.Kind() == reflect.Pointer {
		at.typ, at.pointer = at.typ.Elem(), true
	}
	if at.wire == WireKind {
		at.wire = wireOf(at.typ)
	}
	return at
}

func (at target) kind() reflect.Kind { return at.typ.Kind() }

// wireOf tells the form of a type that nobody has told about: that of a collection's members.
func wireOf(t reflect.Type) Wire {
	has := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	switch {
	case t == timeType || t == durationType || t == urlType:
		return WireText
	case t == rawType || t.Kind() == reflect.Interface:
		return WireRaw
	case has(jsonMarshaler):
		return WireOwn
	case has(textMarshaler):
		return WireText
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return WireBytes
	default:
		return WireKind
	}
}

const upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// compiler compiles one tag.
type compiler struct {
	dictionary *Dictionary
	engine     *engine
	parent     reflect.Type
	owned      bool // what was compiled depends on parent
	problems   []Problem
}

// owner returns the struct that declares the field, nil for a value that is no field.
func (c *compiler) owner() reflect.Type {
	c.owned = true
	return c.parent
}

func (c *compiler) problem(do, what string, args ...any) {
	c.problems = append(c.problems, Problem{What: fmt.Sprintf(what, args...), Do: do})
}

func (c *compiler) compileSet(items []string, at target) *Set {
	set := &Set{Tag: strings.Join(items, ",")}
	for i, item := range items {
		switch item {
		case "dive":
			c.compileDive(set, items[i+1:], at)
			return set
		case "keys", "endkeys":
			c.problem("write dive,keys,…,endkeys,…", "rule %q does not follow dive", item)
		case "structonly", "nostructlevel":
			c.problem("leave it out", "rule %q would skip nested rules, which are always checked", item)
		case "omitempty", "omitzero", "omitnil":
			c.compileSkip(set, item, at)
		case "required":
			c.compileRequired(set, at)
		default:
			c.compileItem(set, item, at)
		}
	}
	return set
}

func (c *compiler) compileSkip(set *Set, item string, at target) {
	switch {
	case set.Required:
		c.problem("keep one of them", "rule %q contradicts \"required\"", item)
	case len(set.Rules) > 0:
		c.problem("put it first", "rule %q stands behind %q, which it cannot skip", item, set.Rules[0].Name)
	}
	// null escapes anyway. A pointer is empty only when it is null, and an empty collection is not nil on the wire.
	switch {
	case item == "omitnil", at.wire == WireRaw, at.wire == WireOwn:
	case item == "omitzero", !at.pointer && at.kind() != reflect.Slice && at.kind() != reflect.Map:
		set.Skip = SkipZero
	}
}

func (c *compiler) compileRequired(set *Set, at target) {
	if set.Skip != SkipNone || strings.HasPrefix(set.Tag, "omit") {
		c.problem("keep one of them", "rule \"required\" contradicts omitempty, omitnil or omitzero")
	}
	set.Required = true
	kind := at.kind()
	switch {
	case at.wire == WireRaw:
		c.add(set, Rule{Name: "required", Op: OpNonNull, message: "must not be null"}, at)
		return
	case at.pointer, kind == reflect.Slice, kind == reflect.Map:
		return // present and not null is all that it asks
	case kind == reflect.Bool:
		c.problem("use a *bool, or eq=true", "rule \"required\" on a bool refuses false")
		return
	case isInt(kind), isUint(kind), isFloat(kind):
		c.problem("use a pointer, or ne=0", "rule \"required\" on a number refuses 0")
		return
	}
	r := Rule{Name: "required", Op: OpNonZero, message: "must not be empty"}
	if kind == reflect.String {
		r.Op, r.Lo, r.Hi = OpLength, 1, maxCount
	} else {
		r.Class = Opaque
	}
	c.add(set, r, at)
}

// compileDive compiles what follows dive.
func (c *compiler) compileDive(set *Set, items []string, at target) {
	kind := at.kind()
	if at.wire != WireKind || (kind != reflect.Slice && kind != reflect.Array && kind != reflect.Map) {
		c.problem("leave it out", "rule \"dive\" has no members to dive into in %s", at.typ)
		return
	}
	if len(items) > 0 && items[0] == "keys" {
		end := slices.Index(items, "endkeys")
		switch {
		case end < 0:
			c.problem("write endkeys after the rules of the keys", "rule \"keys\" has no endkeys")
			return
		case kind != reflect.Map:
			c.problem("leave keys…endkeys out", "rule \"keys\" has no keys to judge in %s", at.typ)
		case end > 1:
			key := targetOf(at.typ.Key(), WireKind)
			key.member = true
			if key.kind() != reflect.String {
				key.wire = WireText
			}
			set.Keys = c.compileSet(items[1:end], key)
		}
		items = items[end+1:]
	}
	if len(items) > 0 {
		elem := targetOf(at.typ.Elem(), WireKind)
		elem.member = true
		set.Elems = c.compileSet(items, elem)
	}
}

// compileItem compiles one item between commas.
func (c *compiler) compileItem(set *Set, item string, at target) {
	name, _, _ := strings.Cut(item, "=")
	alternatives := strings.Split(item, "|")
	e, known := c.dictionary.entries[name]
	switch {
	case item == "":
		c.problem("leave the comma out", "an empty rule in %q", set.Tag)
	case len(alternatives) > 1:
		c.compileAlternatives(set, item, alternatives, at)
	case known && e.how == crossing, name == "unique" && isScalar(at.kind()):
		c.compileCross(set, item, at)
	case !known:
		c.compileForeign(set, item, at)
	default:
		if r, ok := c.compileRule(item, at); ok {
			c.add(set, r, at)
		}
	}
}

// compileAlternatives compiles a|b.
func (c *compiler) compileAlternatives(set *Set, item string, alternatives []string, at target) {
	for _, one := range alternatives {
		name, _, _ := strings.Cut(one, "=")
		switch e, known := c.dictionary.entries[name]; {
		case known && e.how == structural:
			c.problem("put it before, between commas", "rule %q cannot stand between |", name)
			return
		case known && e.how == crossing, !known:
			// One alternative that reads other fields makes validator judge them all.
			c.compileAskedAlternatives(set, item, alternatives, at)
			return
		}
	}
	if r, ok := c.anyOf(item, alternatives, at); ok {
		c.add(set, r, at)
	}
}

func (c *compiler) anyOf(name string, alternatives []string, at target) (Rule, bool) {
	r := Rule{Name: name, Op: OpAny}
	messages := make([]string, 0, len(alternatives))
	good := true
	for _, one := range alternatives {
		alternative, ok := c.compileRule(one, at)
		good = good && ok
		r.Any = append(r.Any, alternative)
		r.Class = max(r.Class, alternative.Class)
		messages = append(messages, alternative.message)
	}
	r.message = strings.Join(messages, ", or ")
	return r, good
}

// compileRule compiles one rule of the dictionary that looks at the value alone.
func (c *compiler) compileRule(item string, at target) (Rule, bool) {
	name, param, hasParam := strings.Cut(item, "=")
	param = unescapeParam(param)
	e := c.dictionary.entries[name]
	switch {
	case e.how == forbidden:
		c.problem("check it in the handler", "rule %q %s", name, e.says)
		return Rule{}, false
	case hasParam && e.param == noParam:
		c.problem("leave it out", "rule %q takes no parameter, but has %q", name, param)
		return Rule{}, false
	case e.param == needParam && (!hasParam || param == "" && name != "eq" && name != "ne"):
		c.problem("write "+name+"=…", "rule %q has no parameter", name)
		return Rule{}, false
	case at.wire == WireRaw || at.wire == WireOwn:
		c.problem("check it in the handler", "rule %q cannot judge %s", name, at.typ)
		return Rule{}, false
	}
	r, err := c.compileEntry(name, param, e, at)
	if err != nil {
		c.problem("", "%s", err)
		return Rule{}, false
	}
	r.Name, r.Param = name, param
	if c.engine.foreign && c.isReplaced(&r, item, at) {
		c.problem("register it under a name of its own", "rule %q is not validator's own any more", name)
		return Rule{}, false
	}
	return c.fitted(r, at), true
}

// compileEntry compiles a rule by its row.
func (c *compiler) compileEntry(name, param string, e entry, at target) (Rule, error) {
	if e.how == native {
		return c.compileNative(name, param, at)
	}
	if at.kind() != reflect.String {
		stringer := at.typ.Implements(stringerType) || reflect.PointerTo(at.typ).Implements(stringerType)
		if strings.HasPrefix(name, "uuid") && at.wire == WireText && stringer {
			return c.asking(name, Opaque, e.says), nil
		}
		if name != "json" || at.wire != WireBytes {
			if e.how != aliased {
				return Rule{}, wrongKind(name, "strings", at)
			}
		}
	}
	says := e.says
	if strings.Contains(says, "%s") {
		says = fmt.Sprintf(says, param)
	}
	switch e.how {
	case aliased:
		r, ok := c.anyOf(name, strings.Split(e.source, "|"), at)
		r.message = says
		if !ok {
			return r, fmt.Errorf("rule %q does not fit %s", name, at.typ)
		}
		return r, nil
	case listed:
		return c.listed(name, e)
	case asked:
		return c.compileAsked(name, param, says, e)
	case patterned:
		r, err := c.pattern(e.source, says)
		if e.max > 0 {
			r = Rule{Op: OpAll, All: []Rule{{Op: OpLength, Hi: int64(e.max)}, r}, message: says}
		}
		r.Format = e.format
		return r, err
	default:
		return Rule{}, fmt.Errorf("rule %q cannot stand here", name)
	}
}

func (c *compiler) compileAsked(name, param, says string, e entry) (Rule, error) {
	tag := name
	if param != "" {
		tag += "=" + escapeParam(param)
	}
	if name == "postcode_iso3166_alpha2" && (len(param) != 2 || strings.Trim(param, upperLetters) != "") {
		return Rule{}, notNumber(name, param, "the code of a country in capitals")
	}
	r, err := c.asking(tag, Opaque, says), error(nil)
	if e.source != "" {
		r, err = c.askingWide(tag, e.source, says)
	}
	if e.sure != "" && err == nil {
		r.sure, err = c.dictionary.pattern(e.sure)
	}
	r.Format = e.format
	if e.max > 0 {
		length := Rule{Op: OpLength, Hi: int64(e.max)}
		r = Rule{Op: OpAll, Class: Wider, All: []Rule{length, r}, Wide: []Rule{length}, Format: e.format, message: says}
	}
	return r, err
}

// fitted lowers the class of a rule whose operands are not what the wire shows.
func (c *compiler) fitted(r Rule, at target) Rule {
	counted := at.wire == WireBytes && r.Op == OpCount
	if at.wire != WireKind && !counted && r.Op != OpNonNull {
		r.Class, r.Wide, r.Format = Opaque, nil, ""
	}
	return r
}

// add puts a rule of the value into set.
func (c *compiler) add(set *Set, r Rule, at target) {
	r = c.fitted(r, at)
	set.Rules = append(set.Rules, r)
	set.name(&r)
}

// name notes that r refuses more than the schema says.
func (s *Set) name(r *Rule) {
	if r.Class != Exact && !slices.Contains(s.Wider, r.Name) {
		s.Wider = append(s.Wider, r.Name)
	}
}

func isScalar(k reflect.Kind) bool {
	return k == reflect.String || k == reflect.Bool || isInt(k) || isUint(k) || isFloat(k)
}

// unescapeParam reads the two characters that a tag cannot hold.
func unescapeParam(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "0x2C", ","), "0x7C", "|")
}

func escapeParam(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, ",", "0x2C"), "|", "0x7C")
}
