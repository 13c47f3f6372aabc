package approval

import (
	"context"
	"errors"
	"time"

	"github.com/seed-369ec62e/cap"
)

// A Store keeps approvals, approvers and the audit log. It must be safe for concurrent use, also by several processes where
// it lasts longer than one. Package storetest holds what every store must do.
type Store interface {
	// View runs read on one consistent state. Everything of Tx that writes fails.
	View(ctx context.Context, read func(Tx) error) error
	// Update runs change alone: no other Update, of any process, overlaps it. If change returns an error or panics, nothing
	// of it remains. When Update returns nil, what it wrote outlives the process and the machine.
	Update(ctx context.Context, change func(Tx) error) error
}

// Tx is a store inside one transaction. It is used by one goroutine and not after the transaction.
type Tx interface {
	// Now is the store's clock, by which everything expires: one clock for all processes. It keeps microseconds.
	Now() (time.Time, error)

	// Get returns the record of that id, or ErrNoRecord.
	Get(id string) (Record, error)
	// Find returns records, newest first.
	Find(query Query) ([]Record, error)
	// Put inserts a record whose Version is 0, and otherwise replaces the one of exactly that Version; it stores the next
	// Version. It returns ErrConflict if there is no such record, or for an insertion already one.
	Put(record Record) error

	// Approvers returns everybody who was ever an approver, by id.
	Approvers() ([]Approver, error)
	// PutApprover inserts or replaces the approver of that id.
	PutApprover(approver Approver) error

	// Log returns audit entries after that number, in order.
	Log(after int64, limit int) ([]Entry, error)
	// Head returns the last audit entry; its Seq is 0 if there is none.
	Head() (Entry, error)
	// Append adds an entry to the log. Entries are never changed.
	Append(entry Entry) error

	// Key returns the store's own secret. If it has none yet, it keeps fresh; in a View, it returns nil.
	Key(fresh []byte) ([]byte, error)
}

// What a store returns.
var (
	ErrNoRecord = errors.New("approval: no record has this id")
	ErrConflict = errors.New("approval: the record was changed meanwhile")
	ErrReadOnly = errors.New("approval: a view cannot write")
)

// Query selects records. Zero fields select everything.
type Query struct {
	States    []cap.ApprovalState
	Audiences []string
	Binding   string
	Requester string
	Tenant    string
	Due       time.Time // records whose Expires is not after it
	Limit     int
}
