package schema_test

import (
	"encoding/json"
	"flag"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/schema"
)

var update = flag.Bool("update", false, "write the golden files")

var documents = flag.Int("documents", defaultDocuments, "documents in the differential tests, input and output together")

// outside are the rules of the JSON model that no schema can speak of. Documents that break them are not compared.
var outside = []string{
	plan.RuleNegativeZero, plan.RuleOverflow, plan.RuleUnderflow, plan.RuleDigits, plan.RulePrecision,
	plan.RuleDuplicate, plan.RuleDepth, plan.RuleSize, plan.RuleSurrogate, plan.RuleUTF8, plan.RuleSyntax,
}

// A subject is a type with its plan and both its schemas, as an independent validator reads them.
type subject struct {
	plan          *plan.Plan
	input, output *jsonschema.Schema
	listed        map[string]bool // rules in x-cap-rules, of either schema
}

func newSubject(t testing.TB, typ reflect.Type) *subject {
	t.Helper()
	p, problems := plan.New(plan.Config{Hooks: hooks()}).Compile(typ)
	require.Empty(t, problems, "%s", typ)
	s := &subject{plan: p, listed: map[string]bool{}}
	s.input = s.compile(t, schema.Input(p, schema.Options{}))
	s.output = s.compile(t, schema.Output(p, schema.Options{}))
	return s
}

func (s *subject) compile(t testing.TB, text json.RawMessage) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err, "%s", text)
	s.list(document)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("urn:test", document), "%s", text)
	compiled, err := c.Compile("urn:test")
	require.NoError(t, err, "%s", text)
	return compiled
}

// list collects the names in x-cap-rules.
func (s *subject) list(v any) {
	switch v := v.(type) {
	case map[string]any:
		if names, ok := v["x-cap-rules"].([]any); ok {
			for _, one := range names {
				s.listed[one.(string)] = true
			}
		}
		for _, kid := range v {
			s.list(kid)
		}
	case []any:
		for _, kid := range v {
			s.list(kid)
		}
	}
}

// explained reports whether issues, of a document that the schema admits, are all of listed rules.
func (s *subject) explained(issues *plan.Issues) bool {
	return !slices.ContainsFunc(issues.List, func(i plan.Issue) bool { return !s.listed[i.Rule] })
}

// isOutside reports whether a document is outside the model for a reason that x-cap-rules does not name.
func (s *subject) isOutside(issues *plan.Issues) bool {
	return issues != nil && slices.ContainsFunc(issues.List, func(i plan.Issue) bool {
		return slices.Contains(outside, i.Rule) && !s.listed[i.Rule]
	})
}

func admits(s *jsonschema.Schema, document []byte) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(document)))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// tally counts what was compared.
type tally struct{ inputs, accepted, refused, wider, outside, outputs, outputsRefused int }

// inputVerdict compares the verdicts on one document. It returns the value if the plan accepts it.
func (s *subject) inputVerdict(t testing.TB, document []byte, n *tally) (reflect.Value, bool) {
	v := reflect.New(s.plan.Type).Elem()
	issues := s.plan.Decode(document, v, plan.Limits{})
	if s.isOutside(issues) {
		n.outside++
		return v, false
	}
	n.inputs++
	err := admits(s.input, document)
	switch {
	case issues == nil && err == nil:
		n.accepted++
		return v, true
	case issues == nil:
		t.Errorf("%s: the plan accepts what the schema refuses:\n%s\n%v", s.plan.Type, document, err)
	case err == nil && !s.explained(issues):
		t.Errorf("%s: the schema admits what the plan refuses, and x-cap-rules does not name why:\n%s\n%+v", s.plan.Type, document, issues.List)
	case err == nil:
		n.wider++
	default:
		n.refused++
	}
	return v, false
}

