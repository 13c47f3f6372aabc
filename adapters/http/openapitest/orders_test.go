package openapitest_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/adapters/http/openapitest/ordersclient"
)

// ownerKey lets the owner of the example's shop in.
const ownerKey = "orders-test-key-of-more-than-32-bytes"

// serveOrders builds the example, lets it serve until the test ends, and returns its address.
func serveOrders(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "orders")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./orders")
	build.Dir = filepath.Join("..", "..", "..", "examples")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	server := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0")
	server.Dir, server.Env = dir, append(os.Environ(), "ORDERS_OWNER_KEY="+ownerKey)
	told, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Wait() }) // the end of the test's context has killed it
	line, err := bufio.NewReader(told).ReadString('\n')
	require.NoError(t, err)
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	return address
}

func asOwner(_ context.Context, r *http.Request) error {
	r.Header.Set("Authorization", "Bearer "+ownerKey)
	return nil
}

// A client that was generated from the document of the running example calls it: a read, a declared failure, and a write that
// has to be confirmed.
func TestGeneratedClientOfTheExample(t *testing.T) {
	t.Parallel()
	address := serveOrders(t)
	checkDocument(t, address, "testdata/orders.openapi-3.0.json")
	client, err := ordersclient.NewClientWithResponses(address, ordersclient.WithRequestEditorFn(asOwner))
	require.NoError(t, err)

	found, err := client.GetOrderRestWithResponse(t.Context(), "SO-1001")
	require.NoError(t, err)
	require.NotNil(t, found.JSON200, "body: %s", found.Body)
	assert.Equal(t, "ana", found.JSON200.Customer)
	assert.Equal(t, "SO-1001", found.JSON200.Order)

	missing, err := client.GetOrderRestWithResponse(t.Context(), "SO-9999")
	require.NoError(t, err)
	require.NotNil(t, missing.ApplicationproblemJSON404, "body: %s", missing.Body)
	assert.Equal(t, "SO-9999", missing.ApplicationproblemJSON404.Failure.Order)

	cancel := func(challenge *string) *ordersclient.CancelOrderRestResponse {
		params := &ordersclient.CancelOrderRestParams{CapConfirm: challenge}
		answer, err := client.CancelOrderRestWithResponse(t.Context(), "SO-1001", params, ordersclient.CancelOrderRestJSONRequestBody{})
		require.NoError(t, err)
		return answer
	}
	asked := cancel(nil)
	require.NotNil(t, asked.ApplicationproblemJSON428, "body: %s", asked.Body)
	done := cancel(asked.ApplicationproblemJSON428.Confirmation.Challenge)
	require.NotNil(t, done.JSON200, "body: %s", done.Body)
	assert.Equal(t, 1350, done.JSON200.Refunded)
}

// checkDocument holds the document that a server gives to its callers against the file that the client was made of.
func checkDocument(t *testing.T, address, file string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/openapi-3.0.json", nil)
	require.NoError(t, err)
	require.NoError(t, asOwner(t.Context(), r))
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	got, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "%s; rewrite it with -update and go generate if the change is meant", file)
}
