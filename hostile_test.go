package cap_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// What users hand in may panic, end its goroutine, ask the registry back or change while it is read. These tests hold the
// core to its promise that nothing of it escapes.

// asking has companions that ask a registry and a contract while they are registered themselves.
type Asking struct {
	cap.Read[cap.None] `cap:"Asks back; access=public"`

	Held heldSchema `json:"held"`
}

func (Asking) Doc() string {
	info, err := cap.ContractOf[Endless]()
	if err != nil {
		return err.Error()
	}
	return info.Description()
}

// heldSchema describes itself by the schema of a contract.
type heldSchema struct{}

func (heldSchema) JSONSchema() any {
	info, err := cap.ContractOf[Slow]()
	if err != nil {
		return nil
	}
	return info.InputSchema()
}

func (heldSchema) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }
func (*heldSchema) UnmarshalJSON([]byte) error  { return nil }

func TestCompanionsMayAskBack(t *testing.T) {
	t.Parallel()
	info, err := cap.ContractOf[Asking]()
	require.NoError(t, err)
	assert.Equal(t, "No timeout", info.Doc())

	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(f[Asking]()))
}

// A hook that looks at the registry seals it: an error, and no deadlock.
func TestOverrideThatAsksTheRegistry(t *testing.T) {
	t.Parallel()
	var registry *cap.Registry
	registry = cap.New(cap.Options{Override: func(*cap.Capability) cap.Override {
		registry.Len()
		return cap.Override{}
	}})
	require.ErrorContains(t, registry.Register(f[Endless]()), "has been used already")
	assert.Zero(t, registry.Len())
}

func TestOverrideThatPanics(t *testing.T) {
	t.Parallel()
	options := cap.Options{Override: func(c *cap.Capability) cap.Override {
		if c.Name() == "slow" {
			panic("no word for it")
		}
		return cap.Override{}
	}}
	registry := cap.New(options)
	err := registry.Register(f[Endless](), f[Slow]())
	require.EqualError(t, err, "cap: 1 problem\n  cap_test.Slow: Options.Override panicked: panic: no word for it (return the zero Override for what stays as it is)")
	assert.Zero(t, registry.Len())
	_, err = cap.Compose(options, f[Endless](), f[Slow]())
	require.ErrorContains(t, err, "Options.Override panicked")
}

// The interface that contracts meet meets itself.
func TestTypesThatAreNoContracts(t *testing.T) {
	t.Parallel()
	for name, declaration := range map[string]cap.Declaration{
		"interface": f[cap.Contract[cap.None]](),
		"marker":    f[cap.Read[cap.None]](),
	} {
		require.ErrorContains(t, cap.New(cap.Options{}).Register(declaration), "is no contract", name)
	}
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(f[Endless]()))
	_, err := cap.Invoke[cap.Contract[cap.None]](t.Context(), registry, Endless{})
	failed(t, err, cap.CodeCapabilityNotFound)
	_, err = cap.Invoke[cap.Contract[cap.None]](t.Context(), registry, nil)
	failed(t, err, cap.CodeCapabilityNotFound)
	_, err = cap.Invoke(t.Context(), registry, (*Endless)(nil))
	failed(t, err, cap.CodeInputInvalid)
}

// brokenContext panics wherever it is asked.
type brokenContext struct{ context.Context }

func (brokenContext) Err() error    { panic("canary") }
func (brokenContext) Value(any) any { panic("canary") }

func TestContextsThatPanic(t *testing.T) {
	t.Parallel()
	for name, ctx := range map[string]context.Context{
		"nil behind the interface": (*brokenContext)(nil),
		"nothing embedded":         brokenContext{},
		"every method":             &brokenContext{t.Context()},
	} {
		events := &recorder{}
		registry := newSlow(t, cap.Options{Gate: &openGate{}, Observers: []cap.Observer{events.observe}}, func(context.Context) error { return nil })
		for _, capability := range []string{"slow", "slow_write", "endless"} {
			_, err := registry.Invoke(ctx, capability, nil, cap.CallOptions{})
			assert.NotContains(t, publicText(t, failed(t, err, cap.CodeExecutionFailed)), "canary", name)
		}
		_, err := registry.Prepare(ctx, "slow_write", nil, cap.CallOptions{})
		failed(t, err, cap.CodeExecutionFailed)
		assert.Len(t, events.types(), 6, name)
	}
	cap.Progress(nil, 1, 2, "nobody listens") //nolint:staticcheck // what a careless caller passes
	assert.Zero(t, cap.CallFrom(nil))         //nolint:staticcheck // what a careless caller passes
}

