package jsonvalue_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

func slowCompact(t *testing.T, doc []byte) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, doc))
	return b.String()
}

// requireCanonical checks that the canonical form reads as the same value and is its own canonical form.
func requireCanonical(t *testing.T, doc []byte) {
	t.Helper()
	canonical, err := jsonvalue.Canonical(nil, doc)
	require.NoError(t, err)
	again, err := jsonvalue.Canonical(nil, canonical)
	require.NoErrorf(t, err, "%q has the form %q", doc, canonical)
	require.Equal(t, string(canonical), string(again))
	var want, got any
	require.NoError(t, json.Unmarshal(doc, &want))
	require.NoError(t, json.Unmarshal(canonical, &got))
	require.Equal(t, want, got)
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, doc, want string }{
		{"blanks", ` { "b" : [ 1 , { } , [ ] ] , "a" : null } `, `{"a":null,"b":[1,{},[]]}`},
		{"order by UTF-16", `{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`, "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}"},
		{"order of common beginnings", `{"ab":1,"a":2,"":3,"a\ud83d\ude00":4,"a\uffff":5}`, "{\"\":3,\"a\":2,\"ab\":1,\"a😀\":4,\"a\uffff\":5}"},
		{"order within one lead byte", `{"\ud83d\ude01":1,"\ud83d\ude00":2}`, `{"😀":2,"😁":1}`},
		{"nested", `{"b":{"d":1,"c":{"f":1,"e":2}},"a":[{"b":1,"a":2}]}`, `{"a":[{"a":2,"b":1}],"b":{"c":{"e":2,"f":1},"d":1}}`},
		{"escapes", `"\u0041\/\u000a\u001f\"\\\u20ac<>&\u2028"`, "\"A/\\n\\u001f\\\"\\\\€<>&\u2028\""},
		{"integers stay exact", `[9007199254740993,-18446744073709551615,123456789012345678901,1.0,1e2,70e-1,0.0,0e5]`, `[9007199254740993,-18446744073709551615,123456789012345678901,1,100,7,0,0]`},
		{"large integers", `[1e20,1e21,1e300,100000000000000000000,1000000000000000000000,1000000000000000000001]`, `[100000000000000000000,1e+21,1e+300,100000000000000000000,1e+21,1000000000000000000001]`},
		{"fractions", `[1.50,-0.1e-5,1e-7,123.456e2,0.1234567890123456789]`, `[1.5,-0.000001,1e-7,12345.6,0.12345678901234568]`},
		{"words", `[true,false,null]`, `[true,false,null]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonvalue.Canonical([]byte("#"), []byte(tt.doc))
			require.NoError(t, err)
			assert.Equal(t, "#"+tt.want, string(got))
			requireCanonical(t, []byte(tt.doc))
		})
	}
	_, err := jsonvalue.Canonical(nil, []byte(`{"a":1,"a":2}`))
	require.Error(t, err)
	_, err = jsonvalue.Compact(nil, []byte(`{`))
	require.Error(t, err)
}

// FuzzAppendFloat compares with encoding/json.
func FuzzAppendFloat(f *testing.F) {
	for _, x := range []float64{0, 1, -1.5, 1e21, 1e20, 1e-6, 1e-7, 5e-324, math.MaxFloat64, 123456789.125} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		want, err := json.Marshal(x)
		require.NoError(t, err)
		require.Equal(t, string(want), string(jsonvalue.AppendFloat(nil, x, 64)))
		if y := float32(x); !math.IsInf(float64(y), 0) {
			want, err := json.Marshal(y)
			require.NoError(t, err)
			require.Equal(t, string(want), string(jsonvalue.AppendFloat(nil, float64(y), 32)))
		}
	})
}

// FuzzAppendText compares with encoding/json.
func FuzzAppendText(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n\x00\x7f", "é😀\u2028", "\xff", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := jsonvalue.AppendText(nil, s)
		if !ok {
			require.NotEqual(t, s, string([]rune(s)), "%q is refused", s)
			return
		}
		var back string
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, s, back)
	})
}
