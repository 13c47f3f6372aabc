package capmcp_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// Measure gives back values of the types that other servers get wrong.
type Measure struct {
	cap.Read[Measured] `cap:"Give back odd values; title=Measure; access=public; openworld" mcp:"structured"`

	Odd
}

// Measured is the output of [Measure].
type Measured struct{ Odd }

// Odd holds values whose JSON is not what their Go types suggest.
type Odd struct {
	Raw      json.RawMessage `json:"raw,omitempty"     cap:"Any JSON"`
	ID       *uuid.UUID      `json:"id,omitempty"      cap:"An id"`
	Address  *netip.Addr     `json:"address,omitempty" cap:"An address"`
	Quoted   int64           `json:"quoted,string"     cap:"An integer in a string; default=0"`
	Bytes    []byte          `json:"bytes"             cap:"Bytes; default="`
	Span     time.Duration   `json:"span"              cap:"A length of time; default=0s"`
	Tree     *Tree           `json:"tree,omitempty"    cap:"A tree"`
	ByNumber map[int]string  `json:"byNumber"          cap:"Texts by number; default={}"`
	Nothing  *int            `json:"nothing"           cap:"A number or null"`
}

// Tree refers to itself.
type Tree struct {
	Name     string `json:"name"               cap:"Name"`
	Children []Tree `json:"children,omitempty" cap:"Trees below"`
}

// Plan takes what models tend to write as text.
type Plan struct {
	cap.Read[Planned] `cap:"Plan a journey; access=public; idempotent"`

	Days   int               `json:"days"             cap:"How many days" validate:"min=1,max=30"`
	Budget float64           `json:"budget,omitempty" cap:"How much money"`
	Sleep  bool              `json:"sleep,omitempty"  cap:"With a bed"`
	Stops  []Stop            `json:"stops"            cap:"Where to stop; default=[]"`
	Notes  map[string]int    `json:"notes"            cap:"Numbers by name; default={}"`
	Title  string            `json:"title,omitempty"  cap:"Title"`
	Class  string            `json:"class,omitempty"  cap:"Class" validate:"omitempty,oneof=first second"`
	Extra  map[string]string `json:"extra,omitempty"  cap:"Texts by name"`
}

// Doc implements cap.Documenter.
func (Plan) Doc() string { return "Stops are visited in *order*.\n" }

// Stop is one stop of a plan.
type Stop struct {
	City   string `json:"city"             cap:"City"`
	Nights int    `json:"nights,omitempty" cap:"How many nights"`
}

// Planned is the output of [Plan].
type Planned struct {
	Input json.RawMessage `json:"input" cap:"What was understood"`
}

// Route is answered by region.
type Route struct {
	cap.Read[Planned] `cap:"Route to a region; access=public"`

	Region string `json:"region"          cap:"Which region" mcp:"header=Region"`
	Level  int    `json:"level,omitempty" cap:"Which level"`
}

// Follow reports progress until it is told to stop.
type Follow struct {
	cap.Read[Followed] `cap:"Follow a parcel; access=public"`

	Steps int  `json:"steps,omitempty" cap:"How many reports"`
	Hang  bool `json:"hang,omitempty"  cap:"Wait until the caller has enough"`
}

// Followed is the output of [Follow].
type Followed struct {
	Steps int `json:"steps" cap:"How many reports there were"`
}

// Store writes, and can be undone.
type Store struct {
	cap.Write[cap.None] `cap:"Store a parcel; access=authenticated; reversible; destructive"`

	Parcel string `json:"parcel" cap:"Which parcel" validate:"required"`
	Hang   bool   `json:"hang,omitempty" cap:"Wait until the caller has enough"`
}

// Describe implements cap.Describer.
func (in Store) Describe() cap.PendingAction { return parcelAction("store", in.Parcel) }

// Burn writes, and cannot be undone.
type Burn struct {
	cap.Write[cap.None] `cap:"Burn a parcel; access=authenticated; irreversible"`

	_ cap.Fails[NoParcel]

	Parcel string `json:"parcel" cap:"Which parcel" validate:"required"`
}

