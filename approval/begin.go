package approval

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// Begin implements [cap.Gate]. A call that holds nothing joins an equal request of the same requester, or makes one.
func (g *Gate) Begin(ctx context.Context, action cap.Action, given cap.Confirmation) (cap.Attempt, error) {
	var verdict verdict
	err := g.update(ctx, func(t *tx) (err error) {
		verdict, err = t.begin(action, given)
		return err
	})
	if err != nil {
		return nil, err
	}
	if verdict.refused != nil {
		return nil, verdict.refused
	}
	return verdict.attempt, nil
}

// verdict is what came of a transaction that is kept: a refusal leaves its trace in the log.
type verdict struct {
	attempt *attempt
	refused error
}

// begin finds the record that a call is about, and goes by its state.
func (t *tx) begin(action cap.Action, given cap.Confirmation) (verdict, error) {
	binding, size, err := checkedBinding(action)
	if err != nil {
		return verdict{}, err
	}
	if size > maxAction {
		return verdict{refused: unstored(action, fmt.Sprintf("the action takes %d bytes, which nobody can read", size))}, nil
	}
	if given == (cap.Confirmation{}) {
		return t.join(action, binding)
	}
	record, err := t.named(given)
	if errors.Is(err, cap.ErrApprovalNotFound) {
		return invalid("nothing known is named"), nil
	}
	if err != nil {
		return verdict{}, err
	}
	switch record.State {
	case cap.ApprovalSucceeded, cap.ApprovalFailed, cap.ApprovalStarted, cap.ApprovalUnknown:
		return t.replay(record, action)
	case cap.ApprovalPending, cap.ApprovalApproved:
		if record.Binding != binding {
			return t.refuse(record, action, "the call differs in its "+record.difference(action))
		}
	default:
		return t.refuse(record, action, "it is "+string(record.State))
	}
	if given.Challenge != "" && record.State == cap.ApprovalPending {
		return t.confirm(record, action)
	}
	return t.proceed(record, action)
}

// maxAction is how many bytes an action may take: a person has to read it, and the store to keep it.
const maxAction = 1 << 20

// checkedBinding digests an action that is fit to be stored: what is read back is what was digested.
func checkedBinding(action cap.Action) (binding string, size int, err error) {
	if action.Effect != cap.EffectWrite && action.Effect != cap.EffectHost {
		return "", 0, fmt.Errorf("approval: an action of effect %q needs no approval", action.Effect)
	}
	if binding, err = bindingOf(action); err != nil {
		return "", 0, err
	}
	data, err := json.Marshal(action)
	if err != nil {
		return "", 0, err
	}
	var stored cap.Action
	if err := json.Unmarshal(data, &stored); err != nil {
		return "", 0, err
	}
	if again, err := bindingOf(stored); err != nil || again != binding {
		return "", 0, errors.New("approval: the action changes when it is stored")
	}
	return binding, len(data), nil
}

// named finds the record of what a caller holds. One who holds both an approval and a challenge means one request.
func (t *tx) named(given cap.Confirmation) (*Record, error) {
	id := given.Approval
	if given.Challenge != "" {
		challenged, ok := t.challenged(given.Challenge)
		if !ok || (id != "" && id != challenged) {
			return nil, cap.ErrApprovalNotFound
		}
		id = challenged
	}
	return t.load(id)
}

// join goes by an equal request that waits or was agreed to, or makes one.
func (t *tx) join(action cap.Action, binding string) (verdict, error) {
	query := t.query(cap.ApprovalPending, cap.ApprovalApproved)
	query.Binding = binding
	equal, err := t.Find(query)
	if err != nil {
		return verdict{}, err
	}
	for i := range equal {
		record := &equal[i]
		if record.check() != nil {
			continue // it was edited, so it stands for nothing; Verify tells of it
		}
		v, err := t.proceed(record, action)
		if err != nil || record.State != cap.ApprovalCancelled {
			return v, err
		}
	}
	record, err := t.propose(action, binding)
	if err != nil {
		return verdict{}, err
	}
	if record == nil {
		return verdict{refused: unstored(action, fmt.Sprintf("the requester has %d requests waiting, or long ones", t.gate.options.MaxPending))}, nil
	}
	return t.required(record, action)
}

