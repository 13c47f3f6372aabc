package capcli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// The capabilities of this file make the program "demo", which the scripts of testdata/script run.

type Echoed struct {
	Input json.RawMessage `json:"input" cap:"What the handler was given"`
}

type Counted struct {
	cap.Read[Echoed] `cap:"Count; access=public"`
	Count            int   `json:"count" cap:"How many"`
	Limit            *int8 `json:"limit,omitempty" cap:"At most" validate:"omitempty,max=50"`
}

type Forced struct {
	cap.Read[Echoed] `cap:"Do it by force, or not; access=public"`
	Force            *bool `json:"force,omitempty" cap:"By force"`
	Deep             struct {
		Loud *bool `json:"loud,omitempty" cap:"With noise"`
	} `json:"deep,omitzero" cap:"More"`
}

type Tagged struct {
	cap.Read[Echoed] `cap:"Tag; access=public"`
	Tags             []string `json:"tags,omitempty" cap:"Tags"`
}

type Cell struct {
	X int `json:"x" cap:"Across"`
	Y int `json:"y" cap:"Down"`
}

type Filled struct {
	cap.Read[Echoed] `cap:"Fill cells; access=public"`
	Cells            []Cell `json:"cells,omitempty" cap:"Cells"`
}

type Moved struct {
	cap.Read[Echoed] `cap:"Move; access=public"`
	Delta            int `json:"delta" cap:"How far" cli:"arg"`
}

type Download struct {
	cap.Read[Echoed] `cap:"Download; access=public"`
	Name             string   `json:"name"              cap:"Backup" cli:"arg"`
	Tables           []string `json:"tables,omitempty"  cap:"Only these"`
	Into             []string `json:"into,omitempty"    cap:"Folders" cli:"arg,short=i"`
}

type Address struct {
	City   string `json:"city,omitempty" cap:"City"`
	Geo    Geo    `json:"geo,omitzero"   cap:"Where on earth"`
	ZIPNum string `json:"zipNum,omitempty" cap:"ZIP"`
}

type Geo struct {
	Lat  float64 `json:"lat" cap:"Latitude"`
	Info struct {
		Note string `json:"note" cap:"Note"`
	} `json:"info,omitzero" cap:"More"`
}

type Wide struct {
	cap.Read[Echoed] `cap:"Take one of every kind; access=public"`

	Name    string             `json:"name,omitempty"      cap:"Name" validate:"max=30"`
	Color   string             `json:"color,omitempty"     cap:"Colour" validate:"oneof=red green blue" cli:"short=c"`
	Big     int64              `json:"big,omitempty"       cap:"Whole"`
	Ratio   float64            `json:"ratio,omitempty"     cap:"Number"`
	Label   map[string]string  `json:"label,omitempty"     cap:"Labels"`
	Weights map[string]float64 `json:"weights,omitempty"   cap:"Weights"`
	Counts  []int              `json:"counts,omitempty"    cap:"Counts"`
	Grid    [][]int            `json:"grid,omitempty"      cap:"Rows"`
	Data    []byte             `json:"data,omitempty"      cap:"Bytes"`
	Any     any                `json:"any,omitempty"       cap:"Anything"`
	Address *Address           `json:"address,omitempty"   cap:"Address"`
	OrderNo string             `json:"order_no,omitempty"  cap:"Order" cli:"env=DEMO_ORDER"`
	Wait    time.Duration      `json:"wait,omitempty"      cap:"How long"`
	At      time.Time          `json:"at,omitzero"         cap:"When"`
	Maybe   cap.Maybe[string]  `json:"maybe,omitzero"      cap:"Perhaps"`
	Token   string             `json:"token,omitempty"     cap:"Token; secret" cli:"env=DEMO_TOKEN"`
	Keys    []Key              `json:"keys,omitempty" cap:"Keys"`
	Keep    bool               `json:"keep"                cap:"Keep; default=true"`
	Hidden  string             `json:"hidden part,omitempty" cap:"Only by --input" cli:"-"`
}

