package caphttp_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// Fetch answers with more than the buffers between two sockets hold.
type Fetch struct {
	cap.Read[Fetched] `cap:"Fetch much; access=public"`
}

type Fetched struct {
	Text string `json:"text" cap:"Much of it"`
}

// A caller that does not read its answer holds nothing for good.
func TestCallersThatDoNotRead(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Fetch) (Fetched, error) {
		return Fetched{strings.Repeat("x", 32<<20)}, nil
	})))
	api, err := caphttp.New(registry, caphttp.Options{WriteTimeout: 100 * time.Millisecond})
	require.NoError(t, err)
	served := make(chan struct{}, 1)
	address := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r)
		served <- struct{}{}
	}), caphttp.ServeOptions{})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, lines("POST /capabilities/fetch HTTP/1.1", "Host: "+address, "Content-Type: application/json", "Content-Length: 2")+"{}")
	require.NoError(t, err)
	select {
	case <-served:
	case <-time.After(20 * time.Second):
		assert.Fail(t, "the answer is still being written")
	}
}

// Asking for an agreement is no way to be sent back what was sent, twice over.
func TestLongActionsAreCut(t *testing.T) {
	t.Parallel()
	shop, _ := newDesk(t)
	body := `{"note":"n","tags":["` + strings.Repeat("a", 900<<10) + `"]}`
	asked := serve(shop, request(t, "PUT", "/orders/SO-1", body, asJSON, asAna, `If-Match: "41"`))
	require.Equal(t, 428, asked.Code)
	assert.Less(t, asked.Body.Len(), 64<<10)
	p := problemOf(t, asked)
	require.NotNil(t, p.Confirmation)
	assert.Contains(t, p.Text, "sha256")

	// What was cut from the answer is still what is agreed to.
	confirm := "Cap-Confirm: " + p.Confirmation.Challenge
	other := serve(shop, request(t, "PUT", "/orders/SO-1", `{"note":"n","tags":["b"]}`, asJSON, asAna, `If-Match: "41"`, confirm))
	assert.Equal(t, 412, other.Code)
	done := serve(shop, request(t, "PUT", "/orders/SO-1", body, asJSON, asAna, `If-Match: "41"`, confirm))
	assert.Equal(t, 200, done.Code, "body: %s", done.Body)
}
