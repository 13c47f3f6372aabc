package plan_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// everything has a member of every kind.
type everything struct {
	Bool     bool                  `json:"bool,omitzero"`
	Int      int                   `json:"int,omitzero"`
	Int8     int8                  `json:"int8,omitzero"`
	Int64    int64                 `json:"int64,omitzero"`
	Uint64   uint64                `json:"uint64,omitzero"`
	Quoted   int64                 `json:"quoted,string,omitzero"`
	Float32  float32               `json:"float32,omitzero"`
	Float64  float64               `json:"float64,omitzero"`
	Text     string                `json:"text,omitzero"`
	Bytes    []byte                `json:"bytes,omitzero"`
	Slice    []string              `json:"slice,omitzero"`
	Array    [2]uint8              `json:"array,omitzero"`
	Map      map[string]float64    `json:"map,omitzero"`
	IntMap   map[int16]bool        `json:"int_map,omitzero"`
	AddrMap  map[netip.Addr]string `json:"addr_map,omitzero"`
	Pointer  *inner                `json:"pointer,omitzero"`
	Null     *int                  `json:"null"`
	Struct   inner                 `json:"struct,omitzero"`
	Tree     tree                  `json:"tree,omitzero"`
	Any      any                   `json:"any,omitzero"`
	Raw      json.RawMessage       `json:"raw,omitzero"`
	Number   json.Number           `json:"number,omitzero"`
	Big      *big.Int              `json:"big,omitzero"`
	Time     time.Time             `json:"time,omitzero"`
	Duration time.Duration         `json:"duration,omitzero"`
	UUID     uuid.UUID             `json:"uuid,omitzero"`
	Addr     netip.Addr            `json:"addr,omitzero"`
	Prefix   netip.Prefix          `json:"prefix,omitzero"`
	AddrPort netip.AddrPort        `json:"addr_port,omitzero"`
	URL      url.URL               `json:"url,omitzero"`
	Maybe    maybe[[]int]          `json:"maybe"`
	Code     code                  `json:"code,omitzero" cap:"; format=code"`
	Empty    int                   `json:",omitempty"`
	Odd      string                `json:"__proto__,omitempty"`
	Default  int                   `json:"default" cap:"; default=7"`
}

var everyDocument = []string{
	`{"null":null}`,
	`{"null":1,"bool":true,"int":-1e2,"int8":-128,"int64":9223372036854775807,"uint64":18446744073709551615,"quoted":"-9007199254740993"}`,
	`{"null":1,"float32":3.4028234663852886e38,"float64":5e-324,"text":"é😀\u0000\u2028\ud83d\ude00\"\\/","bytes":"+/8="}`,
	`{"null":null,"slice":[],"array":[0,255],"map":{"":0.5,"__proto__":1e300,"b":-1},"int_map":{"-1":true,"10":false},"addr_map":{"::1":"x"}}`,
	`{"null":null,"pointer":{"a":1.0},"struct":{"a":70e-1},"tree":{"children":[{"children":[]},{"children":[{"children":[]}]}]}}`,
	`{"null":null,"any":{"b":[1,2.5,"x",null,true,{}],"a":9007199254740992},"raw": [ 1.0 , {"a" : null} ],"number":-1.50e7,"big":123456789012345678901234567890}`,
	`{"null":null,"time":"2024-02-29T23:59:58.000000001-05:30","duration":"-1h0.5s","uuid":"6BA7B810-9dad-11d1-80b4-00c04fd430c8"}`,
	`{"null":null,"addr":"::ffff:1.2.3.4","prefix":"10.0.0.1/8","addr_port":"[::1]:80","url":"https://ann@a.example:8080/x%20y?z=1#f"}`,
	`{"null":null,"maybe":null,"code":"x:y","Empty":1,"__proto__":"x","default":0}`,
	`{"null":null,"maybe":[1,2]}`,
	`{"null":null,"time":"0000-01-01T00:00:00Z"}`,
	`{"null":null,"any":9223372036854775808}`,
}

