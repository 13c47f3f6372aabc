package caphttp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/seed-369ec62e/cap"
)

const (
	headerIdempotencyKey    = "Idempotency-Key"
	headerIdempotentReplay  = "Idempotent-Replayed"
	maxIdempotencyKey       = 255
	defaultIdempotencyTTL   = 24 * time.Hour
	idempotencyRetrySeconds = "1"
)

// Codes of calls with an Idempotency-Key that cannot be served.
const (
	CodeIdempotencyInProgress  cap.Code = "IDEMPOTENCY_IN_PROGRESS"
	CodeIdempotencyKeyReused   cap.Code = "IDEMPOTENCY_KEY_REUSED"
	CodeIdempotencyKeyRequired cap.Code = "IDEMPOTENCY_KEY_REQUIRED"
)

// What an [IdempotencyStore] says of a key that it does not give away.
var (
	ErrKeyReused  = errors.New("caphttp: the key was used with another input")
	ErrKeyRunning = errors.New("caphttp: a call with this key is running")
)

// IdempotencyStore keeps the answers of calls that came with an Idempotency-Key. It must be safe for concurrent use; keys are
// short texts of letters and digits, made of principal, capability and the caller's key.
type IdempotencyStore interface {
	// Claim takes a key for one call, or returns the answer that is kept under it. It compares the fingerprint first: for
	// another one it returns ErrKeyReused, and for a key that is taken ErrKeyRunning.
	Claim(ctx context.Context, key, fingerprint string) (*StoredAnswer, error)
	// Keep stores the answer of the call that took the key.
	Keep(ctx context.Context, key string, answer StoredAnswer) error
	// Release gives the key back: the call did not come so far that it must not run again.
	Release(ctx context.Context, key string) error
}

// StoredAnswer is an answer as it was sent.
type StoredAnswer struct {
	Status int
	Header http.Header
	Body   []byte
}

// keptHeaders are those that belong to an answer and not to the request that draws it.
var keptHeaders = []string{"Content-Type", "Link", headerApproval, headerCites, headerReplayed, "Retry-After", "Location"}

// errReplied says that the answer was given already.
var errReplied = errors.New("caphttp: replied")

// claim is a key that one exchange has taken.
type claim struct {
	store IdempotencyStore
	key   string
	keep  bool // the call came so far that it must not run again
}

// claimKey takes the caller's key for this call, or answers with what is kept under it.
func (h *Handler) claimKey(x *exchange, c *cap.Capability, args []byte) error {
	if c.Effect() == cap.EffectRead {
		return nil
	}
	values := x.r.Header.Values(headerIdempotencyKey)
	if len(values) == 0 {
		if h.keyed[c.Name()] {
			return &fault{status: http.StatusBadRequest, code: CodeIdempotencyKeyRequired, message: "This capability needs an Idempotency-Key."}
		}
		return nil
	}
	if len(values) > 1 || !isVisible(values[0]) || len(values[0]) > maxIdempotencyKey {
		return badRequest("The Idempotency-Key must be there once, and have 1 to 255 visible characters.")
	}
	key, fingerprint := scopedKey(x.principal, c.Name(), values[0]), digestHex(string(args))
	answer, err := h.options.Idempotency.Claim(x.r.Context(), key, fingerprint)
	switch {
	case errors.Is(err, ErrKeyReused):
		return &fault{status: http.StatusUnprocessableEntity, code: CodeIdempotencyKeyReused, message: "The Idempotency-Key was used with another input."}
	case errors.Is(err, ErrKeyRunning):
		f := &fault{status: http.StatusConflict, code: CodeIdempotencyInProgress, message: "A call with this Idempotency-Key is running."}
		return f.with("Retry-After", idempotencyRetrySeconds)
	case err != nil:
		return err
	case answer != nil:
		return h.replayStored(x, c, args, *answer)
	}
	x.claim = &claim{store: h.options.Idempotency, key: key}
	return nil
}

