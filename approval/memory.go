package approval

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Memory returns a store that forgets when the process ends: for tests, and for programs that ask and run in one go.
func Memory() Store { return &memory{} }

// memory keeps everything as JSON, so that nothing is shared with those who read and write.
type memory struct {
	mu    sync.Mutex
	state memoryState
}

// memoryState is replaced as a whole by an Update that succeeds.
type memoryState struct {
	order     []string // ids of records, as they were inserted
	records   map[string]memoryRecord
	approvers map[string]Approver
	log       []Entry
	key       []byte
}

func (m *memory) View(ctx context.Context, read func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return read(&memoryTx{state: &m.state, readOnly: true})
}

func (m *memory) Update(ctx context.Context, change func(Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &memoryTx{state: &m.state}
	kept := false
	defer func() {
		if !kept {
			t.rollBack()
		}
	}()
	err := change(t)
	kept = err == nil
	return err
}

// memoryRecord is a record as JSON, and what it is found by.
type memoryRecord struct {
	data              []byte
	version           int64
	state             cap.ApprovalState
	binding, audience string
	requester, tenant string
	expires           time.Time
}

func (r *memoryRecord) decode() (record Record, err error) {
	err = json.Unmarshal(r.data, &record)
	return record, err
}

// selects reports whether a record is one of those asked for.
func (q Query) selects(r *memoryRecord) bool {
	return (len(q.States) == 0 || slices.Contains(q.States, r.state)) &&
		(len(q.Audiences) == 0 || slices.Contains(q.Audiences, r.audience)) &&
		(q.Binding == "" || q.Binding == r.binding) &&
		(q.Requester == "" || q.Requester == r.requester) &&
		(q.Tenant == "" || q.Tenant == r.tenant) &&
		(q.Due.IsZero() || !r.expires.After(q.Due))
}

type memoryTx struct {
	state    *memoryState
	readOnly bool
	undo     []func()
}

// rollBack undoes what was written, last first.
func (t *memoryTx) rollBack() {
	for _, undo := range slices.Backward(t.undo) {
		undo()
	}
}

func (t *memoryTx) Now() (time.Time, error) { return time.Now().UTC().Truncate(microseconds), nil }

func (t *memoryTx) Get(id string) (Record, error) {
	stored, ok := t.state.records[id]
	if !ok {
		return Record{}, ErrNoRecord
	}
	return stored.decode()
}

func (t *memoryTx) Find(query Query) ([]Record, error) {
	var found []Record
	for _, id := range slices.Backward(t.state.order) {
		stored := t.state.records[id]
		if !query.selects(&stored) {
			continue
		}
		record, err := stored.decode()
		if err != nil {
			return nil, err
		}
		if found = append(found, record); len(found) == query.Limit {
			break
		}
	}
	return found, nil
}

func (t *memoryTx) Put(r Record) error {
	if t.readOnly {
		return ErrReadOnly
	}
	s := t.state
	before, exists := s.records[r.ID]
	if before.version != r.Version {
		return ErrConflict
	}
	r.Version++
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if s.records == nil {
		s.records = make(map[string]memoryRecord)
	}
	if exists {
		t.undo = append(t.undo, func() { s.records[r.ID] = before })
	} else {
		s.order = append(s.order, r.ID)
		t.undo = append(t.undo, func() {
			s.order = s.order[:len(s.order)-1]
			delete(s.records, r.ID)
		})
	}
	s.records[r.ID] = memoryRecord{
		data: data, version: r.Version, state: r.State, binding: r.Binding, audience: r.Audience,
		requester: r.Action.Requester.ID, tenant: r.Action.Requester.Tenant, expires: r.Expires,
	}
	return nil
}

func (t *memoryTx) Approvers() ([]Approver, error) {
	list := make([]Approver, 0, len(t.state.approvers))
	for _, a := range t.state.approvers {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b Approver) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

func (t *memoryTx) PutApprover(a Approver) error {
	if t.readOnly {
		return ErrReadOnly
	}
	s := t.state
	if s.approvers == nil {
		s.approvers = make(map[string]Approver)
	}
	before, exists := s.approvers[a.ID]
	t.undo = append(t.undo, func() {
		if exists {
			s.approvers[a.ID] = before
			return
		}
		delete(s.approvers, a.ID)
	})
	s.approvers[a.ID] = a
	return nil
}

func (t *memoryTx) Log(after int64, limit int) ([]Entry, error) {
	log := t.state.log
	from := min(max(after, 0), int64(len(log)))
	to := min(from+int64(max(limit, 0)), int64(len(log)))
	return slices.Clone(log[from:to]), nil
}

func (t *memoryTx) Head() (Entry, error) {
	if len(t.state.log) == 0 {
		return Entry{}, nil
	}
	return t.state.log[len(t.state.log)-1], nil
}

func (t *memoryTx) Append(e Entry) error {
	if t.readOnly {
		return ErrReadOnly
	}
	s := t.state
	if e.Seq != int64(len(s.log))+1 {
		return ErrConflict
	}
	s.log = append(s.log, e)
	t.undo = append(t.undo, func() { s.log = s.log[:len(s.log)-1] })
	return nil
}

func (t *memoryTx) Key(fresh []byte) ([]byte, error) {
	s := t.state
	if s.key == nil && !t.readOnly {
		s.key = slices.Clone(fresh)
		t.undo = append(t.undo, func() { s.key = nil })
	}
	return slices.Clone(s.key), nil
}

// Forgets reports whether the store is [Memory], so that nobody can decide in another process. Programs warn of it.
func (g *Gate) Forgets() bool {
	_, inMemory := g.store.(*memory)
	return inMemory
}
