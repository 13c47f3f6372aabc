package caphttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// sink takes answers and keeps nothing but their status.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(status int)      { s.status = status }

func BenchmarkCall(b *testing.B) {
	h, err := caphttp.New(adaptertest.NewRegistry(b), caphttp.Options{})
	require.NoError(b, err)
	const body = `{"id":"a-1"}`
	r := httptest.NewRequestWithContext(b.Context(), "POST", "/capabilities/find_item", nil)
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = int64(len(body))
	reader := strings.NewReader(body)
	r.Body = io.NopCloser(reader)
	w := &sink{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(body)
		clear(w.header)
		h.ServeHTTP(w, r)
	}
	require.Equal(b, http.StatusOK, w.status)
}
