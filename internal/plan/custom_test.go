package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// money is written by methods of its own: whatever Raw says, and a panic for "boom".
type money struct{ Raw string }

func (m money) MarshalJSON() ([]byte, error) {
	switch m.Raw {
	case "boom":
		panic("boom")
	case "bad":
		return nil, errors.New("bad")
	default:
		return []byte(m.Raw), nil
	}
}

func (m *money) UnmarshalJSON(b []byte) error {
	m.Raw = string(b)
	switch m.Raw {
	case `"boom"`:
		panic("boom")
	case `"bad"`:
		return errors.New("bad")
	default:
		b[0] = '#' // what is handed over is a copy
		return nil
	}
}

// declared has the schema of an invopop convention.
type declared struct{ money }

func (d declared) MarshalJSON() ([]byte, error)  { return d.money.MarshalJSON() }
func (d *declared) UnmarshalJSON(b []byte) error { return d.money.UnmarshalJSON(b) }
func (declared) JSONSchema() *jsonschema.Schema  { return &jsonschema.Schema{Type: "integer"} }

// worthless panics where it should say its schema.
type worthless struct{ money }

func (d worthless) MarshalJSON() ([]byte, error) { return nil, nil }
func (d *worthless) UnmarshalJSON([]byte) error  { return nil }
func (worthless) JSONSchema() *jsonschema.Schema { panic("no") }
func (worthless) MarshalText() ([]byte, error)   { return nil, nil }

// schemaless says a schema but has no form of its own.
type schemaless struct{ A int }

func (schemaless) JSONSchema() json.RawMessage { return json.RawMessage(`{}`) }

// code is a text marshaller of the form "x:<text>".
type code struct{ text string }

func (c code) MarshalText() ([]byte, error) {
	if c.text == "boom" {
		panic("boom")
	}
	return []byte("x:" + c.text), nil
}

func (c *code) UnmarshalText(b []byte) error {
	text, ok := strings.CutPrefix(string(b), "x:")
	if !ok {
		return fmt.Errorf("no x: in %q", b)
	}
	if text == "boom" {
		panic("boom")
	}
	c.text = text
	return nil
}

func moneyPlan(t *testing.T, schema string) *plan.Plan {
	t.Helper()
	c := plan.New(plan.Config{Custom: map[reflect.Type]json.RawMessage{reflect.TypeFor[money](): json.RawMessage(schema)}})
	p, problems := c.Compile(reflect.TypeFor[holds[money]]())
	require.Empty(t, problems)
	return p
}

func TestCustomDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, value string
		want                string
		issues              []string
	}{
		{"of its type", `{ "type": "string" }`, `"1 EUR"`, `"1 EUR"`, nil},
		{"of another type", `{"type":"string"}`, `1`, ``, []string{"/v type string"}},
		{"of one of its types", `{"type":["string","null"]}`, `null`, `null`, nil},
		{"null where the schema does not say so", `{"type":"object"}`, `null`, ``, []string{"/v type object"}},
		{"any type", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, `1.50`, `1.50`, nil},
		{"integer", `{"type":"integer"}`, `7`, `7`, nil},
		{"refused by the method", `{"type":"string"}`, `"bad"`, `"bad"`, []string{"/v format"}},
		{"panic in the method", `{"type":"string"}`, `"boom"`, `"boom"`, []string{"/v format"}},
		{"faults inside", `{"type":"object"}`, `{"a":1,"a":-0}`, ``, []string{"/v/a duplicate", "/v/a negative_zero"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got holds[money]
			doc := []byte(`{"v":` + tt.value + `}`)
			before := string(doc)
			issues := moneyPlan(t, tt.schema).Decode(doc, reflect.ValueOf(&got).Elem(), plan.Limits{})
			assert.Equal(t, tt.issues, listed(issues))
			assert.Equal(t, tt.want, got.V.Raw)
			assert.Equal(t, before, string(doc))
		})
	}
}

func TestCustomEncode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, raw string
		want              string
		issues            []string
	}{
		{"of its type", `{"type":"object"}`, ` { "a" : [1, 2] } `, `{"a":[1,2]}`, nil},
		{"of another type", `{"type":"string"}`, `1`, ``, []string{"/v type string"}},
		{"a fraction for an integer", `{"type":"integer"}`, `1.5`, ``, []string{"/v type integer"}},
		{"an integral number for an integer", `{"type":"integer"}`, `1.0`, `1.0`, nil},
		{"no JSON", `{}`, `{`, ``, []string{"/v syntax"}},
		{"nothing", `{}`, ``, ``, []string{"/v syntax"}},
		{"two values", `{}`, `1 2`, ``, []string{"/v syntax"}},
		{"duplicates", `{}`, `{"a":1,"a":1}`, ``, []string{"/v duplicate"}},
		{"negative zero", `{}`, `-0`, ``, []string{"/v negative_zero"}},
		{"lone surrogate", `{}`, `"\ud800"`, ``, []string{"/v surrogate"}},
		{"invalid UTF-8", `{}`, "\"\xff\"", ``, []string{"/v utf8"}},
		{"too deep", `{}`, strings.Repeat("[", 64) + strings.Repeat("]", 64), ``, []string{"/v depth"}},
		{"error", `{}`, `bad`, ``, []string{"/v format"}},
		{"panic", `{}`, `boom`, ``, []string{"/v format"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, issues := moneyPlan(t, tt.schema).Encode(nil, reflect.ValueOf(holds[money]{money{tt.raw}}), plan.Limits{})
			assert.Equal(t, tt.issues, listed(issues))
			if tt.issues == nil {
				assert.Equal(t, `{"v":`+tt.want+`}`, string(got))
			}
		})
	}
}

