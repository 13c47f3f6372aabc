package caphttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap"
)

const (
	typeJSON    = "application/json"
	typeProblem = "application/problem+json"
	typeHTML    = "text/html; charset=utf-8"
)

// Problem is the body of every answer that is an error (RFC 9457). Status and Code say what happened on every front; the
// rest is there where it has something to say.
type Problem struct {
	Type       string   `json:"type"`
	Title      string   `json:"title"`
	Status     int      `json:"status"`
	Detail     string   `json:"detail,omitempty"`
	Code       cap.Code `json:"code"`
	Capability string   `json:"capability,omitempty"`
	RequestID  string   `json:"requestId"`

	// Errors are the faults of the input; OmittedErrors counts those that did not fit.
	Errors        []ProblemIssue `json:"errors,omitempty"`
	OmittedErrors int            `json:"omittedErrors,omitempty"`

	// Reason, Tag, Fix, RetryAfter and Failure are those of a declared failure; Reason also says why a call was cancelled. Texts
	// are cut at 1 KiB; Failure is whole.
	Reason     string          `json:"reason,omitempty"`
	Tag        string          `json:"tag,omitempty"`
	Fix        string          `json:"fix,omitempty"`
	RetryAfter string          `json:"retryAfter,omitempty"`
	Failure    json.RawMessage `json:"failure,omitempty"`

	// Effect is "unknown" where a handler with an effect had started: do not repeat the call blindly.
	Effect string `json:"effect,omitempty"`

	// Confirmation is what has to be agreed to first; Text is the same as a person is shown it, word for word.
	Confirmation *cap.ConfirmationRequired `json:"confirmation,omitempty"`
	Text         string                    `json:"text,omitempty"`
	// Next is what the caller can do about it, and ApproveAt where an approver decides, if the program says.
	Next      string `json:"next,omitempty"`
	ApproveAt string `json:"approveAt,omitempty"`
}

// ProblemIssue is one fault of an input, and where in the request it is: body, query, path or header.
type ProblemIssue struct {
	In string `json:"in,omitempty"`
	cap.Issue
}

// maxIssueBytes bounds what issues add to an answer. Pointers hold names that the caller chose.
const maxIssueBytes = 32 << 10

// issueOverhead is about what one issue takes beside its texts.
const issueOverhead = 64

// boundIssues keeps the issues that fit and counts the others. A pointer that is too long by itself becomes that of the
// nearest value around it that is not.
func boundIssues(issues []ProblemIssue) (kept []ProblemIssue, omitted int) {
	size := 0
	for i, issue := range issues {
		issue.Pointer = shortPointer(issue.Pointer)
		size += len(issue.Pointer) + len(issue.Rule) + len(issue.Param) + len(issue.Message) + issueOverhead
		if size > maxIssueBytes {
			return kept, len(issues) - i
		}
		kept = append(kept, issue)
	}
	return kept, 0
}

const maxPointer = 2 << 10

func shortPointer(pointer string) string {
	for len(pointer) > maxPointer {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return pointer
}

// problemOf is the one place where an error becomes a problem and headers. Every error of the handler passes here.
func (s *site) problemOf(x *exchange, err error) (Problem, http.Header) {
	header := make(http.Header)
	if f, ok := errors.AsType[*fault](err); ok {
		for name, values := range f.header {
			header[name] = values
		}
		issues, omitted := boundIssues(f.issues)
		return Problem{
			Type: s.typeOf(f.code, ""), Title: f.message, Status: f.status, Code: f.code, RequestID: x.id,
			Errors: issues, OmittedErrors: omitted,
		}, header
	}
	failed, ok := errors.AsType[*cap.Error](err)
	if !ok {
		s.report(x.r, err)
		failed = &cap.Error{Code: cap.CodeExecutionFailed, Message: "Capability execution failed."}
	}
	s.addHeaders(x, failed, header)
	fix := shortText(failed.Fix)
	p := Problem{
		Type: s.typeOf(failed.Code, failed.Tag), Title: shortText(failed.Message), Status: s.statusOf(failed), Code: failed.Code,
		Capability: failed.Capability, RequestID: x.id,
		Reason: shortText(failed.Reason), Tag: failed.Tag, Fix: fix, RetryAfter: failed.Retry, Failure: failed.Failure,
		Detail: fix, Effect: failed.Effect, Confirmation: failed.Confirmation,
	}
	s.addNext(x, failed, &p)
	p.Errors, p.OmittedErrors = boundIssues(x.locate(failed.Issues))
	p.OmittedErrors += failed.OmittedIssues
	if p.Confirmation != nil {
		p.Text = p.Confirmation.Action.Text()
	}
	return p, header
}

// maxText bounds each text of a failure.
const maxText = 1 << 10

// shortText cuts a text of a failure, never within a character. What a caller has sent comes back in several of them, and an
// answer must not be many times as long as what drew it. The value of a failure is whole: it is what the contract declares.
func shortText(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// pollSeconds is when a caller should try again: whether somebody has decided, or whether another server is there.
const pollSeconds = "5"

// typeOf is the URI of a kind of problem. Each declared failure has one of its own, so that clients can tell the bodies of
// one status apart by this member alone.
func (s *site) typeOf(code cap.Code, tag string) string {
	uri := s.options.ProblemBase + string(code)
	if tag != "" {
		uri += ":" + url.PathEscape(tag)
	}
	return uri
}

// addHeaders gives an error of a call the headers that its status asks for.
func (s *site) addHeaders(x *exchange, failed *cap.Error, header http.Header) {
	switch failed.Code {
	case cap.CodeUnauthenticated:
		header.Set("WWW-Authenticate", s.challenge(x))
	case cap.CodeForbidden:
		if challenge := s.scopeChallenge(x); challenge != "" {
			header.Set("WWW-Authenticate", challenge)
		}
	case cap.CodeConfirmationRequired:
		if isPending(failed) {
			if x.principal != nil { // nobody is told where the requests of an anonymous caller stand
				header.Set("Location", x.up()+"approvals/"+url.PathEscape(failed.Confirmation.Approval))
			}
			header.Set("Retry-After", pollSeconds)
		}
	case cap.CodeCancelled:
		if failed.Reason == ReasonShutdown {
			header.Set("Retry-After", pollSeconds)
			header.Set("Connection", "close")
		}
	default:
	}
	if retry, err := time.ParseDuration(failed.Retry); err == nil && retry > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(retry.Seconds()))))
	}
}

// encode writes v as JSON without escaping for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
