package caphttp

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap"
)

// ApprovalsOptions sets up an [ApprovalsHandler].
type ApprovalsOptions struct {
	// Prefix is the path that the handler is mounted under; see [Options.Prefix].
	Prefix string

	// Authenticate finds out who decides; see [Options.Authenticate]. It is required, and it must be another credential than
	// the one that callers use: whoever holds that could agree to what they asked for. It says of people that they are human;
	// nobody else may decide. [Tokens] makes one that browsers can use.
	Authenticate func(*http.Request) (*cap.Principal, error)

	// Challenge is the WWW-Authenticate header; see [Options.Challenge]. Empty asks browsers for a password.
	Challenge string

	// Key seals the forms of the pages, so that no other site can send one. All processes that serve the same people must have
	// the same, of at least 32 bytes. Nil makes one, which the next start does not know.
	Key []byte

	// Report is told of errors that no caller sees; see [Options.Report].
	Report func(*http.Request, error)
}

// ApprovalsHandler shows people what waits for their agreement, and takes their decisions:
//
//	GET  /approvals               what waits
//	GET  /approvals/{id}          one request: what will happen, word for word
//	POST /approvals/{id}/approve  agree, once
//	POST /approvals/{id}/deny     refuse
//
// Programs get JSON, browsers get pages that work without scripts. Mount it apart from the [Handler], with an authentication of
// its own. Nothing is ever decided by GET. Make one with [NewApprovals]; it is safe for concurrent use.
type ApprovalsHandler struct {
	site
	approvals cap.Approvals
	seal      formSeal
}

const (
	approvalsChallenge = `Basic realm="approvals", charset="UTF-8"`
	minKey             = 32
	maxListed          = 200
)

// NewApprovals returns a handler that decides through approvals, such as the gate of a registry.
func NewApprovals(approvals cap.Approvals, options ApprovalsOptions) (*ApprovalsHandler, error) {
	if options.Challenge == "" {
		options.Challenge = approvalsChallenge
	}
	shared := Options{Prefix: options.Prefix, Authenticate: options.Authenticate, Challenge: options.Challenge, Report: options.Report}
	h := &ApprovalsHandler{site: site{options: shared.withDefaults()}, approvals: approvals, seal: newFormSeal(options.Key)}
	var problems []cap.Problem
	report := func(what, do string) {
		problems = append(problems, cap.Problem{Where: "caphttp.ApprovalsOptions", What: what, Do: do})
	}
	if approvals == nil {
		report("there are no approvals to decide", "pass the gate of package approval")
	}
	if options.Authenticate == nil {
		report("Authenticate is nil, so anybody could agree", "say who decides, by another credential than the callers'")
	}
	if options.Key != nil && len(options.Key) < minKey {
		report("Key is shorter than 32 bytes", "make one with crypto/rand")
	}
	h.options.check(report)
	if len(problems) > 0 {
		return nil, &cap.RegistrationError{Problems: problems}
	}
	h.page = h.problemPage
	for _, r := range []*route{
		{method: "GET", pattern: "/approvals", serve: h.serveWaiting},
		{method: "GET", pattern: "/approvals/{id}", serve: h.serveOne},
		{method: "POST", pattern: "/approvals/{id}/approve", serve: h.serveDecision(cap.VerdictApprove)},
		{method: "POST", pattern: "/approvals/{id}/deny", serve: h.serveDecision(cap.VerdictDeny)},
	} {
		h.router.add(r)
	}
	return h, nil
}

// ServeHTTP serves one request.
func (h *ApprovalsHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.site.serveHTTP(w, r) }

// person returns who decides. What is no person may not even look.
func (h *ApprovalsHandler) person(x *exchange) (*cap.Principal, error) {
	switch p := x.principal; {
	case p == nil || p.ID == "":
		return nil, &cap.Error{Code: cap.CodeUnauthenticated, Message: "Authentication is required."}
	case p.Kind != cap.KindHuman || p.OnBehalfOf != "":
		return nil, &fault{status: http.StatusForbidden, code: cap.CodeForbidden, message: "Only a person who acts for themselves may decide."}
	default:
		return p, nil
	}
}

// serveWaiting lists what waits for a decision.
func (h *ApprovalsHandler) serveWaiting(x *exchange) error {
	person, err := h.person(x)
	if err != nil {
		return err
	}
	states, err := statesOf(x.r.URL.Query()["state"])
	if err != nil {
		return err
	}
	list, err := h.approvals.List(x.r.Context(), cap.ApprovalQuery{States: states, Tenant: person.Tenant, Limit: maxListed})
	if err != nil {
		return err
	}
	// An empty tenant in a query means every tenant, which is not what a person without one may see.
	list = slices.DeleteFunc(list, func(a cap.Approval) bool { return a.Action.Requester.Tenant != person.Tenant })
	if list == nil {
		list = []cap.Approval{}
	}
	if x.wantsPage() {
		return h.replyPage(x, "list", listPage{Approvals: list, Person: person.ID})
	}
	return x.replyJSON(map[string]any{"approvals": list})
}

