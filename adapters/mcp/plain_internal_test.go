package capmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

type ask struct {
	cap.Read[cap.None] `cap:"Ask; access=public"`

	Text string `json:"text,omitempty" cap:"Text"`
}

func askAdapter(t testing.TB) *Adapter {
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, ask) (cap.None, error) { return cap.None{}, nil })))
	a, err := New(registry, Options{})
	require.NoError(t, err)
	a.plainList.Store(&rawResult{})
	return a
}

// FuzzPlain holds the pieces of a plain request against a full reading of the message.
func FuzzPlain(f *testing.F) {
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"text":"}\\\""}}}`,
		` { "params" : { "arguments" : {} , "name" : "ask" } , "method" : "tools/call" , "id" : "a" , "jsonrpc" : "2.0" } `,
		`{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{}}`,
		`{"id":"`, `{"id":"\`, `{"params":{"name":"`, `{"params":{"arguments":[{`,
	} {
		f.Add([]byte(message))
	}
	a := askAdapter(f)
	f.Fuzz(func(t *testing.T, message []byte) {
		p, ok := a.plainIn(message)
		if !ok || !json.Valid(message) {
			return
		}
		var full struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Params  struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		decoder := json.NewDecoder(bytes.NewReader(message))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(&full))
		assert.Equal(t, "2.0", full.JSONRPC)
		assert.Equal(t, string(full.ID), string(p.id))
		if p.tool == nil {
			assert.Equal(t, methodList, full.Method)
			return
		}
		assert.Equal(t, methodCall, full.Method)
		assert.Equal(t, p.tool.name, full.Params.Name)
		assert.Equal(t, string(full.Params.Arguments), string(p.args))
	})
}

// From outside nobody can tell which way an answer was made: that is the point of it.
func TestWhatIsPlain(t *testing.T) {
	t.Parallel()
	a := askAdapter(t)
	for name, tt := range map[string]struct {
		message string
		want    bool
	}{
		"call":              {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"text":"}"}}}`, true},
		"no arguments":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`, true},
		"id of letters":     {`{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"ask"}}`, true},
		"list":              {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, true},
		"metadata":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","_meta":{}}}`, false},
		"notification":      {`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ask"}}`, false},
		"unknown tool":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aks"}}`, false},
		"another method":    {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":"ask"}}`, false},
		"something follows": {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}{}`, false},
		"nothing":           {``, false},
		"open":              {`{`, false},
	} {
		_, ok := a.plainIn([]byte(tt.message))
		assert.Equal(t, tt.want, ok, name)
	}
	assert.True(t, a.isDirect())
	a.Server()
	assert.False(t, a.isDirect(), "others may have changed the server")
}
