package capmcp

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// These targets are internal: what scans and repairs documents has no exported form, and must hold for every byte.

type fuzzed struct {
	cap.Read[cap.None] `cap:"Anything; access=public; name=fuzzed"`

	Whole  int              `json:"whole,omitempty" cap:"a"`
	Number float64          `json:"number,omitempty" cap:"a"`
	Flag   bool             `json:"flag,omitempty" cap:"a"`
	Text   string           `json:"text,omitempty" cap:"a"`
	Self   *fuzzedInner     `json:"self,omitempty" cap:"a"`
	List   []fuzzedInner    `json:"list,omitempty" cap:"a"`
	Map    map[string]int64 `json:"map,omitempty" cap:"a"`
	Any    json.RawMessage  `json:"any,omitempty" cap:"a"`
}

type fuzzedInner struct {
	Whole int          `json:"whole" cap:"a"`
	Self  *fuzzedInner `json:"self,omitempty" cap:"a"`
}

var seeds = []string{
	`{}`, `null`, `[]`, `"{}"`, `{"whole":"5","number":"1e3","flag":"true","text":"5"}`, `{"self":"{\"whole\":\"1\",\"self\":null}"}`,
	`{"list":["{\"whole\":1}",{"whole":"2"}],"map":{"a/b":"1"}}`, `{"whole":null,"any":"5","w\u0068ole":"5"}`, `{"whole":"5"`, `{"a" : [ 1 , "x" ] , "b":{}}`, "{\"\\\"\":1}", `{"x":`, `"`, ``,
}

func FuzzRepair(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	contract, err := cap.ContractOf[fuzzed]()
	require.NoError(f, err)
	s := shapeOf(contract.Input())
	f.Fuzz(func(t *testing.T, args []byte) {
		var done repairs
		given := bytes.Clone(args)
		got := done.repair(s, args)
		assert.Equal(t, given, args, "the caller's bytes stay as they are")
		assert.LessOrEqual(t, len(got), max(len(args), 2), "a repair makes nothing longer")
		if done.report() == nil {
			assert.Equal(t, given, got)
		}
		if json.Valid(args) {
			assert.True(t, json.Valid(got), "%s became %s", args, got)
			var again repairs
			assert.Equal(t, string(got), string(again.repair(s, got)), "a second repair finds nothing")
		}
	})
}

// FuzzScan holds the scanner against encoding/json.
func FuzzScan(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members, ok := membersOf(data)
		if !json.Valid(data) || !utf8.Valid(data) {
			return // it may find anything, if only it comes back
		}
		var twin map[string]json.RawMessage
		isObject := json.Unmarshal(data, &twin) == nil && twin != nil
		require.Equal(t, isObject, ok)
		got := map[string]json.RawMessage{}
		for _, m := range members {
			name, isString := stringOf(m.name)
			require.True(t, isString)
			got[name] = m.value
		}
		assert.Len(t, got, len(twin))
		for name, value := range twin {
			assert.Equal(t, string(value), string(got[name]), "member %q", name)
		}
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && list != nil {
			i := 0
			assert.True(t, eachElement(data, func(element []byte) {
				assert.Equal(t, string(list[i]), string(element))
				i++
			}))
			assert.Equal(t, len(list), i)
		}
	})
}

// FuzzFault holds that whatever is no message is called so, and that what is one is not.
func FuzzFault(f *testing.F) {
	for _, seed := range append(seeds, `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":"\ud800","method":"tools/call","params":{"name":"x","_meta":{"progressToken":1}}}`) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fault := faultOf(data)
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil || object == nil {
			assert.NotNil(t, fault)
		}
		seen := envelopeOf(data).peek()
		if fault == nil {
			var method string
			_ = json.Unmarshal(object["method"], &method)
			assert.Equal(t, method, seen.Method, "both read the same")
			assert.Equal(t, string(object["id"]) != "null" && object["id"] != nil, seen.ID != nil, "%s", seen.ID)
		} else {
			assert.True(t, json.Valid(errorBody(fault.code, fault.message, fault.id)))
		}
		if _, args, ok := detach(data, "x"); ok {
			assert.True(t, fault != nil || json.Valid(args))
		}
	})
}

func FuzzString(f *testing.F) {
	for _, seed := range []string{"", "a", "<b>&", "\x00\x1f\"\\\n\r\t", "\u2028", "\xff", "é😀"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		require.NoError(t, json.Unmarshal(appendString(nil, s), &got))
		twin, err := json.Marshal(s)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(twin, &want))
		assert.Equal(t, want, got)
	})
}
