package plan_test

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// reading is one value in a member v, for a type that a test row names.
type reading struct {
	name   string
	run    func(t *testing.T, value string) (any, []string)
	value  string
	want   any
	issues []string
}

func as[T any](t *testing.T, value string) (any, []string) {
	t.Helper()
	got, issues := decode[holds[T]](t, `{"v":`+value+`}`, plan.Limits{})
	return got.V, issues
}

func ptr[T any](v T) *T { return &v }

type (
	named   string
	level   int8
	triple  [3]int
	nest    []nest
	mapNest map[string]mapNest
	tree    struct {
		Children []tree `json:"children"`
	}
	chain struct {
		Next *chain `json:"next,omitempty"`
	}
	inner struct {
		A int `json:"a"`
	}
	flagged struct {
		N int64    `json:"n,string"`
		B bool     `json:"b,string"`
		F *float64 `json:"f,string"`
	}
)

func TestDecodeKinds(t *testing.T) {
	t.Parallel()
	rows := []reading{
		{"true", as[bool], `true`, true, nil},
		{"text for bool", as[bool], `"true"`, false, []string{"/v type boolean"}},
		{"integer", as[int], `-42`, -42, nil},
		{"integral fraction", as[int], `1.0`, 1, nil},
		{"integral exponent", as[int], `1e2`, 100, nil},
		{"integral negative exponent", as[int], `70e-1`, 7, nil},
		{"zero with exponent", as[int], `0e99`, 0, nil},
		{"long integral fraction", as[int], `12345678901234567890000e-4`, 1234567890123456789, nil},
		{"fraction", as[int], `1.5`, 0, []string{"/v integer integer"}},
		{"tiny", as[int], `1e-400`, 0, []string{"/v integer integer"}},
		{"negative zero", as[int], `-0`, 0, []string{"/v negative_zero"}},
		{"negative zero spelled out", as[float64], `-0.00e7`, 0.0, []string{"/v negative_zero"}},
		{"text for integer", as[int], `"1"`, 0, []string{"/v type integer"}},
		{"null for integer", as[int], `null`, 0, []string{"/v type integer"}},
		{"int8 high", as[int8], `128`, int8(0), []string{"/v range -128..127"}},
		{"int8 low", as[int8], `-128`, int8(-128), nil},
		{"named int8", as[level], `-129`, level(0), []string{"/v range -128..127"}},
		{"int64 least", as[int64], `-9223372036854775808`, int64(-1 << 63), nil},
		{"int64 most", as[int64], `9223372036854775807`, int64(1<<63 - 1), nil},
		{"int64 beyond", as[int64], `9223372036854775808`, int64(0), []string{"/v range -9223372036854775808..9223372036854775807"}},
		{"above 2^53", as[int64], `9007199254740993`, int64(9007199254740993), nil},
		{"uint64 most", as[uint64], `18446744073709551615`, uint64(1<<64 - 1), nil},
		{"uint64 most with exponent", as[uint64], `1844674407370955161.5e1`, uint64(1<<64 - 1), nil},
		{"uint64 beyond", as[uint64], `18446744073709551616`, uint64(0), []string{"/v range 0..18446744073709551615"}},
		{"negative uint", as[uint8], `-1`, uint8(0), []string{"/v range 0..255"}},
		{"huge exponent in int", as[int], `1e400`, 0, []string{"/v range -9223372036854775808..9223372036854775807"}},
		{"float", as[float64], `1.5e3`, 1500.0, nil},
		{"float of 40 digits", as[float64], `0.1234567890123456789012345678901234567890`, 0.12345678901234568, nil},
		{"float takes the nearest double", as[float64], `9007199254740993`, 9007199254740992.0, nil},
		{"float least", as[float64], `5e-324`, 5e-324, nil},
		{"overflow", as[float64], `1e400`, 0.0, []string{"/v overflow"}},
		{"underflow", as[float64], `1e-400`, 0.0, []string{"/v underflow"}},
		{"zero is no underflow", as[float64], `0e-400`, 0.0, nil},
		{"float32", as[float32], `0.1`, float32(0.1), nil},
		{"float32 overflow", as[float32], `1e39`, float32(0), []string{"/v overflow"}},
		{"float32 underflow", as[float32], `1e-50`, float32(0), []string{"/v underflow"}},
		{"text", as[string], `"a\u00e9\ud83d\ude00\n"`, "aé😀\n", nil},
		{"named text", as[named], `"x"`, named("x"), nil},
		{"number for text", as[string], `1`, "", []string{"/v type string"}},
		{"object for text", as[string], `{"a":[1,{}]}`, "", []string{"/v type string"}},
		{"null for text", as[string], `null`, "", []string{"/v type string"}},
		{"invalid UTF-8", as[string], "\"a\xffb\"", "", []string{"/v utf8"}},
		{"overlong UTF-8", as[string], "\"\xc0\xaf\"", "", []string{"/v utf8"}},
		{"surrogate bytes", as[string], "\"\xed\xa0\x80\"", "", []string{"/v utf8"}},
		{"lone high surrogate", as[string], `"\ud800"`, "", []string{"/v surrogate"}},
		{"high surrogate before a letter", as[string], `"\ud800\u0041"`, "", []string{"/v surrogate"}},
		{"reversed pair", as[string], `"\udc00\ud800"`, "", []string{"/v surrogate"}},
		{"control character", as[string], "\"\x1f\"", "", []string{"syntax"}},

		{"slice", as[[]int], `[1,2]`, []int{1, 2}, nil},
		{"empty slice", as[[]int], ` [ ] `, []int{}, nil},
		{"null for slice", as[[]int], `null`, []int(nil), []string{"/v type array"}},
		{"bad elements", as[[]int], `[1,"x",null,2.5]`, []int{1, 0, 0, 0}, []string{"/v/1 type integer", "/v/2 type integer", "/v/3 integer integer"}},
		{"array", as[triple], `[1,2,3]`, triple{1, 2, 3}, nil},
		{"array too short", as[triple], `[1,2]`, triple{1, 2}, []string{"/v length 3"}},
		{"array too long", as[triple], `[1,2,3,4,5]`, triple{1, 2, 3}, []string{"/v length 3"}},
		{"map", as[map[string]int], `{"b":1,"":2,"__proto__":3}`, map[string]int{"b": 1, "": 2, "__proto__": 3}, nil},
		{"null for map", as[map[string]int], `null`, map[string]int(nil), []string{"/v type object"}},
		{"map twice", as[map[string]int], `{"a":1,"b":2,"\u0061":3}`, map[string]int{"a": 3, "b": 2}, []string{"/v/a duplicate"}},
		{"map of ints", as[map[int]string], `{"-1":"a","0":"b"}`, map[int]string{-1: "a", 0: "b"}, nil},
		{"map of ints, odd names", as[map[int]string], `{"01":"a","+1":"a","-0":"a","":"a","300":"x"}`, map[int]string{300: "x"}, []string{"/v/01 format integer", "/v/+1 format integer", "/v/-0 format integer", "/v/ format integer"}},
		{"map of int8s", as[map[int8]bool], `{"128":true}`, map[int8]bool{}, []string{"/v/128 format integer"}},
		{"map of addresses", as[map[netip.Addr]int], `{"::1":1,"x":2}`, map[netip.Addr]int{netip.IPv6Loopback(): 1}, []string{"/v/x format ip"}},
		{"same address twice", as[map[netip.Addr]int], `{"::1":1,"0:0::1":2}`, map[netip.Addr]int{netip.IPv6Loopback(): 2}, []string{"/v/0:0::1 duplicate"}},
		{"pointer", as[*int], `7`, ptr(7), nil},
		{"null for a pointer", as[*int], `null`, (*int)(nil), nil},
		{"null in a slice of pointers", as[[]*int], `[1,null]`, []*int{ptr(1), nil}, nil},
		{"null in a map of pointers", as[map[string]*int], `{"a":null}`, map[string]*int{"a": nil}, nil},
		{"slices of themselves", as[nest], `[[],[[]]]`, nest{{}, {{}}}, nil},
		{"maps of themselves", as[mapNest], `{"a":{},"b":{"c":{}}}`, mapNest{"a": {}, "b": {"c": {}}}, nil},
		{"recursion", as[tree], `{"children":[{"children":[]}]}`, tree{[]tree{{[]tree{}}}}, nil},
		{"recursion, missing", as[tree], `{"children":[{"children":[{}]}]}`, tree{[]tree{{[]tree{{}}}}}, []string{"/v/children/0/children/0/children required"}},
		{"recursion by pointer", as[chain], `{"next":{"next":{}}}`, chain{&chain{&chain{}}}, nil},
		{"null for an optional pointer", as[chain], `{"next":null}`, chain{&chain{}}, []string{"/v/next type object"}},
		{"numbers in quotes", as[flagged], `{"n":"-9007199254740993","b":"true","f":"1.5"}`, flagged{-9007199254740993, true, ptr(1.5)}, nil},
		{"null in quotes", as[flagged], `{"n":"1","b":"false","f":null}`, flagged{N: 1}, nil},
		{"numbers without quotes", as[flagged], `{"n":1,"b":true,"f":1.5}`, flagged{}, []string{"/v/n type string", "/v/b type string", "/v/f type string"}},
		{"odd numbers in quotes", as[flagged], `{"n":" 1","b":"TRUE","f":"-0"}`, flagged{F: ptr(0.0)}, []string{"/v/n type string", "/v/b type string", "/v/f negative_zero"}},

		{"any", as[any], `{"a":[1,2.5,"x",true,null,{}],"b":{}}`, map[string]any{"a": []any{1.0, 2.5, "x", true, nil, map[string]any{}}, "b": map[string]any{}}, nil},
		{"null for any", as[any], `null`, nil, nil},
		{"any, 2^53", as[any], `9007199254740992`, 9007199254740992.0, nil},
		{"any, 2^53+1", as[any], `[9007199254740993]`, []any{9007199254740992.0}, []string{"/v/0 precision"}},
		{"any, 1e300", as[any], `1e300`, 1e300, nil},
		{"any, 2^53+1 with exponent", as[any], `9007199254740993.0`, 9007199254740992.0, []string{"/v precision"}},
		{"any, faults", as[any], `{"a":1,"a":-0,"\ud800":1e400}`, map[string]any{"a": 0.0, "\ufffd": 0.0}, []string{"/v/a duplicate", "/v/a negative_zero", "/v/� surrogate", "/v/� overflow"}},
		{"raw", as[json.RawMessage], ` { "a" : [1.0, null] } `, json.RawMessage(`{ "a" : [1.0, null] }`), nil},
		{"raw null", as[json.RawMessage], `null`, json.RawMessage(`null`), nil},
		{"raw, faults", as[json.RawMessage], `{"a":{"b":1,"\u0062":-0},"c":["\ud800",1e400]}`, json.RawMessage(`{"a":{"b":1,"\u0062":-0},"c":["\ud800",1e400]}`), []string{"/v/a/b duplicate", "/v/a/b negative_zero", "/v/c/0 surrogate", "/v/c/1 overflow"}},
		{"number", as[json.Number], `1.50`, json.Number("1.50"), nil},
		{"number in quotes", as[json.Number], `"12"`, json.Number(""), []string{"/v type number"}},
		{"number too large", as[json.Number], `1e400`, json.Number(""), []string{"/v overflow"}},
		{"big integer", as[big.Int], `123456789012345678901234567890`, *bigOf("123456789012345678901234567890"), nil},
		{"big integer by pointer", as[*big.Int], `-12e2`, bigOf("-1200"), nil},
		{"big integer with a fraction", as[big.Int], `1.5`, big.Int{}, []string{"/v integer integer"}},
		{"bytes", as[[]byte], `"+/8="`, []byte{0xfb, 0xff}, nil},
		{"no bytes", as[[]byte], `""`, []byte{}, nil},
		{"bytes, no padding", as[[]byte], `"+/8"`, []byte(nil), []string{"/v format base64"}},
		{"bytes, URL alphabet", as[[]byte], `"-_8="`, []byte(nil), []string{"/v format base64"}},
		{"bytes, stray bits", as[[]byte], `"+/9="`, []byte(nil), []string{"/v format base64"}},
		{"bytes, line break", as[[]byte], `"+/\n8="`, []byte(nil), []string{"/v format base64"}},
		{"bytes as numbers", as[[]byte], `[1]`, []byte(nil), []string{"/v type string"}},
		{"byte array", as[[2]byte], `[1,2]`, [2]byte{1, 2}, nil},
		{"maybe of a value", as[maybe[int]], `1`, maybe[int]{1, plan.MaybeSet}, nil},
		{"maybe null", as[maybe[int]], `null`, maybe[int]{0, plan.MaybeNull}, nil},
		{"maybe of a struct", as[maybe[inner]], `{"a":"x"}`, maybe[inner]{State: plan.MaybeSet}, []string{"/v/a type integer"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, issues := row.run(t, row.value)
			assert.Equal(t, row.issues, issues)
			assert.Equal(t, row.want, got)
		})
	}
}

