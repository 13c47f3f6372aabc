package plan

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/rules"
	"github.com/seed-369ec62e/cap/tags"
)

// compileField compiles one member and appends it to p.
func (w *walk) compileField(p *Plan, c *candidate) {
	text, _ := c.tag.Lookup("cap")
	options, problems := tags.ParseField(text)
	w.reportTag(problems)
	before := len(w.problems)
	f := Field{
		Name: c.name, GoName: c.path, Index: c.index, Tag: c.tag,
		Plan:      w.plan(c.Type, options.Format),
		OmitEmpty: c.json.OmitEmpty, OmitZero: c.json.OmitZero, AsString: c.json.String,
		Description: options.Description, Deprecated: options.Deprecated,
		Secret: options.Secret, Cite: options.Cite, Version: options.Version,
		parent: c.index[:len(c.index)-1],
	}
	f.Optional = f.OmitEmpty || f.OmitZero || options.HasDefault || f.Plan.Kind == Maybe
	f.Nullable = f.Plan.Kind == Maybe || f.Plan.Kind == Pointer && !f.Optional
	f.Rules = &rules.Set{}
	if len(w.problems) == before && !f.Plan.faulty {
		w.compileRules(&f, c)
		w.checkOptions(p, &f, options)
		w.compileSamples(p, &f, options)
	}
	f.prefix = append(quoted(f.Name), ':')
	f.zero = zeroFormOf(c.Type)
	f.judged = f.Rules.Required || len(f.Rules.Rules) > 0 || f.Rules.Keys != nil || f.Rules.Elems != nil
	p.cross = p.cross || len(f.Rules.Cross) > 0
	p.lookup[f.Name] = len(p.Fields)
	p.Fields = append(p.Fields, f)
}

func quoted(text string) []byte {
	b, _ := jsonvalue.AppendText(nil, text)
	return b
}

// compileRules reads the validate tag.
func (w *walk) compileRules(f *Field, c *candidate) {
	text, ok := c.tag.Lookup("validate")
	if !ok || text == "-" {
		return
	}
	t, owner := c.Type, c.owner
	if f.Plan.Kind == Maybe {
		t, owner = f.Plan.Elem.Type, nil // rules that read other fields cannot see what a Maybe holds
	}
	set, problems := w.rules.Compile(text, t, f.wire(), owner)
	for _, p := range problems {
		w.report(p.Do, "%s", p.What)
	}
	if set != nil {
		f.Rules = set
	}
	if !f.Rules.Required {
		return
	}
	switch {
	case f.OmitEmpty || f.OmitZero:
		w.report("remove one of the two", "validate rule %q on a field that its json tag lets be left out", "required")
	case f.Plan.Kind == Maybe:
		w.report("remove the rule", "validate rule %q on a Maybe, which may always be left out", "required")
	}
}

// base is what a pointer or Maybe holds, and every other plan itself. A pointer to a pointer is a problem.
func (p *Plan) base() *Plan {
	if p.Kind == Pointer || p.Kind == Maybe {
		return p.Elem
	}
	return p
}

// wire tells the rules how values of f are written.
func (f *Field) wire() rules.Wire {
	if f.AsString {
		return rules.WireText
	}
	return f.Plan.base().wire()
}

func (p *Plan) wire() rules.Wire {
	switch p.Kind {
	case Time, Duration, UUID, Addr, Prefix, AddrPort, URL, Text:
		return rules.WireText
	case Bytes:
		return rules.WireBytes
	case Any, Raw:
		return rules.WireRaw
	case Number, BigInt, Custom:
		return rules.WireOwn
	default:
		return rules.WireKind
	}
}

