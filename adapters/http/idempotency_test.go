package caphttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// pay is the contract of a capability that must not run twice.
type pay struct {
	cap.Write[paid] `cap:"Pay; access=public; irreversible; name=pay" http:"POST /payments,idempotency=required"`

	_ cap.Fails[tooPoor]

	Amount int    `json:"amount"         cap:"How much"`
	How    string `json:"how,omitempty"  cap:"How it goes" validate:"oneof=poor break wait"`
}

// Describe implements cap.Describer.
func (in pay) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "pay", Target: cap.ObjectRef{Product: "bank", Kind: "amount", ID: fmt.Sprint(in.Amount)}}
}

type paid struct {
	Number int64         `json:"number" cap:"Which payment it was"`
	Ref    cap.ObjectRef `json:"ref"    cap:"The payment; cite"`
}

type tooPoor struct {
	_      cap.Failure `cap:"There is not enough; fix=Earn more." http:"status=402"`
	Amount int         `json:"amount"`
}

func (tooPoor) Error() string { return "There is not enough." }

// newBank makes a handler that pays, and the number of payments.
func newBank(t *testing.T, gate cap.Gate, options caphttp.Options) (*caphttp.Handler, *atomic.Int64) {
	t.Helper()
	runs := new(atomic.Int64)
	registry := cap.New(cap.Options{Gate: gate})
	require.NoError(t, registry.Register(cap.Func(func(ctx context.Context, in pay) (paid, error) {
		n := runs.Add(1)
		switch in.How {
		case "poor":
			return paid{}, tooPoor{Amount: in.Amount}
		case "break":
			return paid{}, errors.New("broken")
		case "wait":
			<-ctx.Done()
			return paid{}, ctx.Err()
		}
		return paid{Number: n, Ref: cap.ObjectRef{Product: "bank", Kind: "payment", ID: fmt.Sprint(n)}}, nil
	})))
	if options.Authenticate == nil {
		options.Authenticate = authenticateTest
	}
	h, err := caphttp.New(registry, options)
	require.NoError(t, err)
	return h, runs
}

func key(text string) string { return "Idempotency-Key: " + text }

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	const once = `{"amount":1}`
	for _, tt := range []struct {
		name         string
		first, again string // bodies
		firstHeaders []string
		againHeaders []string
		path         string
		firstStatus  int
		againStatus  int
		replayed     bool
		runs         int64
	}{
		{"the same call", once, once, []string{key("k")}, []string{key("k")}, "/capabilities/pay", 200, 200, true, 1},
		{"under its path", once, once, []string{key("k")}, []string{key("k")}, "/payments", 200, 200, true, 1},
		{"another key", once, once, []string{key("k")}, []string{key("l")}, "/payments", 200, 200, false, 2},
		{"another input", once, `{"amount":2}`, []string{key("k")}, []string{key("k")}, "/payments", 200, 422, false, 1},
		{"another caller", once, once, []string{key("k"), asAna}, []string{key("k"), asEva}, "/payments", 200, 200, false, 2},
		{"another tenant", once, once, []string{key("k"), asEva}, []string{key("k"), asTom}, "/payments", 200, 200, false, 2},
		{"a stranger with the key", once, once, []string{key("k"), asAna}, []string{key("k")}, "/payments", 200, 200, false, 2},
		{"a failure", `{"amount":1,"how":"poor"}`, `{"amount":1,"how":"poor"}`, []string{key("k")}, []string{key("k")}, "/payments", 402, 402, true, 1},
		{"an unknown effect", `{"amount":1,"how":"break"}`, `{"amount":1,"how":"break"}`, []string{key("k")}, []string{key("k")}, "/payments", 500, 500, true, 1},
		{"a fault of the input", `{"amount":"1"}`, once, []string{key("k")}, []string{key("k")}, "/payments", 422, 200, false, 1},
		{"bad credentials", once, once, []string{key("k"), asAna}, []string{key("k"), principalHeader + ": {"}, "/payments", 200, 401, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, runs := newBank(t, openGate{}, caphttp.Options{})
			first := serve(h, request(t, "POST", tt.path, tt.first, append(tt.firstHeaders, asJSON)...))
			assert.Equal(t, tt.firstStatus, first.Code, "body: %s", first.Body)
			again := serve(h, request(t, "POST", tt.path, tt.again, append(tt.againHeaders, asJSON)...))
			assert.Equal(t, tt.againStatus, again.Code, "body: %s", again.Body)
			assert.Equal(t, tt.runs, runs.Load(), "times that it ran")
			if !tt.replayed {
				assert.Empty(t, again.Header().Get("Idempotent-Replayed"))
				return
			}
			assert.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
			assert.Equal(t, first.Body.String(), again.Body.String())
			for _, name := range []string{"Content-Type", "Link"} {
				assert.Equal(t, first.Header().Values(name), again.Header().Values(name), name)
			}
		})
	}
}

