package plan_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat(`{"children":[`, n) + strings.Repeat(`]}`, n) }
	tests := []struct {
		name, doc string
		limits    plan.Limits
		issues    []string
	}{
		{"as deep as allowed", nested(32), plan.Limits{}, nil},
		{"one deeper", `{"children":[` + nested(32) + `]}`, plan.Limits{}, []string{strings.Repeat("/children/0", 32) + " depth"}},
		{"set lower", nested(2), plan.Limits{Depth: 3}, []string{"/children/0/children depth"}},
		{"set higher", nested(500), plan.Limits{Depth: 1000}, nil},
		{"as long as allowed", `{"children":[]}`, plan.Limits{Bytes: 15}, nil},
		{"one longer", `{"children":[]} `, plan.Limits{Bytes: 15}, []string{"size 15"}},
		{"issues", `{"a":1,"b":1,"c":1,"d":1}`, plan.Limits{Issues: 2}, []string{"/a unknown", "/b unknown", "and 3 more"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, issues := decode[tree](t, tt.doc, tt.limits)
			assert.Equal(t, tt.issues, issues)
		})
	}
}

// sprawling holds what hostile documents aim at.
type sprawling struct {
	Any  any              `json:"any,omitempty"`
	Raw  json.RawMessage  `json:"raw,omitempty"`
	Map  map[string]int   `json:"map,omitempty"`
	Text string           `json:"text,omitempty"`
	Big  []large          `json:"big,omitempty"`
	Ptrs []*large         `json:"ptrs,omitempty"`
	Maps map[string]large `json:"maps,omitempty"`
	Ints []int            `json:"ints,omitempty"`
}

type large struct {
	A [4096]byte `json:"a,omitzero"`
}

