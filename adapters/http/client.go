package caphttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// Client calls the capabilities of a [Handler] by their contracts; see [Call]. Make one with [NewClient]. It is safe for
// concurrent use.
type Client struct {
	base    *url.URL
	options ClientOptions
}

// ClientOptions sets up a [Client]. The zero value works.
type ClientOptions struct {
	// HTTP sends the requests. Nil means http.DefaultClient. Give it a timeout, or every call a context that ends.
	HTTP *http.Client

	// Authorize adds credentials to each request, such as an Authorization header.
	Authorize func(*http.Request) error

	// MaxAnswer is how many bytes an answer may have. 0 means 32 MiB.
	MaxAnswer int64
}

const defaultMaxAnswer = 32 << 20

// NewClient returns a client for what is mounted at a URL, such as "https://shop.example/api". At most one ClientOptions is
// used.
func NewClient(baseURL string, options ...ClientOptions) (*Client, error) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("caphttp: %w", err)
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("caphttp: %q is no URL of a server (write it like https://shop.example/api)", baseURL)
	}
	c := &Client{base: base}
	if len(options) > 0 {
		c.options = options[0]
	}
	if c.options.HTTP == nil {
		c.options.HTTP = http.DefaultClient
	}
	if c.options.MaxAnswer == 0 {
		c.options.MaxAnswer = defaultMaxAnswer
	}
	return c, nil
}

// CallOptions says more about one call. The zero value works.
type CallOptions struct {
	// Name is the capability's name on the server, where it is mounted under another than the contract's.
	Name string
	// Confirmation is what the caller holds for a Write or Host call.
	Confirmation cap.Confirmation
	// Reason is why the caller wants this, in its own words.
	Reason string
	// IdempotencyKey makes the call safe to send again: the server runs it once and gives the same answer.
	IdempotencyKey string
	// RequestID follows the call through logs. Empty lets the server make one.
	RequestID string
}

// Call calls the capability of a contract on a server, and returns its output:
//
//	order, err := caphttp.Call(ctx, client, GetOrder{Order: "SO-1042"})
//
// An error that the server answered with is a *[CallError]: errors.As finds in it the *[cap.Error], a declared failure as
// its Go type, and for a call that has to be agreed to first the *[cap.ConfirmationRequired]. At most one CallOptions is
// used.
func Call[In cap.Contract[Out], Out any](ctx context.Context, client *Client, in In, options ...CallOptions) (Out, error) {
	var out Out
	contract, err := cap.ContractOf[In]()
	if err != nil {
		return out, err
	}
	args, err := contract.Encode(in)
	if err != nil {
		return out, err
	}
	var o CallOptions
	if len(options) > 0 {
		o = options[0]
	}
	output, err := client.call(ctx, contract, args, o)
	if err != nil {
		return out, err
	}
	return out, contract.DecodeOutput(output, &out)
}

// CallError is an error that a server answered with, or what became of a call that got no answer.
type CallError struct {
	// Status is the answer's; 0 if there was none.
	Status int
	// Problem is the answer's body. Where the server is none of ours it has a code and a title only.
	Problem Problem

	causes []error
}

func (e *CallError) Error() string {
	for _, cause := range e.causes {
		if failed, ok := errors.AsType[*cap.Error](cause); ok {
			return failed.Error()
		}
	}
	return string(e.Problem.Code) + ": " + e.Problem.Title
}

// Unwrap gives the *[cap.Error], and beside it the declared failure or the *[cap.ConfirmationRequired].
func (e *CallError) Unwrap() []error { return e.causes }