func TestIdempotencyKeysThatAreNone(t *testing.T) {
	t.Parallel()
	h, runs := newBank(t, openGate{}, caphttp.Options{})
	for _, tt := range []struct {
		name    string
		headers []string
		code    cap.Code
	}{
		{"none, where one is needed", nil, caphttp.CodeIdempotencyKeyRequired},
		{"two", []string{key("a"), key("b")}, caphttp.CodeBadRequest},
		{"empty", []string{key("")}, caphttp.CodeBadRequest},
		{"with a blank", []string{key("a b")}, caphttp.CodeBadRequest},
		{"too long", []string{key(strings.Repeat("k", 256))}, caphttp.CodeBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/payments", `{"amount":1}`, append(tt.headers, asJSON)...))
			assert.Equal(t, 400, w.Code)
			assert.Equal(t, tt.code, problemOf(t, w).Code)
			assert.Zero(t, runs.Load())
		})
	}
}

func TestIdempotencyWhileRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, runs := newBank(t, openGate{}, caphttp.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		const wait = `{"amount":1,"how":"wait"}`
		first := make(chan *httptest.ResponseRecorder, 1)
		go func() {
			first <- serve(h, request(t, "POST", "/payments", wait, asJSON, key("k")).WithContext(ctx))
		}()
		synctest.Wait()
		again := serve(h, request(t, "POST", "/payments", wait, asJSON, key("k")))
		assert.Equal(t, 409, again.Code)
		assert.Equal(t, caphttp.CodeIdempotencyInProgress, problemOf(t, again).Code)
		assert.Equal(t, "1", again.Header().Get("Retry-After"))
		other := serve(h, request(t, "POST", "/payments", `{"amount":2}`, asJSON, key("k")))
		assert.Equal(t, caphttp.CodeIdempotencyKeyReused, problemOf(t, other).Code, "another input is told first")

		cancel()
		<-first
		again = serve(h, request(t, "POST", "/payments", wait, asJSON, key("k")))
		assert.Equal(t, 500, again.Code, "nobody knows what the first one has done")
		assert.Contains(t, again.Body.String(), `"effect":"unknown"`)
		assert.Equal(t, int64(1), runs.Load())
	})
}

// What has to be agreed to first has not run, so the key is free for the call that holds the agreement.
func TestIdempotencyAndConfirmation(t *testing.T) {
	t.Parallel()
	shop, _ := newDesk(t)
	put := func(headers ...string) *httptest.ResponseRecorder {
		return serve(shop, request(t, "PUT", "/orders/SO-1", `{}`, append(headers, asJSON, asAna, `If-Match: "1"`, key("k"))...))
	}
	asked := put()
	assert.Equal(t, 428, asked.Code)
	confirm := "Cap-Confirm: " + problemOf(t, asked).Confirmation.Challenge
	done := put(confirm)
	assert.Equal(t, 200, done.Code)
	assert.Empty(t, done.Header().Get("Idempotent-Replayed"))
	again := put()
	assert.Equal(t, 200, again.Code)
	assert.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
}

func TestIdempotencyForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, runs := newBank(t, openGate{}, caphttp.Options{Idempotency: caphttp.MemoryIdempotency(time.Hour)})
		call := func() { serve(h, request(t, "POST", "/payments", `{"amount":1}`, asJSON, key("k"))) }
		call()
		time.Sleep(time.Hour - time.Nanosecond)
		call()
		assert.Equal(t, int64(1), runs.Load())
		time.Sleep(time.Nanosecond)
		call()
		assert.Equal(t, int64(2), runs.Load())
	})
}

// brokenStore is a store that cannot be reached.
type brokenStore struct{}

func (brokenStore) Claim(context.Context, string, string) (*caphttp.StoredAnswer, error) {
	return nil, errors.New("dial tcp 10.0.0.1")
}
func (brokenStore) Keep(context.Context, string, caphttp.StoredAnswer) error { return nil }
func (brokenStore) Release(context.Context, string) error                    { return nil }

func TestIdempotencyStoreThatFails(t *testing.T) {
	t.Parallel()
	h, runs := newBank(t, openGate{}, caphttp.Options{Idempotency: brokenStore{}})
	w := serve(h, request(t, "POST", "/payments", `{"amount":1}`, asJSON, key("k")))
	assert.Equal(t, 500, w.Code)
	assert.NotContains(t, w.Body.String(), "10.0.0.1")
	assert.Zero(t, runs.Load(), "nothing runs twice, so nothing runs")
}

func TestIdempotencyMemoryIsBounded(t *testing.T) {
	t.Parallel()
	store := caphttp.MemoryIdempotency(0)
	body := make([]byte, 30<<20)
	keep := func(key string) {
		_, err := store.Claim(t.Context(), key, "f")
		require.NoError(t, err)
		require.NoError(t, store.Keep(t.Context(), key, caphttp.StoredAnswer{Status: 200, Body: body}))
	}
	keep("a")
	keep("b")
	answer, err := store.Claim(t.Context(), "a", "f")
	require.NoError(t, err)
	assert.NotNil(t, answer)
	keep("c")
	answer, err = store.Claim(t.Context(), "a", "f")
	require.NoError(t, err)
	assert.Nil(t, answer, "the oldest is forgotten")
	answer, err = store.Claim(t.Context(), "c", "f")
	require.NoError(t, err)
	assert.NotNil(t, answer)
	_, err = store.Claim(t.Context(), "a", "f")
	require.ErrorIs(t, err, caphttp.ErrKeyRunning)
	require.NoError(t, store.Release(t.Context(), "a"))
}
