package rules

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run go test with -update and read the diff")
}

func typeOf(one sampled) reflect.Type { return reflect.TypeOf(one.samples[0]) }

// Every message that a caller can meet.
func TestMessages(t *testing.T) {
	t.Parallel()
	d := New(nil)
	classes := map[Class]string{Exact: "exact", Wider: "wider", Opaque: "opaque"}
	lines := map[string]bool{}
	var b strings.Builder
	write := func(line string) {
		if !lines[line] {
			lines[line] = true
			b.WriteString(line + "\n")
		}
	}
	all := sampledTags()
	for tag := range crossEntries() {
		all = append(all, sampled{tag: tag})
	}
	byTag := map[string][]string{}
	var order []string
	for _, one := range all {
		set, field := &Set{}, reflect.StructField{}
		if len(one.samples) > 0 {
			set, _ = d.Compile(one.tag, typeOf(one), WireKind, nil)
			field.Type = typeOf(one)
		} else {
			one.tag += crossParam(one.tag)
			field, _ = reflect.TypeFor[siblings]().FieldByName("Text")
			var problems []Problem
			set, problems = d.Compile(one.tag, field.Type, WireKind, reflect.TypeFor[siblings]())
			require.Empty(t, problems, one.tag)
		}
		if byTag[one.tag] == nil {
			order = append(order, one.tag)
		}
		for _, list := range [][]Rule{set.Rules, set.Cross} {
			for i := range list {
				byTag[one.tag] = append(byTag[one.tag], fmt.Sprintf("%s on %s: %s (%s)", one.tag, field.Type, list[i].Message(), classes[list[i].Class]))
			}
		}
	}
	sortStrings(order)
	for _, tag := range order {
		for _, line := range byTag[tag] {
			write(line)
		}
	}
	golden(t, "messages.golden", b.String())
}

