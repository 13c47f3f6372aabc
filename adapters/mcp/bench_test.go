package capmcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// silent is a response that nobody reads.
type silent struct {
	header http.Header
	status int
}

func (s *silent) Header() http.Header         { return s.header }
func (s *silent) WriteHeader(status int)      { s.status = status }
func (s *silent) Write(p []byte) (int, error) { return len(p), nil }

func BenchmarkHTTPCall(b *testing.B) {
	handler := newAdapter(b, newDeskRegistry(b, newDesk(), cap.Options{}), capmcp.Options{}).Handler()
	for _, version := range []string{legacy, modern} {
		for _, stops := range []int{1, 100} {
			list := strings.TrimSuffix(strings.Repeat(`{"city":"Lisbon","nights":2},`, stops), ",")
			body := callOf(version, 1, "plan", `{"days":3,"stops":[`+list+`]}`)
			b.Run(fmt.Sprintf("%s/%d", version, stops), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/mcp", strings.NewReader(body))
					r.Header = http.Header{
						"Content-Type": {"application/json"}, "Accept": {"*/*"}, "Mcp-Protocol-Version": {version},
						"Mcp-Method": {"tools/call"}, "Mcp-Name": {"plan"},
					}
					w := &silent{header: http.Header{}}
					handler.ServeHTTP(w, r)
					if w.status >= 400 {
						b.Fatal(w.status)
					}
				}
			})
		}
	}
}

func BenchmarkStdioCall(b *testing.B) {
	adapter := newAdapter(b, newDeskRegistry(b, newDesk(), cap.Options{}), capmcp.Options{})
	s := startSession(b, b.Context(), adapter)
	line := callOf(modern, 1, "plan", `{"days":3,"stops":[{"city":"Lisbon","nights":2}]}`) + "\n"
	b.ReportAllocs()
	for b.Loop() {
		_, err := io.WriteString(s.in, line)
		require.NoError(b, err)
		require.True(b, s.out.Scan())
	}
	require.NoError(b, s.in.Close())
	require.NoError(b, <-s.ended)
}

func BenchmarkRepair(b *testing.B) {
	registry := cap.New(cap.Options{})
	require.NoError(b, registry.Register(newDesk()))
	for _, strict := range []bool{true, false} {
		adapter := newAdapter(b, registry, capmcp.Options{Strict: strict})
		s := startSession(b, context.Background(), adapter)
		line := callOf(modern, 1, "plan", `{"days":3,"stops":[`+strings.TrimSuffix(strings.Repeat(`{"city":"Lisbon","nights":2},`, 100), ",")+`]}`) + "\n"
		b.Run(fmt.Sprintf("strict=%v", strict), func(b *testing.B) {
			for b.Loop() {
				_, err := io.WriteString(s.in, line)
				require.NoError(b, err)
				require.True(b, s.out.Scan())
			}
		})
		require.NoError(b, s.in.Close())
		require.NoError(b, <-s.ended)
	}
}
