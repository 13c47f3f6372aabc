package plan_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

type (
	loud    struct{ Text string }
	silent  struct{ text string }
	halved  string
	worded  string
	swallow struct {
		time.Time
		Note string `json:"note"`
	}
	overridden struct {
		loud
		Note string `json:"note"`
	}
	named2 struct {
		loud `json:"loud"`
	}
	left struct {
		X int `json:"x"`
	}
	unnamed struct {
		silent `json:"silent"`
	}
	optional struct {
		left `json:",omitempty"`
	}
	base struct {
		ID string `json:"id"`
	}
	looping *looping
	keyed   struct{ K string }
)

func (loud) MarshalJSON() ([]byte, error)       { return nil, nil }
func (*loud) UnmarshalJSON([]byte) error        { return nil }
func (halved) MarshalText() ([]byte, error)     { return nil, nil }
func (worded) MarshalText() ([]byte, error)     { return nil, nil }
func (*worded) UnmarshalText([]byte) error      { return nil }
func (overridden) MarshalJSON() ([]byte, error) { return nil, nil }
func (keyed) MarshalText() ([]byte, error)      { return nil, nil }

type noJSON struct {
	Chan     chan int              `json:"chan"`
	Func     func()                `json:"func"`
	Complex  complex128            `json:"complex"`
	Pointer  unsafe.Pointer        `json:"pointer"`
	Uintptr  uintptr               `json:"uintptr"`
	Error    error                 `json:"error"`
	Bools    map[bool]int          `json:"bools"`
	Floats   map[float64]int       `json:"floats"`
	Times    map[time.Time]int     `json:"times"`
	Keyed    map[keyed]int         `json:"keyed"`
	Twice    **int                 `json:"twice"`
	AnyTwice *any                  `json:"any_twice"`
	RawTwice *json.RawMessage      `json:"raw_twice"`
	Looping  looping               `json:"looping"`
	Deep     []map[string]chan int `json:"deep"`
	Lock     sync.Mutex            `json:"lock"`
	Silent   silent                `json:"silent"`
	Loud     loud                  `json:"loud"`
	Halved   halved                `json:"halved"`
	Worded   worded                `json:"worded"`
	Swallow  swallow               `json:"swallow"`
	Override overridden            `json:"override"`
	Maybes   []maybe[int]          `json:"maybes"`
	MaybeAny maybe[any]            `json:"maybe_any"`
	MaybePtr maybe[*int]           `json:"maybe_ptr"`
}

type badTags struct {
	Typo     string `jsom:"typo"`
	Format   string `json:"format,format:RFC3339"`
	Inline   base   `json:",inline"`
	Repeated string `json:"repeated,omitempty,omitempty"`
	Unknown  string `json:"unknown" cap:"A text; exampel=1"`
	Rule     string `json:"rule" validate:"requird"`
	Skipped  string `json:"-" validate:"required" cap:"Lost"`
	hidden   string `validate:"required"`
	*base
	left      `cap:"Lost"`
	Quoted    string        `json:"quoted,string"`
	Formatted string        `json:"formatted" cap:"; format=hex"`
	Cite      string        `json:"cite" cap:"; cite"`
	Secret    base          `json:"secret" cap:"; secret"`
	Version   float64       `json:"version" cap:"; version"`
	Rev       int           `json:"rev" cap:"; version"`
	ETag      string        `json:"etag" cap:"; version"`
	Required  string        `json:"required,omitempty" validate:"required"`
	Defaulted string        `json:"defaulted" cap:"; default=x" validate:"required"`
	Bare      int           `json:"bare" validate:"required"`
	Default   int           `json:"default" cap:"; default=x"`
	Broken    []int         `json:"broken" cap:"; default=[1"`
	Low       int           `json:"low" cap:"; default=1" validate:"min=3"`
	Example   time.Time     `json:"example" cap:"; example=yesterday"`
	Nested    []base        `json:"nested" cap:"; example=[{\"id\":1}]"`
	MaybeDef  maybe[int]    `json:"maybe_def" cap:"; default=1"`
	SecretDef string        `json:"secret_def" cap:"; secret; default=x"`
	MaybeReq  maybe[string] `json:"maybe_req" validate:"required"`
}

// ambiguous and cutTag are made at run time, because go vet would refuse them.
func ambiguous() reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "Left", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
		{Name: "Right", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
	})
}

func cutTag() reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "Cut", Type: reflect.TypeFor[int](), Tag: `json:"cut" cap:"say "hello""`},
	})
}

type twoBases struct {
	deep
	other
}

func TestProblems(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, typ := range []reflect.Type{
		reflect.TypeFor[noJSON](), reflect.TypeFor[badTags](), ambiguous(), cutTag(), reflect.TypeFor[twoBases](), reflect.TypeFor[named2](),
		reflect.TypeFor[chan int](), reflect.TypeFor[maybe[int]](), reflect.TypeFor[silent](), reflect.TypeFor[*maybe[int]](),
		reflect.TypeFor[unnamed](), reflect.TypeFor[optional](),
	} {
		p, problems := newCompiler().Compile(typ)
		assert.Nil(t, p)
		require.NotEmpty(t, problems, typ)
		fmt.Fprintf(&b, "%s\n", typ)
		for _, problem := range problems {
			fmt.Fprintf(&b, "  %s: %s (%s)\n", problem.Path, problem.What, problem.Do)
		}
	}
	golden(t, "problems.golden", b.String())
}

