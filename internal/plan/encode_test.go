package plan_test

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// writing is one value that is written as the member v.
type writing struct {
	name   string
	run    func(t *testing.T) (string, []string)
	want   string
	issues []string
}

func of[T any](v T) func(t *testing.T) (string, []string) {
	return func(t *testing.T) (string, []string) {
		t.Helper()
		got, issues := encode(t, holds[T]{v})
		return strings.TrimSuffix(strings.TrimPrefix(got, `{"v":`), `}`), issues
	}
}

type cyclic struct {
	Next []*cyclic `json:"next"`
}

func loop() cyclic {
	c := &cyclic{}
	c.Next = []*cyclic{c, c}
	return *c
}

// wide holds itself twice on each of many levels, without a cycle.
func wide() any {
	var v any = "x"
	for range 60 {
		v = []any{v, v}
	}
	return v
}

func TestEncodeKinds(t *testing.T) {
	t.Parallel()
	rows := []writing{
		{"bool", of(true), `true`, nil},
		{"int", of(int64(math.MinInt64)), `-9223372036854775808`, nil},
		{"uint", of(uint64(math.MaxUint64)), `18446744073709551615`, nil},
		{"float", of(1.5), `1.5`, nil},
		{"float, no exponent", of(1e20), `100000000000000000000`, nil},
		{"float, exponent", of([]float64{1e21, 1e-7, 0.000001}), `[1e+21,1e-7,0.000001]`, nil},
		{"float32", of(float32(0.1)), `0.1`, nil},
		{"NaN", of(math.NaN()), ``, []string{"/v finite"}},
		{"infinity", of([]float64{math.Inf(1), math.Inf(-1)}), ``, []string{"/v/0 finite", "/v/1 finite"}},
		{"negative zero", of(math.Copysign(0, -1)), ``, []string{"/v negative_zero"}},
		{"text", of("a\"\\\n\x01\x7f<&>\u2028é😀"), "\"a\\\"\\\\\\n\\u0001\x7f<&>\u2028é😀\"", nil},
		{"invalid UTF-8", of("a\xff"), ``, []string{"/v utf8"}},
		{"surrogate bytes", of("\xed\xa0\x80"), ``, []string{"/v utf8"}},
		{"nil slice", of([]int(nil)), `[]`, nil},
		{"nil map", of(map[string]int(nil)), `{}`, nil},
		{"nil bytes", of([]byte(nil)), `""`, nil},
		{"nil pointer", of((*int)(nil)), `null`, nil},
		{"nil any", of(any(nil)), `null`, nil},
		{"bytes", of([]byte{0xfb, 0xff}), `"+/8="`, nil},
		{"byte array", of([2]byte{1, 2}), `[1,2]`, nil},
		{"array", of(triple{1, 2, 3}), `[1,2,3]`, nil},
		{"map, sorted", of(map[string]int{"b": 1, "a": 2, "é": 3, "": 4}), `{"":4,"a":2,"b":1,"é":3}`, nil},
		{"map of ints, sorted as names", of(map[int]string{10: "a", 2: "b", -1: "c"}), `{"-1":"c","10":"a","2":"b"}`, nil},
		{"map, invalid name", of(map[string]int{"\xff": 1}), ``, []string{"/v/� utf8"}},
		{"map of texts", of(map[caseless]int{"A": 1, "b": 2}), `{"a":1,"b":2}`, nil},
		{"map of texts, same name twice", of(map[caseless]int{"A": 1, "a": 2}), ``, []string{"/v/a duplicate"}},
		{"map of addresses", of(map[netip.Addr]int{netip.IPv6Loopback(): 1}), `{"::1":1}`, nil},
		{"time", of(time.Date(2024, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))), `"2024-01-02T03:04:05.000000006+01:00"`, nil},
		{"year 10000", of(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), ``, []string{"/v format date-time"}},
		{"zone with seconds", of(time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 30))), ``, []string{"/v format date-time"}},
		{"zone of a day", of(time.Date(2024, 1, 1, 0, 0, 0, 0, time.FixedZone("", 24*3600))), ``, []string{"/v format date-time"}},
		{"duration", of(90 * time.Minute), `"1h30m0s"`, nil},
		{"least duration", of(time.Duration(math.MinInt64)), `"-2562047h47m16.854775808s"`, nil},
		{"uuid", of(uuid.MustParse("6BA7B810-9dad-11d1-80b4-00c04fd430c8")), `"6ba7b810-9dad-11d1-80b4-00c04fd430c8"`, nil},
		{"ip", of(netip.MustParseAddr("::ffff:1.2.3.4")), `"::ffff:1.2.3.4"`, nil},
		{"no ip", of(netip.Addr{}), ``, []string{"/v format ip"}},
		{"ip with zone", of(netip.MustParseAddr("fe80::1%a")), ``, []string{"/v format ip"}},
		{"network", of(netip.MustParsePrefix("10.0.0.0/8")), `"10.0.0.0/8"`, nil},
		{"ip and port", of(netip.MustParseAddrPort("[::1]:80")), `"[::1]:80"`, nil},
		{"url", of(url.URL{Scheme: "https", Host: "a", Path: "/é", RawQuery: "a&b"}), `"https://a/%C3%A9?a&b"`, nil},
		{"url that changes", of(url.URL{Path: "//a//b", Host: ""}), `"//a//b"`, nil},
		{"url of no URL", of(url.URL{Scheme: "a b"}), ``, []string{"/v format url"}},
		{"raw", of(json.RawMessage(` { "a" : [ "x y" , 1.0 ] } `)), `{"a":["x y",1.0]}`, nil},
		{"nil raw", of(json.RawMessage(nil)), `null`, nil},
		{"raw of no JSON", of(json.RawMessage(`{`)), ``, []string{"/v syntax"}},
		{"empty raw", of(json.RawMessage(``)), ``, []string{"/v syntax"}},
		{"raw, faults", of(json.RawMessage(`{"a":1,"a":-0}`)), ``, []string{"/v duplicate", "/v negative_zero"}},
		{"number", of(json.Number("1.50")), `1.50`, nil},
		{"empty number", of(json.Number("")), `0`, nil},
		{"no number", of(json.Number("abc")), ``, []string{"/v type number"}},
		{"number and more", of(json.Number("1 ")), ``, []string{"/v type number"}},
		{"number too large", of(json.Number("1e400")), ``, []string{"/v overflow"}},
		{"negative zero as number", of(json.Number("-0")), ``, []string{"/v negative_zero"}},
		{"big integer", of(*bigOf("-123456789012345678901234567890")), `-123456789012345678901234567890`, nil},
		{"big integer too large", of(new(big.Int).Lsh(big.NewInt(1), 1024)), ``, []string{"/v overflow"}},
		{"numbers in quotes", of(flagged{1, true, ptr(2.5)}), `{"n":"1","b":"true","f":"2.5"}`, nil},
		{"null instead of quotes", of(flagged{N: 1}), `{"n":"1","b":"false","f":null}`, nil},
		{"maybe absent", func(t *testing.T) (string, []string) { t.Helper(); return encode(t, holds[maybe[int]]{}) }, `{}`, nil},
		{"maybe null", of(maybe[int]{State: plan.MaybeNull}), `null`, nil},
		{"maybe set", of(maybe[int]{7, plan.MaybeSet}), `7`, nil},

		{"any", of(any(map[string]any{"b": []any{1, 2.5, "x", nil, true}, "a": map[string]int{}, "c": []string(nil)})), `{"a":{},"b":[1,2.5,"x",null,true],"c":[]}`, nil},
		{"any of named types", of(any([]named{"x"})), `["x"]`, nil},
		{"any, 2^53+1", of(any(int64(1<<53 + 1))), ``, []string{"/v precision"}},
		{"any, 2^53", of(any(uint64(1 << 53))), `9007199254740992`, nil},
		{"any, number", of(any(json.Number("9007199254740993"))), ``, []string{"/v precision"}},
		{"any, raw", of(any(json.RawMessage(`[ 1 ]`))), `[1]`, nil},
		{"any, struct", of(any(inner{})), ``, []string{"/v type value"}},
		{"any, pointer", of(any(ptr(1))), ``, []string{"/v type value"}},
		{"any, channel", of(any([]any{make(chan int)})), ``, []string{"/v/0 type value"}},
		{"any, time", of(any(time.Now())), ``, []string{"/v type value"}},
		{"any, bytes", of(any([]byte("x"))), ``, []string{"/v type value"}},
		{"any, map of ints", of(any(map[int]int{1: 1})), ``, []string{"/v type value"}},
		{"any, NaN", of(any(math.NaN())), ``, []string{"/v finite"}},

		{"cycle", of(loop()), ``, []string{"/v" + strings.Repeat("/next/0", 31) + "/next depth"}},
		{"wide without a cycle", of(wide()), ``, []string{"size 10485760"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, issues := row.run(t)
			assert.Equal(t, row.issues, issues)
			if row.issues == nil {
				assert.Equal(t, row.want, got)
			}
		})
	}
}