// unstored says what has to be agreed to, where nobody can: no request was stored.
func unstored(action cap.Action, why string) error {
	return fmt.Errorf("approval: %s: %w", why, &cap.ConfirmationRequired{Action: action})
}

// proceed begins what was agreed to, and says what is missing otherwise.
func (t *tx) proceed(record *Record, action cap.Action) (verdict, error) {
	if record.State == cap.ApprovalPending {
		return t.required(record, action)
	}
	if why, err := t.fallen(record); err != nil || why != "" {
		if err == nil {
			err = t.change(record, cap.ApprovalCancelled, Entry{Event: EventCancelled, Note: why, Source: action.Source})
		}
		return invalid(why), err
	}
	if t.gate.options.Policy != nil {
		if err := t.gate.options.Policy(t.ctx, action); err != nil {
			return t.refuse(record, action, "the policy refused it")
		}
	}
	return t.start(record, action)
}

// fallen says why an approved record no longer stands: somebody who agreed may not any more.
func (t *tx) fallen(record *Record) (why string, err error) {
	agreed := 0
	for _, d := range record.Decisions {
		if d.Verdict != cap.VerdictApprove {
			continue
		}
		err := t.mayDecide(d.Approver, record.Action)
		switch {
		case err == nil:
			agreed++
		case !errors.Is(err, cap.ErrApproverRefused):
			return "", err
		}
	}
	if agreed < record.Quorum {
		return "an approver may not decide any more", nil
	}
	return "", nil
}

// start takes the approval, before the effect.
func (t *tx) start(record *Record, action cap.Action) (verdict, error) {
	id, err := random()
	if err != nil {
		return verdict{}, err
	}
	record.Attempt, record.Started = id, t.now
	if err := t.change(record, cap.ApprovalStarted, Entry{Event: EventStarted, Source: action.Source}); err != nil {
		return verdict{}, err
	}
	return verdict{attempt: &attempt{gate: t.gate, approval: record.ID, id: id}}, nil
}

// replay gives the stored answer to the call that it was given to, and to no other.
func (t *tx) replay(record *Record, action cap.Action) (verdict, error) {
	if !record.sameCall(action) {
		return t.refuse(record, action, "the call differs in its "+record.difference(action))
	}
	outcome := cap.Outcome{State: cap.OutcomeUnknown}
	if record.Outcome != nil {
		outcome = *record.Outcome
	}
	return verdict{refused: &cap.AlreadyRan{Outcome: outcome}}, nil
}

// required says what has to be agreed to, and how. Only who may agree by a challenge gets one.
func (t *tx) required(record *Record, action cap.Action) (verdict, error) {
	required := &cap.ConfirmationRequired{Action: action, Approval: record.ID, Expires: record.Expires}
	if t.gate.maySelfConfirm(action) {
		challenge, err := t.challengeFor(record)
		if err != nil {
			return verdict{}, err
		}
		required.Challenge = challenge
	}
	return verdict{refused: required}, nil
}

// refuse notes what was tried. The caller learns only that it was refused.
func (t *tx) refuse(record *Record, action cap.Action, why string) (verdict, error) {
	err := t.logRefusal(record, Entry{Note: why, Source: action.Source})
	return invalid(why), err
}

// maxRefusals is how many refusals of one approval are logged: nobody can fill the log by trying.
const maxRefusals = 100

func (t *tx) logRefusal(record *Record, entry Entry) error {
	if record.Refusals >= maxRefusals {
		return nil
	}
	record.Refusals++
	entry.Event = EventRefused
	return t.save(record, entry)
}

func invalid(why string) verdict {
	return verdict{refused: fmt.Errorf("approval: %s: %w", why, &cap.ConfirmationInvalid{})}
}