// roundTrip decodes doc and, if it is accepted, checks that what is written again reads as the same value.
func roundTrip(t *testing.T, p *plan.Plan, doc []byte) bool {
	t.Helper()
	first := reflect.New(p.Type).Elem()
	if p.Decode(doc, first, plan.Limits{}) != nil {
		return false
	}
	written, issues := p.Encode(nil, first, plan.Limits{})
	require.Nilf(t, issues, "%s is accepted, but what it says cannot be written: %+v", doc, issues)
	second := reflect.New(p.Type).Elem()
	issues = p.Decode(written, second, plan.Limits{})
	require.Nilf(t, issues, "%s is written as %s, which is refused: %+v", doc, written, issues)
	again, issues := p.Encode(nil, second, plan.Limits{})
	require.Nil(t, issues)
	require.Equalf(t, string(written), string(again), "%s is written differently the second time", doc)
	require.True(t, equalValues(first, second), "%s reads as %+v, and once written as %+v", doc, first, second)
	return true
}

// equalValues compares what was read, but raw JSON without its white space.
func equalValues(a, b reflect.Value) bool {
	x, isEverything := a.Interface().(everything)
	y, _ := b.Interface().(everything)
	if !isEverything {
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
	x.Raw, y.Raw = compacted(x.Raw), compacted(y.Raw)
	return reflect.DeepEqual(x, y)
}

func compacted(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	var b bytes.Buffer
	_ = json.Compact(&b, raw)
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	p := compile[everything](t)
	for _, doc := range everyDocument {
		assert.Truef(t, roundTrip(t, p, []byte(doc)), "%s is refused", doc)
	}
	accepted := 0
	free := compile[any](t)
	for _, s := range suiteCases(t) {
		if roundTrip(t, free, s.data) {
			accepted++
		}
	}
	t.Logf("%d documents of the suite and %d of every kind", accepted, len(everyDocument))
}

// FuzzRoundTrip looks for documents that change on their way.
func FuzzRoundTrip(f *testing.F) {
	for _, doc := range everyDocument {
		f.Add([]byte(doc))
	}
	p := compile[everything](f)
	f.Fuzz(func(t *testing.T, doc []byte) { roundTrip(t, p, doc) })
}

// FuzzDecode compares with encoding/json: what we accept, it accepts, and reads the same.
func FuzzDecode(f *testing.F) {
	for _, s := range suiteCases(f) {
		if len(s.data) < 1000 {
			f.Add(s.data)
		}
	}
	free := compile[any](f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		var got any
		issues := free.Decode(doc, reflect.ValueOf(&got).Elem(), plan.Limits{})
		var want any
		err := json.Unmarshal(doc, &want)
		if issues == nil {
			require.NoErrorf(t, err, "%q is accepted", doc)
			require.Equal(t, want, got)
			return
		}
		require.NotEmpty(t, issues.List)
		if issues.List[0].Rule == plan.RuleSyntax {
			require.Errorf(t, err, "%q is refused as no JSON", doc)
		}
	})
}

// FuzzTextForms reads texts of every form: none panics, and what is accepted is written so that it reads the same.
func FuzzTextForms(f *testing.F) {
	for _, text := range []string{"2024-02-29T23:59:58.5-05:30", "1h30m0.5s", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "::1", "10.0.0.0/8", "[::1]:80", "https://a/b?c#d", "+/8=", "x:y"} {
		f.Add(text)
	}
	p := compile[everything](f)
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		for _, name := range []string{"time", "duration", "uuid", "addr", "prefix", "addr_port", "url", "bytes", "code", "text", "quoted"} {
			doc := []byte(`{"null":null,"` + name + `":` + string(quoted) + `}`)
			roundTrip(t, p, doc)
		}
		for _, name := range []string{"int_map", "addr_map", "map"} {
			roundTrip(t, p, []byte(`{"null":null,"`+name+`":{`+string(quoted)+`:true}}`))
		}
	})
}
