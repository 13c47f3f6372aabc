package rules

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap/tags"
)

const maxCount = math.MaxInt64

// crossEntries are the tags that read other fields of the struct.
func crossEntries() map[string]entry {
	return map[string]entry{
		"required_if":          {how: crossing, says: "must not be empty when %s"},
		"required_unless":      {how: crossing, says: "must not be empty unless %s"},
		"skip_unless":          {how: crossing, says: "must not be empty when %s"},
		"required_with":        {how: crossing, says: "must not be empty when any of %s is present"},
		"required_with_all":    {how: crossing, says: "must not be empty when all of %s are present"},
		"required_without":     {how: crossing, says: "must not be empty when any of %s is absent"},
		"required_without_all": {how: crossing, says: "must not be empty when all of %s are absent"},
		"excluded_if":          {how: crossing, says: "must be left out when %s"},
		"excluded_unless":      {how: crossing, says: "must be left out unless %s"},
		"excluded_with":        {how: crossing, says: "must be left out when any of %s is present"},
		"excluded_with_all":    {how: crossing, says: "must be left out when all of %s are present"},
		"excluded_without":     {how: crossing, says: "must be left out when any of %s is absent"},
		"excluded_without_all": {how: crossing, says: "must be left out when all of %s are absent"},
		"eqfield":              {how: crossing, says: "must equal %s"},
		"nefield":              {how: crossing, says: "must differ from %s"},
		"gtfield":              {how: crossing, says: "must be greater than %s"},
		"gtefield":             {how: crossing, says: "must be at least %s"},
		"ltfield":              {how: crossing, says: "must be less than %s"},
		"ltefield":             {how: crossing, says: "must be at most %s"},
		"eqcsfield":            {how: crossing, says: "must equal %s"},
		"necsfield":            {how: crossing, says: "must differ from %s"},
		"gtcsfield":            {how: crossing, says: "must be greater than %s"},
		"gtecsfield":           {how: crossing, says: "must be at least %s"},
		"ltcsfield":            {how: crossing, says: "must be less than %s"},
		"ltecsfield":           {how: crossing, says: "must be at most %s"},
		"fieldcontains":        {how: crossing, says: "must contain the text of %s"},
		"fieldexcludes":        {how: crossing, says: "must not contain the text of %s"},
		"postcode_iso3166_alpha2_field": {
			how:  crossing,
			says: "must be a postcode of the country in %s",
		},
	}
}

// lengthOrder are the comparisons that look at the length of text where one expects its order.
var lengthOrder = []string{"gtfield", "gtefield", "ltfield", "ltefield"}

// compileCross compiles one rule that reads other fields.
func (c *compiler) compileCross(set *Set, item string, at target) {
	r, ok := c.compileCrossRule(item, at)
	if !ok {
		return
	}
	if r.Absent && set.Skip != SkipNone {
		c.problem("put it before omitempty", "rule %q stands behind omitempty, which skips it just when it matters", r.Name)
		return
	}
	c.addCross(set, r, at)
}

// addCross puts r into set, once it has been run on zero values without a panic.
func (c *compiler) addCross(set *Set, r Rule, at target) {
	r.Op, r.Class, r.engine, r.Skip = OpCross, Opaque, c.engine, set.Skip
	if panicked := c.rehearse(&r, at); panicked != "" {
		c.problem("", "rule %q panics on the zero value: %s", r.Name, panicked)
		return
	}
	set.Cross = append(set.Cross, r)
	set.name(&r)
}

// rehearse runs r on zero values and returns what it threw.
func (c *compiler) rehearse(r *Rule, at target) string {
	parent := reflect.Value{}
	if r.Op == OpCross {
		parent = reflect.Zero(c.parent)
	}
	value := reflect.Zero(at.typ)
	if at.kind() == reflect.Interface {
		value = reflect.ValueOf("")
	}
	_, panicked := c.engine.try(presenceOf(r, value), parent, r.tag)
	return panicked
}

