package method_test

import (
	"context"
	"reflect"
	"strings"

	"github.com/seed-369ec62e/cap/internal/method"
)

// marker makes a contract of the struct that embeds it.
type marker struct{}

type (
	precondition struct{ Text string }
	outcome      struct{ Text string }
)

// hooks take every struct with a marker of its own for a contract.
var hooks = method.Hooks{
	Contract: func(t reflect.Type) (string, bool) {
		if t.NumField() == 0 || t.Field(0).Type != reflect.TypeFor[marker]() {
			return "", false
		}
		name := t.Name()
		for _, suffix := range []string{"Input", "Request", "Params", "Args"} {
			name = strings.TrimSuffix(name, suffix)
		}
		return name, true
	},
	Precondition: reflect.TypeFor[precondition](),
	Outcome:      reflect.TypeFor[outcome](),
}

type (
	Cancel      struct{ marker }
	GetInput    struct{ marker }
	Getit       struct{ marker }
	GetIt       struct{ marker }
	List        struct{ marker }
	AllowList   struct{ marker }
	Order       struct{ ID string }
	loop        *loop
	loopA       *loopB
	loopB       *loopA
	generic     struct{ ID string }
	Page[T any] struct{ Items []T }
)

// Sound has every form that a handler and a companion may have.
type Sound struct{ prefix string }

func (s *Sound) Get(context.Context, GetInput) (Order, error) { return Order{s.prefix}, nil }

func (s *Sound) Cancel(context.Context, *Cancel) (*Order, error) { return nil, nil }

func (s *Sound) AllowCancel(context.Context, *Cancel) (bool, error) { return true, nil }

func (s *Sound) PreconditionsCancel(context.Context, Cancel) ([]precondition, error) { return nil, nil }

func (s *Sound) ReconcileCancel(context.Context, Cancel, string) (outcome, error) {
	return outcome{}, nil
}
func (s *Sound) List(context.Context, List) ([]Order, error)         { return nil, nil }
func (s *Sound) AllowList(context.Context, AllowList) (Order, error) { return Order{}, nil }

// What follows takes no contract and is not our business.
func (s *Sound) Close() error                                              { return nil }
func (s *Sound) Find(context.Context, string) (Order, error)               { return Order{}, nil }
func (s *Sound) AllowAnyone(context.Context) (bool, error)                 { return true, nil }
func (s *Sound) CancelOne(context.Context, Order) error                    { return nil }
func (s *Sound) CancelMany(context.Context, []Cancel) error                { return nil }
func (s *Sound) Reconcile(context.Context, Order, string) (outcome, error) { return outcome{}, nil }
func (s *Sound) Loop(context.Context, loop, loopA, loopB) error            { return nil }
func (s *Sound) Cancels(context.Context, string) (bool, error)             { return false, nil }

// Mixed has value receivers too.
type Mixed struct{}

func (Mixed) Cancel(context.Context, Cancel) (Order, error)      { return Order{}, nil }
func (*Mixed) Get(context.Context, GetInput) (Order, error)      { return Order{}, nil }
func (*Mixed) AllowCancel(context.Context, Cancel) (bool, error) { return true, nil }

// ByValue has value receivers only.
type ByValue struct{}

func (ByValue) Cancel(context.Context, Cancel) (Order, error) { return Order{}, nil }

// Deep, Middle and the interface are promoted.
type Deep struct{}

func (*Deep) Get(context.Context, GetInput) (Order, error)    { return Order{}, nil }
func (Deep) AllowGet(context.Context, GetInput) (bool, error) { return true, nil }
func (*Deep) Cancel(context.Context, Cancel) (Order, error)   { return Order{"deep"}, nil }

type Middle struct{ *Deep }

func (*Middle) Cancel(context.Context, Cancel) (Order, error) { return Order{"middle"}, nil }

type Canceller interface {
	Cancel(context.Context, Cancel) (Order, error)
}

type (
	Promoted        struct{ Middle }
	PromotedPointer struct{ *Middle }
	FromInterface   struct{ Canceller }
)

// Generic has a type argument with a path.
type Generic[T any] struct{ last T }

func (*Generic[T]) Get(context.Context, GetInput) (Page[T], error) { return Page[T]{}, nil }
func (*Generic[T]) Cancel(context.Context, GetInput) error         { return nil }

// Shapes is wrong in every way that a handler can be.
type (
	NoContext      struct{}
	ContextLast    struct{}
	TooMany        struct{}
	Variadic       struct{}
	TwoPointers    struct{}
	NoResult       struct{}
	OneResult      struct{}
	ThreeResults   struct{}
	ErrorFirst     struct{}
	TwoErrors      struct{}
	PointerPointer struct{}
	AllWrong       struct{}
	TwoContracts   struct{}
)

func (*NoContext) Cancel(Cancel) (Order, error)                            { return Order{}, nil }
func (*ContextLast) Cancel(Cancel, context.Context) (Order, error)         { return Order{}, nil }
func (*TooMany) Cancel(context.Context, Cancel, int) (Order, error)        { return Order{}, nil }
func (*Variadic) Cancel(context.Context, ...Cancel) (Order, error)         { return Order{}, nil }
func (*TwoPointers) Cancel(context.Context, **Cancel) (Order, error)       { return Order{}, nil }
func (*NoResult) Cancel(context.Context, Cancel)                           {}
func (*OneResult) Cancel(context.Context, Cancel) error                    { return nil }
func (*ThreeResults) Cancel(context.Context, Cancel) (Order, int, error)   { return Order{}, 0, nil }
func (*ErrorFirst) Cancel(context.Context, Cancel) (error, Order)          { return nil, Order{} }
func (*TwoErrors) Cancel(context.Context, Cancel) (error, error)           { return nil, nil }
func (*PointerPointer) Cancel(context.Context, Cancel) (**Order, error)    { return nil, nil }
func (*AllWrong) Cancel(Cancel) map[string]Order                           { return nil }
func (*TwoContracts) Get(context.Context, Cancel, GetInput) (Order, error) { return Order{}, nil }

