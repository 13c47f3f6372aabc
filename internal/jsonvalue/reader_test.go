package jsonvalue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":0,`, i)
		}
		return b.String()
	}
	tests := []struct {
		name, doc string
		want      string // "fault offset pointer", "" for good
	}{
		{"all kinds", ` { "a" : [ 1 , -2.5e-3, "x" , true , false , null , { } , [ ] ] } `, ""},
		{"scalar", `0`, ""},
		{"nothing", ``, "not JSON 0 "},
		{"two values", `1 2`, "not JSON 2 "},
		{"no value", `{"a":}`, "not JSON 5 /a"},
		{"duplicate", `{"a":{"b":1,"b":2}}`, "repeated name 12 /a/b"},
		{"duplicate by escape", `{"\u0061":1,"a":2}`, "repeated name 12 /a"},
		{"duplicate of an escaped name", `{"a":1,"\u0061":2}`, "repeated name 7 /a"},
		{"same name in another object", `[{"a":1},{"a":{"a":1}}]`, ""},
		{"many names", `{` + members(40) + `"k":0}`, ""},
		{"duplicate among many", `{` + members(40) + `"k3":0}`, "repeated name 311 /k3"},
		{"duplicate around a large object", `{"a":{` + members(40) + `"k":0},"b":1,"a":2}`, "repeated name 329 /a"},
		{"escaped duplicate among many", `{` + members(40) + `"\u006b3":0}`, "repeated name 311 /k3"},
		{"negative zero", `[0,-0.0]`, "negative zero 3 /1"},
		{"overflow", `[1e309]`, "number too large 1 /0"},
		{"underflow", `[1e-400]`, "number too small 1 /0"},
		{"long number", `[` + strings.Repeat("1", 1101) + `]`, "number too long 1 /0"},
		{"number as long as allowed", `0.` + strings.Repeat("1", 1098), ""},
		{"invalid UTF-8 in a name", "{\"\xff\":1}", "invalid UTF-8 1 /\ufffd"},
		{"surrogate in a name", `{"\udc00":1}`, "half of a surrogate pair 1 /\ufffd"},
		{"pair", `"\ud83d\ude00"`, ""},
		{"pointer", `{"a/b":{"~":{"":-0}}}`, "negative zero 16 /a~1b/~0/"},
		{"depth", strings.Repeat("[", 65), "nested too deep 64 " + strings.Repeat("/0", 64)},
		{"as deep as allowed", strings.Repeat("[", 64) + strings.Repeat("]", 64), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := jsonvalue.Check([]byte(tt.doc), 0); err != nil {
				got = fmt.Sprintf("%s %d %s", err.Fault, err.Offset, err.Pointer)
				assert.NotEmpty(t, err.Error())
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// TestText reads strings whose special bytes stand at every place of a word of eight bytes.
func TestText(t *testing.T) {
	t.Parallel()
	for _, special := range []string{"é", "😀", `"`, `\`, "\n", "\x00", "\x1f", "\x7f", "~", "\u2028"} {
		for before := range 20 {
			for after := range 10 {
				want := strings.Repeat("x", before) + special + strings.Repeat("y", after)
				quoted, err := json.Marshal(want)
				require.NoError(t, err)
				r := jsonvalue.Reader{Data: quoted}
				got, fault := r.Text()
				require.Equal(t, jsonvalue.OK, fault)
				require.Equal(t, want, string(got))
				require.Len(t, quoted, r.Pos)

				written, ok := jsonvalue.AppendText([]byte("#"), want)
				require.True(t, ok)
				var back string
				require.NoError(t, json.Unmarshal(written[1:], &back))
				require.Equal(t, want, back)
			}
		}
	}
}

func TestTextFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, doc string
		want      jsonvalue.Fault
		end       int
	}{
		{"invalid UTF-8", "\"a\xffb\"", jsonvalue.UTF8, 5},
		{"cut rune", "\"\xe2\x82\"", jsonvalue.UTF8, 4},
		{"surrogate bytes", "\"\xed\xa0\x80\"", jsonvalue.UTF8, 5},
		{"high alone", `"\ud800"`, jsonvalue.Surrogate, 8},
		{"high before text", `"\ud800x"`, jsonvalue.Surrogate, 9},
		{"high before another escape", `"\ud800\n"`, jsonvalue.Surrogate, 10},
		{"two high, then low", `"\ud83d\ud83d\ude00"`, jsonvalue.Surrogate, 20},
		{"low alone", `"\udc00"`, jsonvalue.Surrogate, 8},
		{"both kinds", "\"\xff\\udc00\"", jsonvalue.Surrogate, 9},
		{"control", "\"abc\x1f\"", jsonvalue.Syntax, 4},
		{"control after an escape", "\"\\nabc\x00\"", jsonvalue.Syntax, 6},
		{"open", `"abc`, jsonvalue.Syntax, 4},
		{"open after a backslash", `"abc\`, jsonvalue.Syntax, 5},
		{"open in an escape", `"\u00`, jsonvalue.Syntax, 1},
		{"bad escape", `"\a"`, jsonvalue.Syntax, 1},
		{"bad digits", `"\u00g0"`, jsonvalue.Syntax, 1},
		{"bad digits of the second half", `"\ud800\u00g0"`, jsonvalue.Syntax, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := jsonvalue.Reader{Data: []byte(tt.doc)}
			_, fault := r.Text()
			assert.Equal(t, tt.want, fault)
			assert.Equal(t, tt.end, r.Pos)
		})
	}
}

func TestPointerOfLongNames(t *testing.T) {
	t.Parallel()
	var p jsonvalue.Path
	p.Push()
	p.Name("ab€cd")
	p.Push()
	p.Index(7)
	assert.Equal(t, "/ab€cd/7", p.Pointer(nil, 0))
	assert.Equal(t, "/ab€cd/7", p.Pointer(nil, 7))
	assert.Equal(t, "/ab€…/7", p.Pointer(nil, 5))
	assert.Equal(t, "/ab…/7", p.Pointer(nil, 4))
	p.Pop()
	p.Pop()
	assert.Empty(t, p.Pointer(nil, 4))
}

// The name is read from the document, whatever its escapes, and no more of it than is shown.
func TestPointerOfNamesInTheDocument(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, literal, want string }{
		{"short", `ab`, "/ab"},
		{"escapes", `a\n\u0062\"\\`, "/a\nb\"\\"},
		{"as long as is shown", `abcdefgh`, "/abcdefgh"},
		{"longer", `abcdefghi`, "/abcdefgh…"},
		{"very long", strings.Repeat("a", 9999), "/aaaaaaaa…"},
		{"very long with escapes", strings.Repeat(`\u0061`, 9999), "/aaaaaaaa…"},
		{"very long with short escapes", strings.Repeat(`\"`, 9999), `/""""""""…`},
		{"very long with pairs", strings.Repeat(`\ud83d\ude00`, 9999), "/😀😀…"},
		{"very long with wide characters", strings.Repeat("€", 9999), "/€€…"},
	} {
		data := []byte(`{"` + tt.literal + `":1}`)
		var p jsonvalue.Path
		p.Push()
		p.Literal(1)
		assert.Equal(t, tt.want, p.Pointer(data, 8), tt.name)
		assert.Equal(t, tt.want, p.Pointer(data[:min(len(data), 70)], 8), "%s: what stands far behind is not read", tt.name)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	var got []string
	for name, value := range jsonvalue.Members([]byte(` { "a" : [ 1 ] , "\u0062":{"c":1} ,"":null } `)) {
		got = append(got, name+"="+string(value))
	}
	assert.Equal(t, []string{"a=[ 1 ]", `b={"c":1}`, "=null"}, got)
	for _, doc := range []string{``, `[]`, `{}`, `{`, `{"a"`, `{"a":`} {
		for name := range jsonvalue.Members([]byte(doc)) {
			t.Errorf("Members(%q) yields %q", doc, name)
		}
	}
	for name := range jsonvalue.Members([]byte(`{"a":1,"b":2}`)) {
		assert.Equal(t, "a", name)
		break
	}
}

// FuzzCheck compares with encoding/json, and with a slow search for duplicates, negative zeros and the like.
func FuzzCheck(f *testing.F) {
	for _, doc := range []string{`{"a":[1,-2.5e-3,"x\u00e9"],"a":null}`, `[-0]`, `"\ud800"`, "\"\xff\"", `1e400`, `{"":{"":0}}`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		err := jsonvalue.Check(doc, 10_000)
		if err == nil {
			require.True(t, json.Valid(doc), "%q is accepted", doc)
			var v any
			require.NoError(t, json.Unmarshal(doc, &v))
			compact, err := jsonvalue.Compact(nil, doc)
			require.NoError(t, err)
			require.Equal(t, slowCompact(t, doc), string(compact))
			requireCanonical(t, doc)
			return
		}
		require.GreaterOrEqual(t, err.Offset, 0)
		require.LessOrEqual(t, err.Offset, len(doc))
		if err.Fault == jsonvalue.Syntax {
			require.False(t, json.Valid(doc), "%q is refused as no JSON: %v", doc, err)
		}
	})
}
