package cap_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

type Account struct {
	User     string `json:"user" cap:"Name"`
	Password string `json:"password,omitempty" cap:"Password; secret"`
}

type OpenVault struct {
	cap.Host[Vault] `cap:"Open a vault; access=public; irreversible"`

	_ cap.Fails[VaultOpen]

	Vault    string             `json:"vault" cap:"Which vault"`
	Minutes  int                `json:"minutes" cap:"How long; default=5"`
	PIN      string             `json:"pin,omitempty" cap:"PIN; secret"`
	Owner    *Account           `json:"owner,omitempty" cap:"Owner"`
	Accounts []Account          `json:"accounts,omitempty" cap:"Accounts"`
	Named    map[string]Account `json:"named,omitempty" cap:"Accounts by name"`
	Extra    any                `json:"extra,omitempty" cap:"Anything"`
	Big      int64              `json:"big,omitempty" cap:"A large number"`
}

// Describe gives away everything that it is given.
func (in OpenVault) Describe() cap.PendingAction {
	all, _ := json.Marshal(in)
	return cap.PendingAction{
		Verb: "open", Target: cap.ObjectRef{Product: "bank", Kind: "vault", ID: in.Vault}, Args: map[string]string{"all": string(all)},
	}
}

type Vault struct {
	Code string `json:"code" cap:"The code; secret"`
}

type VaultOpen struct {
	_ cap.Failure `cap:"It is open already; fix=Go in."`
}

func (VaultOpen) Error() string { return "open already" }

type Bank struct {
	Open  func(OpenVault) error
	Facts func() ([]cap.Precondition, error)
	Find  func(OpenVault, string) (cap.Outcome, error)
}

func (b *Bank) OpenVault(_ context.Context, in OpenVault) (Vault, error) {
	if b.Open == nil {
		return Vault{Code: "canary-code"}, nil
	}
	return Vault{Code: "canary-code"}, b.Open(in)
}

func (b *Bank) PreconditionsOpenVault(context.Context, OpenVault) ([]cap.Precondition, error) {
	if b.Facts == nil {
		return nil, nil
	}
	return b.Facts()
}

func (b *Bank) ReconcileOpenVault(_ context.Context, in OpenVault, approval string) (cap.Outcome, error) {
	return b.Find(in, approval)
}

func newBank(t testing.TB, bank *Bank, gate cap.Gate) *cap.Registry {
	t.Helper()
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(bank))
	return registry
}

func prepare(t testing.TB, registry *cap.Registry, args string, options cap.CallOptions) cap.Action {
	t.Helper()
	action, err := registry.Prepare(t.Context(), "open_vault", raw(args), options)
	require.NoError(t, err)
	return action
}

func TestActionText(t *testing.T) {
	t.Parallel()
	bank := &Bank{Facts: func() ([]cap.Precondition, error) {
		return []cap.Precondition{{Label: "guards", Value: "2"}, {Label: "last opened", Value: "never\u202e!"}}, nil
	}}
	registry := newBank(t, bank, nil)
	agent := &cap.Principal{
		ID: "planner", Kind: cap.KindAgent, OnBehalfOf: "ana", Tenant: "acme", Session: "canary-session",
		Attributes: map[string]any{"claim": "canary-claim"},
	}
	var out strings.Builder
	for _, tt := range []struct {
		name, args string
		options    cap.CallOptions
	}{
		{"plain", `{"vault":"V-1"}`, cap.CallOptions{}},
		{"everything", `{"vault":"V-1","minutes":0,"pin":"canary-pin","owner":{"user":"ana","password":"canary-a"},
			"accounts":[{"user":"b","password":"canary-b"},{"user":"c"}],"named":{"d":{"user":"d","password":"canary-d"}},
			"extra":{"k":[1, 2.50, null, true, "x"]},"big":9007199254740993}`, cap.CallOptions{Principal: agent, Source: "mcp-http", Reason: "clean up"}},
		{"hostile", `{"vault":"V-1\u0022 of bank\nCode: \u202e\u200b\u2800\u001b[2J","extra":"e\u0301e\u0301\u0302\u0303\u0304\u0305 \u0301\ufe0f\u00a0\ue000"}`, cap.CallOptions{
			Principal: &cap.Principal{ID: "a\" (human)\u2066"}, Source: "http\nVia: cli", Reason: "ok\"\nCode: AAAA-AAAA \xff",
		}},
		{"long", `{"vault":"V-1","extra":["` + strings.Repeat("é", 500) + `"]}`, cap.CallOptions{Reason: strings.Repeat("please ", 300)}},
	} {
		out.WriteString("== " + tt.name + "\n" + prepare(t, registry, tt.args, tt.options).Text())
	}
	got := out.String()
	assert.NotContains(t, got, "canary")
	golden(t, "testdata/action_text.golden", withoutCodes(got))
}