func bigOf(s string) *big.Int {
	i, _ := new(big.Int).SetString(s, 10)
	return i
}

// odd makes rows of texts that a form refuses.
func refusedTexts(name string, run func(*testing.T, string) (any, []string), zero any, format string, texts ...string) []reading {
	var rows []reading
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		rows = append(rows, reading{name + " " + text, run, string(quoted), zero, []string{"/v format " + format}})
	}
	return rows
}

func TestDecodeTextForms(t *testing.T) {
	t.Parallel()
	at := func(zone *time.Location, nanos int) time.Time { return time.Date(2024, 2, 29, 23, 59, 58, nanos, zone) }
	rows := []reading{
		{"time", as[time.Time], `"2024-02-29T23:59:58Z"`, at(time.UTC, 0), nil},
		{"time with fraction", as[time.Time], `"2024-02-29T23:59:58.5Z"`, at(time.UTC, 5e8), nil},
		{"time with nanoseconds", as[time.Time], `"2024-02-29T23:59:58.000000001Z"`, at(time.UTC, 1), nil},
		{"time with offset", as[time.Time], `"2024-02-29T23:59:58-05:30"`, at(time.FixedZone("", -19800), 0), nil},
		{"time with offset of zero", as[time.Time], `"2024-02-29T23:59:58+00:00"`, at(time.UTC, 0), nil},
		{"number for time", as[time.Time], `1`, time.Time{}, []string{"/v type string"}},
		{"duration", as[time.Duration], `"1h30m"`, 90 * time.Minute, nil},
		{"negative duration", as[time.Duration], `"-1.5s"`, -1500 * time.Millisecond, nil},
		{"duration of zero", as[time.Duration], `"0"`, time.Duration(0), nil},
		{"long fraction of a duration", as[time.Duration], `"0.000000001h"`, 3600 * time.Nanosecond, nil},
		{"micro sign", as[time.Duration], `"1.001µs"`, 1001 * time.Nanosecond, nil},
		{"number for duration", as[time.Duration], `1500`, time.Duration(0), []string{"/v type string"}},
		{"uuid", as[uuid.UUID], `"6BA7B810-9dad-11d1-80b4-00c04fd430c8"`, uuid.MustParse("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), nil},
		{"ip", as[netip.Addr], `"10.0.0.1"`, netip.MustParseAddr("10.0.0.1"), nil},
		{"ipv6", as[netip.Addr], `"::ffff:1.2.3.4"`, netip.MustParseAddr("::ffff:1.2.3.4"), nil},
		{"network", as[netip.Prefix], `"10.0.0.1/8"`, netip.MustParsePrefix("10.0.0.1/8"), nil},
		{"ip and port", as[netip.AddrPort], `"[::1]:80"`, netip.MustParseAddrPort("[::1]:80"), nil},
		{"url", as[url.URL], `"https://a.example/x?y=1#z"`, url.URL{Scheme: "https", Host: "a.example", Path: "/x", RawQuery: "y=1", Fragment: "z"}, nil},
	}
	rows = append(rows, refusedTexts("time", as[time.Time], time.Time{}, "date-time",
		"", "2024-02-29", "2024-02-29t23:59:58Z", "2024-02-29T23:59:58z", "2024-02-29 23:59:58Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
		"2024-04-31T00:00:00Z", "2024-00-01T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
		"2024-01-01T23:59:60Z", "2024-01-01T00:00:00,5Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.0000000001Z", "2024-01-01T1:00:00Z",
		"2024-01-01T00:00:00", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+00:60", "2024-01-01T00:00:00+0000", "2024-01-01T00:00:00Zx", "12024-01-01T00:00:00Z")...)
	rows = append(rows, refusedTexts("duration", as[time.Duration], time.Duration(0), "duration",
		"", "1", "h", "1.h", ".5h", "1,5h", " 1h", "1h ", "0.5ns", "1.0001us", "1.0000001ms", "1.0000000001s", "1e3s", "1d", "300000000h")...)
	rows = append(rows, refusedTexts("uuid", as[uuid.UUID], uuid.UUID{}, "uuid",
		"", "6ba7b8109dad11d180b400c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
		"6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "6ba7b810x9dad-11d1-80b4-00c04fd430c8")...)
	rows = append(rows, refusedTexts("ip", as[netip.Addr], netip.Addr{}, "ip", "", "1.2.3", "01.2.3.4", "+1.2.3.4", "::1%eth0", "1.2.3.4/8")...)
	rows = append(rows, refusedTexts("network", as[netip.Prefix], netip.Prefix{}, "cidr", "", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/08")...)
	rows = append(rows, refusedTexts("ip and port", as[netip.AddrPort], netip.AddrPort{}, "ip_port", "", "1.2.3.4", "1.2.3.4:", "1.2.3.4:080", "::1:80", "1.2.3.4:65536", "[fe80::1%a]:1")...)
	rows = append(rows, refusedTexts("url", as[url.URL], url.URL{}, "url", "%zz", "http://[::1", ":x", "a\x7fb")...)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, issues := row.run(t, row.value)
			assert.Equal(t, row.issues, issues)
			assert.Equal(t, row.want, got)
		})
	}
}

// account has members of every presence.
type account struct {
	Name    string   `json:"name"`
	Limit   int      `json:"limit"          cap:"; default=10"`
	Nick    string   `json:"nick,omitempty"`
	Since   *int     `json:"since"`
	Until   *int     `json:"until,omitzero"`
	Tags    []string `json:"tags"           cap:"; default=[\"a\"]"`
	Owner   inner    `json:"owner,omitzero"`
	Marked  marker
	private int
}

func TestDecodeObject(t *testing.T) {
	t.Parallel()
	full := account{Name: "n", Limit: 10, Since: ptr(1), Tags: []string{"a"}}
	tests := []struct {
		name, doc string
		want      *account
		issues    []string
	}{
		{"least", `{"name":"n","since":1}`, &full, nil},
		{"null where nullable", `{"name":"n","since":null}`, &account{Name: "n", Limit: 10, Tags: []string{"a"}}, nil},
		{"another order, blanks", " {\t\"since\" :1,\r\n\"name\":\"n\" } ", &full, nil},
		{"zero on the wire is no default", `{"name":"n","since":1,"limit":0,"tags":[]}`, &account{Name: "n", Since: ptr(1), Tags: []string{}}, nil},
		{"nothing", `{}`, nil, []string{"/name required", "/since required"}},
		{"null where optional", `{"name":"n","since":1,"until":null}`, nil, []string{"/until type integer"}},
		{"several", `{"name":1,"limit":"x","zzz":{"a":[]},"owner":{"a":1.5,"b":0}}`, nil, []string{"/name type string", "/limit type integer", "/zzz unknown", "/owner/a integer integer", "/owner/b unknown", "/since required"}},
		{"twice", `{"name":"n","name":7,"since":1}`, nil, []string{"/name duplicate"}},
		{"twice by escape", `{"name":"n","since":1,"n\u0061me":"m"}`, nil, []string{"/name duplicate"}},
		{"case", `{"Name":"n","since":1}`, nil, []string{"/Name unknown", "/name required"}},
		{"Kelvin sign", `{"name":"n","since":1,"nic` + "\u212a" + `":"x"}`, nil, []string{"/nic\u212a unknown"}},
		{"escaped pointer", `{"name":"n","since":1,"a/b~c":1}`, nil, []string{"/a~1b~0c unknown"}},
		{"marker and private are no members", `{"name":"n","since":1,"Marked":{},"private":1}`, nil, []string{"/Marked unknown", "/private unknown"}},
		{"faults in an unknown member are not looked for", `{"name":"n","since":1,"x":{"a":1,"a":1}}`, nil, []string{"/x unknown"}},
		{"array at the root", `[1]`, nil, []string{"type object"}},
		{"null at the root", `null`, nil, []string{"type object"}},
		{"syntax keeps what was found", `{"name":1,"since":tru}`, nil, []string{"/name type string", "syntax"}},
		{"trailing value", `{"name":"n","since":1} {}`, nil, []string{"syntax"}},
		{"trailing NUL", "{\"name\":\"n\",\"since\":1}\x00", nil, []string{"syntax"}},
		{"BOM", "\ufeff{\"name\":\"n\",\"since\":1}", nil, []string{"syntax"}},
		{"empty", ``, nil, []string{"syntax"}},
		{"blanks", " \n", nil, []string{"syntax"}},
		{"cut", `{"name":"n","since":1`, nil, []string{"syntax"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, issues := decode[account](t, tt.doc, plan.Limits{})
			assert.Equal(t, tt.issues, issues)
			if tt.want != nil {
				assert.Equal(t, *tt.want, got)
			}
		})
	}
}

// TestDefaultsAreNotShared changes what one call got and looks at what the next one gets.
func TestDefaultsAreNotShared(t *testing.T) {
	t.Parallel()
	first, issues := decode[account](t, `{"name":"n","since":1}`, plan.Limits{})
	require.Empty(t, issues)
	first.Tags[0] = "changed"
	second, issues := decode[account](t, `{"name":"n","since":1}`, plan.Limits{})
	require.Empty(t, issues)
	assert.Equal(t, []string{"a"}, second.Tags)
}
