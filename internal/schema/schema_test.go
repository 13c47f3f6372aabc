package schema_test

import (
	"bytes"
	"encoding/json"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/scanner"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/schema"
)

func compilePlan(t testing.TB, typ reflect.Type) *plan.Plan {
	t.Helper()
	p, problems := plan.New(plan.Config{Hooks: hooks()}).Compile(typ)
	require.Empty(t, problems, "%s", typ)
	return p
}

// Schemas as people read them. A golden file holds the input and the output schema of a type.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, typ := range fixedTypes() {
		name := typ.Name()
		if name == "" {
			name = strings.Trim(strings.NewReplacer("map[string]schema_test.", "map_of_", "struct {}", "empty").Replace(typ.String()), "{} ")
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := compilePlan(t, typ)
			var got bytes.Buffer
			for _, text := range []json.RawMessage{schema.Input(p, schema.Options{}), schema.Output(p, schema.Options{})} {
				require.NoError(t, json.Indent(&got, text, "", "  "))
				got.WriteByte('\n')
			}
			path := filepath.Join("testdata", name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), got.String(), "run go test with -update and read the diff")
		})
	}
}

// TestPortable checks the form that the strictest clients ask for.
func TestPortable(t *testing.T) {
	t.Parallel()
	for _, typ := range append(fixedTypes(), ruledTypes()...) {
		p := compilePlan(t, typ)
		for _, text := range []json.RawMessage{schema.Input(p, schema.Options{}), schema.Output(p, schema.Options{})} {
			var root map[string]any
			require.NoError(t, json.Unmarshal(text, &root))
			assert.Equal(t, "object", root["type"], "%s", typ)
			assert.Contains(t, root, "properties", "%s", typ)
			for _, keyword := range []string{"anyOf", "oneOf", "allOf", "not", "$ref"} {
				assert.NotContains(t, root, keyword, "%s", typ)
			}
			definitions, _ := root["$defs"].(map[string]any)
			checkPortable(t, typ, root, definitions)
		}
	}
}

// checkPortable looks at a schema and those inside.
func checkPortable(t *testing.T, typ reflect.Type, s map[string]any, definitions map[string]any) {
	t.Helper()
	if list, isList := s["type"].([]any); isList {
		t.Errorf("%s: a list of types: %v", typ, list)
	}
	if required, ok := s["required"].([]any); ok {
		assert.NotEmpty(t, required, "%s: required says nothing", typ)
	}
	if s["type"] == "array" {
		assert.Contains(t, s, "items", "%s", typ)
	}
	if ref, ok := s["$ref"].(string); ok {
		name, local := strings.CutPrefix(ref, "#/$defs/")
		assert.True(t, local, "%s: reference %s", typ, ref)
		assert.Contains(t, definitions, name, "%s: reference %s", typ, ref)
	}
	for _, key := range []string{"properties", "$defs"} {
		kids, _ := s[key].(map[string]any)
		for name, kid := range kids {
			one, ok := kid.(map[string]any)
			require.True(t, ok, "%s: %s is no object: %v", typ, name, kid)
			checkPortable(t, typ, one, definitions)
		}
	}
	for _, key := range []string{"items", "propertyNames", "not", "additionalProperties"} {
		if kid, ok := s[key].(map[string]any); ok {
			checkPortable(t, typ, kid, definitions)
		}
	}
	for _, key := range []string{"anyOf", "allOf"} {
		list, _ := s[key].([]any)
		for _, kid := range list {
			one, ok := kid.(map[string]any)
			require.True(t, ok, "%s: %s holds %v", typ, key, kid)
			checkPortable(t, typ, one, definitions)
		}
	}
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	for _, typ := range fixedTypes() {
		first := schema.Input(compilePlan(t, typ), schema.Options{})
		for range 5 {
			assert.Equal(t, string(first), string(schema.Input(compilePlan(t, typ), schema.Options{})), "%s", typ)
		}
	}
}