// caseless writes its text in lower case.
type caseless string

func (c caseless) MarshalText() ([]byte, error) { return []byte(strings.ToLower(string(c))), nil }
func (c *caseless) UnmarshalText(b []byte) error {
	*c = caseless(b)
	return nil
}

type omitting struct {
	Empty  []int          `json:"empty,omitempty"`
	Zero   []int          `json:"zero,omitzero"`
	Ptr    *int           `json:"ptr,omitempty"`
	Time   time.Time      `json:"time,omitzero"`
	Struct inner          `json:"struct,omitempty"`
	Any    any            `json:"any,omitempty"`
	Map    map[string]int `json:"map,omitempty"`
	Int    int            `json:"int,omitempty"`
}

func TestEncodeOmits(t *testing.T) {
	t.Parallel()
	rows := []writing{
		{"zero", of(omitting{}), `{"struct":{"a":0}}`, nil},
		{"empty, not nil", of(omitting{Empty: []int{}, Zero: []int{}, Map: map[string]int{}}), `{"zero":[],"struct":{"a":0}}`, nil},
		{"pointer to zero", of(omitting{Ptr: ptr(0)}), `{"ptr":0,"struct":{"a":0}}`, nil},
		{"zero in another zone", of(omitting{Time: time.Time{}.In(time.FixedZone("", 3600))}), `{"struct":{"a":0}}`, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, issues := row.run(t)
			assert.Equal(t, row.issues, issues)
			assert.Equal(t, row.want, got)
		})
	}
}

// TestEncodeInput leaves out zero members that have a default, and judges no rule.
func TestEncodeInput(t *testing.T) {
	t.Parallel()
	type input struct {
		Limit int    `json:"limit" cap:"; default=10" validate:"min=1"`
		Name  string `json:"name" validate:"required"`
	}
	p := compile[input](t)
	for _, tt := range []struct {
		name string
		in   input
		want string
	}{
		{"zero", input{}, `{"name":""}`},
		{"against the rules", input{Limit: -1}, `{"limit":-1,"name":""}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, issues := p.EncodeInput([]byte("x"), reflect.ValueOf(tt.in), plan.Limits{})
			require.Nil(t, issues)
			assert.Equal(t, "x"+tt.want, string(got))
			_, issues = p.Encode(nil, reflect.ValueOf(tt.in), plan.Limits{})
			assert.NotNil(t, issues)
		})
	}
}