func TestDeclaredSchema(t *testing.T) {
	t.Parallel()
	p := compile[declared](t)
	assert.Equal(t, plan.Custom, p.Kind)
	assert.JSONEq(t, `{"type":"integer"}`, string(p.Schema))
}

func TestCustomProblems(t *testing.T) {
	t.Parallel()
	custom := func(typ reflect.Type, schema string) *plan.Compiler {
		return plan.New(plan.Config{Custom: map[reflect.Type]json.RawMessage{typ: json.RawMessage(schema)}})
	}
	tests := []struct {
		name     string
		compiler *plan.Compiler
		typ      reflect.Type
	}{
		{"schema of no JSON", custom(reflect.TypeFor[money](), `{`), reflect.TypeFor[money]()},
		{"schema of no object", custom(reflect.TypeFor[money](), `true`), reflect.TypeFor[money]()},
		{"unknown type in the schema", custom(reflect.TypeFor[money](), `{"type":"int"}`), reflect.TypeFor[money]()},
		{"type that is no text in the schema", custom(reflect.TypeFor[money](), `{"type":7}`), reflect.TypeFor[money]()},
		{"no form", custom(reflect.TypeFor[inner](), `{}`), reflect.TypeFor[inner]()},
		{"half a form", custom(reflect.TypeFor[overridden](), `{}`), reflect.TypeFor[halfJSON]()},
		{"panic", newCompiler(), reflect.TypeFor[worthless]()},
		{"JSONSchema without a form", newCompiler(), reflect.TypeFor[schemaless]()},
	}
	var b strings.Builder
	for _, tt := range tests {
		p, problems := tt.compiler.Compile(tt.typ)
		assert.Nil(t, p, tt.name)
		for _, problem := range problems {
			fmt.Fprintf(&b, "%s: %s (%s)\n", tt.name, problem.What, problem.Do)
		}
	}
	golden(t, "custom.golden", b.String())
}

// halfJSON is written but not read.
type halfJSON struct{ A int }

func (halfJSON) MarshalJSON() ([]byte, error) { return nil, nil }

func TestTextMarshallers(t *testing.T) {
	t.Parallel()
	type codes struct {
		One  code            `json:"one"  cap:"; format=code; default=x:d; example=x:e"`
		Many []*code         `json:"many" cap:"; format=code"`
		Map  map[string]code `json:"map"  cap:"; format=code"`
	}
	p := compile[codes](t)
	assert.Equal(t, "code", p.Fields[0].Plan.Format)
	assert.Equal(t, `"x:e"`, string(p.Fields[0].Example))
	const doc = `{"one":"x:\"1\"","many":["x:2",null],"map":{"a":"x:3"}}`
	got, issues := decode[codes](t, doc, plan.Limits{})
	require.Empty(t, issues)
	assert.Equal(t, codes{code{`"1"`}, []*code{{"2"}, nil}, map[string]code{"a": {"3"}}}, got)
	text, issues := encode(t, got)
	require.Empty(t, issues)
	assert.JSONEq(t, doc, text)

	got, issues = decode[codes](t, `{"many":["y:2","x:boom",1],"map":{}}`, plan.Limits{})
	assert.Equal(t, []string{"/many/0 format code", "/many/1 format code", "/many/2 type string"}, issues)
	assert.Equal(t, code{"d"}, got.One)
	_, issues = encode(t, codes{One: code{"boom"}})
	assert.Equal(t, []string{"/one format code"}, issues)
	_, issues = encode(t, codes{One: code{"\xff"}})
	assert.Equal(t, []string{"/one format code"}, issues)
}

// cited has refs in every place.
type cited struct {
	One   ref                  `json:"one"   cap:"; cite"`
	Ptr   *ref                 `json:"ptr"   cap:"; cite"`
	Many  []ref                `json:"many"  cap:"; cite"`
	Plain ref                  `json:"plain"`
	Lines []citedLine          `json:"lines"`
	Map   map[string]citedLine `json:"map"`
	Next  *cited               `json:"next"`
}

type citedLine struct {
	Of ref `json:"of" cap:"; cite"`
}

func TestCites(t *testing.T) {
	t.Parallel()
	of := func(id string) ref { return ref{"order", id} }
	v := cited{
		One: of("1"), Ptr: ptr(of("2")), Many: []ref{of("3"), of("4")}, Plain: of("no"),
		Lines: []citedLine{{of("5")}},
		Map:   map[string]citedLine{"b": {of("7")}, "a": {of("6")}},
		Next:  &cited{One: of("8")},
	}
	p := compile[cited](t)
	assert.True(t, p.HasCites())
	var ids []string
	for _, r := range p.Cites(reflect.ValueOf(v)) {
		ids = append(ids, r.Interface().(ref).ID)
	}
	assert.Equal(t, []string{"1", "2", "3", "4", "5", "6", "7", "8"}, ids)
	v.Next = &v // a cycle ends somewhere
	assert.NotEmpty(t, p.Cites(reflect.ValueOf(v)))
	assert.False(t, compile[tree](t).HasCites())
}