func withoutCodes(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "Code: ") {
			lines[i] = "Code:"
		}
	}
	return strings.Join(lines, "\n")
}

// Nothing secret leaves the input: not by Describe, not in the action, not in the stored outcome.
func TestSecretsStayOutOfActions(t *testing.T) {
	t.Parallel()
	gate := &openGate{}
	registry := newBank(t, &Bank{}, gate)
	args := `{"vault":"V","pin":"canary-1","owner":{"user":"u","password":"canary-2"},"accounts":[{"user":"u","password":"canary-3"}],"named":{"n":{"user":"u","password":"canary-4"}}}`
	result, err := registry.Invoke(t.Context(), "open_vault", raw(args), cap.CallOptions{})
	require.NoError(t, err)
	assert.Contains(t, string(result.Output), "canary-code", "the caller gets the answer")
	stored, err := json.Marshal([]any{gate.actions, gate.outcomes})
	require.NoError(t, err)
	assert.NotContains(t, string(stored), "canary")
	assert.Equal(t, []cap.Outcome{{State: cap.OutcomeSucceeded}}, gate.outcomes)
	assert.Contains(t, string(stored), `\"user\":\"u\"`, "Describe still sees the rest")
}

// Every leaf of the input is bound, its spelling is not.
func TestInputDigest(t *testing.T) {
	t.Parallel()
	registry := newBank(t, &Bank{}, nil)
	base := `{"vault":"V","minutes":5,"pin":"1","owner":{"user":"a","password":"p"},"accounts":[{"user":"b"},{"user":"c"}],"named":{"x":{"user":"x"},"y":{"user":"y"}},"extra":{"a":[1,"2"],"b":null},"big":9007199254740993}`
	want := prepare(t, registry, base, cap.CallOptions{})
	for _, same := range []string{
		` { "big" : 9007199254740993, "minutes":5.0, "vault":"\u0056" ,"pin":"1","owner":{"password":"p","user":"a"},"accounts":[{"user":"b"},{"user":"c"}],"named":{"y":{"user":"y"},"x":{"user":"x"}},"extra":{"b":null,"a":[1e0,"2"]}}`,
		strings.Replace(base, `"minutes":5,`, ``, 1), // the default
	} {
		assert.Equal(t, want.Input, prepare(t, registry, same, cap.CallOptions{}).Input, same)
	}
	seen := map[string]string{want.Input: base}
	for _, change := range [][2]string{
		{`"vault":"V"`, `"vault":"W"`},
		{`"vault":"V"`, `"vault":"V V"`},
		{`"minutes":5`, `"minutes":6`},
		{`"minutes":5`, `"minutes":0`},
		{`"pin":"1"`, `"pin":"2"`},
		{`"pin":"1",`, ``},
		{`"user":"a"`, `"user":"A"`},
		{`"password":"p"`, `"password":"q"`},
		{`,"password":"p"`, ``},
		{`"owner":{"user":"a","password":"p"},`, ``},
		{`[{"user":"b"},{"user":"c"}]`, `[{"user":"c"},{"user":"b"}]`},
		{`[{"user":"b"},{"user":"c"}]`, `[{"user":"b"}]`},
		{`"x":{"user":"x"}`, `"z":{"user":"x"}`},
		{`"x":{"user":"x"},`, ``},
		{`[1,"2"]`, `["1","2"]`},
		{`[1,"2"]`, `[1,2]`},
		{`[1,"2"]`, `["2",1]`},
		{`"b":null`, `"b":false`},
		{`,"b":null`, ``},
		{`9007199254740993`, `9007199254740992`},
		{`9007199254740993`, `9007199254740994`},
	} {
		changed := strings.Replace(base, change[0], change[1], 1)
		require.NotEqual(t, base, changed, change[0])
		got := prepare(t, registry, changed, cap.CallOptions{})
		assert.NotContains(t, seen, got.Input, "%s and %s", changed, seen[got.Input])
		assert.NotEqual(t, want.ID, got.ID, changed)
		seen[got.Input] = changed
	}
	other := newBank(t, &Bank{}, nil)
	assert.NotEqual(t, want.Input, prepare(t, other, base, cap.CallOptions{}).Input, "an input with secrets is digested with a key")
}

