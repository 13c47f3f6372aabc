package cap_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// ACC-02, ACC-03, ACC-05, ACC-06, ACC-08, ACC-09, ACC-18.
func TestAccess(t *testing.T) {
	t.Parallel()
	type rule = func(context.Context, *Guarded) (bool, error)
	answer := func(allowed bool, err error) rule {
		return func(context.Context, *Guarded) (bool, error) { return allowed, err }
	}
	for _, tt := range []struct {
		name       string
		capability string
		as         *cap.Principal
		rule       rule
		code       cap.Code // "" for allowed
	}{
		{"public, anonymous", "get_note", nil, nil, ""},
		{"public, known", "get_note", person(), nil, ""},
		{"authenticated, anonymous", "who_am_i", nil, nil, cap.CodeUnauthenticated},
		{"authenticated, known", "who_am_i", &cap.Principal{ID: "bo"}, nil, ""},
		{"scope, anonymous", "write_note", nil, nil, cap.CodeUnauthenticated},
		{"scope missing", "write_note", &cap.Principal{ID: "bo"}, nil, cap.CodeForbidden},
		{"scope of another case", "write_note", &cap.Principal{ID: "bo", Scopes: []string{"Notes.Write"}}, nil, cap.CodeForbidden},
		{"scope held", "write_note", person(), nil, ""},
		{"rule allows, anonymous", "guarded", nil, answer(true, nil), ""},
		{"rule refuses, anonymous", "guarded", nil, answer(false, nil), cap.CodeUnauthenticated},
		{"rule refuses, known", "guarded", person(), answer(false, nil), cap.CodeForbidden},
		{"rule allows with an error", "guarded", person(), answer(true, errors.New("canary")), cap.CodeExecutionFailed},
		{"rule errs", "guarded", person(), answer(false, errors.New("canary")), cap.CodeExecutionFailed},
		{"rule returns an error of the framework", "guarded", person(), answer(true, &cap.Error{Code: cap.CodeForbidden, Message: "canary"}), cap.CodeExecutionFailed},
		{"rule panics", "guarded", person(), func(context.Context, *Guarded) (bool, error) { panic("canary") }, cap.CodeExecutionFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entered := false
			registry := newNotes(t, &Notes{
				Rule:  tt.rule,
				Enter: func(context.Context, Guarded) error { entered = true; return nil },
			}, cap.Options{Gate: &openGate{}})
			args := map[string]string{"get_note": `{"note":"N-1"}`, "who_am_i": `{}`, "write_note": `{"note":"N-1","text":"x"}`, "guarded": `{"door":"front"}`}[tt.capability]
			_, err := registry.Invoke(t.Context(), tt.capability, raw(args), cap.CallOptions{Principal: tt.as})
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			e := failed(t, err, tt.code)
			assert.NotContains(t, publicText(t, e), "canary")
			assert.False(t, entered, "the handler must not run")
		})
	}
}

// A stranger is refused before the input is read, so that it cannot probe the schema.
func TestIdentityBeforeInput(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{Rule: func(context.Context, *Guarded) (bool, error) { panic("not asked for a broken input") }}, cap.Options{Gate: &openGate{}})
	_, err := registry.Invoke(t.Context(), "who_am_i", raw(`{"x":`), cap.CallOptions{})
	failed(t, err, cap.CodeUnauthenticated)
	_, err = registry.Invoke(t.Context(), "write_note", raw(`{"x":`), cap.CallOptions{Principal: &cap.Principal{ID: "bo"}})
	failed(t, err, cap.CodeForbidden)
	_, err = registry.Invoke(t.Context(), "guarded", raw(`{"x":1}`), cap.CallOptions{})
	failed(t, err, cap.CodeInputInvalid)
}

// ACC-11 to ACC-16: a principal that is present but malformed is no principal.
func TestMalformedPrincipals(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	for _, tt := range []struct {
		name string
		as   cap.Principal
	}{
		{"empty id", cap.Principal{}},
		{"id with blanks", cap.Principal{ID: " ana"}},
		{"id not UTF-8", cap.Principal{ID: "\xff"}},
		{"id too long", cap.Principal{ID: strings.Repeat("a", 201)}},
		{"unknown kind", cap.Principal{ID: "ana", Kind: "robot"}},
		{"attribute that is no JSON", cap.Principal{ID: "ana", Attributes: map[string]any{"f": func() {}}}},
		{"attribute that is a cycle", cap.Principal{ID: "ana", Attributes: cyclic}},
		{"id with a zero byte", cap.Principal{ID: "a\x00na"}},
		{"session with a newline", cap.Principal{ID: "ana", Session: "s\nlevel=error"}},
		{"scope with a tab", cap.Principal{ID: "ana", Scopes: []string{"a\tb"}}},
		{"tenant not UTF-8", cap.Principal{ID: "ana", Tenant: "\xff"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := newNotes(t, &Notes{}, cap.Options{})
			for _, name := range []string{"get_note", "who_am_i"} {
				_, err := registry.Invoke(t.Context(), name, raw(`{"note":"N-1"}`), cap.CallOptions{Principal: &tt.as})
				failed(t, err, cap.CodeUnauthenticated)
			}
		})
	}
}

