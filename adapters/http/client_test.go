package caphttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// newClient makes a client of a handler, on behalf of a principal as JSON.
func newClient(t *testing.T, handler http.Handler, principal string, options caphttp.ClientOptions) *caphttp.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	options.Authorize = func(r *http.Request) error {
		if principal != "" {
			r.Header.Set(principalHeader, principal)
		}
		return nil
	}
	client, err := caphttp.NewClient(server.URL+"/", options)
	require.NoError(t, err)
	return client
}

func TestClientAnswers(t *testing.T) {
	t.Parallel()
	client := newClient(t, newHandler(t, caphttp.Options{}), `{"id":"ana","kind":"human","tenant":"acme"}`, caphttp.ClientOptions{})

	item, err := caphttp.Call(t.Context(), client, adaptertest.FindItem{ID: "a<b"})
	require.NoError(t, err)
	assert.Equal(t, adaptertest.Item{ID: "a<b", Size: 3, Ref: cap.ObjectRef{Product: "store", Kind: "item", ID: "a<b"}}, item)

	ids, err := caphttp.Call(t.Context(), client, adaptertest.ListIDs{Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, []string{"a-1", "<b>&\u2028"}, ids, "an output that is no object")

	echoed, err := caphttp.Call(t.Context(), client, adaptertest.Echo{Values: adaptertest.Values{
		Whole: 9007199254740993, Big: 18446744073709551615, Maybe: cap.Null[int](), At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Fallback: 9,
	}})
	require.NoError(t, err)
	assert.Equal(t, int64(9007199254740993), echoed.Whole)
	assert.Equal(t, uint64(18446744073709551615), echoed.Big)
	assert.True(t, echoed.Maybe.IsNull())
	assert.Equal(t, 9, echoed.Fallback)

	caller, err := caphttp.Call(t.Context(), client, adaptertest.Whoami{}, caphttp.CallOptions{RequestID: "r-1"})
	require.NoError(t, err)
	assert.Equal(t, "ana", caller.ID)
}

func TestClientErrors(t *testing.T) {
	t.Parallel()
	client := newClient(t, newHandler(t, caphttp.Options{}), "", caphttp.ClientOptions{})

	_, err := caphttp.Call(t.Context(), client, adaptertest.FindItem{ID: "missing"})
	failure, ok := errors.AsType[adaptertest.ItemNotFound](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "missing", failure.ID)
	failed, ok := errors.AsType[*cap.Error](err)
	require.True(t, ok)
	assert.Equal(t, "List the items and pick one.", failed.Fix)
	call, ok := errors.AsType[*caphttp.CallError](err)
	require.True(t, ok)
	assert.Equal(t, 404, call.Status)
	assert.Equal(t, "find_item: CAPABILITY_FAILED: There is no item missing.", err.Error())

	_, err = caphttp.Call(t.Context(), client, adaptertest.FindItem{ID: "broken"})
	broken, ok := errors.AsType[*adaptertest.ItemBroken](err)
	require.True(t, ok, "by pointer: %v", err)
	assert.Equal(t, []int64{9007199254740993, -1}, broken.Parts)

	_, err = caphttp.Call(t.Context(), client, adaptertest.FindItem{})
	failed, ok = errors.AsType[*cap.Error](err)
	require.True(t, ok)
	assert.Equal(t, cap.CodeInputInvalid, failed.Code)
	require.Len(t, failed.Issues, 1)
	assert.Equal(t, "/id", failed.Issues[0].Pointer)

	_, err = caphttp.Call(t.Context(), client, adaptertest.Whoami{}, caphttp.CallOptions{Name: "other"})
	failed, ok = errors.AsType[*cap.Error](err)
	require.True(t, ok)
	assert.Equal(t, cap.CodeCapabilityNotFound, failed.Code)
}

func TestClientConfirms(t *testing.T) {
	t.Parallel()
	client := newClient(t, newHandler(t, caphttp.Options{}), `{"id":"ana","kind":"human"}`, caphttp.ClientOptions{})
	rename := adaptertest.RenameItem{ID: "a", To: "b"}
	_, err := caphttp.Call(t.Context(), client, rename)
	required, ok := errors.AsType[*cap.ConfirmationRequired](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "rename", required.Action.Pending.Verb)
	item, err := caphttp.Call(t.Context(), client, rename, caphttp.CallOptions{Confirmation: cap.Confirmation{Challenge: required.Challenge}})
	require.NoError(t, err)
	assert.Equal(t, "b", item.ID)

	_, err = caphttp.Call(t.Context(), client, adaptertest.WipeItems{})
	required, ok = errors.AsType[*cap.ConfirmationRequired](err)
	require.True(t, ok, "202: %v", err)
	assert.NotEmpty(t, required.Approval)
}

// Nobody knows what a write has done whose answer did not come.
func TestClientWithoutAnswer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	hangUp := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	answer := func(status int, contentType, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
	for _, tt := range []struct {
		name    string
		handler http.Handler
		status  int
		effect  string // of a write
	}{
		{"nobody listens", nil, 0, ""},
		{"the server hangs up", hangUp, 0, cap.EffectUnknown},
		{"a proxy's page", answer(502, "text/html", "<h1>Bad gateway</h1>"), 502, cap.EffectUnknown},
		{"a proxy that refuses", answer(403, "text/plain", "no"), 403, ""},
		{"JSON that is none of ours", answer(404, "application/json", `{"error":"x"}`), 404, ""},
		{"an answer that is none of ours", answer(200, "application/json", `{"x":1}`), 0, cap.EffectUnknown},
		{"a page", answer(200, "text/html", `{"output":{}}`), 200, cap.EffectUnknown},
		{"an answer that is too large", answer(200, "application/json", strings.Repeat(" ", 2000)), 0, cap.EffectUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var client *caphttp.Client
			if tt.handler == nil {
				var err error
				client, err = caphttp.NewClient(gone.URL)
				require.NoError(t, err)
			} else {
				client = newClient(t, tt.handler, "", caphttp.ClientOptions{MaxAnswer: 1000})
			}
			_, err := caphttp.Call(t.Context(), client, adaptertest.RenameItem{ID: "a", To: "b"})
			call, ok := errors.AsType[*caphttp.CallError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, tt.status, call.Status)
			failed, ok := errors.AsType[*cap.Error](err)
			require.True(t, ok)
			assert.Equal(t, cap.CodeExecutionFailed, failed.Code)
			assert.Equal(t, tt.effect, failed.Effect)

			_, err = caphttp.Call(t.Context(), client, adaptertest.FindItem{ID: "a"})
			failed, ok = errors.AsType[*cap.Error](err)
			require.True(t, ok)
			assert.Empty(t, failed.Effect, "effect of a read")
		})
	}
}

func TestClientCancels(t *testing.T) {
	t.Parallel()
	h, began, ended := newWaiting(t)
	client := newClient(t, h, "", caphttp.ClientOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	_, err := caphttp.Call(ctx, client, waiting{})
	failed, ok := errors.AsType[*cap.Error](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, cap.CodeCancelled, failed.Code)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestNewClientErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, url, want string }{
		{"no URL", "://", "missing protocol scheme"},
		{"no scheme", "shop.example", `"shop.example" is no URL of a server`},
		{"another scheme", "ftp://shop.example", "is no URL of a server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := caphttp.NewClient(tt.url)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	client, err := caphttp.NewClient("http://localhost:1", caphttp.ClientOptions{Authorize: caphttp.BearerToken("a b")})
	require.NoError(t, err)
	_, err = caphttp.Call(t.Context(), client, adaptertest.Touch{})
	assert.EqualError(t, err, "caphttp: authorize: the token is empty, or has blanks in it")
}
