package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/captest"
)

// Outcome is an input that says how its call ends.
type Outcome struct {
	cap.Read[Text] `cap:"End as it is told; access=public; timeout=20ms"`

	_ cap.Fails[Broken]

	How string `json:"how" cap:"How the call ends" validate:"oneof=failure output timeout defect"`
}

// Text is the output of all.
type Text struct {
	Text string `json:"text" cap:"At most one letter" validate:"max=1"`
}

// Broken is a declared failure.
type Broken struct {
	_ cap.Failure `cap:"It is broken; fix=Repair it."`
}

func (Broken) Error() string { return "It is broken." }

// Known is for callers with a credential, Scoped for those with a scope.
type (
	Known struct {
		cap.Read[cap.None] `cap:"Want a principal; access=authenticated"`
	}
	Scoped struct {
		cap.Read[cap.None] `cap:"Want a scope; access=authenticated; scope=all"`
	}
	Gated struct {
		cap.Write[cap.None] `cap:"Want an agreement; access=public; reversible"`
	}
	Hosted struct {
		cap.Host[cap.None] `cap:"Want an approver; access=public; irreversible"`
	}
)

// Describe implements [cap.Describer].
func (Gated) Describe() cap.PendingAction { return pendingOfCodes() }

// Describe implements [cap.Describer].
func (Hosted) Describe() cap.PendingAction { return pendingOfCodes() }

func pendingOfCodes() cap.PendingAction {
	return cap.PendingAction{Verb: "do", Target: cap.ObjectRef{Product: "codes", Kind: "thing", ID: "1"}}
}

type codes struct{}

func (codes) Outcome(ctx context.Context, in Outcome) (Text, error) {
	switch in.How {
	case "failure":
		return Text{}, Broken{}
	case "output":
		return Text{Text: "too long"}, nil
	case "timeout":
		<-ctx.Done()
		return Text{}, ctx.Err()
	default:
		return Text{}, errors.New("what nobody outside sees")
	}
}
func (codes) Known(context.Context, Known) (cap.None, error)   { return cap.None{}, nil }
func (codes) Scoped(context.Context, Scoped) (cap.None, error) { return cap.None{}, nil }
func (codes) Gated(context.Context, Gated) (cap.None, error)   { return cap.None{}, nil }
func (codes) Hosted(context.Context, Hosted) (cap.None, error) { return cap.None{}, nil }

// A codeCase is a call that ends with a code, made over every front.
type codeCase struct {
	code       cap.Code
	when       string
	capability string
	args       string
	as         *cap.Principal
	approval   string
}

var codeCases = []codeCase{
	{cap.CodeCapabilityNotFound, "there is no such capability, or it is not shown to this caller", "nothing", `{}`, nil, ""},
	{cap.CodeInputInvalid, "the input does not fit; all issues are named", "outcome", `{"how":"well"}`, nil, ""},
	{cap.CodeInputInvalid, "the input is no JSON document that can be read in one way only", "outcome", `{"how":"defect","how":"output"}`, nil, ""},
	{cap.CodeUnauthenticated, "a principal is needed", "known", `{}`, nil, ""},
	{cap.CodeForbidden, "a scope is missing, or the rule refused", "scoped", `{}`, captest.Person("ana"), ""},
	{cap.CodeConfirmationRequired, "a Write that nobody has agreed to", "gated", `{}`, captest.Person("ana"), ""},
	{cap.CodeConfirmationRequired, "a Host that no approver has agreed to", "hosted", `{}`, captest.Person("ana"), ""},
	{cap.CodeConfirmationInvalid, "what was agreed to is another action, or no longer stands", "gated", `{}`, captest.Person("ana"), strings.Repeat("0", 64)},
	{cap.CodeCapabilityFailed, "a declared failure", "outcome", `{"how":"failure"}`, nil, ""},
	{cap.CodeOutputInvalid, "the handler's output breaks its own contract", "outcome", `{"how":"output"}`, nil, ""},
	{cap.CodeCancelled, "the timeout was up, or the caller went away", "outcome", `{"how":"timeout"}`, nil, ""},
	{cap.CodeExecutionFailed, "a defect: any other error, or a panic", "outcome", `{"how":"defect"}`, nil, ""},
}

func codesRegistry(t *testing.T) *cap.Registry {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	registry := cap.New(cap.Options{Name: "codes", Gate: gate})
	require.NoError(t, registry.Register(codes{}))
	return registry
}

// codeRows makes every call in process and over all fronts, and writes down what they answered.
func codeRows(t *testing.T) []string {
	t.Helper()
	registry := codesRegistry(t)
	rows := make([]string, len(codeCases))
	for i, c := range codeCases {
		_, err := registry.Invoke(t.Context(), c.capability, json.RawMessage(c.args), cap.CallOptions{
			Principal: c.as, Confirmation: cap.Confirmation{Approval: c.approval},
		})
		failed := captest.RequireCode(t, err, c.code)
		if c.code == cap.CodeCapabilityFailed {
			failed.Message = "*the failure's own*"
		}
		rows[i] = fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", c.code, failed.Message,
			c.overHTTP(t, registry), c.overCLI(t, registry), c.overMCP(t, registry), c.when)
	}
	return rows
}

func (c codeCase) overHTTP(t *testing.T, registry *cap.Registry) string {
	t.Helper()
	api, err := caphttp.New(registry, caphttp.Options{
		Authenticate: func(*http.Request) (*cap.Principal, error) { return c.as, nil },
	})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/capabilities/"+c.capability, strings.NewReader(c.args))
	r.Header.Set("Content-Type", "application/json")
	if c.approval != "" {
		r.Header.Set("Cap-Approval", c.approval)
	}
	api.ServeHTTP(w, r)
	return strconv.Itoa(w.Code)
}

func (c codeCase) overCLI(t *testing.T, registry *cap.Registry) string {
	t.Helper()
	program, err := capcli.New(registry, capcli.Options{
		Authenticate: func(context.Context) (*cap.Principal, error) { return c.as, nil },
	})
	require.NoError(t, err)
	args := []string{c.capability, "--input", c.args}
	if c.approval != "" {
		args = append(args, "--approval", c.approval)
	}
	var out bytes.Buffer
	return strconv.Itoa(program.Run(t.Context(), args, capcli.Streams{In: strings.NewReader(""), Out: &out, Err: &out}))
}

func (c codeCase) overMCP(t *testing.T, registry *cap.Registry) string {
	t.Helper()
	adapter, err := capmcp.New(registry, capmcp.Options{Principal: c.as})
	require.NoError(t, err)
	ours, theirs := mcp.NewInMemoryTransports()
	_, err = adapter.Connect(t.Context(), ours)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	params := &mcp.CallToolParams{Name: c.capability, Arguments: json.RawMessage(c.args)}
	if c.approval != "" {
		params.Meta = mcp.Meta{"cap/approval": c.approval}
	}
	result, err := session.CallTool(t.Context(), params)
	if err != nil {
		return "protocol error"
	}
	require.True(t, result.IsError)
	return "`isError`"
}
