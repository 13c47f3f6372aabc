package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// send makes a request with headers, each written as "Name: value".
func send(t *testing.T, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(answer)
}

// The whole way of a call over HTTP: found, refused, asked for, confirmed, and sent again.
func TestOverHTTP(t *testing.T) {
	t.Parallel()
	key, _ := caphttp.NewAPIKey("orders_")
	server := startServer(t, ownerKey+"="+key)
	asOwner, asJSON := "Authorization: Bearer "+key, "Content-Type: application/json"

	response, answer := send(t, "GET", server+"/orders/SO-1001", "")
	assert.Equal(t, 200, response.StatusCode)
	assert.JSONEq(t, firstOrder, answer)
	assert.Equal(t, `<urn:cap:ref:shop:order:SO-1001>; rel="cite"`, response.Header.Get("Link"))
	response, _ = send(t, "GET", server+"/orders/SO-1001", "", "If-None-Match: "+response.Header.Get("ETag"))
	assert.Equal(t, 304, response.StatusCode)
	response, answer = send(t, "GET", server+"/orders/SO-9999", "")
	assert.Equal(t, 404, response.StatusCode)
	assert.Contains(t, answer, `"fix":"List the orders and pick one."`)
	response, answer = send(t, "GET", server+"/orders?limit=0&x=1", "")
	assert.Equal(t, 422, response.StatusCode)
	assert.Contains(t, answer, `"in":"query","pointer":"/limit"`)

	response, answer = send(t, "GET", server+"/openapi.json", "")
	assert.Equal(t, 200, response.StatusCode)
	assert.Contains(t, answer, `"/orders/{order}"`)
	response, answer = send(t, "GET", server+"/docs/", "")
	assert.Equal(t, 200, response.StatusCode)
	assert.Contains(t, answer, `<script src="swagger-ui-bundle.js">`)

	cancel := server + "/orders/SO-1001/cancellation"
	response, _ = send(t, "POST", cancel, `{}`, asJSON)
	assert.Equal(t, 401, response.StatusCode)
	assert.Equal(t, "Bearer", response.Header.Get("WWW-Authenticate"))
	response, answer = send(t, "POST", cancel, `{}`, asJSON, asOwner)
	assert.Equal(t, 428, response.StatusCode, answer)
	var problem caphttp.Problem
	require.NoError(t, json.Unmarshal([]byte(answer), &problem))
	assert.Contains(t, problem.Text, `Action: cancel order "SO-1001" of shop`)
	confirm, again := "Cap-Confirm: "+problem.Confirmation.Challenge, "Idempotency-Key: once"
	response, done := send(t, "POST", cancel, `{}`, asJSON, asOwner, confirm, again)
	assert.Equal(t, 200, response.StatusCode, done)
	response, answer = send(t, "POST", cancel, `{}`, asJSON, asOwner, again)
	assert.Equal(t, 200, response.StatusCode, answer)
	assert.Equal(t, "true", response.Header.Get("Idempotent-Replayed"))
	assert.Equal(t, done, answer)
}