var approvalStates = []cap.ApprovalState{
	cap.ApprovalPending, cap.ApprovalApproved, cap.ApprovalDenied, cap.ApprovalExpired, cap.ApprovalCancelled,
	cap.ApprovalStarted, cap.ApprovalSucceeded, cap.ApprovalFailed, cap.ApprovalUnknown,
}

func statesOf(values []string) ([]cap.ApprovalState, error) {
	var states []cap.ApprovalState
	for _, value := range values {
		state := cap.ApprovalState(value)
		if !slices.Contains(approvalStates, state) {
			return nil, badRequest("The parameter state names none.")
		}
		if !slices.Contains(states, state) {
			states = append(states, state)
		}
	}
	return states, nil
}

// show finds the approval of the path, if the person may see it.
func (h *ApprovalsHandler) show(x *exchange, person *cap.Principal) (cap.Approval, error) {
	approval, err := h.approvals.Show(x.r.Context(), x.values[0])
	if errors.Is(err, cap.ErrApprovalNotFound) || err == nil && approval.Action.Requester.Tenant != person.Tenant {
		return cap.Approval{}, notFound()
	}
	return approval, err
}

// serveOne shows one request.
func (h *ApprovalsHandler) serveOne(x *exchange) error {
	person, err := h.person(x)
	if err != nil {
		return err
	}
	approval, err := h.show(x, person)
	if err != nil {
		return err
	}
	if !x.wantsPage() {
		return x.replyJSON(approval)
	}
	return h.replyPage(x, "one", onePage{
		Approval: approval, Person: person.ID, Open: approval.State == cap.ApprovalPending,
		Token: h.seal.token(person.ID, approval.ID, time.Now()),
	})
}

// decisionInput is what an approver sends. Who they are is not among it.
type decisionInput struct {
	// Shown is the digest of what the approver was shown: nobody agrees to what they have not seen.
	Shown  string `json:"shown"`
	Reason string `json:"reason"`
}

// serveDecision takes a decision, as JSON or from the form of a page.
func (h *ApprovalsHandler) serveDecision(verdict cap.Verdict) func(*exchange) error {
	return func(x *exchange) error {
		person, err := h.person(x)
		if err != nil {
			return err
		}
		in, isForm, err := h.readDecision(x, person)
		if err != nil {
			return err
		}
		approval, err := h.show(x, person)
		if err != nil {
			return err
		}
		if in.Shown != approval.Action.Shown {
			return &fault{
				status: http.StatusPreconditionFailed, code: cap.CodeConfirmationInvalid,
				message: "What was shown is not what this request is about. Look at it again.",
			}
		}
		decided, err := h.approvals.Decide(x.r.Context(), approval.ID, cap.Decision{
			Verdict: verdict, Approver: *person, Method: source, Reason: in.Reason,
		})
		if err != nil {
			return decisionFault(err)
		}
		if isForm {
			x.w.Header().Set("Location", "../"+approval.ID)
			x.reply(http.StatusSeeOther, "", nil)
			return nil
		}
		return x.replyJSON(decided)
	}
}

// Codes of decisions that are refused.
const (
	CodeApprovalClosed  cap.Code = "APPROVAL_CLOSED"
	CodeApproverRefused cap.Code = "APPROVER_REFUSED"
)

func decisionFault(err error) error {
	switch {
	case errors.Is(err, cap.ErrApprovalNotFound):
		return notFound()
	case errors.Is(err, cap.ErrApproverRefused):
		return &fault{status: http.StatusForbidden, code: CodeApproverRefused, message: "You may not decide this request."}
	case errors.Is(err, cap.ErrApprovalClosed):
		return &fault{status: http.StatusConflict, code: CodeApprovalClosed, message: "This request can no longer be decided."}
	default:
		return err
	}
}

// maxDecision is how many characters an approver's reason may have.
const maxDecision = 1000

// readDecision reads what an approver sends. A form must bear the token of the page that it stands on.
func (h *ApprovalsHandler) readDecision(x *exchange, person *cap.Principal) (in decisionInput, isForm bool, err error) {
	if strings.HasPrefix(x.r.Header.Get("Content-Type"), typeForm) {
		in, err = h.readForm(x, person)
		return in, true, err
	}
	body, err := h.readJSON(x)
	if err != nil {
		return in, false, err
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return in, false, badRequest(`The body must be like {"shown":"…","reason":"…"}.`)
	}
	return in, false, checkReason(in.Reason)
}

func checkReason(text string) error {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxDecision {
		return badRequest("The reason must be UTF-8 of at most 1000 characters.")
	}
	return nil
}