// outputVerdict compares the verdicts on one value.
func (s *subject) outputVerdict(t testing.TB, v reflect.Value, n *tally) {
	n.outputs++
	document, issues := s.plan.Encode(nil, v, plan.Limits{})
	if issues == nil {
		if err := admits(s.output, document); err != nil {
			t.Errorf("%s: the plan writes what the schema refuses:\n%s\n%v", s.plan.Type, document, err)
		}
		return
	}
	n.outputsRefused++
	if s.isOutside(issues) || s.explained(issues) {
		return
	}
	// What the plan would have written without its rules is refused by the schema as well.
	document, broken := s.plan.EncodeInput(nil, v, plan.Limits{})
	if broken == nil && admits(s.output, document) == nil {
		t.Errorf("%s: the schema admits what the plan does not write:\n%s\n%+v", s.plan.Type, document, issues.List)
	}
}

// ruledTypes returns a type for each tag about text: the tag on a plain, a nullable, an optional and a skipping field, on
// members and on names.
func ruledTypes() []reflect.Type {
	m := newMaker(0)
	var types []reflect.Type
	for _, tag := range slices.Sorted(maps.Keys(m.texts)) {
		escaped := strings.ReplaceAll(tag, `"`, `\"`)
		field := func(name string, typ reflect.Type, json, rules string) reflect.StructField {
			return reflect.StructField{Name: name, Type: typ, Tag: reflect.StructTag(`json:"` + json + `" validate:"` + rules + `"`)}
		}
		text := reflect.TypeFor[string]()
		types = append(types, reflect.StructOf([]reflect.StructField{
			field("Plain", text, "plain", escaped),
			field("Nullable", reflect.PointerTo(text), "nullable", escaped),
			field("Optional", text, "optional,omitempty", escaped),
			field("Skipping", text, "skipping", "omitempty,"+escaped),
			field("List", reflect.SliceOf(text), "list", "dive,"+escaped),
			field("Map", reflect.MapOf(text, text), "map", "dive,keys,"+escaped+",endkeys"),
		}))
	}
	return types
}

func TestDifferential(t *testing.T) {
	t.Parallel()
	fixed, ruled := fixedTypes(), ruledTypes()
	var total tally
	var lock sync.Mutex
	t.Run("types", func(t *testing.T) {
		run := func(types []reflect.Type, each int) {
			for i, typ := range types {
				t.Run(shortName(typ), func(t *testing.T) {
					t.Parallel()
					n := newSubject(t, typ).compare(t, newMaker(uint64(i+1)), each)
					t.Logf("%+v", n)
					lock.Lock()
					defer lock.Unlock()
					total.add(n)
				})
			}
		}
		// Rounded up, so that the sum is not below what was asked for; compare halves it once more.
		run(fixed, *documents/2/len(fixed)+2)
		run(ruled, *documents/2/len(ruled)+2)
	})
	t.Logf("%d types, %d documents: %+v", len(fixed)+len(ruled), total.inputs+total.outputs, total)
	if !t.Failed() {
		t.Log("0 disagreements")
	}
}

// shortName names a type by its tag, when it has no name.
func shortName(typ reflect.Type) string {
	if typ.Kind() == reflect.Struct && typ.NumField() > 0 && typ.Name() == "" {
		return typ.Field(0).Tag.Get("validate")
	}
	return typ.String()
}

// compare makes documents, half of them inputs, half outputs, and compares the verdicts.
func (s *subject) compare(t *testing.T, m *maker, documents int) tally {
	t.Helper()
	var n tally
	last := reflect.New(s.plan.Type).Elem() // the last value that was accepted, with a change or two
	for range documents / 2 {
		if v, ok := s.inputVerdict(t, []byte(m.document(s.plan).String()), &n); ok {
			last.Set(v)
		}
		if m.chance(60) {
			m.spoil(last)
		}
		s.outputVerdict(t, last, &n)
		if t.Failed() {
			break
		}
	}
	return n
}

func (n *tally) add(more tally) {
	n.inputs += more.inputs
	n.accepted += more.accepted
	n.refused += more.refused
	n.wider += more.wider
	n.outside += more.outside
	n.outputs += more.outputs
	n.outputsRefused += more.outputsRefused
}
