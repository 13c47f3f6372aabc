package lint_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/lint"
)

// update rewrites the golden files in testdata with what the code says now. Read the diff before you commit it.
var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// GetThing says as little as it may, and holds something of everything that is looked for.
type GetThing struct {
	cap.Read[Thing] `cap:"Get the thing; access=public"`

	_ cap.Fails[ThingGone]

	Name     string         `json:"name"`
	Yes      bool           `json:"yes"           cap:"Whether to; default=false"`
	Output   string         `json:"output"        cap:"Output; example=x"`
	OrderNo  int            `json:"order_no"      cap:"Number" validate:"min=1,max=9007199254740991"`
	OrderNo2 int            `json:"orderNo"       cap:"Number" validate:"min=1,max=9007199254740992"`
	Text     int64          `json:"text,string"   cap:"Number as text"`
	Wait     time.Duration  `json:"wait,omitempty" cap:"How long"`
	Odd      string         `json:"odd name,omitempty" cap:"Odd" cli:"-"`
	Deep     Level1         `json:"deep,omitzero" cap:"Deep"`
	Tree     *Tree          `json:"tree,omitempty" cap:"A tree"`
	Needed   string         `json:"needed"        cap:"Needed; example=y" validate:"required"`
	Counts   map[string]int `json:"counts,omitempty" cap:"Counts"`
}

type Level1 struct {
	L2 struct {
		L3 struct {
			L4 struct {
				L5 struct {
					L6 string `json:"l6" cap:"Deepest"`
				} `json:"l5" cap:"5"`
			} `json:"l4" cap:"4"`
		} `json:"l3" cap:"3"`
	} `json:"l2" cap:"2"`
}

type Tree struct {
	Name     string `json:"name,omitempty" cap:"Name"`
	Children []Tree `json:"children,omitempty" cap:"Below"`
}

type Thing struct {
	Items []string       `json:"items"`
	Map   map[string]int `json:"map" cap:"By name"`
	Took  time.Duration  `json:"took" cap:"How long it took"`
}

type ThingGone struct {
	_    cap.Failure `cap:"Thing gone; fix=Look elsewhere."`
	Name string      `json:"name"`
}

func (ThingGone) Error() string { return "gone" }

// List is called like a command of every program.
type List struct {
	cap.Read[cap.None] `cap:"List everything that the shop holds; title=List; access=public"`
}

// Find has nothing to be said of.
type Find struct {
	cap.Read[Found] `cap:"Find one object by its number, with its owner; title=Find object; access=public"`

	Number string `json:"number" cap:"Number of the object; example=A-1" validate:"required"`
}

type Found struct {
	Owner string `json:"owner" cap:"Whose it is"`
}

type Things struct{}

func (Things) GetThing(context.Context, GetThing) (Thing, error) { return Thing{}, nil }
func (Things) List(context.Context, List) (cap.None, error)      { return cap.None{}, nil }
func (Things) Find(context.Context, Find) (Found, error)         { return Found{}, nil }

func things(t *testing.T) *cap.Registry {
	t.Helper()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(Things{}))
	return registry
}

func TestFindings(t *testing.T) {
	t.Parallel()
	got := lint.Text(lint.Check(things(t), lint.Options{}))
	const golden = "testdata/findings.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestFindingsAreStable(t *testing.T) {
	t.Parallel()
	first := lint.Check(things(t), lint.Options{})
	assert.Equal(t, first, lint.Check(things(t), lint.Options{}))
}

// Every rule has a line in the golden file, or it has never been seen to find anything.
func TestEveryRuleFindsSomething(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, f := range lint.Check(things(t), lint.Options{}) {
		seen[f.Rule] = true
		assert.NotEmpty(t, f.What)
		assert.NotContains(t, f.String(), "\n", "a finding is one line")
	}
	for name := range lint.Rules() {
		if name != "client-size" && name != "gate" { // see TestSizes and TestGate
			assert.True(t, seen[name], "rule %s", name)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	one := func(c *cap.Capability) bool { return c.Name() == "find" }
	assert.Empty(t, lint.Check(things(t), lint.Options{Filter: one}))
	assert.Empty(t, lint.Worst(nil))
	found := lint.Check(things(t), lint.Options{Filter: one, Reserved: []string{"find"}})
	require.Len(t, found, 1)
	assert.Equal(t, "command", found[0].Rule)
	assert.Equal(t, lint.Warning, lint.Worst(found))
	assert.Empty(t, lint.Check(things(t), lint.Options{Filter: one, Reserved: []string{"find"}, Disable: []string{"command"}}))
}

func TestFindingsAsJSON(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(lint.Check(things(t), lint.Options{Disable: []string{"title"}})[0])
	require.NoError(t, err)
	assert.Contains(t, string(data), `"severity":"error"`)
	assert.True(t, strings.HasPrefix(string(data), `{"rule":`))
}

// Row has ten fields; a Row of each type is a type of its own.
type Row[T any] struct {
	A T `json:"a,omitempty" cap:"A"`
	B T `json:"b,omitempty" cap:"B"`
	C T `json:"c,omitempty" cap:"C"`
	D T `json:"d,omitempty" cap:"D"`
	E T `json:"e,omitempty" cap:"E"`
	F T `json:"f,omitempty" cap:"F"`
	G T `json:"g,omitempty" cap:"G"`
	H T `json:"h,omitempty" cap:"H"`
	I T `json:"i,omitempty" cap:"I"`
	J T `json:"j,omitempty" cap:"J"`
}

// Big has more fields than clients take.
type Big struct {
	cap.Read[cap.None] `cap:"Take more than a hundred fields at once; title=Big; access=public"`

	A Row[string]   `json:"a,omitzero" cap:"Texts"`
	B Row[bool]     `json:"b,omitzero" cap:"Yes or no"`
	C Row[int8]     `json:"c,omitzero" cap:"Numbers"`
	D Row[int16]    `json:"d,omitzero" cap:"Numbers"`
	E Row[int32]    `json:"e,omitzero" cap:"Numbers"`
	F Row[uint8]    `json:"f,omitzero" cap:"Numbers"`
	G Row[uint16]   `json:"g,omitzero" cap:"Numbers"`
	H Row[uint32]   `json:"h,omitzero" cap:"Numbers"`
	I Row[float32]  `json:"i,omitzero" cap:"Numbers"`
	J Row[float64]  `json:"j,omitzero" cap:"Numbers"`
	K Row[[]string] `json:"k,omitzero" cap:"Lists"`
}

func TestSizes(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Big) (cap.None, error) { return cap.None{}, nil })))
	var sizes []string
	for _, f := range lint.Check(registry, lint.Options{}) {
		if f.Rule == "client-size" {
			sizes = append(sizes, f.String())
		}
	}
	assert.Equal(t, []string{"big: input: has 121 fields, and strict clients take at most 100 (split the capability) [client-size]"}, sizes)
}
