package caphttp

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap"
)

// Headers with which a caller says that an action was agreed to, and why it is wanted.
const (
	headerConfirm  = "Cap-Confirm"  // the challenge of the 428 before
	headerApproval = "Cap-Approval" // the id of an approval that was decided elsewhere; in an answer, the one that was used
	headerReason   = "Cap-Reason"   // the caller's own words, which an approver sees as unchecked
	headerReplayed = "Cap-Replayed" // in an answer: nothing ran now, this is the stored answer of the approval
)

// maxReason is how long a caller's reason may be, in bytes.
const maxReason = 1000

// confirmation reads what the caller holds.
func confirmation(header http.Header) (cap.Confirmation, error) {
	given := cap.Confirmation{Approval: header.Get(headerApproval), Challenge: header.Get(headerConfirm)}
	if len(header.Values(headerApproval)) > 1 || len(header.Values(headerConfirm)) > 1 {
		return given, badRequest("Cap-Approval and Cap-Confirm must be there once.")
	}
	return given, nil
}

func reason(header http.Header) (string, error) {
	text := header.Get(headerReason)
	if len(text) > maxReason || !utf8.ValidString(text) {
		return "", badRequest("Cap-Reason must be UTF-8 of at most 1000 bytes.")
	}
	return text, nil
}

// preview is what a person would be asked to agree to.
type preview struct {
	Action cap.Action `json:"action"`
	Text   string     `json:"text"` // the action, word for word as it is shown
}

// servePreview answers with the action of a Write or Host call. Nothing runs, and nothing is asked of anybody.
func (h *Handler) servePreview(x *exchange) error {
	c, ok := h.served(x.values[0])
	if !ok || c.Effect() == cap.EffectRead {
		return notFound()
	}
	x.called = c
	options, err := h.callOptions(x)
	if err != nil {
		return err
	}
	var args []byte
	if mayCall(x.principal, c) {
		if args, err = h.readJSON(x); err != nil {
			return err
		}
	}
	action, err := h.registry.Prepare(x.r.Context(), c.Name(), args, options)
	if err != nil {
		return err
	}
	return x.replyJSON(preview{action, action.Text()})
}

const (
	// maxActionBytes is how long the values of an action may be together in an answer that asks for an agreement. They are
	// what the caller has sent, and no refusal is to be longer than what drew it.
	maxActionBytes = 16 << 10
	// maxValueBytes is how long one of them may be where all of them are too long.
	maxValueBytes = 1 << 10
)

// boundConfirmation leaves long values out of an action whose values are too long. The text that a person is shown has a
// digest for each of them.
func boundConfirmation(required *cap.ConfirmationRequired) *cap.ConfirmationRequired {
	if required == nil {
		return nil
	}
	size := 0
	for _, argument := range required.Action.Arguments {
		size += len(argument.JSON)
	}
	for _, text := range required.Action.Pending.Args {
		size += len(text)
	}
	if size <= maxActionBytes {
		return required
	}
	bound := *required
	bound.Action.Arguments = slices.Clone(bound.Action.Arguments)
	for i := range bound.Action.Arguments {
		if len(bound.Action.Arguments[i].JSON) > maxValueBytes {
			bound.Action.Arguments[i].JSON = nil
		}
	}
	bound.Action.Pending.Args = maps.Clone(bound.Action.Pending.Args)
	maps.DeleteFunc(bound.Action.Pending.Args, func(_, text string) bool { return len(text) > maxValueBytes })
	return &bound
}

// isPending reports whether an error means that somebody else is being asked: that answers 202 and says where to look.
func isPending(failed *cap.Error) bool {
	c := failed.Confirmation
	return c != nil && c.Action.Effect == cap.EffectHost && c.Approval != ""
}

// noGateText says why there is nothing to confirm.
const noGateText = "This service has no gate, so nobody can agree to the call."

// addNext says what the caller of a Write or Host call can do that nobody has agreed to.
func (s *site) addNext(x *exchange, failed *cap.Error, p *Problem) {
	if failed.Code != cap.CodeConfirmationRequired {
		return
	}
	required := failed.Confirmation
	if required == nil {
		p.Detail = noGateText
		return
	}
	if s.options.ApprovalURL != nil && required.Approval != "" {
		p.ApproveAt = s.options.ApprovalURL(required.Approval)
	}
	p.Next = nextText(required, p.ApproveAt != "", isPending(failed) && x.principal != nil)
}

func nextText(required *cap.ConfirmationRequired, hasPage, hasLocation bool) string {
	text := "Nothing has happened yet."
	if required.Challenge != "" {
		text += " Show the text to the person who asks; if they agree, send the same request again with Cap-Confirm: the challenge."
	}
	if required.Approval == "" {
		return text
	}
	where := ""
	if hasPage {
		where = " at approveAt"
	}
	if required.Challenge != "" {
		text += " Or let an approver decide" + where + ", and then send it again with Cap-Approval: the approval."
	} else {
		text += " An approver decides" + where + "; then send the same request again with Cap-Approval: the approval."
	}
	if hasLocation {
		text += " Location says how it stands."
	}
	return text
}

// up leads from the request's path to where the handler is mounted.
func (x *exchange) up() string { return strings.Repeat("../", strings.Count(x.route.pattern, "/")-1) }

// status is where a request for agreement stands, as the one who asked sees it.
type status struct {
	ID         string            `json:"id"`
	State      cap.ApprovalState `json:"state"`
	Capability string            `json:"capability"`
	Created    time.Time         `json:"created"`
	Expires    time.Time         `json:"expires"`
	Text       string            `json:"text"`
}

// serveStatus answers the one who asked. For everybody else there is no such approval.
func (h *Handler) serveStatus(x *exchange) error {
	if err := checkAccept(x.r.Header, typeJSON); err != nil {
		return err
	}
	approval, err := h.options.Approvals.Show(x.r.Context(), x.values[0])
	switch {
	case errors.Is(err, cap.ErrApprovalNotFound), err == nil && !isRequester(x.principal, approval.Action.Requester):
		return notFound()
	case err != nil:
		return err
	}
	return x.replyJSON(status{
		ID: approval.ID, State: approval.State, Capability: approval.Action.Capability,
		Created: approval.Created, Expires: approval.Expires, Text: approval.Text,
	})
}

func isRequester(p *cap.Principal, requester cap.Principal) bool {
	return p != nil && p.ID == requester.ID && p.Kind == requester.Kind && p.Tenant == requester.Tenant && p.OnBehalfOf == requester.OnBehalfOf
}
