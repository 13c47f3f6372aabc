package caphttp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

func TestCORS(t *testing.T) {
	t.Parallel()
	on := newShop(t, openGate{}, caphttp.Options{CORS: &caphttp.CORS{
		Origins: []string{"https://shop.example", "http://localhost:3000"}, Credentials: true, MaxAge: time.Minute,
	}})
	off := newShop(t, openGate{}, caphttp.Options{})
	for _, tt := range []struct {
		name           string
		handler        *caphttp.Handler
		method, target string
		headers        []string
		status         int
		origin         string // that is allowed
		methods        string
	}{
		{"off", off, "GET", "/orders/x", []string{"Origin: https://shop.example"}, 200, "", ""},
		{"a preflight, off", off, "OPTIONS", "/orders/x", []string{"Origin: https://shop.example", "Access-Control-Request-Method: PUT"}, 405, "", ""},
		{"no page", on, "GET", "/orders/x", nil, 200, "", ""},
		{"a page", on, "GET", "/orders/x", []string{"Origin: https://shop.example"}, 200, "https://shop.example", ""},
		{"a page, in another writing", on, "GET", "/orders/x", []string{"Origin: HTTPS://SHOP.EXAMPLE:443"}, 200, "HTTPS://SHOP.EXAMPLE:443", ""},
		{"a page that may read errors", on, "GET", "/nothing", []string{"Origin: http://localhost:3000"}, 404, "http://localhost:3000", ""},
		{"another page", on, "GET", "/orders/x", []string{"Origin: https://evil.example"}, 200, "", ""},
		{"another port", on, "GET", "/orders/x", []string{"Origin: http://localhost:3001"}, 200, "", ""},
		{"null", on, "GET", "/orders/x", []string{"Origin: null"}, 200, "", ""},
		{"with a path", on, "GET", "/orders/x", []string{"Origin: https://shop.example/"}, 200, "", ""},
		{"with a user", on, "GET", "/orders/x", []string{"Origin: https://a@shop.example"}, 200, "", ""},
		{"two origins", on, "GET", "/orders/x", []string{"Origin: https://shop.example", "Origin: https://shop.example"}, 200, "", ""},
		{"a preflight", on, "OPTIONS", "/orders/x", []string{"Origin: https://shop.example", "Access-Control-Request-Method: PUT"}, 204, "https://shop.example", "DELETE, GET, HEAD, PUT"},
		{"a preflight of another page", on, "OPTIONS", "/orders/x", []string{"Origin: https://evil.example", "Access-Control-Request-Method: PUT"}, 405, "", ""},
		{"a preflight of no path", on, "OPTIONS", "/nothing", []string{"Origin: https://shop.example", "Access-Control-Request-Method: PUT"}, 404, "https://shop.example", ""},
		{"OPTIONS that is no preflight", on, "OPTIONS", "/orders/x", []string{"Origin: https://shop.example"}, 405, "https://shop.example", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(tt.handler, request(t, tt.method, tt.target, "", tt.headers...))
			header := w.Header()
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
			assert.Equal(t, tt.origin, header.Get("Access-Control-Allow-Origin"))
			assert.Equal(t, tt.methods, header.Get("Access-Control-Allow-Methods"))
			if tt.handler == on {
				assert.Contains(t, header.Values("Vary"), "Origin")
			}
			if tt.methods != "" {
				assert.Equal(t, "60", header.Get("Access-Control-Max-Age"))
				assert.Contains(t, header.Get("Access-Control-Allow-Headers"), "x-region", "headers of parameters")
				assert.Equal(t, "true", header.Get("Access-Control-Allow-Credentials"))
			}
		})
	}
}

func TestCORSProblems(t *testing.T) {
	t.Parallel()
	_, err := caphttp.New(cap.New(cap.Options{}), caphttp.Options{CORS: &caphttp.CORS{Origins: []string{"*", "shop.example", "https://shop.example/"}}})
	require.Error(t, err)
	assert.Equal(t, 3, strings.Count(err.Error(), "is none (write it like"))
}
