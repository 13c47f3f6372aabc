package plan_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// presence has a member of every standing.
type presence struct {
	Text      string          `json:"text"`
	Number    int             `json:"number"`
	List      []int           `json:"list"`
	Struct    inner           `json:"struct"`
	Any       any             `json:"any"`
	Raw       json.RawMessage `json:"raw"`
	Ptr       *int            `json:"ptr"`
	PtrMust   *int            `json:"ptr_must"        validate:"required"`
	OmitEmpty int             `json:"omitempty,omitempty"`
	OmitZero  int             `json:"omitzero,omitzero"`
	PtrOmit   *int            `json:"ptr_omit,omitempty"`
	PtrZero   *int            `json:"ptr_zero,omitzero"`
	AnyOmit   any             `json:"any_omit,omitempty"`
	Default   int             `json:"default"         cap:"; default=7"`
	PtrDef    *int            `json:"ptr_default"     cap:"; default=7"`
	Maybe     maybe[int]      `json:"maybe"`
}

// TestPresence takes each member of a good document away, makes it null, and makes it zero.
func TestPresence(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"text": `"x"`, "number": `1`, "list": `[1]`, "struct": `{"a":1}`, "any": `1`, "raw": `1`, "ptr": `1`, "ptr_must": `1`,
		"omitempty": `1`, "omitzero": `1`, "ptr_omit": `1`, "ptr_zero": `1`, "any_omit": `1`, "default": `1`, "ptr_default": `1`, "maybe": `1`,
	}
	zero := map[string]string{"text": `""`, "list": `[]`, "struct": `{"a":0}`}
	const ok, required = "", "required"
	tests := []struct{ name, absent, null, zero string }{
		{"text", required, "type string", ok},
		{"number", required, "type integer", ok},
		{"list", required, "type array", ok},
		{"struct", required, "type object", ok},
		{"any", required, ok, ok},
		{"raw", required, ok, ok},
		{"ptr", required, ok, ok},
		{"ptr_must", required, required, ok},
		{"omitempty", ok, "type integer", ok},
		{"omitzero", ok, "type integer", ok},
		{"ptr_omit", ok, "type integer", ok},
		{"ptr_zero", ok, "type integer", ok},
		{"any_omit", ok, ok, ok},
		{"default", ok, "type integer", ok},
		{"ptr_default", ok, "type integer", ok},
		{"maybe", ok, ok, ok},
	}
	p := compile[presence](t)
	require.Len(t, tests, len(p.Fields))
	for i, tt := range tests {
		require.Equal(t, p.Fields[i].Name, tt.name)
		assert.Equal(t, tt.absent == ok, p.Fields[i].Optional, tt.name)
		zeroValue := zero[tt.name]
		if zeroValue == "" {
			zeroValue = `0`
		}
		for value, want := range map[string]string{"": tt.absent, `null`: tt.null, zeroValue: tt.zero} {
			var members []string
			for name, g := range good {
				if name == tt.name {
					g = value
				}
				if g != "" {
					members = append(members, `"`+name+`":`+g)
				}
			}
			_, issues := decode[presence](t, "{"+strings.Join(members, ",")+"}", plan.Limits{})
			if want == ok {
				assert.Emptyf(t, issues, "%s: %q", tt.name, value)
			} else {
				assert.Equalf(t, []string{"/" + tt.name + " " + want}, issues, "%s: %q", tt.name, value)
			}
		}
	}
}

// TestPresenceInOutput writes the zero value: only what may be left out is.
func TestPresenceInOutput(t *testing.T) {
	t.Parallel()
	got, issues := encode(t, presence{PtrMust: ptr(0)})
	require.Empty(t, issues)
	const want = `{"text":"","number":0,"list":[],"struct":{"a":0},"any":null,"raw":null,"ptr":null,"ptr_must":0,"default":0,"ptr_default":null}`
	assert.Empty(t, strings.Replace(got, want, "", 1), "the order counts")
}

// TestConcurrentUse decodes and encodes different documents at once: nothing of one may be seen in another.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	p := compile[order](t)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 50 {
				data := sampleOrder(t, 1+worker*3+i%7)
				v := reflect.New(p.Type).Elem()
				assert.Nil(t, p.Decode(data, v, plan.Limits{}))
				for j := range data {
					data[j] = 'x' // what was read may not change any more
				}
				got, issues := p.Encode(nil, v, plan.Limits{})
				assert.Nil(t, issues)
				assert.Equal(t, string(sampleOrder(t, 1+worker*3+i%7)), string(got))
				assert.NotNil(t, p.Decode(data, reflect.New(p.Type).Elem(), plan.Limits{}))
			}
		})
	}
	group.Wait()
}

// FuzzDecodeOrder holds that encoding/json reads what we write as what we have read.
func FuzzDecodeOrder(f *testing.F) {
	f.Add(sampleOrder(f, 0))
	f.Add(sampleOrder(f, 2))
	p := compile[order](f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		v := reflect.New(p.Type).Elem()
		if p.Decode(doc, v, plan.Limits{}) != nil {
			return
		}
		written, issues := p.Encode(nil, v, plan.Limits{})
		require.Nil(t, issues)
		var want order
		require.NoError(t, json.Unmarshal(written, &want))
		got, _ := v.Interface().(order)
		require.True(t, got.Placed.Equal(want.Placed))
		got.Placed = want.Placed
		if len(got.Extra) == 0 {
			got.Extra = nil // omitempty
		}
		require.Equal(t, want, got)
	})
}
