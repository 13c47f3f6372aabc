package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Event says what an audit entry tells of.
type Event string

// The events of the audit log.
const (
	EventProposed   Event = "proposed"
	EventDecided    Event = "decided"
	EventStarted    Event = "started"
	EventFinished   Event = "finished"
	EventUnknown    Event = "unknown"
	EventReconciled Event = "reconciled"
	EventExpired    Event = "expired"
	EventCancelled  Event = "cancelled"
	EventRefused    Event = "refused" // somebody tried; Note says for insiders why it was refused
	EventApprover   Event = "approver"
)

// Entry is one line of the audit log. Hash is the SHA-256 of the label "cap/approval/audit/v1", a zero byte, and the JSON of
// the entry without its Hash; Prev is the Hash before it. No entry holds an input, an output or a secret.
type Entry struct {
	Seq  int64     `json:"seq"`
	Prev string    `json:"prev"`
	At   time.Time `json:"at"`

	Event Event             `json:"event"`
	State cap.ApprovalState `json:"state,omitempty"` // of the approval, after the event

	Approval   string `json:"approval,omitempty"`
	Capability string `json:"capability,omitempty"`
	Contract   string `json:"contract,omitempty"`
	Input      string `json:"input,omitempty"`
	Shown      string `json:"shown,omitempty"` // digest of the text, word for word
	Requester  string `json:"requester,omitempty"`
	OnBehalfOf string `json:"onBehalfOf,omitempty"`
	Tenant     string `json:"tenant,omitempty"`
	Source     string `json:"source,omitempty"`

	Approver string      `json:"approver,omitempty"`
	Verdict  cap.Verdict `json:"verdict,omitempty"`
	Method   string      `json:"method,omitempty"`
	Reason   string      `json:"reason,omitempty"` // the approver's words

	Attempt string   `json:"attempt,omitempty"`
	Code    cap.Code `json:"code,omitempty"` // how the attempt ended, if not well
	Tag     string   `json:"tag,omitempty"`
	Note    string   `json:"note,omitempty"`

	Hash string `json:"hash"`
}

// hash digests an entry.
func (e Entry) hash() (string, error) {
	e.Hash, e.At = "", e.At.UTC()
	data, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	return digest("audit", data), nil
}

// log appends an entry about a record; r may be nil.
func (t *tx) log(r *Record, entry Entry) error {
	if r != nil {
		a := r.Action
		entry.State, entry.Approval, entry.Capability, entry.Contract = r.State, r.ID, a.Capability, a.Contract
		entry.Input, entry.Shown = a.Input, digest("text", []byte(r.Text))
		entry.Requester, entry.OnBehalfOf, entry.Tenant = a.Requester.ID, a.Requester.OnBehalfOf, a.Requester.Tenant
		if entry.Source == "" {
			entry.Source = a.Source
		}
		entry.Attempt = r.Attempt
	}
	entry.Seq, entry.Prev, entry.At = t.head.Seq+1, t.head.Hash, t.now
	var err error
	if entry.Hash, err = entry.hash(); err != nil {
		return err
	}
	if err := t.Append(entry); err != nil {
		return err
	}
	t.head = entry
	return nil
}

// Head is where the audit log ends. Keep one elsewhere, a log line for example, and [Gate.Verify] shows whether the log was
// cut since.
type Head struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// AuditError says where the audit log is broken.
type AuditError struct {
	Seq  int64 // the first entry that is wrong
	What string
}

func (e *AuditError) Error() string {
	return fmt.Sprintf("approval: audit entry %d: %s", e.Seq, e.What)
}

// auditBatch is how many entries are read at a time.
const auditBatch = 500

// Verify reads the whole audit log, and returns where it ends. It finds entries that were edited, swapped or removed, a log
// that was cut since one of the known heads, and approvals whose state is not what the log says. What it finds is an
// *[AuditError].
func (g *Gate) Verify(ctx context.Context, known ...Head) (Head, error) {
	var head Head
	err := g.store.View(ctx, func(t Tx) error {
		v := verifier{known: known, states: make(map[string]Entry)}
		if err := v.read(t); err != nil {
			return err
		}
		head = v.head
		return v.compare(t)
	})
	return head, err
}

// Log returns audit entries after that number, in order, at most limit.
func (g *Gate) Log(ctx context.Context, after int64, limit int) (entries []Entry, err error) {
	err = g.store.View(ctx, func(t Tx) error {
		entries, err = t.Log(after, limit)
		return err
	})
	return entries, err
}

type verifier struct {
	known  []Head
	head   Head
	states map[string]Entry // the last entry of each approval
}

func (v *verifier) read(t Tx) error {
	for {
		entries, err := t.Log(v.head.Seq, auditBatch)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return v.checkCut()
		}
		for _, e := range entries {
			if err := v.take(e); err != nil {
				return err
			}
		}
	}
}

func (v *verifier) take(e Entry) error {
	hash, err := e.hash()
	switch {
	case err != nil:
		return err
	case e.Seq != v.head.Seq+1:
		return &AuditError{v.head.Seq + 1, "is missing"}
	case e.Prev != v.head.Hash:
		return &AuditError{e.Seq, "does not follow the one before it"}
	case e.Hash != hash:
		return &AuditError{e.Seq, "was edited"}
	}
	v.head = Head{Seq: e.Seq, Hash: e.Hash}
	for _, known := range v.known {
		if known.Seq == e.Seq && known.Hash != e.Hash {
			return &AuditError{e.Seq, "is another than the known one"}
		}
	}
	if e.Approval != "" {
		v.states[e.Approval] = e
	}
	return nil
}

func (v *verifier) checkCut() error {
	for _, known := range v.known {
		if known.Seq > v.head.Seq {
			return &AuditError{v.head.Seq + 1, "is missing: the log was cut"}
		}
	}
	return nil
}

// compare holds the approvals against the log.
func (v *verifier) compare(t Tx) error {
	records, err := t.Find(Query{})
	if err != nil {
		return err
	}
	for i := range records {
		record := &records[i]
		entry, logged := v.states[record.ID]
		delete(v.states, record.ID)
		switch {
		case !logged:
			return &AuditError{v.head.Seq + 1, "is missing: no entry tells of approval " + record.ID}
		case record.check() != nil:
			return &AuditError{entry.Seq, "tells of approval " + record.ID + ", which was edited since"}
		case record.State != entry.State || record.Attempt != entry.Attempt:
			return &AuditError{entry.Seq, fmt.Sprintf("says that approval %s is %s, but it is %s", record.ID, entry.State, record.State)}
		}
	}
	for id, entry := range v.states {
		return &AuditError{entry.Seq, "tells of approval " + id + ", which is gone"}
	}
	return nil
}