// A handler that ends its goroutine, as FailNow does in a test, ends the call: at once and with its event.
func TestHandlersThatEndTheirGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := &recorder{}
		registry := newSlow(t, cap.Options{Gate: &openGate{}, Observers: []cap.Observer{events.observe}}, func(context.Context) error {
			runtime.Goexit()
			return nil
		})
		began := time.Now()
		_, err := registry.Invoke(t.Context(), "slow", nil, cap.CallOptions{})
		failed(t, err, cap.CodeExecutionFailed)
		_, err = registry.Invoke(t.Context(), "slow_write", nil, cap.CallOptions{})
		assert.Equal(t, cap.EffectUnknown, failed(t, err, cap.CodeExecutionFailed).Effect)
		assert.Zero(t, time.Since(began))
		go func() { _, _ = registry.Invoke(context.Background(), "endless", nil, cap.CallOptions{}) }()
		synctest.Wait()
		assert.Equal(t, []cap.EventType{
			cap.EventStarted, cap.EventFailed, cap.EventStarted, cap.EventFailed, cap.EventStarted, cap.EventFailed,
		}, events.types())
	})
}

// brokenWriter panics when anything is logged.
type brokenWriter struct{ io.Writer }

// A late return is told on the handler's own goroutine, where a panic would end the program.
func TestLateReturnWithABrokenLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := &recorder{}
		registry := newSlow(t, cap.Options{Logger: zerolog.New(brokenWriter{}), Observers: []cap.Observer{events.observe}}, func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		})
		_, err := registry.Invoke(t.Context(), "slow", nil, cap.CallOptions{})
		failed(t, err, cap.CodeCancelled)
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, registry.LateReturns())
		assert.Equal(t, []cap.EventType{cap.EventStarted, cap.EventFailed, cap.EventReturnedLate}, events.types())
	})
}

func TestProgressListenersAreContained(t *testing.T) {
	t.Parallel()
	registry := newSlow(t, cap.Options{}, func(ctx context.Context) error {
		cap.Progress(ctx, 1, 2, "half")
		return nil
	})
	_, err := registry.Invoke(t.Context(), "endless", nil, cap.CallOptions{Progress: func(float64, float64, string) { panic("canary") }})
	require.NoError(t, err)
}

// Few maps that hold each other are many values.
func TestAttributesThatShareParts(t *testing.T) {
	t.Parallel()
	registry := newSlow(t, cap.Options{}, func(context.Context) error { return nil })
	shared := map[string]any{}
	for range 14 {
		shared = map[string]any{"a": shared, "b": shared, "c": []any{shared, shared, shared}, "d": []string{"x"}}
	}
	_, err := registry.Invoke(t.Context(), "endless", nil, cap.CallOptions{Principal: &cap.Principal{ID: "ana", Attributes: shared}})
	failed(t, err, cap.CodeUnauthenticated)
	for name, attribute := range map[string]any{"texts": make([]string, 20_000), "values": make([]any, 20_000)} {
		_, err = registry.Invoke(t.Context(), "endless", nil, cap.CallOptions{Principal: &cap.Principal{ID: "ana", Attributes: map[string]any{"a": attribute}}})
		require.Error(t, err, name)
	}
}

// brokenGate panics in the methods that a gate may or must have besides Begin.
type brokenGate struct{ openGate }

func (*brokenGate) MAC(context.Context, []byte) ([]byte, error) { panic("canary") }

type brokenAttempt struct{ openAttempt }

func (brokenAttempt) Approval() string { panic("canary") }

type gateOfBrokenAttempts struct{ openGate }

func (*gateOfBrokenAttempts) Begin(context.Context, cap.Action, cap.Confirmation) (cap.Attempt, error) {
	return brokenAttempt{}, nil
}

func TestGatesThatPanic(t *testing.T) {
	t.Parallel()
	for name, gate := range map[string]cap.Gate{"MAC": &brokenGate{}, "Approval": &gateOfBrokenAttempts{}, "nil": (*openGate)(nil)} {
		notes := &Notes{Write: func(context.Context, WriteNote) error { t.Error("ran"); return nil }}
		registry := newNotes(t, notes, cap.Options{Gate: gate})
		_, err := registry.Invoke(t.Context(), "write_note", raw(`{"note":"N-1","text":"x"}`), cap.CallOptions{Principal: person()})
		assert.Empty(t, failed(t, err, cap.CodeExecutionFailed).Effect, name)
	}
	registry := newNotes(t, &Notes{}, cap.Options{Gate: &brokenGate{}})
	_, err := registry.Prepare(t.Context(), "write_note", raw(`{"note":"N-1","text":"x"}`), cap.CallOptions{Principal: person()})
	failed(t, err, cap.CodeExecutionFailed)
}

type EnterDoor struct {
	cap.Read[string] `cap:"Enter; access=rule"`

	Door string `json:"door" validate:"swap"`
}

// doors lets everybody through the good door.
type doors struct{}

func (doors) EnterDoor(_ context.Context, in EnterDoor) (string, error) { return in.Door, nil }

func (doors) AllowEnterDoor(_ context.Context, in EnterDoor) (bool, error) {
	return in.Door == "good", nil
}