type Key struct {
	ID  string `json:"id"  cap:"Id"`
	Key string `json:"key" cap:"Key; secret"`
}

type ListNothing struct {
	cap.Read[[]Cell] `cap:"List nothing; access=public"`
}

type ListCells struct {
	cap.Read[[]Cell] `cap:"List cells; access=public"`
}

type Fail struct {
	cap.Read[cap.None] `cap:"Fail; access=public"`
	_                  cap.Fails[Broken]
	How                string `json:"how" cap:"In which way" cli:"arg" validate:"oneof=declared defect panic"`
}

// Slow is longer than it may.
type Slow struct {
	cap.Read[cap.None] `cap:"Take too long; access=public; timeout=10ms"`
}

func (Demo) Slow(ctx context.Context, _ Slow) (cap.None, error) {
	<-ctx.Done()
	return cap.None{}, ctx.Err()
}

type Broken struct {
	_    cap.Failure `cap:"It is broken; fix=Mend it & try again.; retry=2s"`
	Part string      `json:"part"`
}

func (f Broken) Error() string { return "The " + f.Part + " is \x1b[31mbroken." }

type Private struct {
	cap.Read[cap.None] `cap:"For those who are known; access=authenticated; scope=private"`
}

type Old struct {
	cap.Read[cap.None] `cap:"What was used before; access=public; deprecated=Use tagged."`
}

func (Old) Doc() string { return "Once it was *the* way.\n\n.TH is no request here.\n" }

func (Demo) Old(context.Context, Old) (cap.None, error) { return cap.None{}, nil }

type Send struct {
	cap.Write[Echoed] `cap:"Send a letter; access=authenticated; reversible" cli:"group=mail"`
	To                string `json:"to" cap:"To whom" cli:"arg" validate:"required,max=20"`
	Pin               string `json:"pin,omitempty" cap:"Pin; secret"`
}

func (in Send) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "send", Target: cap.ObjectRef{Product: "demo", Kind: "letter", ID: in.To}}
}

type Burn struct {
	cap.Write[cap.None] `cap:"Burn a letter; access=authenticated; irreversible" cli:"group=mail,name=burn-all"`
	Letter              string `json:"letter" cap:"Which" cli:"arg" validate:"required"`
}

func (in Burn) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "burn", Target: cap.ObjectRef{Product: "demo", Kind: "letter", ID: in.Letter}}
}

type Wipe struct {
	cap.Host[Echoed] `cap:"Wipe the disk; access=authenticated; irreversible"`
	Disk             string `json:"disk" cap:"Which; default=sda"`
}

func (in Wipe) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "wipe", Target: cap.ObjectRef{Product: "demo", Kind: "disk", ID: in.Disk}}
}

type Wait struct {
	cap.Read[cap.None] `cap:"Wait for the end; access=public"`
	Deaf               bool          `json:"deaf,omitempty" cap:"Do not hear of it"`
	Steps              int           `json:"steps,omitempty" cap:"Report so many steps and end"`
	Each               time.Duration `json:"each,omitempty" cap:"How long a step takes"`
}

// Demo is the service.
type Demo struct{}

func echo(in any, contract interface {
	Encode(any) (json.RawMessage, error)
}, err error,
) (Echoed, error) {
	if err != nil {
		return Echoed{}, err
	}
	data, err := contract.Encode(in)
	return Echoed{Input: data}, err
}

func echoOf[In any](in In) (Echoed, error) {
	contract, err := cap.ContractOf[In]()
	return echo(in, contract, err)
}

func (Demo) Counted(_ context.Context, in Counted) (Echoed, error)   { return echoOf(in) }
func (Demo) Forced(_ context.Context, in Forced) (Echoed, error)     { return echoOf(in) }
func (Demo) Tagged(_ context.Context, in Tagged) (Echoed, error)     { return echoOf(in) }
func (Demo) Filled(_ context.Context, in Filled) (Echoed, error)     { return echoOf(in) }
func (Demo) Moved(_ context.Context, in Moved) (Echoed, error)       { return echoOf(in) }
func (Demo) Download(_ context.Context, in Download) (Echoed, error) { return echoOf(in) }

