package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Options sets up a [Gate]. The zero value works. Its functions may be asked while the store is locked: they must not call
// the gate. One that panics refuses.
type Options struct {
	// Audience is the application and its environment, such as "shop/production": no approval of one holds in another.
	Audience string

	// Keys seal challenges and the digests of secrets, at least 32 bytes each. The first one seals, all are accepted. Without
	// any, the store makes one and keeps it, so that all processes of a store have the same.
	Keys [][]byte

	// WriteTTL and HostTTL are how long a request stands; 10 minutes and 24 hours, at most 7 days.
	WriteTTL, HostTTL time.Duration

	// Lease is how long a started action may take to report before its outcome counts as unknown; 15 minutes. Make it longer
	// than the longest handler.
	Lease time.Duration

	// MaxPending is how many requests of one requester may wait at the same time; 100.
	MaxPending int

	// SelfConfirm reports whether the requesting person may agree to a Write by sending back the challenge that came with
	// the refusal. Nil means yes, unless the call came through MCP, where an agent holds what the person is sent. The gate
	// asks it only about a Write whose requester is human and acts for nobody else.
	SelfConfirm func(action cap.Action) bool

	// AllowSelf reports whether an approver may decide a Host action that they asked for themselves. Nil means no.
	AllowSelf func(action cap.Action) bool

	// Quorum is how many approvers must agree to an action. Nil, and anything below 1, means 1. One denial is enough to deny.
	Quorum func(action cap.Action) int

	// MayDecide reports whether a principal is an approver of an action, now: it is asked at the decision, and again before
	// the action begins. Nil means the approvers that the store keeps; see [Gate.AddApprover].
	MayDecide func(ctx context.Context, approver cap.Principal, action cap.Action) (bool, error)

	// Policy has the last word before an approved action begins. An error refuses.
	Policy func(ctx context.Context, action cap.Action) error
}

const (
	defaultWriteTTL   = 10 * time.Minute
	defaultHostTTL    = 24 * time.Hour
	maxTTL            = 7 * 24 * time.Hour
	defaultLease      = 15 * time.Minute
	defaultMaxPending = 100
	minKey            = 32
)

// Gate is a [cap.Gate] and a [cap.Approvals] over a [Store]. It is safe for concurrent use.
type Gate struct {
	store   Store
	options Options

	mu   sync.Mutex
	keys []key // loaded when first needed
}

var (
	_ cap.Gate      = (*Gate)(nil)
	_ cap.Approvals = (*Gate)(nil)
)

// New returns a gate over a store. It fails if an option makes no sense; the store is not asked yet.
func New(store Store, options Options) (*Gate, error) {
	if store == nil {
		return nil, errors.New("approval: the store is nil (pass approval.Memory(), or a store of approval/sqlstore)")
	}
	options.WriteTTL = orDefault(options.WriteTTL, defaultWriteTTL)
	options.HostTTL = orDefault(options.HostTTL, defaultHostTTL)
	options.Lease = orDefault(options.Lease, defaultLease)
	if options.MaxPending == 0 {
		options.MaxPending = defaultMaxPending
	}
	for _, ttl := range []time.Duration{options.WriteTTL, options.HostTTL} {
		if ttl < microseconds || ttl > maxTTL {
			return nil, fmt.Errorf("approval: a request cannot stand for %v (want up to %v)", ttl, maxTTL)
		}
	}
	if options.Lease < microseconds || options.MaxPending < 0 {
		return nil, errors.New("approval: Lease and MaxPending must not be negative")
	}
	g := &Gate{store: store, options: options}
	for _, secret := range options.Keys {
		if len(secret) < minKey {
			return nil, fmt.Errorf("approval: a key has %d bytes (want at least %d)", len(secret), minKey)
		}
		g.keys = append(g.keys, newKey(secret))
	}
	return g, nil
}

func orDefault(value, otherwise time.Duration) time.Duration {
	if value == 0 {
		return otherwise
	}
	return value
}

