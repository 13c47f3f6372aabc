package rules

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-playground/validator/v10"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests of this file are internal: they hold the table itself against validator.

var valuesPerTag = flag.Int("values", 1000, "values a tag in the differential tests of rules")

// bakedIn lists the tags that the linked version of validator bakes in, from its source.
func bakedIn(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/go-playground/validator/v10").Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(out)), "baked_in.go"), nil, 0)
	require.NoError(t, err)
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || (spec.Names[0].Name != "bakedInValidators" && spec.Names[0].Name != "bakedInAliases") {
			return true
		}
		for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
			name, err := strconv.Unquote(element.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
			require.NoError(t, err)
			names = append(names, name)
		}
		return true
	})
	return names
}

func TestDictionaryIsTotal(t *testing.T) {
	t.Parallel()
	names := bakedIn(t)
	require.Greater(t, len(names), 180, "the source of validator was not read")
	table := allEntries()
	sampledNames := map[string]bool{}
	for _, one := range sampledTags() {
		name, _, _ := strings.Cut(one.tag, "=")
		sampledNames[name] = true
	}
	for _, name := range names {
		e, ok := table[name]
		assert.True(t, ok, "validator bakes in %q: add a row to the dictionary", name)
		if e.how != forbidden && e.how != crossing && e.how != structural {
			assert.True(t, sampledNames[name], "rule %q is not compared with validator: add samples", name)
		}
	}
}

func TestRulesAgreeWithValidator(t *testing.T) {
	t.Parallel()
	v := validator.New(validator.WithRequiredStructEnabled())
	d := New(v)
	compared, tags := 0, 0
	for _, one := range sampledTags() {
		typ := reflect.TypeOf(one.samples[0])
		set, problems := d.Compile(one.tag, typ, WireKind, nil)
		require.Empty(t, problems, "%s on %s", one.tag, typ)
		tags++
		random := rand.New(rand.NewPCG(seed(one.tag+typ.String()), 1))
		agreed, held := 0, 0
		for range *valuesPerTag {
			value := mutated(random, one.samples)
			want := v.Var(value, one.tag) == nil
			got := keeps(set, reflect.ValueOf(value))
			if held++; !want {
				held--
			}
			if got == want {
				agreed++
				continue
			}
			if one.tightened == "" || got {
				t.Errorf("%s on %#v (%s): native %t, validator %t", one.tag, value, typ, got, want)
				break
			}
		}
		compared += *valuesPerTag
		assert.NotZero(t, agreed, "%s on %s never agreed", one.tag, typ)
		assert.True(t, held > 0 || typ.Kind() == reflect.Array, "%s on %s: no generated value keeps it", one.tag, typ)
	}
	t.Logf("%d tags and kinds, %d values compared", tags, compared)
}

func seed(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

func keeps(set *Set, v reflect.Value) bool {
	for i := range set.Rules {
		if !set.Rules[i].Check(v) {
			return false
		}
	}
	return true
}

// A tag is compiled once, for all structs that it stands in, unless it reads other fields of theirs.
func TestSetsAreShared(t *testing.T) {
	t.Parallel()
	type here struct{ Text, Other string }
	type there struct{ Text, Other string }
	d := New(nil)
	compile := func(tag string, parent reflect.Type) *Set {
		set, problems := d.Compile(tag, reflect.TypeFor[string](), WireKind, parent)
		require.Empty(t, problems, tag)
		return set
	}
	assert.Same(t, compile("min=3", nil), compile("min=3", reflect.TypeFor[here]()))
	assert.Same(t, compile("min=3", reflect.TypeFor[here]()), compile("min=3", reflect.TypeFor[there]()))
	first, second := compile("eqfield=Other", reflect.TypeFor[here]()), compile("eqfield=Other", reflect.TypeFor[here]())
	assert.Same(t, first, second)
	assert.NotSame(t, compile("eqfield=Other", reflect.TypeFor[here]()), compile("eqfield=Other", reflect.TypeFor[there]()))
	_, problems := d.Compile("eqfield=Other", reflect.TypeFor[string](), WireKind, nil)
	assert.NotEmpty(t, problems)
}
