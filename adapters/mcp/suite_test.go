package capmcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

func TestSuiteOverStdio(t *testing.T) {
	t.Parallel()
	for _, version := range []string{legacy, modern} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			adaptertest.Run(t, &stdioFront{registry: adaptertest.NewRegistry(t), version: version})
		})
	}
}

func TestSuiteOverHTTP(t *testing.T) {
	t.Parallel()
	for _, version := range []string{legacy, modern} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			adapter := newAdapter(t, adaptertest.NewRegistry(t), capmcp.Options{Authenticate: authenticate})
			adaptertest.Run(t, &httpFront{handler: adapter.Handler(), version: version})
		})
	}
}

// stdioFront starts a server for each call: the principal is that of the process.
type stdioFront struct {
	registry *cap.Registry
	version  string
}

func (f *stdioFront) Call(t *testing.T, name string, args json.RawMessage, as *cap.Principal) adaptertest.Answer {
	adapter := newAdapter(t, f.registry, capmcp.Options{Principal: as})
	var lines []string
	if f.version < modern {
		lines = append(lines, initialize(f.version), initialized)
	}
	lines = append(lines, callOf(f.version, 1, name, string(args)))
	var out bytes.Buffer
	require.NoError(t, adapter.ServeStdio(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out))
	return answerOf(t, byID(t, repliesIn(t, out.Bytes()), 1), out.Bytes())
}

// httpFront names the principal in a header.
type httpFront struct {
	handler http.Handler
	version string
}

const principalHeader = "X-Principal"

func authenticate(r *http.Request) (*cap.Principal, error) {
	text := r.Header.Get(principalHeader)
	if text == "" {
		return nil, nil
	}
	principal := new(cap.Principal)
	if json.Unmarshal([]byte(text), principal) != nil {
		return nil, capmcp.ErrUnauthenticated
	}
	return principal, nil
}

func (f *httpFront) Call(t *testing.T, name string, args json.RawMessage, as *cap.Principal) adaptertest.Answer {
	var headers []string
	if as != nil {
		text, err := json.Marshal(as)
		require.NoError(t, err)
		headers = append(headers, principalHeader, string(text))
	}
	w := post(t, f.handler, f.version, callOf(f.version, 1, name, string(args)), headers...)
	return answerOf(t, replyIn(t, w), w.Body.Bytes())
}

// Leaves implements adaptertest.Limited.
func (f *httpFront) Leaves(row string) string {
	switch row {
	case "authenticated without a principal", "identity comes before the input", "a scope without a principal",
		"a scope that the principal lacks", "scopes come before the input", "identity comes before the gate":
		return "over HTTP the request itself is answered with 401 or 403, as OAuth asks; TestChallenges holds that"
	default:
		return ""
	}
}

// answerOf puts together what a client learnt.
func answerOf(t *testing.T, r reply, raw []byte) adaptertest.Answer {
	t.Helper()
	if r.Error != nil {
		// A tool that does not exist is an error of the protocol.
		require.Equal(t, -32602, r.Error.Code)
		return adaptertest.Answer{Raw: raw, Error: &cap.Error{Code: cap.CodeCapabilityNotFound, RequestID: "none"}}
	}
	result := r.tool(t)
	if result.IsError {
		return adaptertest.Answer{Raw: raw, Error: result.failure(t)}
	}
	require.Len(t, result.Content, 1)
	require.Equal(t, string(result.Structured), result.Content[0].Text, "the text is the structured content")
	answer := adaptertest.Answer{Output: result.Structured, Raw: raw}
	if cites, ok := result.Meta["cap/cites"]; ok {
		require.NoError(t, json.Unmarshal(cites, &answer.Cites))
	}
	return answer
}