func TestDropRules(t *testing.T) {
	t.Parallel()
	for _, typ := range fixedTypes() {
		p := compilePlan(t, typ)
		for _, text := range []json.RawMessage{schema.Input(p, schema.Options{DropRules: true}), schema.Output(p, schema.Options{DropRules: true})} {
			assert.NotContains(t, string(text), "x-cap-rules", "%s", typ)
		}
	}
	p := compilePlan(t, reflect.TypeFor[crossing]())
	assert.Contains(t, string(schema.Input(p, schema.Options{DropRules: true})), "It must equal mail.")
}

func names(t *testing.T, typ reflect.Type) []string {
	t.Helper()
	var root struct {
		Defs json.RawMessage `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(schema.Input(compilePlan(t, typ), schema.Options{}), &root))
	var list []string
	d := json.NewDecoder(bytes.NewReader(root.Defs))
	_, err := d.Token()
	require.NoError(t, err)
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		list = append(list, name.(string))
		var skipped json.RawMessage
		require.NoError(t, d.Decode(&skipped))
	}
	return list
}

// Definitions have the shortest name that tells them apart.
func TestDefinitionNames(t *testing.T) {
	t.Parallel()
	type twice[T any] struct{ A, B T }
	type Position struct{ X int }
	mine := reflect.TypeFor[Position]()
	other := func() reflect.Type {
		type Position struct{ Y int }
		return reflect.TypeFor[Position]()
	}()
	both := func(types ...reflect.Type) reflect.Type {
		var fields []reflect.StructField
		for i, typ := range types {
			for _, name := range []string{"A", "B"} {
				fields = append(fields, reflect.StructField{Name: name + string(rune('0'+i)), Type: typ})
			}
		}
		return reflect.StructOf(fields)
	}
	for _, tt := range []struct {
		name string
		typ  reflect.Type
		want []string
	}{
		{"bare", reflect.TypeFor[twice[pair]](), []string{"pair"}},
		{"generic", reflect.TypeFor[twice[page[pair, string]]](), []string{"page_pair_string"}},
		{"generic of pointers and maps", reflect.TypeFor[twice[page[*pair, map[string]*base]]](), []string{"page_pair_map_string_base"}},
		{"two packages", both(reflect.TypeFor[token.Position](), reflect.TypeFor[scanner.Position]()), []string{"scanner_Position", "token_Position"}},
		{"two functions", both(mine, other), []string{
			"github_com_seed_369ec62e_cap_internal_schema_test_Position_2", "github_com_seed_369ec62e_cap_internal_schema_test_Position_3",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, names(t, tt.typ))
		})
	}
}

// referring has a schema that refers to its own definitions.
type referring struct{ colour }

func (referring) JSONSchema() json.RawMessage {
	return json.RawMessage(`{"$ref":"#/$defs/c","type":"string","$defs":{"c":{"type":"string","pattern":"^#[0-9a-f]{6}$"}}}`)
}

func (r referring) MarshalJSON() ([]byte, error)     { return r.colour.MarshalJSON() }
func (r *referring) UnmarshalJSON(data []byte) error { return r.colour.UnmarshalJSON(data) }

func TestCustomSchemaKeepsItsReferences(t *testing.T) {
	t.Parallel()
	s := newSubject(t, reflect.TypeFor[struct {
		A referring `json:"a"`
		B colour    `json:"b" cap:"Of the border"`
	}]())
	require.NoError(t, admits(s.input, []byte(`{"a":"#00ff00","b":"#00ff00"}`)))
	require.Error(t, admits(s.input, []byte(`{"a":"green","b":"#00ff00"}`)))
	text := string(schema.Input(s.plan, schema.Options{}))
	assert.Contains(t, text, `"description":"Of the border. A colour"`)
	assert.Equal(t, 1, strings.Count(text, `"$schema"`), "%s", text)
}

// FuzzDifferential compares the verdicts on documents that the fuzzer makes of good ones.
func FuzzDifferential(f *testing.F) {
	types := fixedTypes()
	subjects := make([]*subject, len(types))
	for i, typ := range types {
		subjects[i] = newSubject(f, typ)
		for seed := range uint64(3) {
			f.Add(uint8(i), newMaker(seed).document(subjects[i].plan).String())
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, document string) {
		s := subjects[int(which)%len(subjects)]
		var n tally
		if v, ok := s.inputVerdict(t, []byte(document), &n); ok {
			s.outputVerdict(t, v, &n)
		}
	})
}