// Describe implements cap.Describer.
func (in Burn) Describe() cap.PendingAction { return parcelAction("burn", in.Parcel) }

// Flush acts with the host's power.
type Flush struct {
	cap.Host[cap.None] `cap:"Flush the store; access=authenticated; reversible; scope=host; deprecated=use burn"`

	Parcel string `json:"parcel" cap:"Which parcel" validate:"required"`
}

// Describe implements cap.Describer.
func (in Flush) Describe() cap.PendingAction { return parcelAction("flush", in.Parcel) }

// NoParcel is a declared failure.
type NoParcel struct {
	_      cap.Failure `cap:"There is no such parcel; fix=Look at the <label> & try again."`
	Parcel string      `json:"parcel"`
}

func (f NoParcel) Error() string { return "There is no parcel " + f.Parcel + "." }

func parcelAction(verb, parcel string) cap.PendingAction {
	return cap.PendingAction{Verb: verb, Target: cap.ObjectRef{Product: "desk", Kind: "parcel", ID: parcel}}
}

// Desk is the service of the tests. What a call waits for is told to began.
type Desk struct{ began, ended chan string }

func newDesk() *Desk { return &Desk{began: make(chan string, 16), ended: make(chan string, 16)} }

// Measure gives back what it is given.
func (d *Desk) Measure(_ context.Context, in Measure) (Measured, error) { return Measured{in.Odd}, nil }

// Plan gives back what it understood.
func (d *Desk) Plan(_ context.Context, in Plan) (Planned, error) {
	input, err := json.Marshal(struct {
		Days   int            `json:"days"`
		Budget float64        `json:"budget"`
		Sleep  bool           `json:"sleep"`
		Stops  []Stop         `json:"stops"`
		Notes  map[string]int `json:"notes"`
		Title  string         `json:"title"`
	}{in.Days, in.Budget, in.Sleep, in.Stops, in.Notes, in.Title})
	return Planned{Input: input}, err
}

// Route gives back the region.
func (d *Desk) Route(_ context.Context, in Route) (Planned, error) {
	input, err := json.Marshal(in.Region)
	return Planned{Input: input}, err
}

// Follow reports progress.
func (d *Desk) Follow(ctx context.Context, in Follow) (Followed, error) {
	for i := range in.Steps {
		cap.Progress(ctx, float64(i+1), float64(in.Steps), "step")
	}
	if in.Hang {
		d.hang(ctx, "follow")
		return Followed{}, ctx.Err()
	}
	return Followed{Steps: in.Steps}, nil
}

// Store does nothing, or waits.
func (d *Desk) Store(ctx context.Context, in Store) (cap.None, error) {
	if in.Hang {
		d.hang(ctx, "store")
	}
	return cap.None{}, ctx.Err()
}

// Burn fails for the parcel none.
func (d *Desk) Burn(_ context.Context, in Burn) (cap.None, error) {
	if in.Parcel == "none" {
		return cap.None{}, NoParcel{Parcel: in.Parcel}
	}
	return cap.None{}, nil
}

// Flush does nothing.
func (d *Desk) Flush(context.Context, Flush) (cap.None, error) { return cap.None{}, nil }

func (d *Desk) hang(ctx context.Context, name string) {
	d.began <- name
	<-ctx.Done()
	d.ended <- name
}

func newDeskRegistry(t testing.TB, desk *Desk, options cap.Options) *cap.Registry {
	t.Helper()
	options.Name, options.Version = "desk", "2.1.0"
	registry := cap.New(options)
	require.NoError(t, registry.Register(desk))
	return registry
}

// Who tells who calls.
type Who struct {
	cap.Read[Name] `cap:"Tell who calls; access=authenticated"`

	Dummy bool `json:"dummy,omitempty" cap:"Nothing"`
}

// Name is the output of [Who].
type Name struct {
	ID string `json:"id" cap:"Who calls"`
}