// TestHostile decodes documents that were made to cost much. The allocated bytes stay within a multiple of the document,
// and answers stay small.
func TestHostile(t *testing.T) {
	t.Parallel()
	names := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%s,`, i, value)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	many := func(n int, value string) string { return strings.TrimSuffix(strings.Repeat(value+",", n), ",") }
	tests := []struct {
		name, doc string
		issue     string // the first, "" for an accepted document
	}{
		{"deep arrays in any", `{"any":` + strings.Repeat("[", 1_000_000), plan.RuleDepth},
		{"deep objects in raw", `{"raw":` + strings.Repeat(`{"":`, 1_000_000), plan.RuleDepth},
		{"deep in an unknown member", `{"x":` + strings.Repeat("[", 1_000_000), plan.RuleUnknown},
		{"long text", `{"text":"` + strings.Repeat("x", 10_000_000) + `"}`, ""},
		{"long text of escapes", `{"text":"` + strings.Repeat(`\u0041`, 1_000_000) + `"}`, ""},
		{"long number", `{"any":1` + strings.Repeat("0", 1_000_000) + `}`, plan.RuleDigits},
		{"long exponent", `{"any":1e` + strings.Repeat("9", 1000) + `}`, plan.RuleOverflow},
		{"long name", `{"` + strings.Repeat("x", 1_000_000) + `":1}`, plan.RuleUnknown},
		{"many members of any", `{"any":{` + names(100_000, "1") + `}}`, ""},
		{"many members of raw", `{"raw":{` + names(100_000, "1") + `}}`, ""},
		{"many members of a map", `{"map":{` + names(100_000, "1") + `}}`, ""},
		{"many unknown members", `{` + names(100_000, "1") + `}`, plan.RuleUnknown},
		{"many elements", `{"ints":[` + many(1_000_000, "1") + `]}`, ""},
		{"many faults", `{"ints":[` + many(1_000_000, `""`) + `]}`, plan.RuleType},
		{"many faults in raw", `{"raw":[` + many(1_000_000, `-0`) + `]}`, plan.RuleNegativeZero},
		{"large elements", `{"big":[` + many(100_000, `{}`) + `]}`, plan.RuleSize},
		{"large elements by pointer", `{"ptrs":[` + many(100_000, `{}`) + `]}`, plan.RuleSize},
		{"large elements of a map", `{"maps":{` + names(100_000, `{}`) + `}}`, plan.RuleSize},
		{"long names around many faults", `{"any":{"` + strings.Repeat("x", 2000) + `":[` + many(500, `-0`) + `]}}`, plan.RuleNegativeZero},
	}
	p := compile[sprawling](t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got sprawling
			issues := p.Decode([]byte(tt.doc), reflect.ValueOf(&got).Elem(), plan.Limits{Bytes: 1 << 30})
			if tt.issue == "" {
				require.Nil(t, issues)
				return
			}
			require.NotNil(t, issues)
			assert.Equal(t, tt.issue, issues.List[0].Rule)
			size := 0
			for _, issue := range issues.List {
				size += len(issue.Pointer) + len(issue.Rule) + len(issue.Param) + len(issue.Message)
			}
			assert.LessOrEqual(t, size, 20_000)
			assert.LessOrEqual(t, len(issues.List), 100)
		})
	}
}

// TestLinear counts allocated bytes: twice the document may not cost much more than twice as much.
func TestLinear(t *testing.T) { //nolint:paralleltest // it counts allocations
	docs := map[string]func(n int) string{
		"members of any":  func(n int) string { return `{"any":{` + numbered(n) + `}}` },
		"members of raw":  func(n int) string { return `{"raw":{` + numbered(n) + `}}` },
		"members of map":  func(n int) string { return `{"map":{` + numbered(n) + `}}` },
		"unknown members": func(n int) string { return `{` + numbered(n) + `}` },
		"elements":        func(n int) string { return `{"ints":[1` + strings.Repeat(",1", n) + `]}` },
		"escapes":         func(n int) string { return `{"text":"` + strings.Repeat(`\n`, n) + `"}` },
	}
	p := compile[sprawling](t)
	for name, doc := range docs {
		small, big := allocated(p, doc(2_000)), allocated(p, doc(16_000))
		assert.LessOrEqualf(t, big, 16*small+1<<16, "%s: %d bytes for 2,000, %d for 16,000", name, small, big)
	}
}

// allocated returns how many bytes one decoding allocates.
func allocated(p *plan.Plan, doc string) uint64 {
	data := []byte(doc)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var got sprawling
	p.Decode(data, reflect.ValueOf(&got).Elem(), plan.Limits{})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// TestManyFields reads structs with more fields than fit one word of the bitmap.
func TestManyFields(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 63, 64, 65, 128, 129, 512} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			fields := make([]reflect.StructField, n)
			var doc strings.Builder
			for i := range fields {
				fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(fmt.Sprintf(`json:"f%d"`, i))}
				fmt.Fprintf(&doc, `"f%d":%d,`, n-1-i, n-1-i) // in the reverse order
			}
			p, problems := newCompiler().Compile(reflect.StructOf(fields))
			require.Empty(t, problems)
			v := reflect.New(p.Type).Elem()
			require.Nil(t, p.Decode([]byte("{"+strings.TrimSuffix(doc.String(), ",")+"}"), v, plan.Limits{}))
			for i := range n {
				assert.Equal(t, int64(i), v.Field(i).Int())
			}
			issues := p.Decode([]byte(`{`+doc.String()+`"f0":1}`), reflect.New(p.Type).Elem(), plan.Limits{})
			assert.Equal(t, []string{"/f0 duplicate"}, listed(issues))
			issues = p.Decode([]byte(`{}`), reflect.New(p.Type).Elem(), plan.Limits{Issues: 1000})
			assert.Len(t, issues.List, n)
		})
	}
}

// TestMessages holds the messages of the model's own rules.
func TestMessages(t *testing.T) {
	t.Parallel()
	type all struct {
		Bool   bool            `json:"bool"`
		Int    int8            `json:"int"`
		Float  float64         `json:"float"`
		Text   string          `json:"text"`
		List   []int           `json:"list"`
		Three  triple          `json:"three"`
		Object inner           `json:"object"`
		Quoted int             `json:"quoted,string"`
		Any    any             `json:"any"`
		Bytes  []byte          `json:"bytes"`
		Order  string          `json:"order"`
		Map    map[int8]string `json:"map"`
		Must   *int            `json:"must" validate:"required"`
	}
	docs := []string{
		`{"bool":1,"int":"1","float":"1","text":1,"list":{},"three":{},"object":[],"quoted":1,"any":1,"bytes":1,"order":1,"map":[],"must":null}`,
		`{"bool":null,"int":null,"float":null,"text":null,"list":null,"three":null,"object":null,"quoted":null,"any":null,"bytes":null,"order":null,"map":null,"must":null}`,
		`{"int":128,"float":1e400,"text":"\ud800","three":[],"any":9007199254740993,"bytes":"=","map":{"x":""},"must":-0,"quoted":"x"}`,
		`{"int":1.5,"float":1e-400,"text":"` + "\xff" + `","Order":"","ordr":"","bytes":"","bytes":"","nothing_like_it":1,"any":` + strings.Repeat("1", 1200) + `}`,
		`{"list":` + strings.Repeat("[", 70),
		`{"bool":true,}`, `{"bool":tru}`, `{"bool"}`, `{bool:1}`, `{"text":"`, `{"text":"\x"}`, `{"text":"\u12"}`, "{\"text\":\"\n\"}", `{"int":01}`, `{"int":-}`, `{"int":1.}`, `{"int":1e}`, `{"list":[1 2]}`, `{} x`, ``,
	}
	p := compile[all](t)
	var b strings.Builder
	for _, doc := range docs {
		issues := p.Decode([]byte(doc), reflect.New(p.Type).Elem(), plan.Limits{})
		require.NotNil(t, issues, doc)
		if len(doc) > 200 {
			doc = doc[:200] + "…"
		}
		fmt.Fprintf(&b, "%q\n", doc)
		for _, issue := range issues.List {
			fmt.Fprintf(&b, "  %q %s %q: %s\n", issue.Pointer, issue.Rule, issue.Param, issue.Message)
		}
	}
	golden(t, "messages.golden", b.String())
}

// TestRepeatedText encodes a text that is met again and again: writing ends soon after the limit.
func TestRepeatedText(t *testing.T) {
	t.Parallel()
	const limit, times = 1 << 20, 100
	text := strings.Repeat("x", limit/2)
	list, anything := make([]string, times), make([]any, times)
	named, anyNamed := map[string]string{}, map[string]any{}
	for i := range times {
		list[i], anything[i] = text, text
		named[fmt.Sprint(i)], anyNamed[fmt.Sprint(i)] = text, text
	}
	for name, value := range map[string]any{
		"slice": list, "map": named, "any slice": anything, "any map": anyNamed,
		"struct": struct{ A, B, C, D, E, F string }{text, text, text, text, text, text},
	} {
		p, problems := plan.New(plan.Config{}).Compile(reflect.TypeOf(value))
		require.Empty(t, problems, name)
		dst, issues := p.Encode(nil, reflect.ValueOf(value), plan.Limits{Bytes: limit})
		require.NotNil(t, issues, name)
		assert.Equal(t, plan.RuleSize, issues.List[0].Rule, name)
		assert.Less(t, len(dst), 2*limit, name)
	}
}