func (c *compiler) compileCrossRule(item string, at target) (Rule, bool) {
	name, param, _ := strings.Cut(item, "=")
	param = unescapeParam(param)
	if c.owner() == nil || at.member {
		c.problem("put it on a field", "rule %q reads other fields, which a member does not have", name)
		return Rule{}, false
	}
	r := Rule{Name: name, Param: param, tag: item}
	shown, err := c.crossOperands(&r, at)
	if err != nil {
		c.problem("", "%s", err)
		return Rule{}, false
	}
	if name == "unique" {
		r.message = "must differ from " + shown
		return r, true
	}
	r.message = fmt.Sprintf(c.dictionary.entries[name].says, shown)
	if slices.Contains(lengthOrder, name) && at.kind() == reflect.String {
		r.message = strings.NewReplacer("greater than", "longer than", "at least", "at least as long as",
			"less than", "shorter than", "at most", "at most as long as").Replace(r.message)
	}
	return r, true
}

// crossOperands checks the fields that r names and returns how a message shows them.
func (c *compiler) crossOperands(r *Rule, at target) (string, error) {
	names := words(r.Param)
	if len(names) == 0 {
		return "", fmt.Errorf("rule %q names no field", r.Name)
	}
	switch {
	case strings.HasSuffix(r.Name, "_if"), strings.HasSuffix(r.Name, "_unless"):
		r.Absent = true
		return c.conditions(r.Name, names)
	case strings.Contains(r.Name, "_with"):
		r.Absent = true
		shown := make([]string, len(names))
		for i, name := range names {
			other, err := c.resolve(r.Name, name)
			if err != nil {
				return "", err
			}
			shown[i] = other.shown
		}
		return strings.Join(shown, ", "), nil
	default:
		return c.compared(r.Name, names, at)
	}
}

// conditions checks the pairs of required_if and its kin.
func (c *compiler) conditions(rule string, words []string) (string, error) {
	if len(words)%2 != 0 {
		return "", fmt.Errorf("rule %q wants pairs of a field and a value", rule)
	}
	var shown []string
	seen := map[string]bool{}
	for i := 0; i < len(words); i += 2 {
		other, err := c.resolve(rule, words[i])
		if err != nil {
			return "", err
		}
		if seen[words[i]] {
			return "", fmt.Errorf("rule %q names the field %q twice", rule, words[i])
		}
		seen[words[i]] = true
		if err := holds(rule, other.typ, words[i+1]); err != nil {
			return "", err
		}
		shown = append(shown, other.shown+" is "+words[i+1])
	}
	return strings.Join(shown, " and "), nil
}

// holds reports why a field of type t can never hold value, as validator reads it.
func holds(rule string, t reflect.Type, value string) error {
	var err error
	want := "an integer"
	switch kind := t.Kind(); {
	case isInt(kind):
		_, err = strconv.ParseInt(value, 0, 64)
	case isUint(kind):
		_, err = strconv.ParseUint(value, 0, 64)
	case isFloat(kind):
		want = "a number"
		_, err = strconv.ParseFloat(value, 64)
	case kind == reflect.Bool:
		want = "true or false"
		if value != "true" && value != "false" {
			err = strconv.ErrSyntax
		}
	case kind == reflect.Slice, kind == reflect.Map, kind == reflect.Array:
		want = "a number of members"
		if value == "nil" && kind != reflect.Array {
			return fmt.Errorf("rule %q asks for nil, which no JSON array or object is", rule)
		}
		_, err = strconv.ParseInt(value, 0, 64)
	case kind == reflect.String:
	default:
		return fmt.Errorf("rule %q cannot compare %s with %q", rule, t, value)
	}
	if err != nil {
		return notNumber(rule, value, want)
	}
	return nil
}

// compared checks the one other field of eqfield and its kin.
func (c *compiler) compared(rule string, names []string, at target) (string, error) {
	if len(names) != 1 {
		return "", fmt.Errorf("rule %q wants one field", rule)
	}
	other, err := c.resolve(rule, names[0])
	if err != nil {
		return "", err
	}
	own := at.kind()
	switch {
	case rule == "postcode_iso3166_alpha2_field", rule == "fieldcontains", rule == "fieldexcludes":
		if own != reflect.String || other.typ.Kind() != reflect.String {
			return "", fmt.Errorf("rule %q judges strings, not %s and %s", rule, at.typ, other.typ)
		}
	case other.typ.Kind() != own:
		return "", fmt.Errorf("rule %q compares %s with %s, which is never equal", rule, at.typ, other.typ)
	case own == reflect.Struct && !(at.typ.ConvertibleTo(timeType) && other.typ.ConvertibleTo(timeType)),
		own != reflect.Struct && !isScalar(own),
		own == reflect.Bool && !strings.HasPrefix(rule, "eq") && !strings.HasPrefix(rule, "ne") && rule != "unique":
		return "", wrongKind(rule, "strings, numbers and times", at)
	}
	return other.shown, nil
}