// replayStored gives a kept answer, if the caller may still call.
func (h *Handler) replayStored(x *exchange, c *cap.Capability, args []byte, answer StoredAnswer) error {
	if c.Access() == cap.AccessRule {
		_, err := h.registry.Prepare(x.r.Context(), c.Name(), args, cap.CallOptions{RequestID: x.id, Source: source, Principal: x.principal})
		failed, refused := errors.AsType[*cap.Error](err)
		// A declared failure may well come from what the first call has done.
		if refused && failed.Code != cap.CodeCapabilityFailed {
			return failed
		}
	}
	for name, values := range answer.Header {
		x.w.Header()[name] = values
	}
	x.w.Header().Set(headerIdempotentReplay, "true")
	x.reply(answer.Status, answer.Header.Get("Content-Type"), answer.Body)
	return errReplied
}

// settle keeps the answer of the call, or gives the key back. The caller may be gone meanwhile.
func (c *claim) settle(ctx context.Context, status int, header http.Header, body []byte) error {
	ctx = context.WithoutCancel(ctx)
	if !c.keep {
		return c.store.Release(ctx, c.key)
	}
	kept := make(http.Header)
	for _, name := range keptHeaders {
		if values := header.Values(name); len(values) > 0 {
			kept[name] = append([]string(nil), values...)
		}
	}
	return c.store.Keep(ctx, c.key, StoredAnswer{Status: status, Header: kept, Body: append([]byte(nil), body...)})
}

// scopedKey binds a key to who calls what: nobody sees the answer of somebody else.
func scopedKey(p *cap.Principal, capability, key string) string {
	parts := []string{"cap/idempotency/v1", capability, key}
	if p != nil {
		parts = append(parts, string(p.Kind), p.Tenant, p.ID, p.OnBehalfOf)
	}
	return digestHex(parts...)
}

// digestHex digests texts so that no two lists of them run together.
func digestHex(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func isVisible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

// MemoryIdempotency returns a store in memory: it forgets when the process ends, and serves one process only. Answers are
// kept for ttl (0: 24 hours), at most 10,000 of them and 64 MiB; beyond that the oldest are forgotten.
func MemoryIdempotency(ttl time.Duration) IdempotencyStore {
	if ttl <= 0 {
		ttl = defaultIdempotencyTTL
	}
	return &memoryIdempotency{ttl: ttl, entries: make(map[string]*idempotencyEntry)}
}

const (
	maxIdempotencyEntries = 10_000
	maxIdempotencyBytes   = 64 << 20
)

type memoryIdempotency struct {
	ttl     time.Duration
	mu      sync.Mutex
	entries map[string]*idempotencyEntry
	order   []string // as they were kept, oldest first
	bytes   int      // of all answers
}

type idempotencyEntry struct {
	fingerprint string
	answer      *StoredAnswer // nil while the call runs
	until       time.Time
}

func (m *memoryIdempotency) Claim(_ context.Context, key, fingerprint string) (*StoredAnswer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, ok := m.entries[key]
	if ok && entry.answer != nil && !time.Now().Before(entry.until) {
		ok = false
	}
	switch {
	case !ok:
		m.forget(key)
		m.entries[key] = &idempotencyEntry{fingerprint: fingerprint}
		return nil, nil
	case entry.fingerprint != fingerprint:
		return nil, ErrKeyReused
	case entry.answer == nil:
		return nil, ErrKeyRunning
	default:
		return entry.answer, nil
	}
}

func (m *memoryIdempotency) Keep(_ context.Context, key string, answer StoredAnswer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	entry, ok := m.entries[key]
	if !ok {
		return nil
	}
	now := time.Now()
	entry.answer, entry.until = &answer, now.Add(m.ttl)
	m.order = append(m.order, key)
	m.bytes += len(answer.Body)
	for len(m.order) > 0 && (len(m.order) > maxIdempotencyEntries || m.bytes > maxIdempotencyBytes || m.isOver(m.order[0], now)) {
		m.forget(m.order[0])
		m.order = m.order[1:]
	}
	return nil
}

// isOver reports whether what is kept under a key is past its time, or was kept anew since.
func (m *memoryIdempotency) isOver(key string, now time.Time) bool {
	entry, ok := m.entries[key]
	return !ok || entry.answer != nil && !now.Before(entry.until)
}

// forget removes an answer, but never a call that runs.
func (m *memoryIdempotency) forget(key string) {
	if entry, ok := m.entries[key]; ok && entry.answer != nil {
		m.bytes -= len(entry.answer.Body)
		delete(m.entries, key)
	}
}

func (m *memoryIdempotency) Release(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if entry, ok := m.entries[key]; ok && entry.answer == nil {
		delete(m.entries, key)
	}
	return nil
}