// confirm agrees to a request for the person who made it, and begins it.
func (t *tx) confirm(record *Record, action cap.Action) (verdict, error) {
	if !t.gate.maySelfConfirm(action) {
		return t.refuse(record, action, "its requester may not confirm it by a challenge")
	}
	decision := cap.Decision{Verdict: cap.VerdictApprove, Approver: action.Requester, Method: "challenge"}
	if err := t.decide(record, decision); err != nil {
		return verdict{}, err
	}
	return t.proceed(record, action)
}

// propose stores a new request. It returns nil if the requester has too many already.
func (t *tx) propose(action cap.Action, binding string) (*Record, error) {
	waiting, size, err := t.waiting(action.Requester)
	if err != nil || waiting >= t.gate.options.MaxPending || waiting > 0 && size+sizeOf(action) > maxWaiting {
		return nil, err
	}
	nonce, err := random()
	if err != nil {
		return nil, err
	}
	ttl := t.gate.options.WriteTTL
	if action.Effect == cap.EffectHost {
		ttl = t.gate.options.HostTTL
	}
	record := &Record{
		State: cap.ApprovalPending, Binding: binding, Audience: t.gate.options.Audience, Nonce: nonce,
		Quorum: t.gate.quorum(action), Created: t.now, Expires: t.now.Add(ttl).Truncate(microseconds), Action: action,
	}
	before, err := t.lost(action)
	if err != nil {
		return nil, err
	}
	record.Text = textOf(record, before)
	if record.ID, err = record.envelope().id(); err != nil {
		return nil, err
	}
	return record, t.save(record, Entry{Event: EventProposed})
}

// maxWaiting is how many bytes of values one requester's requests may hold together: each new one is held against all of
// them, and everybody waits meanwhile.
const maxWaiting = 2 << 20

// sizeOf is about how much an action takes.
func sizeOf(action cap.Action) int {
	size := len(action.Reason)
	for _, argument := range action.Arguments {
		size += len(argument.JSON)
	}
	for name, text := range action.Pending.Args {
		size += len(name) + len(text)
	}
	return size
}

// waiting counts the requests of one requester that wait for a decision, and how much they take.
func (t *tx) waiting(requester cap.Principal) (count, size int, err error) {
	query := t.query(cap.ApprovalPending)
	query.Requester, query.Tenant = requester.ID, requester.Tenant
	records, err := t.Find(query)
	for i := range records {
		// An empty name selects everybody; here it is the one who did not sign in.
		if who := records[i].Action.Requester; who.ID == requester.ID && who.Tenant == requester.Tenant {
			count++
			size += sizeOf(records[i].Action)
		}
	}
	return count, size, err
}

// lost returns the id of an equal action that was begun before and of which nobody knows how it ended, or "".
func (t *tx) lost(action cap.Action) (string, error) {
	open, err := t.Find(t.query(cap.ApprovalStarted, cap.ApprovalUnknown))
	if err != nil {
		return "", err
	}
	for i := range open {
		was := open[i].Action
		if was.Capability == action.Capability && was.Input == action.Input && was.Requester.Tenant == action.Requester.Tenant {
			return open[i].ID, nil
		}
	}
	return "", nil
}

// textOf is what is shown of a request: the core's text of the action, what an approver should know, and until when it
// stands.
func textOf(r *Record, lost string) string {
	text := r.Action.Text()
	if lost != "" {
		text += "Attention: an equal action was begun before, and nobody knows how it ended: approval " + lost + "\n"
	}
	text += "Expires: " + r.Expires.UTC().Format("2006-01-02 15:04:05 UTC") + "\n"
	if r.Quorum > 1 {
		text += fmt.Sprintf("Needed: %d approvers\n", r.Quorum)
	}
	return text
}

func (g *Gate) quorum(action cap.Action) int {
	if g.options.Quorum == nil {
		return 1
	}
	return max(1, g.options.Quorum(action))
}

// random returns 128 random bits in hex.
func random() (string, error) {
	data := make([]byte, 16)
	if _, err := rand.Read(data); err != nil {
		return "", err
	}
	return hex.EncodeToString(data), nil
}

// throughMCP reports whether a call came through an MCP front: what it is answered with, an agent reads.
func throughMCP(source string) bool {
	return source == "mcp" || strings.HasPrefix(source, "mcp-")
}