func sortStrings(list []string) {
	for i := range list {
		for j := i; j > 0 && list[j] < list[j-1]; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

func crossParam(tag string) string {
	switch {
	case strings.HasSuffix(tag, "_if"), strings.HasSuffix(tag, "_unless"):
		return "=Other 'a b' Inner.N 3"
	case strings.Contains(tag, "_with"):
		return "=Other Inner.N"
	default:
		return "=Other"
	}
}

type siblings struct {
	Text   string   `json:"text"`
	Other  string   `json:"other,omitempty"`
	Inner  *inner   `json:"inner"`
	N      int      `json:"n"`
	F      float64  `json:"f"`
	OK     bool     `json:"ok"`
	List   []string `json:"list"`
	Struct inner    `json:"struct"`
	When   time.Time
	hidden int
}

type inner struct {
	N int `json:"count"`
}

// outer has the field of what it embeds.
type outer struct{ inner }

// Every problem that a tag can have.
func TestProblems(t *testing.T) {
	t.Parallel()
	v := validator.New()
	require.NoError(t, v.RegisterValidation("sku", func(validator.FieldLevel) bool { return true }))
	require.NoError(t, v.RegisterValidation("rude", func(validator.FieldLevel) bool { panic("rude rule") }))
	require.NoError(t, v.RegisterValidation("alphanum", func(validator.FieldLevel) bool { return true }))
	d := New(v)
	_ = siblings{hidden: 1}
	text, number, list := reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[[]string]()
	var b strings.Builder
	for _, tt := range []struct {
		tag string
		typ reflect.Type
	}{
		{"requird", text},
		{" max=3", text},
		{"min=3,,max=4", text},
		{"skus", text},
		{"nonsense_of_all_kinds", text},
		{"=3", text},
		{"min=abc", text},
		{"min=1.5", number},
		{"min=-1", reflect.TypeFor[uint]()},
		{"max=-1", text},
		{"lt=0", list},
		{"min", number},
		{"min=", number},
		{"len", text},
		{"min=x", reflect.TypeFor[float64]()},
		{"min=NaN", reflect.TypeFor[float64]()},
		{"eq=maybe", reflect.TypeFor[bool]()},
		{"min=1", reflect.TypeFor[bool]()},
		{"min=soon", reflect.TypeFor[time.Duration]()},
		{"len=3", reflect.TypeFor[time.Time]()},
		{"gt=2026-01-01", reflect.TypeFor[time.Time]()},
		{"min=2", reflect.TypeFor[any]()},
		{"min=2", reflect.TypeFor[json.RawMessage]()},
		{"min=2", reflect.TypeFor[inner]()},
		{"len=16", reflect.TypeFor[uuid.UUID]()},
		{"url", number},
		{"email", list},
		{"alpha=3", text},
		{"oneof", text},
		{"oneof=", text},
		{"oneof=1 07", number},
		{"oneof=300", reflect.TypeFor[uint8]()},
		{"oneof=1", reflect.TypeFor[float64]()},
		{"oneof=1", reflect.TypeFor[time.Duration]()},
		{"contains=", text},
		{"containsrune=", text},
		{"containsrune=\xff", text},
		{"contains=\xff", text},
		{"oneof= ", text},
		{"postcode_iso3166_alpha2=de", text},
		{"unique=N", reflect.TypeFor[[]outer]()},
		{"port", text},
		{"iso4217_numeric", text},
		{"iso4217_numeric", reflect.TypeFor[int8]()},
		{"spicedb=role", text},
		{"datetime", text},
		{"latitude", list},
		{"duration", reflect.TypeFor[time.Duration]()},
		{"required", reflect.TypeFor[bool]()},
		{"required", number},
		{"required,omitempty", text},
		{"omitempty,required", text},
		{"min=3,omitempty", text},
		{"isdefault", reflect.TypeFor[*int]()},
		{"isdefault", list},
		{"dive", text},
		{"dive,min=x", list},
		{"dive,required", reflect.TypeFor[[]int]()},
		{"keys,min=1,endkeys", list},
		{"dive,keys,min=1,endkeys", list},
		{"dive,keys,min=1", reflect.TypeFor[map[string]int]()},
		{"endkeys", text},
		{"dive,keys,min=x,endkeys,max=y", reflect.TypeFor[map[string]int]()},
		{"dive,eqfield=Other", list},
		{"dive", reflect.TypeFor[[]byte]()},
		{"structonly", reflect.TypeFor[inner]()},
		{"nostructlevel", reflect.TypeFor[inner]()},
		{"unique", reflect.TypeFor[[][]int]()},
		{"unique", reflect.TypeFor[[]any]()},
		{"unique", reflect.TypeFor[[]time.Time]()},
		{"unique=M", reflect.TypeFor[[]inner]()},
		{"unique=N", list},
		{"unique", text},
		{"file", text},
		{"filepath", text},
		{"dir", text},
		{"dirpath", text},
		{"image", text},
		{"mimetype=image/*", text},
		{"uds_exists", text},
		{"tcp_addr", text},
		{"tcp4_addr", text},
		{"tcp6_addr", text},
		{"udp_addr", text},
		{"udp4_addr", text},
		{"udp6_addr", text},
		{"unix_addr", text},
		{"timezone", text},
		{"validateFn=Check", text},
		{"eqfield=Missing", text},
		{"eqfield=Othr", text},
		{"eqfield=hidden", text},
		{"eqfield=N", text},
		{"eqfield", text},
		{"eqfield=Other N", text},
		{"eqfield=List", list},
		{"gtfield=OK", reflect.TypeFor[bool]()},
		{"eqfield=Struct", reflect.TypeFor[inner]()},
		{"eqfield=Text.X", text},
		{"fieldcontains=N", text},
		{"required_if=Other", text},
		{"required_if=N x", text},
		{"required_if=OK 1", text},
		{"required_if=F x", text},
		{"required_if=List nil", text},
		{"required_if=Struct x", text},
		{"required_if=Other a Other b", text},
		{"required_with=Missing", text},
		{"omitempty,required_with=Other", text},
		{"required|email", text},
		{"email|file", text},
		{"email|eqfield=Missing", text},
		{"email|skuu", text},
		{"sku|eqfield=Struct", reflect.TypeFor[inner]()},
		{"rude", text},
		{"alphanum", text},
		{"alphanum|email", text},
	} {
		_, problems := d.Compile(tt.tag, tt.typ, WireKind, reflect.TypeFor[siblings]())
		assert.NotEmpty(t, problems, "%s on %s", tt.tag, tt.typ)
		fmt.Fprintf(&b, "%q on %s\n", tt.tag, tt.typ)
		for _, p := range problems {
			fmt.Fprintf(&b, "\t%s", p.What)
			if p.Do != "" {
				fmt.Fprintf(&b, " (%s)", p.Do)
			}
			b.WriteByte('\n')
		}
	}
	golden(t, "problems.golden", b.String())
}

func compileOne(t *testing.T, d *Dictionary, tag string, value any) *Set {
	t.Helper()
	set, problems := d.Compile(tag, reflect.TypeOf(value), WireKind, nil)
	require.Empty(t, problems, "%s on %T", tag, value)
	return set
}

func TestSkips(t *testing.T) {
	t.Parallel()
	d := New(nil)
	for _, tt := range []struct {
		name  string
		tag   string
		value any
		want  bool
	}{
		{"empty text", "omitempty,min=3", "", true},
		{"text", "omitempty,min=3", "a", false},
		{"zero", "omitempty,min=3", 0, true},
		{"empty slice is no null", "omitempty,min=3", []int{}, false},
		{"empty slice is zero", "omitzero,min=3", []int{}, true},
		{"empty map is zero", "omitzero,min=3", map[string]int{}, true},
		{"zero struct", "omitzero,required", inner{}, true},
		{"nothing", "min=3", "", false},
		{"omitnil", "omitnil,min=3", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, _ := d.Compile(tt.tag, reflect.TypeOf(tt.value), WireKind, nil)
			assert.Equal(t, tt.want, set.Skips(reflect.ValueOf(tt.value)))
		})
	}
	pointer, _ := d.Compile("omitempty,min=3", reflect.TypeFor[*int](), WireKind, nil)
	assert.False(t, pointer.Skips(reflect.ValueOf(0)), "a pointer to 0 is not empty")
	zero, _ := d.Compile("omitzero,min=3", reflect.TypeFor[*int](), WireKind, nil)
	assert.True(t, zero.Skips(reflect.ValueOf(0)), "a pointer to 0 is zero")
}

func TestSetShape(t *testing.T) {
	t.Parallel()
	d := New(nil)
	set := compileOne(t, d, "min=1,dive,keys,len=2,endkeys,required,dive,uuid", map[string][]string{})
	assert.Equal(t, OpLength, set.Keys.Rules[0].Op)
	assert.True(t, set.Elems.Required)
	assert.Equal(t, "uuid", set.Elems.Elems.Rules[0].Name)
	assert.NotSame(t, New(nil), d)
	again := compileOne(t, d, "min=1,dive,keys,len=2,endkeys,required,dive,uuid", map[string][]string{})
	assert.Same(t, set, again, "a tag is compiled once for a type")
	assert.True(t, compileOne(t, d, "-", "").Empty())
	assert.True(t, (*Set)(nil).Empty())
	wide := compileOne(t, d, "isbn,url,isbn13,isbn", "")
	assert.Equal(t, []string{"isbn", "url", "isbn13"}, wide.Wider)
}

// cross judges the rule tag of field in parent.
func cross(t *testing.T, d *Dictionary, tag, field string, parent any) bool {
	t.Helper()
	v := reflect.ValueOf(parent)
	f, ok := v.Type().FieldByName(field)
	require.True(t, ok)
	set, problems := d.Compile(tag, f.Type, WireKind, v.Type())
	require.Empty(t, problems, tag)
	for i := range set.Cross {
		if !set.Cross[i].CheckCross(v, v.FieldByName(field)) {
			return false
		}
	}
	return true
}

func TestCross(t *testing.T) {
	t.Parallel()
	now := time.Now()
	type span struct {
		From, To time.Time
		A, B     string
		P        *string
		N        *inner
		S        inner
		Any      any
		List     []int
	}
	text := "x"
	d := New(nil)
	for _, tt := range []struct {
		name, tag, field string
		parent           span
		want             bool
	}{
		{"equal", "eqfield=B", "A", span{A: "x", B: "x"}, true},
		{"not equal", "eqfield=B", "A", span{A: "x", B: "y"}, false},
		{"later", "gtfield=From", "To", span{From: now, To: now.Add(1)}, true},
		{"earlier", "gtfield=From", "To", span{From: now, To: now.Add(-1)}, false},
		{"skipped", "omitempty,eqfield=B", "A", span{B: "y"}, true},
		{"required and there", "required_if=B x", "A", span{A: "a", B: "x"}, true},
		{"required and empty", "required_if=B x", "A", span{B: "x"}, false},
		{"not required", "required_if=B x", "A", span{B: "y"}, true},
		{"pointer required and null", "required_with=A", "P", span{A: "a"}, false},
		{"pointer required and set", "required_with=A", "P", span{A: "a", P: &text}, true},
		{"struct required and zero", "required_with=A", "S", span{A: "a"}, false},
		{"struct required and set", "required_with=A", "S", span{A: "a", S: inner{N: 1}}, true},
		{"struct pointer required and null", "required_with=A", "N", span{A: "a"}, false},
		{"struct pointer required and zero", "required_with=A", "N", span{A: "a", N: &inner{}}, true},
		{"any required and null", "required_with=A", "Any", span{A: "a"}, false},
		{"any required and set", "required_with=A", "Any", span{A: "a", Any: 0.0}, true},
		{"list required and null", "required_with=A", "List", span{A: "a"}, false},
		{"excluded and empty", "excluded_with=A", "B", span{A: "a"}, true},
		{"excluded and there", "excluded_with=A", "B", span{A: "a", B: "b"}, false},
		{"nested path", "required_if=S.N 3", "A", span{S: inner{N: 3}}, false},
		{"through a null pointer", "required_if=N.N 3", "A", span{}, true},
		{"either", "eqfield=B|eq=z", "A", span{A: "z"}, true},
		{"neither", "eqfield=B|eq=z", "A", span{A: "y"}, false},
		{"differs", "unique=B", "A", span{A: "x", B: "y"}, true},
		{"does not differ", "unique=B", "A", span{A: "x", B: "x"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, cross(t, d, tt.tag, tt.field, tt.parent))
		})
	}
}

