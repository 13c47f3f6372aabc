package cap

import (
	"context"
	"time"
)

// EventType says what an [Event] tells of.
type EventType string

const (
	// EventStarted begins every call.
	EventStarted EventType = "started"
	// EventCompleted ends a call that answered.
	EventCompleted EventType = "completed"
	// EventFailed ends a call that did not.
	EventFailed EventType = "failed"
	// EventReturnedLate tells that a handler came back after its call had ended with a timeout.
	EventReturnedLate EventType = "returned_late"
)

// Event tells an [Observer] of one call. A call has exactly one started event and exactly one terminal event, completed
// or failed. No event holds anything of the input, the output or an error's text.
type Event struct {
	Type       EventType `json:"type"`
	RequestID  string    `json:"requestId"`
	Capability string    `json:"capability"` // the name that was asked for

	// Source, PrincipalID and Started belong to a started event; PrincipalID is empty for an anonymous caller.
	Source      string    `json:"source,omitempty"`
	PrincipalID string    `json:"principalId,omitempty"`
	Started     time.Time `json:"startedAt,omitzero"`

	// Duration is how long the call took, on the other events.
	Duration time.Duration `json:"durationNs,omitzero"`
	// Code says how a call failed.
	Code Code `json:"code,omitempty"`
}

// An Observer is told of every event, in order, on the goroutine of the call (a late return: on the handler's). It cannot
// change a result: what it panics with is contained and logged. It must be safe for concurrent use.
type Observer func(ctx context.Context, event Event)