// checkOptions reports options that do not fit the type of f.
func (w *walk) checkOptions(p *Plan, f *Field, options tags.Field) {
	base := f.Plan.base()
	if f.AsString && base.Kind != Int && base.Kind != Uint && base.Kind != Float && base.Kind != Bool {
		w.report("remove the option", "json option %q on type %s, which is no number or bool", "string", f.Plan.Type)
	}
	if options.HasFormat && !f.Plan.usesFormat() {
		w.report("remove the option", "option %q on type %s, which is no text marshaller", "format", f.Plan.Type)
	}
	if f.Cite && !w.isRef(f.Plan.Type) {
		w.report("move it to a field that names an object", "option %q on type %s, which names no object", "cite", f.Plan.Type)
	}
	if f.Secret && f.Plan.leaf().Kind == Struct {
		w.report("put it on the fields inside that are secret", "option %q on type %s, which is a struct", "secret", f.Plan.Type)
	}
	if f.Version && base.Kind != String && base.Kind != Int && base.Kind != Uint {
		w.report("move it to a text or integer", "option %q on type %s, which is no text and no integer", "version", f.Plan.Type)
	}
	if i := slices.IndexFunc(p.Fields, func(f Field) bool { return f.Version }); f.Version && i >= 0 {
		w.report("keep one of them", "option %q is on %s too", "version", p.Fields[i].GoName)
	}
}

// leaf follows pointers and collections.
func (p *Plan) leaf() *Plan {
	for seen := 0; p.Elem != nil && seen < maxNesting; seen++ {
		p = p.Elem
	}
	return p
}

// maxNesting stops at types such as `type T []T`, which hold nothing but themselves.
const maxNesting = 100

// usesFormat reports whether a text marshaller is what p holds in the end.
func (p *Plan) usesFormat() bool {
	if p.Key != nil && p.Key.Kind == Text {
		return true
	}
	return p.leaf().Kind == Text
}

func (w *walk) isRef(t reflect.Type) bool {
	ref := w.hooks.Ref
	return ref != nil && (t == ref || t == reflect.PointerTo(ref) || t == reflect.SliceOf(ref))
}

// sample is a default or example that is checked once all plans are whole.
type sample struct {
	plan  *Plan
	field int
	path  string
	what  string // default or example
	text  string
	order int // how many problems came before it
}

// compileSamples turns default and example into JSON and leaves the checks for later: the plan of a recursive type is not
// whole yet.
func (w *walk) compileSamples(p *Plan, f *Field, options tags.Field) {
	note := func(what, text string) json.RawMessage {
		w.samples = append(w.samples, sample{p, len(p.Fields), strings.Join(w.path, ""), what, text, len(w.problems)})
		return f.sampleJSON(text)
	}
	if options.HasDefault {
		f.Default = note("default", options.Default)
	}
	if options.HasExample {
		f.Example = note("example", options.Example)
	}
	switch {
	case !options.HasDefault:
	case f.Rules.Required:
		w.report("remove one of the two", "validate rule %q on a field with a default", "required")
	case f.Plan.Kind == Maybe:
		w.report("remove one of the two", "default on a Maybe, which tells absent apart")
	case f.Secret:
		w.report("remove one of the two", "default on a secret: the schema shows it to everybody")
	}
}

// sampleJSON reads the text of a default or example: JSON, but for strings and text forms the text itself.
func (f *Field) sampleJSON(text string) json.RawMessage {
	base := f.Plan.base()
	if f.AsString || base.Kind == String || base.Kind == Bytes || base.wire() == rules.WireText ||
		base.Kind == Custom && base.roots == rootString {
		return quoted(text)
	}
	compact, err := jsonvalue.Compact(nil, []byte(text))
	if err != nil {
		return json.RawMessage(text)
	}
	return compact
}

// checkSample decodes a default or example as its field would, and returns what is wrong with it.
func (s *sample) check() (Problem, bool) {
	f := &s.plan.Fields[s.field]
	data := f.Default
	if s.what == "example" {
		data = f.Example
	}
	if s.what == "default" && f.Plan.secrets {
		return Problem{Path: s.path, What: "default on a value that holds a secret: the schema shows it to everybody", Do: "remove one of the two"}, false
	}
	value := reflect.New(f.Plan.Type).Elem()
	issues := f.decodeAlone(data, value)
	if issues == nil {
		if s.what == "default" && f.Plan.isFlat() {
			f.defaultValue = value
		}
		return Problem{}, true
	}
	first := issues.List[0]
	where := ""
	if first.Pointer != "" {
		where = " at " + first.Pointer
	}
	return Problem{
		Path: s.path,
		What: fmt.Sprintf("%s %q%s %s", s.what, s.text, where, first.Message),
		Do:   "give one that the field accepts",
	}, false
}
