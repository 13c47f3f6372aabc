package caphttp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// FuzzQuery holds the parameters of a path of its own against net/url and encoding/json: what is answered is what they read,
// and what they cannot read is refused. Nothing panics, and no answer to a bad request is large.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"limit=5&full=true", "tags=a&tags=b", "ratio=1e2", "limit=%35", "rows=1&rows=2", "a=%zz", "limit=+5", "tags=%ff", "=&&=", "order=x",
		"maybe=false", "limit=01", "ratio=-0", "tags=%00", "since=2026-01-02T03:04:05Z", "region=eu",
	} {
		f.Add(seed)
	}
	h := newShopForFuzz(f)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/orders/x", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.True(t, json.Valid(w.Body.Bytes()), "body: %s", w.Body)
		if w.Code != http.StatusOK {
			assert.Contains(t, []int{400, 422}, w.Code)
			assert.LessOrEqual(t, w.Body.Len(), 64<<10)
			return
		}
		// Semicolons separate nothing here, as in net/url; it refuses what holds one, and so the twin has no say.
		if strings.Contains(query, ";") {
			return
		}
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		var got struct {
			Limit json.Number
			Full  bool
			Tags  []string
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
		if values.Has("limit") {
			assert.Len(t, values["limit"], 1)
			var want, have float64
			require.NoError(t, json.Unmarshal([]byte(values.Get("limit")), &want))
			require.NoError(t, json.Unmarshal([]byte(got.Limit), &have))
			assert.InDelta(t, want, have, 0)
		}
		if values.Has("full") {
			assert.Equal(t, values.Get("full") == "true", got.Full)
		}
		assert.ElementsMatch(t, values["tags"], got.Tags)
		assert.True(t, utf8.ValidString(strings.Join(got.Tags, "")))
	})
}

func newShopForFuzz(f *testing.F) http.Handler {
	f.Helper()
	registry := newShopRegistry(f, openGate{})
	h, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(f, err)
	return h
}
