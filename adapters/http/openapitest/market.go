// Package openapitest holds the OpenAPI documents of the HTTP adapter against public tools: validators, a generator whose
// client calls a running server, and a validator of what goes over the wire. It is a module of its own, because these tools
// bring a tree of libraries.
package openapitest

import (
	"context"
	"time"

	"github.com/seed-369ec62e/cap"
)

// Market is a service with types of every shape.
type Market struct {
	_ cap.Service `cap:"A market; access=public"`
}

// FindStall has parameters of every kind, and failures that share a status.
type FindStall struct {
	cap.Read[Stall] `cap:"Find a stall" http:"GET /stalls/{stall}"`

	_ cap.Fails[StallClosed]
	_ cap.Fails[StallMoved]
	_ cap.Fails[StallUnknown]

	Stall  string    `json:"stall"           cap:"Name of the stall; example=north-1" validate:"required,max=20"`
	Depth  int       `json:"depth"           cap:"How many levels below; default=1"    validate:"min=0,max=5"`
	Tags   []string  `json:"tags,omitempty"  cap:"Only with these tags"               validate:"max=3"`
	Since  time.Time `json:"since,omitzero"  cap:"Only younger"`
	Region string    `json:"region,omitempty" cap:"Where" http:"header=X-Region"      validate:"oneof=north south"`
}

// Stall contains itself.
type Stall struct {
	Name   string            `json:"name"             cap:"Name"`
	Parent *Stall            `json:"parent"           cap:"The stall around it, or null"`
	Stalls []Stall           `json:"stalls"           cap:"The stalls in it"`
	Prices map[string]Price  `json:"prices"           cap:"Prices by name of the goods"`
	Best   Price             `json:"best"             cap:"The best price"`
	Note   cap.Maybe[string] `json:"note,omitzero"   cap:"Absent, null or a note"`
	Count  int64             `json:"count"            cap:"Number of goods, of 64 bits"`
	Seal   []byte            `json:"seal"             cap:"Bytes"`
	Open   time.Duration     `json:"open"             cap:"How long it is open"`
	Ref    cap.ObjectRef     `json:"ref"              cap:"The stall itself; cite"`
}

// Price is there twice in a stall.
type Price struct {
	Cents    int    `json:"cents"    cap:"In cents"  validate:"gt=0"`
	Currency string `json:"currency" cap:"Currency" validate:"oneof=EUR USD"`
}

// StallClosed shares its status with StallMoved.
type StallClosed struct {
	_     cap.Failure `cap:"The stall is closed; fix=Come back later.; retry=30s" http:"status=409"`
	Until time.Time   `json:"until"`
}

func (f StallClosed) Error() string { return "The stall is closed." }

// StallMoved shares its status with StallClosed.
type StallMoved struct {
	_  cap.Failure `cap:"The stall is elsewhere; fix=Go there." http:"status=409"`
	To string      `json:"to"`
}

func (f StallMoved) Error() string { return "The stall is at " + f.To + " now." }

// StallUnknown shares its status with faults of the input.
type StallUnknown struct {
	_     cap.Failure `cap:"No stall has this name; fix=Ask around."`
	Stall string      `json:"stall"`
}

func (f StallUnknown) Error() string { return "There is no stall " + f.Stall + "." }

// RentStall changes something.
type RentStall struct {
	cap.Write[cap.None] `cap:"Rent a stall; access=authenticated; reversible" http:"POST /stalls/{stall}/rents,idempotency=required"`

	Stall string `json:"stall"         cap:"Name of the stall" validate:"required"`
	Days  int    `json:"days"          cap:"How many days"     validate:"min=1"`
	Pin   string `json:"pin,omitempty" cap:"Pin; secret"`
}

// Describe implements cap.Describer.
func (in RentStall) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "rent", Target: cap.ObjectRef{Product: "market", Kind: "stall", ID: in.Stall}}
}

// CloseMarket needs somebody else.
type CloseMarket struct {
	cap.Host[[]string] `cap:"Close the market; access=authenticated; scope=market:close; irreversible; destructive; timeout=5s; deprecated=Let it close by itself."`

	Why string `json:"why,omitempty" cap:"Why"`
}

// Describe implements cap.Describer.
func (in CloseMarket) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "close", Target: cap.ObjectRef{Product: "market", Kind: "market", ID: "all"}}
}

// FindStall fails for the names closed, moved and unknown.
func (m *Market) FindStall(_ context.Context, in FindStall) (*Stall, error) {
	switch in.Stall {
	case "closed":
		return nil, StallClosed{Until: time.Unix(0, 0).UTC()}
	case "moved":
		return nil, StallMoved{To: "south-1"}
	case "unknown":
		return nil, StallUnknown{Stall: in.Stall}
	}
	s := stall(in.Stall)
	s.Parent, s.Note = new(Stall), cap.Null[string]()
	*s.Parent = stall("market")
	s.Stalls = []Stall{stall(in.Stall + "-a")}
	return &s, nil
}

func stall(name string) Stall {
	price := Price{Cents: 1, Currency: "EUR"}
	return Stall{
		Name: name, Prices: map[string]Price{"apple": price}, Best: price, Count: 1 << 60, Seal: []byte{1}, Open: time.Hour,
		Ref: cap.ObjectRef{Product: "market", Kind: "stall", ID: name},
	}
}

// RentStall does nothing.
func (m *Market) RentStall(context.Context, RentStall) (cap.None, error) { return cap.None{}, nil }

// CloseMarket closes nothing.
func (m *Market) CloseMarket(context.Context, CloseMarket) ([]string, error) {
	return []string{"north"}, nil
}
