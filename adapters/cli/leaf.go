package capcli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// shape says how often a flag may be given, and what that makes.
type shape uint8

const (
	shapeOne  shape = iota // once: the value itself
	shapeList              // repeated: an array
	shapeMap               // repeated as k=v: an object
)

// leaf is one place of an input that a flag reaches.
type leaf struct {
	flag  string // such as "address.city"
	short string
	env   string
	path  []string // JSON names from the root
	arg   bool     // also a positional argument

	field  *cap.Field
	shape  shape
	form   form // of the value, or of an element
	secret bool
}

// input is the command line form of a capability's input. It is immutable.
type input struct {
	leaves []*leaf
	args   []*leaf // in order
}

// maxDotted is how many levels of nested objects become dotted flags. What lies deeper is JSON.
const maxDotted = 2

// compileInput makes flags of the fields of an input.
func compileInput(c *cap.Capability, at func(where string) reporter) *input {
	in := &input{}
	in.walk(c.Input().Fields(), nil, "", false, func(name string) reporter {
		return at(c.ContractType() + ": field " + name)
	})
	for _, l := range in.leaves {
		if l.arg {
			in.args = append(in.args, l)
		}
	}
	in.checkArgs(at(c.ContractType()))
	return in
}

func (in *input) walk(fields []*cap.Field, path []string, prefix string, secret bool, at func(name string) reporter) {
	for _, field := range fields {
		name := strings.Join(append(slices.Clone(path), field.Name()), ".")
		report := at(name)
		var tag fieldTag
		if text, ok := field.Tag("cli"); ok {
			tag = parseFieldTag(text, report)
		}
		if tag.none {
			continue
		}
		l := &leaf{
			flag: prefix + kebab(field.Name()), short: tag.short, env: tag.env, arg: tag.arg,
			path: append(slices.Clone(path), field.Name()), field: field, secret: secret || field.Secret(),
		}
		if tag.flag != "" {
			l.flag = prefix + tag.flag
		}
		if !isFlagName(l.flag) {
			report(fmt.Sprintf("its JSON name makes no flag: %q", "--"+l.flag), `name one with cli:"flag=…", or say cli:"-" to leave it to --input`)
			continue
		}
		if field.Kind() == cap.FieldObject && len(path) < maxDotted {
			checkObject(tag, report)
			in.walk(field.Fields(), l.path, l.flag+".", l.secret, at)
			continue
		}
		l.shape, l.form = shapeOf(field)
		l.secret = l.secret || holdsSecret(field, maxSecretDepth)
		checkLeaf(l, report)
		in.leaves = append(in.leaves, l)
	}
}

// maxSecretDepth bounds how deep secrets are looked for. A type that holds itself has no end.
const maxSecretDepth = 8

// holdsSecret reports whether a secret lies in a value of the field.
func holdsSecret(field *cap.Field, depth int) bool {
	if field == nil || depth == 0 {
		return false
	}
	if field.Secret() || holdsSecret(field.Elem(), depth-1) {
		return true
	}
	return slices.ContainsFunc(field.Fields(), func(f *cap.Field) bool { return holdsSecret(f, depth-1) })
}

func checkObject(tag fieldTag, report reporter) {
	if tag.arg || tag.short != "" || tag.env != "" {
		report("is an object, whose members are flags of their own", "tag its members")
	}
}

func checkLeaf(l *leaf, report reporter) {
	if l.env != "" && l.shape != shapeOne {
		report("is a list or a map, which no environment variable can set", "remove env=")
	}
	if l.arg && l.secret {
		report("is a secret, which must not stand on the command line", "remove arg")
	}
	if l.arg && l.shape == shapeMap {
		report("is a map, which is no positional argument", "remove arg")
	}
}

const maxArgs = 2

// checkArgs holds positional arguments to what people can keep apart.
func (in *input) checkArgs(report reporter) {
	single := 0
	for i, l := range in.args {
		if l.shape == shapeOne {
			single++
		} else if i < len(in.args)-1 {
			report(fmt.Sprintf("the list %s is a positional argument before another", strings.Join(l.path, ".")), "move the list to the end")
		}
	}
	if single > maxArgs {
		report(fmt.Sprintf("has %d positional arguments", single), "keep two, and one list at the end")
	}
}

// shapeOf tells how a field is given on the command line.
func shapeOf(field *cap.Field) (shape, form) {
	switch field.Kind() {
	case cap.FieldArray:
		return shapeList, formOf(field.Elem())
	case cap.FieldMap:
		return shapeMap, formOf(field.Elem())
	default:
		return shapeOne, formOf(field)
	}
}

func formOf(field *cap.Field) form {
	switch field.Kind() {
	case cap.FieldString:
		if field.Encoding() != "" {
			return formBytes
		}
		return formText
	case cap.FieldInteger:
		return formInteger
	case cap.FieldNumber:
		return formNumber
	case cap.FieldBoolean:
		return formBool
	default:
		return formJSON
	}
}

// takesArray reports whether one occurrence of a list's flag may be the whole list, as a JSON array: where no element can
// be an array itself, and none is text.
func (l *leaf) takesArray() bool {
	if l.shape != shapeList || l.form == formText || l.form == formBytes {
		return false
	}
	kind := l.field.Elem().Kind()
	return kind != cap.FieldArray && kind != cap.FieldAny
}

// isSwitch reports whether the flag stands alone, as in --force.
func (l *leaf) isSwitch() bool { return l.shape == shapeOne && l.form == formBool && !l.secret }

// placeholder is how usage lines show the value.
func (l *leaf) placeholder() string {
	text := l.form.placeholder(l.field)
	if l.secret {
		text = "@FILE"
	}
	switch {
	case l.shape == shapeList:
		return text + "..."
	case l.shape == shapeMap:
		return "NAME=" + text + "..."
	default:
		return text
	}
}

// choices are the texts that the field, or an element of it, may have; nil if it may have any.
func (l *leaf) choices() []string {
	field := l.field
	if l.shape != shapeOne {
		field = field.Elem()
	}
	var texts []string
	for _, value := range field.Enum() {
		texts = append(texts, textOf(value))
	}
	return texts
}
