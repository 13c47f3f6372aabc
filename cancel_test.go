package cap_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

type Slow struct {
	cap.Read[cap.None] `cap:"Slow; access=public; timeout=5s"`
}

type SlowWrite struct {
	cap.Write[cap.None] `cap:"Slow; access=public; timeout=5s; irreversible"`

	_ cap.Fails[NoteNotFound]
}

func (SlowWrite) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "wait", Target: cap.ObjectRef{Product: "notes", Kind: "note", ID: "N-1"}}
}

type Endless struct {
	cap.Read[cap.None] `cap:"No timeout; access=public"`
}

func newSlow(t *testing.T, options cap.Options, handler func(context.Context) error) *cap.Registry {
	t.Helper()
	registry := cap.New(options)
	require.NoError(t, registry.Register(
		cap.Func(func(ctx context.Context, _ Slow) (cap.None, error) { return cap.None{}, handler(ctx) }),
		cap.Func(func(ctx context.Context, _ SlowWrite) (cap.None, error) { return cap.None{}, handler(ctx) }),
		cap.Func(func(ctx context.Context, _ Endless) (cap.None, error) { return cap.None{}, handler(ctx) }),
	))
	return registry
}

// CAN-03: the timeout answers even if the handler ignores its context; the late return is counted and told.
func TestTimeoutOfAHandlerThatIgnoresIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		events := &recorder{}
		gate := &openGate{}
		var log bytes.Buffer
		registry := newSlow(t, cap.Options{Logger: zerolog.New(&log), Observers: []cap.Observer{events.observe}, Gate: gate}, func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		})
		started := time.Now()
		_, err := registry.Invoke(t.Context(), "slow_write", nil, cap.CallOptions{})
		e := failed(t, err, cap.CodeCancelled)
		assert.Equal(t, cap.ReasonTimeout, e.Reason)
		assert.Equal(t, cap.EffectUnknown, e.Effect, "a write that had started may have happened")
		assert.Equal(t, 5*time.Second, time.Since(started))
		assert.Equal(t, int64(0), registry.LateReturns())
		assert.Equal(t, []cap.Outcome{{State: cap.OutcomeUnknown, Code: cap.CodeCancelled}}, gate.outcomes)

		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, int64(1), registry.LateReturns())
		assert.Equal(t, []cap.EventType{cap.EventStarted, cap.EventFailed, cap.EventReturnedLate}, events.types())
		assert.Contains(t, log.String(), `"capability":"slow_write","duration":60000,"message":"handler returned after its call had ended"`)

		_, err = registry.Invoke(t.Context(), "slow", nil, cap.CallOptions{})
		assert.Empty(t, failed(t, err, cap.CodeCancelled).Effect, "a read has no effect")
		time.Sleep(time.Minute)
	})
}

// CAN-07: not ended just before the timeout, ended at it.
func TestTimeoutBoundary(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wait := 5*time.Second - time.Nanosecond
		registry := newSlow(t, cap.Options{}, func(ctx context.Context) error {
			time.Sleep(wait)
			return ctx.Err()
		})
		_, err := registry.Invoke(t.Context(), "slow", nil, cap.CallOptions{})
		require.NoError(t, err)
		wait = 6 * time.Second
		_, err = registry.Invoke(t.Context(), "slow", nil, cap.CallOptions{})
		failed(t, err, cap.CodeCancelled)
		time.Sleep(time.Minute)
	})
}

// CAN-01: a call whose caller is gone already runs nothing.
func TestCancelledBeforehand(t *testing.T) {
	t.Parallel()
	ran := false
	registry := newSlow(t, cap.Options{}, func(context.Context) error { ran = true; return nil })
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("canary"))
	_, err := registry.Invoke(ctx, "slow", nil, cap.CallOptions{})
	e := failed(t, err, cap.CodeCancelled)
	assert.Equal(t, cap.ReasonCaller, e.Reason)
	assert.NotContains(t, publicText(t, e), "canary")
	assert.False(t, ran)
}

// A caller who leaves while the access rule is asked is answered without the handler.
func TestCancelledWhileTheRuleIsAsked(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	registry := newNotes(t, &Notes{
		Rule:  func(context.Context, *Guarded) (bool, error) { cancel(); return true, nil },
		Enter: func(context.Context, Guarded) error { t.Error("ran"); return nil },
	}, cap.Options{})
	_, err := cap.Invoke(ctx, registry, Guarded{Door: "front"})
	assert.Equal(t, cap.ReasonCaller, failed(t, err, cap.CodeCancelled).Reason)
}