// ACC-19: what an input says of identity is business data.
func TestIdentityInTheInputIsIgnored(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{})
	_, err := registry.Invoke(t.Context(), "who_am_i", raw(`{"principal":{"id":"admin"}}`), cap.CallOptions{})
	failed(t, err, cap.CodeUnauthenticated)
}

// INP-13 to INP-15, ACC-17: no stage changes what another sees.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	as := person()
	as.Attributes = map[string]any{"team": []any{"red"}}
	var ruleIn *Guarded
	var ruleAs, runAs *cap.Principal
	var entered Guarded
	args := raw(`{"door":"front","keys":["brass"]}`)
	registry := newNotes(t, &Notes{
		Rule: func(ctx context.Context, in *Guarded) (bool, error) {
			ruleIn, ruleAs = in, cap.CallFrom(ctx).Principal
			assert.Equal(t, "guarded", cap.CallFrom(ctx).Capability, "ACC-04: the rule knows what it is asked about")
			in.Door, in.Keys[0] = "back", "skeleton"
			ruleAs.ID, ruleAs.Scopes[0] = "mallory", "root"
			team, _ := ruleAs.Attributes["team"].([]any)
			team[0] = "black"
			as.Scopes[0] = "changed by the caller"
			copy(args, `{"door":"other"`)
			return true, nil
		},
		Enter: func(ctx context.Context, in Guarded) error {
			entered, runAs = in, cap.CallFrom(ctx).Principal
			return nil
		},
	}, cap.Options{})
	_, err := registry.Invoke(t.Context(), "guarded", args, cap.CallOptions{Principal: as})
	require.NoError(t, err)
	assert.Equal(t, Guarded{Door: "front", Keys: []string{"brass"}}, entered)
	assert.Equal(t, "back", ruleIn.Door)
	assert.Equal(t, "ana", runAs.ID)
	assert.Equal(t, []string{"notes.write"}, runAs.Scopes)
	assert.Equal(t, map[string]any{"team": []any{"red"}}, runAs.Attributes)
	assert.NotSame(t, ruleAs, runAs)
}

// One principal shared by concurrent calls, each of which changes its copy. The race detector is the judge.
func TestConcurrentCallsShareNothing(t *testing.T) {
	t.Parallel()
	as := person()
	as.Attributes = map[string]any{"n": 1}
	registry := newNotes(t, &Notes{
		Rule: func(ctx context.Context, in *Guarded) (bool, error) {
			cap.CallFrom(ctx).Principal.Attributes["n"] = in.Door
			in.Keys = append(in.Keys, "x")
			return true, nil
		},
		Enter: func(ctx context.Context, in Guarded) error {
			cap.CallFrom(ctx).Principal.Scopes[0] = in.Door
			in.Keys[0] = "y"
			return nil
		},
	}, cap.Options{})
	done := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 50 {
				_, e := registry.Invoke(context.Background(), "guarded", raw(`{"door":"front","keys":["brass"]}`), cap.CallOptions{Principal: as})
				err = errors.Join(err, e)
			}
			done <- err
		}()
	}
	for range 8 {
		assert.NoError(t, <-done)
	}
}

// ACC-15: attributes are any JSON, or none; what comes out of the call's context is what went in, in a copy.
func TestAttributes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		attributes map[string]any
		ok         bool
	}{
		{"none", nil, true},
		{"empty", map[string]any{}, true},
		{"null", map[string]any{"a": nil}, true},
		{"numbers", map[string]any{"a": 1.5, "b": float32(2), "c": int64(math.MaxInt64), "d": json.Number("12345678901234567890")}, true},
		{"nil containers", map[string]any{"a": []any(nil), "b": map[string]any(nil)}, true},
		{"nested", map[string]any{"a": []any{map[string]any{"b": []string{"c"}}}}, true},
		{"not a number", map[string]any{"a": math.NaN()}, false},
		{"infinite", map[string]any{"a": float32(math.Inf(1))}, false},
		{"a number that is none", map[string]any{"a": json.Number("1x")}, false},
		{"a number that is a word", map[string]any{"a": json.Number("true")}, false},
		{"an empty number", map[string]any{"a": json.Number("")}, false},
		{"text that is not UTF-8", map[string]any{"a": "\xff"}, false},
		{"a name that is not UTF-8", map[string]any{"\xff": 1}, false},
		{"a struct", map[string]any{"a": struct{}{}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got map[string]any
			registry := newNotes(t, &Notes{Enter: func(ctx context.Context, _ Guarded) error {
				got = cap.CallFrom(ctx).Principal.Attributes
				return nil
			}}, cap.Options{})
			_, err := cap.Invoke(t.Context(), registry, Guarded{}, cap.CallOptions{Principal: &cap.Principal{ID: "ana", Attributes: tt.attributes}})
			if !tt.ok {
				failed(t, err, cap.CodeUnauthenticated)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.attributes, got)
		})
	}
}