// Companions are wrong in every way.
type BadCompanions struct{ Sound0 }

// Sound0 has the handlers whose companions are wrong.
type Sound0 struct{}

func (*Sound0) Cancel(context.Context, Cancel) (Order, error) { return Order{}, nil }
func (*Sound0) Get(context.Context, GetInput) (Order, error)  { return Order{}, nil }
func (*Sound0) List(context.Context, List) (Order, error)     { return Order{}, nil }

func (*BadCompanions) AllowCancel(context.Context, Cancel) bool                      { return true }
func (*BadCompanions) PreconditionsCancel(context.Context, Cancel) ([]string, error) { return nil, nil }

func (*BadCompanions) ReconcileCancel(context.Context, Cancel) (outcome, error) {
	return outcome{}, nil
}
func (*BadCompanions) AllowGet(context.Context, Cancel) (bool, error) { return true, nil }
func (*BadCompanions) ReconcileGet(context.Context, GetInput, int) (outcome, error) {
	return outcome{}, nil
}
func (*BadCompanions) PreconditionsGet(GetInput) error         { return nil }
func (*BadCompanions) AllowList(context.Context) (bool, error) { return true, nil }

// Misspelt has companions and handlers that are nearly named right.
type Misspelt struct{ Sound0 }

func (*Misspelt) AlowCancel(context.Context, Cancel) (bool, error) { return true, nil }

func (*Misspelt) PreconditionCancel(context.Context, Cancel) ([]precondition, error) { return nil, nil }

func (*Misspelt) ReconcileCancle(context.Context, Cancel, string) (outcome, error) {
	return outcome{}, nil
}

func (*Misspelt) MayGet(context.Context, GetInput) (bool, error) { return true, nil }

func (*Misspelt) AllowsList(context.Context, Order) (bool, error) { return true, nil }

func (*Misspelt) AllowListing(context.Context, Order) (bool, error) { return true, nil }

func (*Misspelt) PreconditionsFor(context.Context, Order) ([]precondition, error) { return nil, nil }

// Orphans have no handler.
type Orphans struct{}

func (*Orphans) AllowCancel(context.Context, Cancel) (bool, error)             { return true, nil }
func (*Orphans) ReconcileList(context.Context, Order, string) (outcome, error) { return outcome{}, nil }

func (*Orphans) Gett(context.Context, GetInput) (Order, error) { return Order{}, nil }

func (*Orphans) FetchOne(context.Context, GetInput) (Order, error) { return Order{}, nil }

// Twice has a contract that two methods take.
type Twice struct{ Sound0 }

func (*Twice) CancelAgain(context.Context, Cancel) (Order, error) { return Order{}, nil }
func (*Twice) Canceled(context.Context, Cancel) (Order, error)    { return Order{}, nil }
func (*Twice) Log(string, *GetInput)                              {}

// Cases has two handlers that differ by case.
type Cases struct{}

func (*Cases) Getit(context.Context, Getit) (Order, error) { return Order{}, nil }
func (*Cases) GetIt(context.Context, GetIt) (Order, error) { return Order{}, nil }

// What follows hides methods.
type (
	Left      struct{}
	Right     struct{}
	Ambiguous struct {
		Left
		*Right
	}
	ViaLeft  struct{ Deep }
	ViaRight struct{ Deep }
	Diamond  struct {
		ViaLeft
		ViaRight
	}
	FieldHides struct {
		Left
		AllowCancel bool
	}
	FieldBeside struct {
		Left
		WithField
	}
	WithField   struct{ Cancel func() }
	WithHandler struct{ AmbiguousAllow }
	// AmbiguousAllow has its handler and not the companion.
	AmbiguousAllow struct {
		Left
		JustAllow
	}
	JustAllow  struct{}
	Interfaces struct {
		Canceller
		Left
	}
	Override  struct{ Ambiguous }
	Recursive struct {
		*Recursive
		Sound0
	}
)

func (*Left) Cancel(context.Context, Cancel) (Order, error)          { return Order{}, nil }
func (*Left) AllowCancel(context.Context, Cancel) (bool, error)      { return true, nil }
func (Right) Cancel(context.Context, Cancel) (Order, error)          { return Order{}, nil }
func (*Right) Get(context.Context, GetInput) (Order, error)          { return Order{}, nil }
func (*JustAllow) AllowCancel(context.Context, Cancel) (bool, error) { return true, nil }
func (*Override) Cancel(context.Context, Cancel) (Order, error)      { return Order{}, nil }

// Nothing has no handler that can be seen.
type Nothing struct{}

func (*Nothing) cancel(context.Context, Cancel) (Order, error) { return Order{}, nil }
func (*Nothing) Close() error                                  { return nil }

var _ = (*Nothing).cancel

// NoStruct has a handler and is no struct.
type NoStruct int

func (NoStruct) Cancel(context.Context, Cancel) (Order, error) { return Order{}, nil }
