package openapitest_test

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/adapters/http/openapitest"
	"github.com/seed-369ec62e/cap/adapters/http/openapitest/marketclient"
	"github.com/seed-369ec62e/cap/approval"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// newMarket makes a handler of the market. Whoever sends a Test-Principal is it.
func newMarket(t *testing.T) *caphttp.Handler {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	registry := cap.New(cap.Options{Name: "market", Version: "1.0.0", Gate: gate})
	require.NoError(t, registry.Register(&openapitest.Market{}))
	h, err := caphttp.New(registry, caphttp.Options{Authenticate: func(r *http.Request) (*cap.Principal, error) {
		id := r.Header.Get("Test-Principal")
		if id == "" {
			return nil, nil
		}
		return &cap.Principal{ID: id, Kind: cap.KindHuman, Scopes: []string{"market:close"}}, nil
	}})
	require.NoError(t, err)
	return h
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	h := newMarket(t)
	for name, got := range map[string][]byte{"market.openapi.json": h.OpenAPI(), "market.openapi-3.0.json": h.OpenAPI30()} {
		file := "testdata/" + name
		if *update {
			require.NoError(t, os.WriteFile(file, got, 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s; rewrite it with -update if the change is meant", file)
	}
}

// The documents of the adapter's own tests are held against the validator as well.
func TestDocumentsAreValid(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"testdata/market.openapi.json", "testdata/market.openapi-3.0.json", "testdata/orders.openapi-3.0.json", "../testdata/shop.openapi.json",
		"../testdata/shop.openapi-3.0.json", "../testdata/types.openapi.json", "../testdata/types.openapi-3.0.json",
	} {
		document, err := openapi3.NewLoader().LoadFromFile(file)
		require.NoError(t, err, file)
		assert.NoError(t, document.Validate(t.Context()), file)
	}
}

// checked makes a handler whose answers are held against its own document.
func checked(t *testing.T, h *caphttp.Handler) http.Handler {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(h.OpenAPI30())
	require.NoError(t, err)
	document.Servers = nil // so that any host fits
	router, err := gorillamux.NewRouter(document)
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, parameters, err := router.FindRoute(r)
		if !assert.NoError(t, err, r.URL.Path) {
			return
		}
		recorder := httptest.NewRecorder()
		h.ServeHTTP(recorder, r)
		input := &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route},
			Status:                 recorder.Code, Header: recorder.Header(), Options: &openapi3filter.Options{IncludeResponseStatus: true},
		}
		input.SetBodyBytes(recorder.Body.Bytes())
		assert.NoError(t, openapi3filter.ValidateResponse(context.WithoutCancel(r.Context()), input), "%s %s: %d %s", r.Method, r.URL, recorder.Code, recorder.Body)
		for name, values := range recorder.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorder.Code)
		_, _ = w.Write(recorder.Body.Bytes())
	})
}

// Everything that goes over the wire is what the document says.
func TestTraffic(t *testing.T) {
	t.Parallel()
	openapi3filter.RegisterBodyDecoder("application/problem+json", openapi3filter.JSONBodyDecoder)
	h := checked(t, newMarket(t))
	const asJSON, asAna = "Content-Type: application/json", "Test-Principal: ana"
	for _, tt := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
	}{
		{"an output", "GET", "/stalls/north", "", nil, 200},
		{"an answer", "POST", "/capabilities/find_stall", `{"stall":"north"}`, []string{asJSON}, 200},
		{"one of two failures", "GET", "/stalls/closed", "", nil, 409},
		{"the other", "GET", "/stalls/moved", "", nil, 409},
		{"a failure among faults", "GET", "/stalls/unknown", "", nil, 422},
		{"faults", "GET", "/stalls/x?depth=9&x=1", "", nil, 422},
		{"a parameter twice", "GET", "/stalls/x?depth=1&depth=2", "", nil, 400},
		{"faults in the body", "POST", "/capabilities/find_stall", `{"stall":7}`, []string{asJSON}, 422},
		{"no JSON", "POST", "/capabilities/find_stall", `{`, []string{asJSON}, 400},
		{"no content type", "POST", "/capabilities/find_stall", `{}`, nil, 415},
		{"another type wanted", "GET", "/stalls/x", "", []string{"Accept: text/html"}, 406},
		{"no principal", "POST", "/stalls/x/rents", `{"days":1}`, []string{asJSON}, 401},
		{"no key", "POST", "/stalls/x/rents", `{"days":1}`, []string{asJSON, asAna}, 400},
		{"to be confirmed", "POST", "/stalls/x/rents", `{"days":1,"pin":"1234"}`, []string{asJSON, asAna, "Idempotency-Key: a"}, 428},
		{"an invalid confirmation", "POST", "/stalls/x/rents", `{"days":1}`, []string{asJSON, asAna, "Idempotency-Key: b", "Cap-Confirm: x"}, 412},
		{"to be approved", "POST", "/capabilities/close_market", `{}`, []string{asJSON, asAna}, 202},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), tt.method, tt.target, strings.NewReader(tt.body))
			for _, header := range tt.headers {
				name, value, _ := strings.Cut(header, ": ")
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
		})
	}
}

// The generated client calls a server.
func TestGeneratedClient(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newMarket(t))
	defer server.Close()
	client, err := marketclient.NewClientWithResponses(server.URL)
	require.NoError(t, err)

	found, err := client.FindStallRestWithResponse(t.Context(), "north", &marketclient.FindStallRestParams{})
	require.NoError(t, err)
	require.NotNil(t, found.JSON200, "body: %s", found.Body)
	assert.Equal(t, "north", found.JSON200.Name)
	assert.Equal(t, int64(1<<60), int64(found.JSON200.Count))

	called, err := client.FindStallWithResponse(t.Context(), marketclient.FindStallJSONRequestBody{Stall: "south"})
	require.NoError(t, err)
	require.NotNil(t, called.JSON200, "body: %s", called.Body)
	assert.Equal(t, "south", called.JSON200.Output.Name)

	moved, err := client.FindStallRestWithResponse(t.Context(), "moved", &marketclient.FindStallRestParams{})
	require.NoError(t, err)
	require.NotNil(t, moved.ApplicationproblemJSON409, "body: %s", moved.Body)
	failure, err := moved.ApplicationproblemJSON409.ValueByDiscriminator()
	require.NoError(t, err)
	problem, ok := failure.(marketclient.StallMovedProblem)
	require.True(t, ok, "%T", failure)
	assert.Equal(t, "south-1", problem.Failure.To)
}