// tx is a transaction with what every step of the gate needs.
type tx struct {
	Tx
	ctx  context.Context
	gate *Gate
	now  time.Time
	head Entry
	keys []key
}

// update runs change in a transaction of its own, after what time has decided. A panic in it, of a store or of one of the
// options, is an error like any other.
func (g *Gate) update(ctx context.Context, change func(*tx) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("approval: panic: %v", value)
		}
	}()
	var keys []key
	err = g.store.Update(ctx, func(store Tx) error {
		t := &tx{Tx: store, ctx: ctx, gate: g}
		if err := t.open(); err != nil {
			return err
		}
		if err := t.sweep(); err != nil {
			return err
		}
		keys = t.keys
		return change(t)
	})
	if err == nil {
		g.keep(keys)
	}
	return err
}

// clockSlack is how far a clock may go back without anybody noticing. Where it is further behind the log, it was the log's
// last entry that was ahead of its time, and to wait for the clock would let nothing expire.
const clockSlack = time.Hour

// open reads clock, log and keys. A clock that went back a little does not wake what has expired.
func (t *tx) open() (err error) {
	if t.head, err = t.Head(); err != nil {
		return err
	}
	if t.now, err = t.Now(); err != nil {
		return err
	}
	t.now = t.now.UTC().Truncate(microseconds)
	if t.now.Before(t.head.At) && t.head.At.Sub(t.now) <= clockSlack {
		t.now = t.head.At
	}
	t.keys = t.gate.known()
	if t.keys != nil {
		return nil
	}
	fresh := make([]byte, minKey)
	if _, err := rand.Read(fresh); err != nil {
		return err
	}
	secret, err := t.Key(fresh)
	if err != nil {
		return err
	}
	if len(secret) < minKey {
		return errors.New("approval: the store's key is too short")
	}
	t.keys = []key{newKey(secret)}
	return nil
}

func (g *Gate) known() []key {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.keys
}

// keep remembers the keys once the store has kept them.
func (g *Gate) keep(keys []key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.keys == nil {
		g.keys = keys
	}
}

// List returns approvals, newest first.
func (g *Gate) List(ctx context.Context, query cap.ApprovalQuery) ([]cap.Approval, error) {
	if len(query.States) == 0 {
		query.States = []cap.ApprovalState{cap.ApprovalPending}
	}
	if query.Limit <= 0 {
		query.Limit = 100
	}
	var list []cap.Approval
	err := g.update(ctx, func(t *tx) error {
		find := t.query(slices.Clone(query.States)...)
		find.Requester, find.Tenant, find.Limit = query.Requester, query.Tenant, query.Limit
		records, err := t.Find(find)
		for i := range records {
			// A record that was edited is nothing to decide on; Verify tells of it.
			if records[i].check() == nil {
				list = append(list, records[i].approval())
			}
		}
		return err
	})
	return list, err
}

// Show returns one approval, or [cap.ErrApprovalNotFound].
func (g *Gate) Show(ctx context.Context, id string) (cap.Approval, error) {
	var shown cap.Approval
	err := g.update(ctx, func(t *tx) error {
		record, err := t.load(id)
		if err == nil {
			shown = record.approval()
		}
		return err
	})
	return shown, err
}

// load returns a record of the gate's audience that is what its id stands for.
func (t *tx) load(id string) (*Record, error) {
	// What is no id is not looked up: a database may refuse the text, which would look like a defect.
	if !isID(id) {
		return nil, cap.ErrApprovalNotFound
	}
	record, err := t.Get(id)
	if errors.Is(err, ErrNoRecord) {
		return nil, cap.ErrApprovalNotFound
	}
	if err != nil {
		return nil, err
	}
	if err := record.check(); err != nil {
		return nil, err
	}
	if record.Audience != t.gate.options.Audience {
		return nil, cap.ErrApprovalNotFound
	}
	return &record, nil
}

// idLength is the length of an approval's id: a SHA-256 in hex.
const idLength = 64

func isID(s string) bool { return len(s) == idLength && strings.Trim(s, "0123456789abcdef") == "" }