// Wide says so when keep is false, because a client leaves a zero value out where there is a default.
func (Demo) Wide(_ context.Context, in Wide) (Echoed, error) {
	if !in.Keep {
		return Echoed{Input: json.RawMessage(`{"keep":false}`)}, nil
	}
	return echoOf(in)
}

func (Demo) Send(_ context.Context, in Send) (Echoed, error) { return echoOf(in) }

func (Demo) Wipe(_ context.Context, in Wipe) (Echoed, error) {
	if in.Disk == "broken" {
		return Echoed{}, errors.New("canary")
	}
	return echoOf(in)
}

func (Demo) Burn(context.Context, Burn) (cap.None, error) { return cap.None{}, errors.New("canary") }

func (Demo) ListNothing(context.Context, ListNothing) ([]Cell, error) { return nil, nil }

func (Demo) ListCells(context.Context, ListCells) ([]Cell, error) {
	return []Cell{{1, 2}, {30, 4}}, nil
}

func (Demo) Private(context.Context, Private) (cap.None, error) { return cap.None{}, nil }

func (Demo) Fail(_ context.Context, in Fail) (cap.None, error) {
	switch in.How {
	case "declared":
		return cap.None{}, Broken{Part: "<door>"}
	case "panic":
		panic("canary")
	default:
		return cap.None{}, errors.New("canary")
	}
}

func (Demo) Wait(ctx context.Context, in Wait) (cap.None, error) {
	for step := range in.Steps {
		time.Sleep(in.Each)
		cap.Progress(ctx, float64(step+1), float64(in.Steps), "step\x1b")
	}
	if in.Steps > 0 {
		return cap.None{}, nil
	}
	_, _ = os.Stderr.WriteString("waiting\n")
	if in.Deaf {
		select {}
	}
	<-ctx.Done()
	return cap.None{}, ctx.Err()
}

// newDemo makes the program; lookup is its environment.
func newDemo(gate cap.Gate, lookup func(string) (string, bool)) (*capcli.Program, error) {
	registry := cap.New(cap.Options{Name: "demo", Version: "1.2.3", Gate: gate})
	if err := registry.Register(Demo{}); err != nil {
		return nil, err
	}
	isSet := func(name string) bool { value, ok := lookup(name); return ok && value != "" }
	return capcli.New(registry, capcli.Options{
		Summary:      "A program for tests",
		RefuseYes:    isSet("DEMO_REFUSE_YES"),
		AllowConfirm: isSet("DEMO_ALLOW_CONFIRM"),
		Authenticate: func(context.Context) (*cap.Principal, error) {
			who, _ := lookup("DEMO_USER")
			switch who {
			case "nobody":
				return nil, nil
			case "error":
				return nil, errors.New("canary")
			case "":
				who = "ana"
			}
			return &cap.Principal{ID: who, Kind: cap.KindHuman}, nil
		},
		Flags: []capcli.Flag{{Name: "place", Short: "p", Placeholder: "PLACE", Default: "here", Help: "Where", Set: func(text string) error {
			if text == "nowhere" {
				return errors.New("is no place")
			}
			return nil
		}}},
		Commands: []capcli.Command{
			{
				Name: "shout", Summary: "Shout", Doc: "Shout as loud as you can.", Args: []string{"WHAT", "MORE..."},
				Flags: []capcli.Flag{
					{Name: "tone", Placeholder: "TONE", Default: "high", Choices: []string{"high", "low"}, Help: "In which tone"},
					{Name: "twice", Help: "And again"},
				},
				Run: func(_ context.Context, call capcli.Invocation) error {
					if call.Args[0] == "fail" {
						return errors.New("no voice\x07")
					}
					return call.Write(map[string]any{"what": call.Args, "tone": call.Text("tone"), "twice": call.On("twice")})
				},
			},
		},
	})
}