// Any language can check the digest of an input without secrets.
func TestInputDigestVector(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, BadAction) (none, error) { return none{}, nil })))
	action, err := registry.Prepare(t.Context(), "bad_action", raw(` { "verb" : "D\u002d1\u20ac" } `), cap.CallOptions{})
	require.NoError(t, err)
	want := sha256.Sum256([]byte("cap/input/v1\x00" + `{"verb":"D-1€"}`))
	assert.Equal(t, hex.EncodeToString(want[:]), action.Input)
}

// Two inputs have one digest exactly if the handler would see the same.
func FuzzInputDigest(f *testing.F) {
	for _, extra := range []string{`null`, `1`, `1.0`, `1e0`, `"1"`, `[1]`, `{"a":1,"b":2}`, `{"b":2,"a":1}`, `9007199254740992`, `"\u0041"`, `"A"`, `0.1`, `1e21`, `""`} {
		f.Add(extra, `1`)
		f.Add(extra, extra)
	}
	gate := &openGate{}
	var seen OpenVault
	registry := newBank(f, &Bank{Open: func(in OpenVault) error { seen = in; return nil }}, gate)
	f.Fuzz(func(t *testing.T, one, two string) {
		var inputs []OpenVault
		gate.actions = nil
		for _, extra := range []string{one, two} {
			if _, err := registry.Invoke(t.Context(), "open_vault", raw(`{"vault":"V","extra":`+extra+`}`), cap.CallOptions{}); err != nil {
				return
			}
			inputs = append(inputs, seen)
		}
		same := gate.actions[0].Input == gate.actions[1].Input
		assert.Equal(t, reflect.DeepEqual(inputs[0], inputs[1]), same, "%s and %s", one, two)
	})
}

// However deep an input may be, it can be agreed to.
func TestDeepAction(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{Limits: cap.Limits{Depth: 200}})
	require.NoError(t, registry.Register(&Bank{}))
	action := prepare(t, registry, `{"vault":"V","extra":`+strings.Repeat("[", 150)+strings.Repeat("]", 150)+`}`, cap.CallOptions{})
	assert.Contains(t, action.Text(), strings.Repeat("[", 150)+strings.Repeat("]", 150))
}

// What a token carries beside the identity, the front and the caller's reason may change between asking and running.
func TestActionID(t *testing.T) {
	t.Parallel()
	facts := []cap.Precondition{{Label: "version", Value: "1"}}
	registry := newBank(t, &Bank{Facts: func() ([]cap.Precondition, error) { return facts, nil }}, nil)
	who := cap.Principal{ID: "ana", Kind: cap.KindAgent, OnBehalfOf: "bob", Tenant: "acme"}
	with := func(change func(*cap.Principal)) cap.CallOptions {
		p := who
		change(&p)
		return cap.CallOptions{Principal: &p}
	}
	want := prepare(t, registry, `{"vault":"V"}`, with(func(*cap.Principal) {}))
	for name, options := range map[string]cap.CallOptions{
		"session":    with(func(p *cap.Principal) { p.Session = "s" }),
		"scopes":     with(func(p *cap.Principal) { p.Scopes = []string{"s"} }),
		"attributes": with(func(p *cap.Principal) { p.Attributes = map[string]any{"exp": 1} }),
		"source":     {Principal: &who, Source: "http"},
		"reason":     {Principal: &who, Reason: "because"},
		"request":    {Principal: &who, RequestID: "r"},
	} {
		assert.Equal(t, want.ID, prepare(t, registry, `{"vault":"V"}`, options).ID, name)
	}
	for name, options := range map[string]cap.CallOptions{
		"id":     with(func(p *cap.Principal) { p.ID = "eve" }),
		"kind":   with(func(p *cap.Principal) { p.Kind = cap.KindHuman }),
		"owner":  with(func(p *cap.Principal) { p.OnBehalfOf = "eve" }),
		"tenant": with(func(p *cap.Principal) { p.Tenant = "other" }),
		"nobody": {},
	} {
		assert.NotEqual(t, want.ID, prepare(t, registry, `{"vault":"V"}`, options).ID, name)
	}
	facts = []cap.Precondition{{Label: "version", Value: "2"}}
	changed := prepare(t, registry, `{"vault":"V"}`, with(func(*cap.Principal) {}))
	assert.NotEqual(t, want.ID, changed.ID, "preconditions are read anew")
	assert.Equal(t, want.Input, changed.Input)
}

