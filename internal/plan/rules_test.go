package plan_test

import (
	"reflect"
	"testing"

	"github.com/go-playground/validator/v10"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

// ruled has rules of every standing.
type ruled struct {
	Name   string         `json:"name"             validate:"required,max=5"`
	Age    int            `json:"age,omitempty"    validate:"min=18"`
	Color  string         `json:"color,omitempty"  validate:"omitempty,oneof=red blue"`
	Note   *string        `json:"note"             validate:"max=3"`
	Must   *int           `json:"must"             validate:"required"`
	Tags   []string       `json:"tags"             validate:"max=2,dive,min=2"`
	Scores map[string]int `json:"scores,omitempty" validate:"dive,keys,alpha,endkeys,max=10"`
	Lines  []line         `json:"lines,omitempty"`
	Maybe  maybe[string]  `json:"maybe"            validate:"min=2"`
	Quoted int            `json:"quoted,string,omitempty" validate:"max=9"`
	Low    int            `json:"low,omitempty"`
	High   int            `json:"high,omitempty"   validate:"gtfield=Low"`
	Phone  string         `json:"phone,omitempty"  validate:"required_without=Mail"`
	Mail   string         `json:"mail,omitempty"`
}

type line struct {
	SKU string `json:"sku" validate:"startswith=S-"`
}

func TestRules(t *testing.T) {
	t.Parallel()
	const least = `"name":"n","note":null,"must":0,"tags":[],"mail":"m"`
	tests := []struct {
		name, doc string
		issues    []string
	}{
		{"absent members are not judged", `{` + least + `}`, nil},
		{"required and empty", `{"name":"","note":null,"must":null,"tags":[],"mail":"m"}`, []string{"/name required", "/must required"}},
		{"present zero is judged", `{` + least + `,"age":0}`, []string{"/age min 18"}},
		{"omitempty lets the zero escape", `{` + least + `,"color":""}`, nil},
		{"oneof", `{` + least + `,"color":"green"}`, []string{"/color oneof red blue"}},
		{"pointers are followed", `{"name":"n","note":"long","must":0,"tags":[],"mail":"m"}`, []string{"/note max 3"}},
		{"all at once, elements too", `{"name":"longer","note":null,"must":0,"tags":["a","bb","c"],"mail":"m"}`, []string{"/name max 5", "/tags/0 min 2", "/tags/2 min 2", "/tags max 2"}},
		{"keys and values", `{` + least + `,"scores":{"a":1,"b1":2,"c":11}}`, []string{"/scores/b1 alpha", "/scores/c max 10"}},
		{"nested without dive", `{` + least + `,"lines":[{"sku":"S-1"},{"sku":"1"}]}`, []string{"/lines/1/sku startswith S-"}},
		{"maybe null", `{` + least + `,"maybe":null}`, nil},
		{"maybe set", `{` + least + `,"maybe":"a"}`, []string{"/maybe min 2"}},
		{"in quotes", `{` + least + `,"quoted":"10"}`, []string{"/quoted max 9"}},
		{"other fields", `{` + least + `,"low":5,"high":5}`, []string{"/high gtfield Low"}},
		{"other fields, good", `{` + least + `,"low":5,"high":6}`, nil},
		{"absent but required by others", `{"name":"n","note":null,"must":0,"tags":[]}`, []string{"/phone required_without Mail"}},
		{"no rule on a value of another type", `{` + least + `,"age":"x","low":5,"high":1}`, []string{"/age type integer"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, issues := decode[ruled](t, tt.doc, plan.Limits{})
			assert.Equal(t, tt.issues, issues)
			if tt.issues != nil {
				return
			}
			text, issues := encode(t, got)
			require.Empty(t, issues)
			again, issues := decode[ruled](t, text, plan.Limits{})
			require.Empty(t, issues)
			assert.Equal(t, got, again)
		})
	}
}

// TestRulesOnOutput judges what is written; what omitempty leaves out is absent.
func TestRulesOnOutput(t *testing.T) {
	t.Parallel()
	_, issues := encode(t, ruled{Name: "longer", Tags: []string{"a", "b", "c"}, Scores: map[string]int{"1": 11}, Lines: []line{{"x"}}, Low: 3, High: 2})
	assert.Equal(t, []string{
		"/name max 5", "/must required", "/tags/0 min 2", "/tags/1 min 2", "/tags/2 min 2", "/tags max 2",
		"/scores/1 alpha", "/scores/1 max 10", "/lines/0/sku startswith S-",
	}, issues)
	_, issues = encode(t, ruled{Name: "n", Must: ptr(1), Low: 3, High: 2})
	assert.Equal(t, []string{"/high gtfield Low", "/phone required_without Mail"}, issues)
}

// TestUsersRules runs rules that the user has registered, one of which panics.
func TestUsersRules(t *testing.T) {
	t.Parallel()
	v := validator.New(validator.WithRequiredStructEnabled())
	require.NoError(t, v.RegisterValidation("even", func(f validator.FieldLevel) bool { return f.Field().Int()%2 == 0 }))
	require.NoError(t, v.RegisterValidation("fragile", func(f validator.FieldLevel) bool {
		if f.Field().String() == "boom" {
			panic("boom")
		}
		return true
	}))
	type input struct {
		N int    `json:"n" validate:"even"`
		S string `json:"s" validate:"fragile"`
	}
	p, problems := plan.New(plan.Config{Rules: rules.New(v)}).Compile(reflect.TypeFor[input]())
	require.Empty(t, problems)
	var in input
	issues := p.Decode([]byte(`{"n":3,"s":"boom"}`), reflect.ValueOf(&in).Elem(), plan.Limits{})
	assert.Equal(t, []string{"/n even", "/s fragile"}, listed(issues))
	in = input{}
	assert.Nil(t, p.Decode([]byte(`{"n":4,"s":"x"}`), reflect.ValueOf(&in).Elem(), plan.Limits{}))
}
