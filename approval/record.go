package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Record is one approval as it is stored. ID is the digest of what was asked for, so that a record whose terms were edited
// is found out.
type Record struct {
	ID       string            `json:"id"`
	Version  int64             `json:"version"`
	State    cap.ApprovalState `json:"state"`
	Binding  string            `json:"binding"`  // digest of the action; equal for equal requests
	Audience string            `json:"audience"` // application and environment
	Nonce    string            `json:"nonce"`
	Quorum   int               `json:"quorum"` // how many approvers must agree
	Created  time.Time         `json:"created"`
	Expires  time.Time         `json:"expires"`
	Text     string            `json:"text"` // what is shown, word for word
	Action   cap.Action        `json:"action"`

	Decisions []cap.Decision `json:"decisions,omitempty"`
	Refusals  int            `json:"refusals,omitempty"` // tries that were refused and logged
	Attempt   string         `json:"attempt,omitempty"`
	Started   time.Time      `json:"started,omitzero"`
	Finished  time.Time      `json:"finished,omitzero"`
	Outcome   *cap.Outcome   `json:"outcome,omitempty"`
}

// envelope is what an approval's id stands for. Every field of it is bound.
type envelope struct {
	Format   string    `json:"format"`
	Audience string    `json:"audience"`
	Binding  string    `json:"binding"`
	Text     string    `json:"text"`
	Nonce    string    `json:"nonce"`
	Quorum   int       `json:"quorum"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires"`
}

func (r *Record) envelope() envelope {
	return envelope{
		Format: "1", Audience: r.Audience, Binding: r.Binding, Text: digest("text", []byte(r.Text)),
		Nonce: r.Nonce, Quorum: r.Quorum, Created: r.Created.UTC(), Expires: r.Expires.UTC(),
	}
}

func (e envelope) id() (string, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	return digest("approval", data), nil
}

// errEdited is returned for a record that is not what its id stands for.
var errEdited = errors.New("approval: the stored record was edited")

// check reports whether the record is still what its id stands for.
func (r *Record) check() error {
	id, err := r.envelope().id()
	if err != nil {
		return err
	}
	binding, err := bindingOf(r.Action)
	if err != nil {
		return err
	}
	if id != r.ID || binding != r.Binding {
		return fmt.Errorf("%w: %s", errEdited, r.ID)
	}
	return nil
}

// approval is the record as adapters see it; it shares nothing with r that changes.
func (r *Record) approval() cap.Approval {
	return cap.Approval{
		ID: r.ID, State: r.State, Action: r.Action, Text: r.Text, Created: r.Created, Expires: r.Expires,
		Decisions: slices.Clone(r.Decisions), Outcome: r.Outcome,
	}
}

// bindingOf digests everything of an action that an approval is for: all but where it came from and what the caller said.
func bindingOf(action cap.Action) (string, error) {
	action.Source, action.Reason = "", ""
	data, err := json.Marshal(action)
	if err != nil {
		return "", err
	}
	return digest("binding", data), nil
}

// sameCall reports whether an action is what a finished approval ran: the same call by the same requester. Preconditions, and
// with them what is shown, may have changed since, not least by the action itself.
func (r *Record) sameCall(action cap.Action) bool {
	return r.Action.Capability == action.Capability && r.Action.Input == action.Input && r.sameRequester(action)
}

func (r *Record) sameRequester(action cap.Action) bool {
	was, now := r.Action.Requester, action.Requester
	return was.ID == now.ID && was.Kind == now.Kind && was.OnBehalfOf == now.OnBehalfOf && was.Tenant == now.Tenant
}

// difference names, for the audit log alone, the first part in which an action is not the one that was agreed to.
func (r *Record) difference(action cap.Action) string {
	was := r.Action
	switch {
	case was.Capability != action.Capability:
		return "capability"
	case was.Contract != action.Contract || was.Effect != action.Effect || was.Reversible != action.Reversible:
		return "contract"
	case was.Input != action.Input:
		return "input"
	case !r.sameRequester(action):
		return "requester"
	case was.State != action.State:
		return "preconditions"
	case was.Shown != action.Shown:
		return "text"
	default:
		return "action"
	}
}

// digest keeps apart, by a label, what is digested for different ends.
func digest(label string, data []byte) string {
	h := sha256.New()
	h.Write([]byte("cap/approval/" + label + "/v1\x00"))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