// A stored answer comes back although what it changed makes its preconditions fail.
func TestReplayOutlivesPreconditions(t *testing.T) {
	t.Parallel()
	stored := gateFunc(func() (cap.Attempt, error) {
		return nil, &cap.AlreadyRan{Outcome: cap.Outcome{State: cap.OutcomeFailed, Tag: "VaultOpen", Reason: "open already", Fix: "Go in.", Failure: raw(`{}`)}}
	})
	bank := &Bank{
		Open:  func(OpenVault) error { panic("must not run") },
		Facts: func() ([]cap.Precondition, error) { return nil, errors.New("gone") },
	}
	named := cap.CallOptions{Confirmation: cap.Confirmation{Approval: "a"}}
	_, err := newBank(t, bank, stored).Invoke(t.Context(), "open_vault", raw(`{"vault":"V"}`), named)
	failed(t, err, cap.CodeCapabilityFailed)
	var open VaultOpen
	require.ErrorAs(t, err, &open)

	_, err = newBank(t, bank, stored).Invoke(t.Context(), "open_vault", raw(`{"vault":"V"}`), cap.CallOptions{})
	failed(t, err, cap.CodeExecutionFailed)

	// Not even a gate that lets everything begin runs an action whose preconditions are not known.
	gate := &openGate{}
	_, err = newBank(t, bank, gate).Invoke(t.Context(), "open_vault", raw(`{"vault":"V"}`), named)
	failed(t, err, cap.CodeExecutionFailed)
	assert.Equal(t, []cap.Outcome{{State: cap.OutcomeFailed, Code: cap.CodeExecutionFailed}}, gate.outcomes)
}

// What is agreed to is what runs, though the caller writes to its own bytes meanwhile.
func TestArgumentsAreCopied(t *testing.T) {
	t.Parallel()
	args := raw(`{"vault":"one"}`)
	gate := &openGate{}
	var ran string
	bank := &Bank{
		Facts: func() ([]cap.Precondition, error) { copy(args, `{"vault":"two"}`); return nil, nil },
		Open:  func(in OpenVault) error { ran = in.Vault; return nil },
	}
	_, err := newBank(t, bank, gate).Invoke(t.Context(), "open_vault", args, cap.CallOptions{})
	require.NoError(t, err)
	assert.Equal(t, "one", ran)
	assert.JSONEq(t, `"one"`, string(gate.actions[0].Arguments[0].JSON))
}

// A handler that ends its goroutine leaves the outcome unknown.
func TestGoexitIsRecorded(t *testing.T) {
	t.Parallel()
	gate := &openGate{}
	registry := newBank(t, &Bank{Open: func(OpenVault) error { runtime.Goexit(); return nil }}, gate)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = registry.Invoke(context.Background(), "open_vault", raw(`{"vault":"V"}`), cap.CallOptions{})
	}()
	<-done
	assert.Equal(t, []cap.Outcome{{State: cap.OutcomeUnknown, Code: cap.CodeExecutionFailed}}, gate.outcomes)
}

func FuzzActionText(f *testing.F) {
	for _, seed := range []string{"", "a", "\u202e", "x\ny", "e\u0301\u0301\u0301\u0301\u0301", "\u3164\u2800\U000e0041", "\"\\", "\xff\xc0"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, value, reason string) {
		value = strings.ToValidUTF8(value, "?")
		quoted, err := json.Marshal(value)
		require.NoError(t, err)
		action := cap.Action{
			ID: "00000000000000000000", Capability: value, Effect: cap.EffectWrite, Source: reason, Reason: reason,
			Pending:       cap.PendingAction{Verb: value, Target: cap.ObjectRef{Product: value, Kind: value, ID: value}, Args: map[string]string{value: value}},
			Arguments:     []cap.Argument{{Name: value, JSON: quoted}, {Name: "n", JSON: []byte(`{"a":[` + string(quoted) + `]}`)}},
			Preconditions: []cap.Precondition{{Label: value, Value: value}},
			Requester:     cap.Principal{ID: value + "x", OnBehalfOf: value, Tenant: value},
		}
		text := action.Text()
		assert.True(t, utf8.ValidString(text))
		for _, r := range text {
			if r != '\n' {
				assert.True(t, unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), "%U is shown", r)
			}
		}
		lines := 10
		if reason != "" {
			lines += 2
		}
		assert.Equal(t, lines, strings.Count(text, "\n"), "a value never makes a line of its own:\n%s", text)
	})
}
