package captest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/captest"
)

// principalHeader carries the principal of a test as JSON. Nothing but a test would take it.
const principalHeader = "Test-Principal"

func principalOf(r *http.Request) (*cap.Principal, error) {
	text := r.Header.Get(principalHeader)
	if text == "" {
		return nil, nil
	}
	p := new(cap.Principal)
	return p, json.Unmarshal([]byte(text), p)
}

func setPrincipal(t testing.TB, header http.Header, as *cap.Principal) {
	t.Helper()
	if as == nil {
		return
	}
	text, err := json.Marshal(as)
	require.NoError(t, err)
	header.Set(principalHeader, string(text))
}

// httpFront calls over a socket.
type httpFront struct{ url string }

func (*httpFront) Name() string { return "HTTP" }

func (*httpFront) Open(t testing.TB, registry *cap.Registry) captest.Caller {
	t.Helper()
	handler, err := caphttp.New(registry, caphttp.Options{Authenticate: principalOf})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &httpFront{url: server.URL}
}

func (f *httpFront) Call(ctx context.Context, t testing.TB, request captest.Request) captest.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url+"/capabilities/"+request.Capability, bytes.NewReader(request.Args))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	setPrincipal(t, r.Header, request.As)
	if request.Confirmation.Approval != "" {
		r.Header.Set("Cap-Approval", request.Confirmation.Approval)
	}
	response, err := http.DefaultClient.Do(r)
	if ctx.Err() != nil {
		return captest.Answer{Gone: true}
	}
	require.NoError(t, err)
	defer func() { assert.NoError(t, response.Body.Close()) }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	if response.StatusCode == http.StatusOK {
		var result cap.Result
		require.NoError(t, json.Unmarshal(body, &result))
		return captest.Answer{Output: result.Output, Cites: result.Cites}
	}
	var p caphttp.Problem
	require.NoError(t, json.Unmarshal(body, &p), "%s", body)
	failed := &cap.Error{
		Code: p.Code, Message: p.Title, Capability: p.Capability, RequestID: p.RequestID, OmittedIssues: p.OmittedErrors,
		Reason: p.Reason, Tag: p.Tag, Fix: p.Fix, Retry: p.RetryAfter, Failure: p.Failure, Effect: p.Effect, Confirmation: p.Confirmation,
	}
	for _, issue := range p.Errors {
		failed.Issues = append(failed.Issues, issue.Issue)
	}
	return captest.Answer{Error: failed}
}

// cliFront types commands.
type cliFront struct{ program *capcli.Program }

type cliPrincipal struct{}

func (*cliFront) Name() string { return "CLI" }

func (*cliFront) Open(t testing.TB, registry *cap.Registry) captest.Caller {
	t.Helper()
	program, err := capcli.New(registry, capcli.Options{Authenticate: func(ctx context.Context) (*cap.Principal, error) {
		p, _ := ctx.Value(cliPrincipal{}).(*cap.Principal)
		return p, nil
	}})
	require.NoError(t, err)
	return &cliFront{program}
}

func (f *cliFront) Call(ctx context.Context, t testing.TB, request captest.Request) captest.Answer {
	t.Helper()
	line := []string{strings.ReplaceAll(request.Capability, "_", "-"), "--output=result", "--input", string(request.Args)}
	if request.Confirmation.Approval != "" {
		line = append(line, "--approval", request.Confirmation.Approval)
	}
	var out, errs bytes.Buffer
	ctx = context.WithValue(ctx, cliPrincipal{}, request.As)
	if f.program.Run(ctx, line, capcli.Streams{Out: &out, Err: &errs}) == capcli.ExitOK {
		var result cap.Result
		require.NoError(t, json.Unmarshal(out.Bytes(), &result))
		return captest.Answer{Output: result.Output, Cites: result.Cites}
	}
	failed := new(cap.Error)
	require.NoError(t, json.Unmarshal(errs.Bytes(), failed), "standard error: %s", errs.String())
	return captest.Answer{Error: failed}
}
