package swaggerui_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/adapters/http/swaggerui"
)

func get(t *testing.T, h http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", target, nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPage(t *testing.T) {
	t.Parallel()
	h := swaggerui.New(swaggerui.Options{Title: `Shop "<b>"`})
	page := get(t, h, "/")
	assert.Equal(t, 200, page.Code)
	assert.Contains(t, page.Body.String(), `<title>Shop &#34;&lt;b&gt;&#34;</title>`)
	assert.Contains(t, page.Body.String(), `data-settings="{&#34;readOnly&#34;:false,&#34;url&#34;:&#34;../openapi.json&#34;}"`)
	assert.Contains(t, page.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; style-src 'self';")
	assert.NotContains(t, page.Body.String(), "http", "nothing is loaded from elsewhere")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	h := swaggerui.New(swaggerui.Options{})
	for name, contentType := range map[string]string{
		"/swagger-ui.css": "text/css; charset=utf-8", "/swagger-ui-bundle.js": "text/javascript; charset=utf-8", "/start.js": "text/javascript; charset=utf-8",
	} {
		plain := get(t, h, name)
		assert.Equal(t, 200, plain.Code, name)
		assert.Equal(t, contentType, plain.Header().Get("Content-Type"), name)
		small := get(t, h, name, "Accept-Encoding: gzip, br")
		if small.Header().Get("Content-Encoding") != "gzip" {
			assert.Equal(t, "/start.js", name)
			continue
		}
		reader, err := gzip.NewReader(small.Body)
		require.NoError(t, err)
		body, err := io.ReadAll(reader)
		require.NoError(t, err)
		assert.Equal(t, plain.Body.String(), string(body), name)
	}
	assert.Equal(t, 404, get(t, h, "/embed.go").Code)
	assert.Equal(t, 404, get(t, h, "/../index.html").Code)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "/", nil))
	assert.Equal(t, 405, w.Code)
}

func TestUnderTheAdapter(t *testing.T) {
	t.Parallel()
	h, err := caphttp.New(cap.New(cap.Options{}), caphttp.Options{Prefix: "/api", Docs: swaggerui.New(swaggerui.Options{})})
	require.NoError(t, err)
	assert.Contains(t, get(t, h, "/api/docs/").Body.String(), `<script src="start.js">`)
	assert.Equal(t, 200, get(t, h, "/api/docs/swagger-ui.css").Code)
	assert.Equal(t, 200, get(t, h, "/api/openapi.json").Code)
}