type unexportedBase struct {
	A string
	B string `validate:"eqfield=A"`
}

// A field of an unexported embedded struct reads its siblings all the same.
func TestCrossThroughUnexportedEmbedding(t *testing.T) {
	t.Parallel()
	type outer struct{ unexportedBase }
	d := New(nil)
	set, problems := d.Compile("eqfield=A", reflect.TypeFor[string](), WireKind, reflect.TypeFor[unexportedBase]())
	require.Empty(t, problems)
	for want, v := range map[bool]outer{true: {unexportedBase{"x", "x"}}, false: {unexportedBase{"x", "y"}}} {
		parent := reflect.ValueOf(v).Field(0)
		assert.Equal(t, want, set.Cross[0].CheckCross(parent, parent.Field(1)))
	}
}

func TestRegisteredRules(t *testing.T) {
	t.Parallel()
	v := validator.New()
	require.NoError(t, v.RegisterValidation("sku", func(fl validator.FieldLevel) bool { return strings.HasPrefix(fl.Field().String(), "SKU-"+fl.Param()) }))
	require.NoError(t, v.RegisterValidation("moody", func(fl validator.FieldLevel) bool {
		if fl.Field().String() == "boom" {
			panic("boom")
		}
		return true
	}))
	require.NoError(t, v.RegisterValidation("sibling", func(fl validator.FieldLevel) bool {
		return fl.Parent().FieldByName("Other").String() == fl.Field().String()
	}))
	require.NoError(t, v.RegisterValidation("big", func(fl validator.FieldLevel) bool { return fl.Field().FieldByName("N").Int() > 10 }))
	v.RegisterAlias("code", "sku=9,max=8")
	d := New(v)
	assert.True(t, cross(t, d, "sku", "Text", siblings{Text: "SKU-1"}))
	assert.False(t, cross(t, d, "sku=2", "Text", siblings{Text: "SKU-1"}))
	assert.True(t, cross(t, d, "code", "Text", siblings{Text: "SKU-9"}))
	assert.False(t, cross(t, d, "code", "Text", siblings{Text: "SKU-99999"}))
	assert.False(t, cross(t, d, "moody", "Text", siblings{Text: "boom"}), "a panic refuses the value")
	assert.True(t, cross(t, d, "sibling", "Text", siblings{Text: "x", Other: "x"}))
	assert.False(t, cross(t, d, "sibling", "Text", siblings{Text: "x", Other: "y"}))
	assert.True(t, cross(t, d, "big", "Struct", siblings{Struct: inner{N: 11}}))
	assert.False(t, cross(t, d, "big", "Struct", siblings{Struct: inner{N: 3}}))
	members := compileOne(t, d, "dive,sku|email", []string{}).Elems
	assert.True(t, members.Rules[0].Check(reflect.ValueOf("SKU-1")))
	assert.True(t, members.Rules[0].Check(reflect.ValueOf("a@b.de")))
	assert.False(t, members.Rules[0].Check(reflect.ValueOf("x")))
	assert.Equal(t, []string{"sku|email"}, members.Wider)
}