// call sends one call and reads its answer.
func (c *Client) call(ctx context.Context, contract *cap.ContractInfo, args json.RawMessage, o CallOptions) (json.RawMessage, error) {
	name := o.Name
	if name == "" {
		name = contract.Name()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath("capabilities", name).String(), bytes.NewReader(args))
	if err != nil {
		return nil, fmt.Errorf("caphttp: %w", err)
	}
	o.setHeaders(r.Header)
	TraceFrom(ctx).setHeaders(r.Header)
	if c.options.Authorize != nil {
		if err := c.options.Authorize(r); err != nil {
			return nil, fmt.Errorf("caphttp: authorize: %w", err)
		}
	}
	response, err := c.options.HTTP.Do(r)
	if err != nil {
		return nil, unanswered(contract, err, wasDialing(err))
	}
	defer func() { _ = response.Body.Close() }() // it was read, or is given up
	body, err := io.ReadAll(io.LimitReader(response.Body, c.options.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, unanswered(contract, err, false)
	case int64(len(body)) > c.options.MaxAnswer:
		return nil, unanswered(contract, fmt.Errorf("caphttp: the answer is larger than %d bytes", c.options.MaxAnswer), false)
	}
	return readAnswer(contract, response, body)
}

func (o CallOptions) setHeaders(header http.Header) {
	header.Set("Content-Type", typeJSON)
	header.Set("Accept", typeJSON+", "+typeProblem)
	for _, h := range []struct{ name, value string }{
		{headerConfirm, o.Confirmation.Challenge},
		{headerApproval, o.Confirmation.Approval},
		{headerReason, o.Reason},
		{headerIdempotencyKey, o.IdempotencyKey},
		{headerRequestID, o.RequestID},
	} {
		if h.value != "" {
			header.Set(h.name, h.value)
		}
	}
}

// wasDialing reports whether no connection was made, so that nothing was sent.
func wasDialing(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// unanswered is the error of a call without an answer. Nobody knows what a Write or Host that was sent has done.
func unanswered(contract *cap.ContractInfo, err error, unsent bool) error {
	failed := &cap.Error{Code: cap.CodeExecutionFailed, Message: "The server did not answer.", Capability: contract.Name()}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		failed.Code, failed.Message, failed.Reason = cap.CodeCancelled, "Capability execution was cancelled.", cap.ReasonCaller
	}
	if !unsent && contract.Effect() != cap.EffectRead {
		failed.Effect = cap.EffectUnknown
	}
	return &CallError{
		Problem: Problem{Title: failed.Message, Code: failed.Code, Capability: failed.Capability, Reason: failed.Reason, Effect: failed.Effect},
		causes:  []error{failed, err},
	}
}

// readAnswer reads what the server answered.
func readAnswer(contract *cap.ContractInfo, response *http.Response, body []byte) (json.RawMessage, error) {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		mediaType = ""
	}
	if response.StatusCode == http.StatusOK && mediaType == typeJSON {
		var answer struct {
			Output json.RawMessage `json:"output"`
		}
		if err := json.Unmarshal(body, &answer); err == nil && answer.Output != nil {
			return answer.Output, nil
		}
		return nil, unanswered(contract, errors.New("caphttp: the answer is not that of a call"), false)
	}
	var problem Problem
	if mediaType != typeProblem && mediaType != typeJSON || json.Unmarshal(body, &problem) != nil || problem.Code == "" {
		return nil, foreign(contract, response.StatusCode)
	}
	return nil, callError(contract, response.StatusCode, problem)
}

// foreign is the error of an answer that is none of ours, such as a proxy's.
func foreign(contract *cap.ContractInfo, status int) error {
	e := unanswered(contract, fmt.Errorf("caphttp: the server answered %d without a problem of ours", status), status >= 400 && status < 500)
	if failed, ok := errors.AsType[*CallError](e); ok {
		failed.Status = status
	}
	return e
}

// callError makes the error that the server answered with again.
func callError(contract *cap.ContractInfo, status int, p Problem) error {
	failed := &cap.Error{
		Code: p.Code, Message: p.Title, Capability: p.Capability, RequestID: p.RequestID, OmittedIssues: p.OmittedErrors,
		Reason: p.Reason, Tag: p.Tag, Fix: p.Fix, Retry: p.RetryAfter, Failure: p.Failure, Effect: p.Effect, Confirmation: p.Confirmation,
	}
	for _, issue := range p.Errors {
		failed.Issues = append(failed.Issues, issue.Issue)
	}
	e := &CallError{Status: status, Problem: p, causes: []error{failed}}
	if p.Code == cap.CodeCapabilityFailed {
		if failure := contract.DecodeFailure(p.Tag, p.Failure); failure != nil {
			e.causes = append(e.causes, failure)
		}
	}
	if p.Confirmation != nil {
		e.causes = append(e.causes, p.Confirmation)
	}
	return e
}

// BearerToken makes an Authorize for [ClientOptions] of one token.
func BearerToken(token string) func(*http.Request) error {
	return func(r *http.Request) error {
		if token == "" || strings.ContainsAny(token, " \r\n") {
			return errors.New("the token is empty, or has blanks in it")
		}
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}