// sibling is a field that a rule reads.
type sibling struct {
	typ   reflect.Type // pointers followed
	shown string       // JSON names
}

// resolve follows a dotted Go path from the struct that declares the field.
func (c *compiler) resolve(rule, path string) (sibling, error) {
	at := sibling{typ: c.owner()}
	var shown []string
	for _, name := range strings.Split(path, ".") {
		if at.typ.Kind() != reflect.Struct || at.typ.ConvertibleTo(timeType) {
			return at, fmt.Errorf("rule %q names the field %q, but %s has no fields", rule, path, at.typ)
		}
		field, ok := at.typ.FieldByName(name)
		if !ok || !field.IsExported() {
			return at, fmt.Errorf("rule %q names the field %q, which %s does not have%s", rule, path, at.typ, suggestion(name, fieldNames(at.typ)))
		}
		at.typ = field.Type
		for at.typ.Kind() == reflect.Pointer {
			at.typ = at.typ.Elem()
		}
		shown = append(shown, jsonName(field))
	}
	at.shown = strings.Join(shown, ".")
	return at, nil
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return field.Name
	}
	return name
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(t) {
		if field.IsExported() {
			names = append(names, field.Name)
		}
	}
	return names
}

// compileAskedAlternatives compiles a|b that validator must judge as a whole.
func (c *compiler) compileAskedAlternatives(set *Set, item string, alternatives []string, at target) {
	r := Rule{Name: item, tag: item}
	crosses := false
	var messages []string
	for _, one := range alternatives {
		name, _, _ := strings.Cut(one, "=")
		e, known := c.dictionary.entries[name]
		switch {
		case !known:
			if !c.registered(name) {
				return
			}
			messages = append(messages, foreignMessage(name))
		case e.how == crossing:
			crosses = true
			alternative, ok := c.compileCrossRule(one, at)
			if !ok {
				return
			}
			r.Absent = r.Absent || alternative.Absent
			messages = append(messages, alternative.message)
		default:
			alternative, ok := c.compileRule(one, at)
			if !ok {
				return
			}
			messages = append(messages, alternative.message)
		}
	}
	if crosses && isPlainStruct(reflect.Zero(at.typ)) {
		c.problem("use one rule", "rule %q cannot judge the struct %s", item, at.typ)
		return
	}
	r.message = strings.Join(messages, ", or ")
	c.addForeign(set, r, at)
}

// compileForeign compiles a rule or an alias that the user registered.
func (c *compiler) compileForeign(set *Set, item string, at target) {
	name, param, _ := strings.Cut(item, "=")
	if c.registered(name) {
		c.addForeign(set, Rule{Name: name, Param: unescapeParam(param), tag: item, message: foreignMessage(name)}, at)
	}
}

func foreignMessage(name string) string { return fmt.Sprintf("must keep the rule %q", name) }

// registered reports whether validator knows name, and a problem if not.
func (c *compiler) registered(name string) bool {
	if name != "" && c.engine.knows(name) {
		return true
	}
	known := make([]string, 0, len(c.dictionary.entries))
	for one := range c.dictionary.entries {
		known = append(known, one)
	}
	slices.Sort(known)
	do := nearest(name, known)
	if do == "" {
		do = "register it with validator, or leave it out"
	}
	c.problem(do, "unknown validate rule %q", name)
	return false
}

// addForeign puts a rule of the user's into set. On a field it sees the struct around it, as under validator.Struct.
func (c *compiler) addForeign(set *Set, r Rule, at target) {
	if c.owner() != nil && !at.member {
		c.addCross(set, r, at)
		return
	}
	r.Op, r.Class, r.engine = OpVar, Opaque, c.engine
	if panicked := c.rehearse(&r, at); panicked != "" {
		c.problem("", "rule %q panics on the zero value: %s", r.Name, panicked)
		return
	}
	set.Rules = append(set.Rules, r)
	set.name(&r)
}

// suggestion is nearest in parentheses.
func suggestion(name string, known []string) string {
	if text := nearest(name, known); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// nearest asks for the nearest of known, if it is two edits away or less.
func nearest(name string, known []string) string {
	if best, ok := tags.Nearest(name, known); ok {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return ""
}