func TestRequiredOfAny(t *testing.T) {
	t.Parallel()
	d := New(nil)
	set, problems := d.Compile("required", reflect.TypeFor[any](), WireKind, nil)
	require.Empty(t, problems)
	v := reflect.New(reflect.TypeFor[any]()).Elem()
	assert.False(t, set.Rules[0].Check(v))
	v.Set(reflect.ValueOf(0))
	assert.True(t, set.Rules[0].Check(v), "0 is a value")
	raw := compileOne(t, d, "required", json.RawMessage(nil))
	assert.False(t, raw.Rules[0].Check(reflect.ValueOf(json.RawMessage("null"))))
	assert.True(t, raw.Rules[0].Check(reflect.ValueOf(json.RawMessage("0"))))
}

func TestNow(t *testing.T) {
	t.Parallel()
	d := New(nil)
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for tag, want := range map[string][2]bool{"gt": {false, true}, "gte": {false, true}, "min": {false, true}, "lt": {true, false}, "lte": {true, false}, "max": {true, false}} {
		set := compileOne(t, d, tag, past)
		assert.Equal(t, want[0], set.Rules[0].Check(reflect.ValueOf(past)), tag)
		assert.Equal(t, want[1], set.Rules[0].Check(reflect.ValueOf(future)), tag)
	}
}

func TestDictionaryIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	d := New(nil)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, one := range sampledTags()[:60] {
				set, _ := d.Compile(one.tag, typeOf(one), WireKind, nil)
				for _, sample := range one.samples {
					keeps(set, reflect.ValueOf(sample))
				}
			}
		})
	}
	group.Wait()
}

// Rules that a schema says exactly cost no memory.
func TestNativeRulesDoNotAllocate(t *testing.T) {
	d := New(nil)
	for _, one := range sampledTags() {
		set, _ := d.Compile(one.tag, typeOf(one), WireKind, nil)
		if len(set.Rules) == 0 || set.Rules[0].Op == OpVar || set.Rules[0].Class != Exact || set.Rules[0].Op == OpUnique {
			continue
		}
		for _, sample := range one.samples {
			v := reflect.ValueOf(sample)
			if text, ok := sample.(string); ok && (strings.HasPrefix(one.tag, "ip") && !set.Rules[0].Check(v) || text == "") {
				continue // an error of net/netip allocates
			}
			assert.Zero(t, testing.AllocsPerRun(10, func() { keeps(set, v) }), "%s on %#v", one.tag, sample)
		}
	}
}

// Whatever a tag says, compiling it and judging a value neither panics nor hangs.
func FuzzCompile(f *testing.F) {
	for _, one := range sampledTags() {
		f.Add(one.tag, "value")
	}
	for _, seed := range []string{"dive,keys,a,endkeys", "a|b|,", "min=0x2C", "unique=N", "required_if=Text a", "omitempty,eqfield=Other", "oneof='", "-"} {
		f.Add(seed, "")
	}
	d := New(nil)
	types := []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[*int](), reflect.TypeFor[[]string](), reflect.TypeFor[map[string]inner](),
		reflect.TypeFor[any](), reflect.TypeFor[time.Time](), reflect.TypeFor[inner](), reflect.TypeFor[float32](), reflect.TypeFor[[]byte](),
	}
	f.Fuzz(func(t *testing.T, tag, text string) {
		for _, typ := range types {
			set, problems := d.Compile(tag, typ, WireKind, reflect.TypeFor[siblings]())
			if set == nil {
				t.Fatalf("Compile(%q) returned no set", tag)
			}
			if len(problems) > 0 {
				continue
			}
			v := reflect.New(targetOf(typ, WireKind).typ).Elem()
			if v.Kind() == reflect.String {
				v.SetString(text)
			}
			for i := range set.Rules {
				set.Rules[i].Check(v)
			}
			for i := range set.Cross {
				set.Cross[i].CheckCross(reflect.ValueOf(siblings{Text: text}), v)
			}
		}
	})
}

// Reading a language tag takes time by the square of its length, so that a long one is refused unread.
func TestLongLanguageTags(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"bcp47_language_tag", "bcp47_strict_language_tag"} {
		set, problems := New(nil).Compile(tag, reflect.TypeFor[string](), WireKind, nil)
		require.Empty(t, problems)
		require.Len(t, set.Rules, 1)
		assert.True(t, set.Rules[0].Check(reflect.ValueOf("de-CH-1996")), tag)
		assert.False(t, set.Rules[0].Check(reflect.ValueOf("en-"+strings.Repeat("t-de-", 2_000_000)+"x")), tag)
	}
}
