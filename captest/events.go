package captest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/seed-369ec62e/cap"
)

// recorder keeps the events of one registry.
type recorder struct {
	mu      sync.Mutex
	events  []cap.Event
	open    int           // calls that have started and not ended
	changed chan struct{} // closed at the next event
}

func newRecorder() *recorder { return &recorder{changed: make(chan struct{})} }

// observe implements [cap.Observer]. The late return of a handler is a matter of chance, so it is not kept.
func (r *recorder) observe(_ context.Context, event cap.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch event.Type {
	case cap.EventStarted:
		r.open++
	case cap.EventCompleted, cap.EventFailed:
		r.open--
	default:
		return
	}
	r.events = append(r.events, event)
	close(r.changed)
	r.changed = make(chan struct{})
}

// patience is how long a call may go on that its caller has left.
const patience = 10 * time.Second

// take gives the events so far and forgets them. A caller that went away may be faster than the call, so it waits for every
// call to end.
func (r *recorder) take(t testing.TB) []cap.Event {
	t.Helper()
	late := time.After(patience)
	for {
		r.mu.Lock()
		open, changed := r.open, r.changed
		events := r.events
		if open == 0 {
			r.events = nil
		}
		r.mu.Unlock()
		if open == 0 {
			return events
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("captest: a call has not ended %s after its caller had the answer", patience)
			return nil
		}
	}
}

// eventTexts gives what every front must make a registry tell: not times and ids.
func eventTexts(events []cap.Event) []string {
	var texts []string
	for _, e := range events {
		text := string(e.Type) + " " + e.Capability
		if e.PrincipalID != "" {
			text += " by " + e.PrincipalID
		}
		if e.Code != "" {
			text += " " + string(e.Code)
		}
		texts = append(texts, text)
	}
	return texts
}

// eventFaults says what is wrong with the events of one call, whatever the front.
func eventFaults(events []cap.Event) []string {
	var faults []string
	for _, e := range events {
		if e.RequestID == "" || e.RequestID != events[0].RequestID {
			faults = append(faults, fmt.Sprintf("an event has the request id %q, the first one has %q", e.RequestID, events[0].RequestID))
		}
		if e.Type == cap.EventStarted && e.Source == "" {
			faults = append(faults, "a started event has no source")
		}
	}
	return faults
}
