package app_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/app"
)

// TestAnswersLinkThePageOfApprovals follows the link of a call that waits for an approver.
func TestAnswersLinkThePageOfApprovals(t *testing.T) {
	t.Parallel()
	registry, err := newRegistry(true, Teas{})
	require.NoError(t, err)
	addresses := make(chan net.Addr, 1)
	program, err := app.New(registry, app.Options{
		Serve: caphttp.ServeOptions{Listening: func(addr net.Addr) { addresses <- addr }},
		HTTP: caphttp.Options{Authenticate: func(*http.Request) (*cap.Principal, error) {
			return &cap.Principal{ID: "ana", Kind: cap.KindAgent}, nil
		}},
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	var errs errorLog
	go func() {
		ended <- program.Run(ctx, []string{"serve", "--addr", "127.0.0.1:0"}, capcli.Streams{Err: &errs})
	}()
	base := "http://" + (<-addresses).String()
	do := func(method, path, body string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	asked := do(http.MethodPost, "/capabilities/pour_tea", `{"number":"T-1"}`)
	assert.Equal(t, http.StatusPreconditionRequired, asked.StatusCode)
	var problem caphttp.Problem
	require.NoError(t, json.NewDecoder(asked.Body).Decode(&problem))
	assert.Equal(t, "/review/approvals/"+problem.Confirmation.Approval, problem.ApproveAt)
	assert.Contains(t, problem.Next, "An approver decides at approveAt")
	assert.Equal(t, http.StatusUnauthorized, do(http.MethodGet, problem.ApproveAt, "").StatusCode, "the page asks who is there")
	stop()
	assert.Equal(t, capcli.ExitOK, <-ended)
}