// TestProblemsAgain compiles a faulty type twice and inside another: it must not be kept.
func TestProblemsAgain(t *testing.T) {
	t.Parallel()
	c := newCompiler()
	_, first := c.Compile(reflect.TypeFor[twoBases]())
	_, second := c.Compile(reflect.TypeFor[twoBases]())
	assert.Equal(t, first, second)
	_, nested := c.Compile(reflect.TypeFor[holds[[]twoBases]]())
	require.Len(t, nested, 1)
	assert.Equal(t, "V[].other.Deep", nested[0].Path)
}

type (
	deep struct{ ID, Deep string }
	mid  struct {
		deep
		ID  string `json:"ID"`
		Mid string
	}
	other struct{ Deep int }
	top   struct {
		mid
		Other other
		Named deep `json:"named"`
		Mid   int
	}
	tagWins struct {
		mid
		tagged
	}
	tagged struct {
		Renamed int `json:"Mid"`
	}
)

func TestEmbedding(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		plan *plan.Plan
		want []string
	}{
		{"flattened, shallow wins", compile[top](t), []string{"Deep mid.deep.Deep", "ID mid.ID", "Other Other", "named Named", "Mid Mid"}},
		{"tag wins at one depth", compile[tagWins](t), []string{"Deep mid.deep.Deep", "ID mid.ID", "Mid tagged.Renamed"}},
		{"no members", compile[struct{}](t), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range tt.plan.Fields {
				got = append(got, f.Name+" "+f.GoName)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestEmbeddingAsStandard reads and writes an embedded struct as encoding/json does.
func TestEmbeddingAsStandard(t *testing.T) {
	t.Parallel()
	in := top{mid: mid{deep{"1", "2"}, "3", "4"}, Other: other{5}, Named: deep{"6", "7"}, Mid: 8}
	want, err := json.Marshal(in)
	require.NoError(t, err)
	got, issues := encode(t, in)
	require.Empty(t, issues)
	assert.Equal(t, string(want), got)
	read, issues := decode[top](t, got, plan.Limits{})
	require.Empty(t, issues)
	in.deep.ID, in.mid.Mid = "", "" // hidden by shallower ones
	assert.Equal(t, in, read)
}

// TestRecursiveTypesShare looks at a plan that holds itself.
func TestRecursiveTypesShare(t *testing.T) {
	t.Parallel()
	p := compile[tree](t)
	assert.Same(t, p, p.Fields[0].Plan.Elem)
	q := compile[chain](t)
	assert.Same(t, q, q.Fields[0].Plan.Elem)
}

// TestConcurrentCompile compiles overlapping types at once, for the race detector.
func TestConcurrentCompile(t *testing.T) {
	t.Parallel()
	c := newCompiler()
	var group sync.WaitGroup
	plans := make([]*plan.Plan, 16)
	for i := range plans {
		group.Go(func() {
			typ := reflect.TypeFor[tree]()
			if i%2 == 1 {
				typ = reflect.TypeFor[[]tree]()
			}
			plans[i], _ = c.Compile(typ)
			v := reflect.New(typ).Elem()
			plans[i].Decode([]byte(`{"children":[]}`), v, plan.Limits{})
		})
	}
	group.Wait()
	for _, p := range plans {
		require.NotNil(t, p)
	}
	assert.Same(t, plans[0], plans[1].Elem)
}

type described struct {
	Size int `json:"size" cap:"How many; default=3; example=5; deprecated=Use count" validate:"min=1" cli:"short=s"`
}

func TestFieldOptions(t *testing.T) {
	t.Parallel()
	f := compile[described](t).Fields[0]
	assert.Equal(t, "How many", f.Description)
	assert.Equal(t, "Use count", f.Deprecated)
	assert.Equal(t, `3`, string(f.Default))
	assert.Equal(t, `5`, string(f.Example))
	assert.True(t, f.Optional)
	assert.Len(t, f.Rules.Rules, 1)
	cli, ok := f.Tag.Lookup("cli")
	assert.True(t, ok)
	assert.Equal(t, "short=s", cli)
}

// FuzzCompile compiles a field with any tag. Nothing panics, and a plan without problems reads and writes.
func FuzzCompile(f *testing.F) {
	types := []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[*float64](), reflect.TypeFor[bool](), reflect.TypeFor[[]string](),
		reflect.TypeFor[map[string]int](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[[]byte](), reflect.TypeFor[any](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[inner](), reflect.TypeFor[maybe[int]](), reflect.TypeFor[ref](), reflect.TypeFor[code](), reflect.TypeFor[[2]int](),
	}
	for i, tag := range []string{
		`json:"v,omitempty" cap:"A text; default=x; example=y" validate:"min=1"`, `json:"v,string" cap:"; default=1"`, `validate:"dive,keys,alpha,endkeys,max=3"`,
		`cap:"; format=code; default=x:1"`, `cap:"; default=2024-02-29T00:00:00Z"`, `cap:"; default={\"a\":1}; cite; secret; version"`, `json:"-"`, `validate:"required_if=V 1"`,
	} {
		f.Add(uint8(i), tag)
	}
	c := newCompiler()
	f.Fuzz(func(t *testing.T, i uint8, tag string) {
		field := reflect.StructField{Name: "V", Type: types[int(i)%len(types)], Tag: reflect.StructTag(tag)}
		p, problems := c.Compile(reflect.StructOf([]reflect.StructField{field}))
		require.Equal(t, p == nil, len(problems) > 0)
		if p == nil {
			return
		}
		for _, doc := range []string{`{}`, `{"v":null}`, `{"V":1}`, `{"V":"x"}`, `{"V":[1]}`, `{"V":{"a":1}}`, `{"V":true}`} {
			v := reflect.New(p.Type).Elem()
			if p.Decode([]byte(doc), v, plan.Limits{}) == nil {
				_, issues := p.EncodeInput(nil, v, plan.Limits{})
				require.Nil(t, issues)
			}
		}
	})
}
