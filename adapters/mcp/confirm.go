package capmcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-369ec62e/cap"
)

// A Write or Host call that nobody has agreed to yet is answered in the best way that the client understands. Where it can
// show a person a page, it is asked to; the decision is made there, never by the answer to the question. Otherwise the
// answer is an error that a model can act on: what is asked, where a person decides, and that an equal call joins the
// request. There is no tool that approves.

// Ways of asking, as the protocol names them.
const (
	modeURL  = "url"
	modeForm = "form"
)

// question is the name of the one question that the adapter asks.
const question = "approval"

// defaultPatience is how long an answer to a question is good where the gate does not say how long the request stands.
const defaultPatience = 15 * time.Minute

// verdict is what a person's client said to a question.
type verdict string

const (
	verdictNone     verdict = ""         // nothing was asked
	verdictAgreed   verdict = "agreed"   // the page was opened, or the form says yes
	verdictRefused  verdict = "refused"  // the form says no
	verdictDeclined verdict = "declined" // the person did not want to answer
)

// resume reads what a call brings back from a question of the era without sessions.
func (a *Adapter) resume(req *mcp.CallToolRequest, t *tool, who *caller) (cap.Confirmation, verdict, error) {
	given := cap.Confirmation{Approval: metaText(req, metaApproval)}
	if req.Params.RequestState == "" {
		return given, verdictNone, nil
	}
	about, err := a.seal.open(req.Params.RequestState, t, who)
	if err != nil {
		return given, verdictNone, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	given.Approval = about.Approval
	response, ok := req.Params.InputResponses[question].(*mcp.ElicitResult)
	if !ok || response == nil {
		// The state came back without an answer: the same as a first call that names its approval.
		return given, verdictNone, nil
	}
	said := read(response, about.Mode, about.Code)
	if said == verdictAgreed && about.Mode == modeForm {
		given.Challenge = about.Challenge
	}
	return given, said, nil
}

// read says what an answer means.
func read(response *mcp.ElicitResult, mode, code string) verdict {
	switch {
	case response.Action != "accept":
		return verdictDeclined
	case mode == modeURL:
		return verdictAgreed
	}
	decision, _ := response.Content["decision"].(string)
	typed, _ := response.Content["code"].(string)
	if decision == string(cap.VerdictApprove) && sameCode(typed, code) {
		return verdictAgreed
	}
	return verdictRefused
}

// ask answers a call that has to be agreed to: by asking the client, if that has not been done and it can be asked, and
// else by saying how a person agrees.
func (a *Adapter) ask(ctx context.Context, c *attempt, required *cap.Error) *answer {
	mode, params := a.questionFor(c, required.Confirmation)
	switch {
	case mode == "":
		return a.pendingAnswer(required, pendingText(a.approvalURL(required.Confirmation)))
	case isModern(c.req):
		return a.questionAnswer(c, mode, params, required.Confirmation)
	}
	said, ok := a.elicit(ctx, c.req.Session, params, required.Confirmation)
	if !ok {
		return a.pendingAnswer(required, pendingText(a.approvalURL(required.Confirmation)))
	}
	switch verdict := read(said, mode, codeIn(required.Confirmation)); verdict {
	case verdictAgreed:
		c.said = verdict
		c.options.Confirmation.Approval = required.Confirmation.Approval
		if mode == modeForm {
			c.options.Confirmation.Challenge = required.Confirmation.Challenge
		}
		return a.settleAttempt(ctx, c)
	default:
		return a.pendingAnswer(required, refusedText(verdict))
	}
}

// questionFor chooses how a client can be asked. The mode is "" where it cannot.
func (a *Adapter) questionFor(c *attempt, required *cap.ConfirmationRequired) (mode string, params *mcp.ElicitParams) {
	capabilities := c.req.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil || required.Approval == "" || !c.canAsk() {
		return "", nil
	}
	can := capabilities.Elicitation
	page := a.approvalURL(required)
	switch {
	case can.URL != nil && page != "":
		return modeURL, &mcp.ElicitParams{
			Mode: modeURL, URL: page, ElicitationID: required.Approval,
			Message: "Please look at this action and decide on the page:\n\n" + required.Action.Text(),
		}
	case a.mayUseForm(required) && (can.Form != nil || can.URL == nil):
		return modeForm, &mcp.ElicitParams{
			Mode: modeForm, RequestedSchema: formSchema(),
			Message: required.Action.Text() + "\nTo approve, choose approve and type the code.",
		}
	default:
		return "", nil
	}
}

// mayUseForm reports whether the client may be trusted to have shown a form to a person. It is never for what acts with the
// host's power or cannot be undone, and only where the operator says so, here and in the gate.
func (a *Adapter) mayUseForm(required *cap.ConfirmationRequired) bool {
	return a.options.TrustClientForms && required.Challenge != "" && required.Action.Effect == cap.EffectWrite &&
		required.Action.Reversible && codeIn(required) != ""
}

func formSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"decision":{"type":"string","title":"Decision","enum":["approve","deny"]},` +
		`"code":{"type":"string","title":"Code","description":"The code that stands in the question","maxLength":32}},` +
		`"required":["decision"]}`)
}

// elicit asks over the session of the older era, and waits. ok is false when the client could not be asked after all.
func (a *Adapter) elicit(ctx context.Context, session *mcp.ServerSession, params *mcp.ElicitParams, required *cap.ConfirmationRequired) (*mcp.ElicitResult, bool) {
	ctx, cancel := context.WithDeadline(ctx, expiryOf(required))
	defer cancel()
	result, err := session.Elicit(ctx, params)
	if err != nil {
		a.options.Logger.Debug("the client could not be asked", "error", err)
		return nil, false
	}
	return result, result != nil
}

func expiryOf(required *cap.ConfirmationRequired) time.Time {
	usual := time.Now().Add(defaultPatience)
	if required.Expires.IsZero() || required.Expires.After(usual) {
		return usual
	}
	return required.Expires
}

// questionAnswer asks in the era without sessions: the client calls again with the answer and the state.
func (a *Adapter) questionAnswer(c *attempt, mode string, params *mcp.ElicitParams, required *cap.ConfirmationRequired) *answer {
	about := asked{Approval: required.Approval, Mode: mode, Expires: expiryOf(required)}
	if mode == modeForm {
		about.Challenge, about.Code = required.Challenge, codeIn(required)
	}
	request := appendMember([]byte("{"), "method", []byte(`"elicitation/create"`))
	request = append(appendMember(request, "params", marshal(params)), '}')
	return &answer{
		questions: append(appendMember([]byte("{"), question, request), '}'),
		state:     a.seal.close(about, c.tool, c.who),
	}
}

// refusal is the error of a call that has to be agreed to, and what to do about it.
type refusal struct {
	*cap.Error
	Asked     string `json:"asked,omitempty"`     // what a person is shown, word for word
	ApproveAt string `json:"approveAt,omitempty"` // where they decide
	Next      string `json:"next,omitempty"`      // what the caller can do
}

// pendingAnswer says that an action waits. The challenge is left out: it is for a person's own client, and this goes to a
// model.
func (a *Adapter) pendingAnswer(failed *cap.Error, next string) *answer {
	shown := *failed
	r := refusal{Error: &shown, Next: next}
	if failed.Confirmation != nil {
		required := *failed.Confirmation
		r.Asked, r.ApproveAt = required.Action.Text(), a.approvalURL(&required)
		required.Challenge, required.Action = "", boundAction(required.Action)
		shown.Confirmation = &required
	}
	return failedWith(marshal(r))
}

// declinedAnswer ends a call whose question was not answered with yes.
func (a *Adapter) declinedAnswer(t *tool, said verdict) *answer {
	return a.pendingAnswer(&cap.Error{
		Code: cap.CodeConfirmationRequired, Message: "The action must be confirmed first.", Capability: t.name, RequestID: rand.Text(),
	}, refusedText(said))
}

func pendingText(page string) string {
	where := "with the program's own means"
	if page != "" {
		where = "at approveAt"
	}
	return "Nothing has happened yet. Tell the person what is asked and let them decide " + where +
		". Then call this tool again with the same arguments: the call joins this request. There is no tool that approves."
}

// noGateText ends what a model would otherwise try again.
const noGateText = "Nothing has happened. This program has no gate, so nobody can agree to the call: do not call this tool again."

func refusedText(said verdict) string {
	if said == verdictRefused {
		return "Nothing has happened. The person said no: do not call this tool again with these arguments."
	}
	return "Nothing has happened. The person did not answer: call this tool again only if they ask for it."
}

func (a *Adapter) approvalURL(required *cap.ConfirmationRequired) string {
	if a.options.ApprovalURL == nil || required == nil || required.Approval == "" {
		return ""
	}
	return a.options.ApprovalURL(required.Approval)
}

// codeIn finds the short code in the text that a person is shown.
func codeIn(required *cap.ConfirmationRequired) string {
	_, code, _ := strings.Cut(required.Action.Text(), "\nCode: ")
	code, _, _ = strings.Cut(code, "\n")
	return strings.TrimSpace(code)
}

// sameCode compares codes as people type them.
func sameCode(typed, code string) bool {
	plain := strings.NewReplacer("-", "", " ", "")
	return code != "" && strings.EqualFold(plain.Replace(typed), plain.Replace(code))
}