// CAN-02, CAN-15, CAN-16, CAN-17: the caller goes away while the handler runs.
func TestCancelledByTheCaller(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		capability string
		handler    func(context.Context) error
		code       cap.Code // "" for an answer
		effect     string
	}{
		{"handler fails because of it", "endless", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, cap.CodeCancelled, ""},
		{"handler fails otherwise", "endless", func(ctx context.Context) error { <-ctx.Done(); return errors.New("broken pipe") }, cap.CodeCancelled, ""},
		{"handler answers all the same", "endless", func(ctx context.Context) error { <-ctx.Done(); return nil }, "", ""},
		{"handler under a timeout ignores it", "slow", func(ctx context.Context) error { time.Sleep(time.Minute); return nil }, cap.CodeCancelled, ""},
		{"a write", "slow_write", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, cap.CodeCancelled, cap.EffectUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := newSlow(t, cap.Options{Gate: &openGate{}}, tt.handler)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := registry.Invoke(ctx, tt.capability, nil, cap.CallOptions{})
				if tt.code == "" {
					require.NoError(t, err)
					return
				}
				e := failed(t, err, tt.code)
				assert.Equal(t, cap.ReasonCaller, e.Reason)
				assert.Equal(t, tt.effect, e.Effect)
				time.Sleep(time.Minute)
			})
		})
	}
}

// A declared failure is an answer, also when the context has ended meanwhile.
func TestDeclaredFailureAfterCancellation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := cap.New(cap.Options{})
		require.NoError(t, registry.Register(cap.Func(func(ctx context.Context, _ GetNote) (Note, error) {
			<-ctx.Done()
			return Note{}, NoteNotFound{Note: "N-1"}
		})))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := registry.Invoke(ctx, "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
		failed(t, err, cap.CodeCapabilityFailed)
	})
}

// CAN-05: the clock starts after the access rule.
func TestTheRuleHasTimeOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &Gatekeeper{}
		registry := cap.New(cap.Options{})
		require.NoError(t, registry.Register(service))
		_, err := registry.Invoke(t.Context(), "enter", nil, cap.CallOptions{})
		require.NoError(t, err)
		assert.False(t, service.deadline, "the rule sees the caller's context, without the timeout")
	})
}

type Enter struct {
	cap.Read[cap.None] `cap:"Enter; access=rule; timeout=1s"`
}

type Gatekeeper struct{ deadline bool }

func (g *Gatekeeper) Enter(context.Context, Enter) (cap.None, error) { return cap.None{}, nil }

func (g *Gatekeeper) AllowEnter(ctx context.Context, _ Enter) (bool, error) {
	_, g.deadline = ctx.Deadline()
	time.Sleep(time.Minute)
	return true, nil
}

func TestPanicUnderATimeout(t *testing.T) {
	t.Parallel()
	registry := newSlow(t, cap.Options{}, func(context.Context) error { panic("canary") })
	_, err := registry.Invoke(t.Context(), "slow", nil, cap.CallOptions{})
	assert.NotContains(t, publicText(t, failed(t, err, cap.CodeExecutionFailed)), "canary")
}

func TestNilContext(t *testing.T) {
	t.Parallel()
	registry := newSlow(t, cap.Options{}, func(context.Context) error { return nil })
	_, err := registry.Invoke(nil, "slow", nil, cap.CallOptions{}) //nolint:staticcheck // what a careless caller passes
	require.NoError(t, err)
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var got []string
	registry := newSlow(t, cap.Options{}, func(ctx context.Context) error {
		cap.Progress(ctx, 1, 2, "half")
		return nil
	})
	_, err := registry.Invoke(t.Context(), "endless", nil, cap.CallOptions{Progress: func(done, total float64, message string) {
		got = append(got, message)
	}})
	require.NoError(t, err)
	assert.Equal(t, []string{"half"}, got)
	cap.Progress(t.Context(), 1, 2, "nobody listens")
}

// CAN-06: the clock stops before the call is told of as completed; an observer that takes its time changes nothing.
func TestTheClockStopsBeforeTheCallIsToldOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var handlers context.Context
		ended := errors.New("not told of")
		registry := newSlow(t, cap.Options{Observers: []cap.Observer{func(ctx context.Context, event cap.Event) {
			if event.Type == cap.EventCompleted {
				time.Sleep(time.Minute)
				ended = errors.Join(ctx.Err(), context.Cause(handlers))
			}
		}}}, func(ctx context.Context) error {
			handlers = ctx
			return nil
		})
		_, err := registry.Invoke(t.Context(), "slow", nil, cap.CallOptions{})
		require.NoError(t, err)
		assert.EqualError(t, ended, context.Canceled.Error(), "the handler's context ended with its call, not by the timeout")
	})
}

// DEF-24: a timeout of 24.8 days is as good as one of a millisecond, and described as it was given.
func TestTimeoutsAreDescribedAsGiven(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(f[Shortest](), f[Longest]()))
	for name, want := range map[string]time.Duration{"shortest": time.Millisecond, "longest": 2147483647 * time.Millisecond} {
		c, ok := registry.Lookup(name)
		require.True(t, ok, name)
		assert.Equal(t, want, c.Timeout(), name)
		_, err := registry.Invoke(t.Context(), "longest", nil, cap.CallOptions{})
		require.NoError(t, err, name)
	}
}

type Shortest struct {
	cap.Read[none] `cap:"Shortest; access=public; timeout=1ms"`
}

type Longest struct {
	cap.Read[none] `cap:"Longest; access=public; timeout=2147483647ms"`
}