// What is allowed is what runs, even if the caller changes its bytes between the one reading and the other.
func TestInputSwappedWhileItIsJudged(t *testing.T) {
	t.Parallel()
	var args []byte
	rules := validator.New(validator.WithRequiredStructEnabled())
	require.NoError(t, rules.RegisterValidation("swap", func(validator.FieldLevel) bool {
		copy(args, `{"door":"good"}`)
		return true
	}))
	registry := cap.New(cap.Options{Validator: rules})
	require.NoError(t, registry.Register(doors{}))
	args = []byte(`{"door":"evil"}`)
	_, err := registry.Invoke(t.Context(), "enter_door", args, cap.CallOptions{})
	failed(t, err, cap.CodeUnauthenticated)
}

// MaybeAndMore has the methods of the Maybe that it embeds, and is none.
type MaybeAndMore struct {
	cap.Maybe[int]
	More string `json:"more"`
}

type EmbedsMaybe struct {
	cap.Read[MaybeAndMore] `cap:"Embeds a Maybe; access=public"`

	In MaybeAndMore `json:"in"`
}

func TestWhatEmbedsAMaybeIsNone(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(_ context.Context, in EmbedsMaybe) (MaybeAndMore, error) { return in.In, nil })))
	want := MaybeAndMore{Maybe: cap.Some(7), More: "kept"}
	got, err := cap.Invoke(t.Context(), registry, EmbedsMaybe{In: want})
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// endless unwraps to itself, broken panics when it is asked, wide unwraps to many of itself.
type (
	endless struct{}
	broken  struct{}
	wideErr struct{}
)

func (endless) Error() string   { return "endless" }
func (e endless) Unwrap() error { return e }
func (broken) Error() string    { return "broken" }
func (broken) Unwrap() error    { panic("canary") }
func (wideErr) Error() string   { return "wide" }
func (wideErr) Unwrap() []error { return slices.Repeat([]error{wideErr{}}, 100) }

// Whoever searches an answer with errors.Is or errors.As gets an end of it, whatever a handler returned.
func TestErrorsWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, hostile := range []error{endless{}, broken{}, wideErr{}} {
		var answer error
		registry := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { return Note{}, answer }}, cap.Options{})
		call := func() error {
			_, err := cap.Invoke(t.Context(), registry, GetNote{Note: "N-1"})
			return err
		}
		answer = hostile
		err := call()
		failed(t, err, cap.CodeExecutionFailed)
		require.NotErrorIs(t, err, io.EOF)
		require.EqualError(t, errors.Unwrap(err), hostile.Error())

		answer = errors.Join(NoteNotFound{Note: "N-1"}, hostile)
		err = call()
		failed(t, err, cap.CodeCapabilityFailed)
		require.NotErrorIs(t, err, io.EOF)
		_, ok := errors.AsType[NoteNotFound](err)
		assert.True(t, ok)
	}
	many := errors.Join(slices.Repeat([]error{io.ErrUnexpectedEOF}, 1000)...)
	registry := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { return Note{}, many }}, cap.Options{})
	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// hollowKey is a map key that Go cannot hash once it has been read.
type hollowKey struct{ held any }

func (hollowKey) MarshalText() ([]byte, error) { return []byte("k"), nil }
func (hollowKey) JSONSchema() any              { return map[string]any{"type": "string"} }

func (k *hollowKey) UnmarshalText([]byte) error {
	k.held = []int{1}
	return nil
}

type Hollow struct {
	cap.Read[HollowOutput] `cap:"Hollow; access=public"`

	_ cap.Fails[HollowFailure]
}

type HollowOutput struct {
	Keys map[hollowKey]string `json:"keys"`
}

type HollowFailure struct {
	_    cap.Failure          `cap:"Hollow; fix=Fill it."`
	Keys map[hollowKey]string `json:"keys"`
}

func (HollowFailure) Error() string { return "hollow" }

// An answer is read back in the caller's own goroutine, where a panic of the user's types would be the caller's.
func TestAnswersThatPanicWhenTheyAreRead(t *testing.T) {
	t.Parallel()
	var answer error
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Hollow) (HollowOutput, error) {
		return HollowOutput{Keys: map[hollowKey]string{{}: "a"}}, answer
	})))
	_, err := cap.Invoke(t.Context(), registry, Hollow{})
	failed(t, err, cap.CodeOutputInvalid)
	answer = HollowFailure{Keys: map[hollowKey]string{{}: "a"}}
	_, err = cap.Invoke(t.Context(), registry, Hollow{})
	failed(t, err, cap.CodeExecutionFailed)

	info, err := cap.ContractOf[Hollow]()
	require.NoError(t, err)
	var out HollowOutput
	failed(t, info.DecodeOutput(raw(`{"keys":{"k":"a"}}`), &out), cap.CodeOutputInvalid)
	assert.NoError(t, info.DecodeFailure("HollowFailure", raw(`{"keys":{"k":"a"}}`)), "what does not fit the contract is no failure of it")
}
