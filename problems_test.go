package cap_test

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

type (
	none = cap.None
	ctx  = context.Context
)

// Every type below has one mistake, or a few that must be told together. The golden file holds what Register says.

type Misspelt struct {
	cap.Read[none] `cap:"Misspelt; acess=public"`
}

type NoDescription struct {
	cap.Read[none] `cap:"; access=public"`
}

type NoTag struct{ cap.Read[none] }

type NoAccess struct {
	cap.Read[none] `cap:"Nobody says who may call"`
}

type OptionFirst struct {
	cap.Read[none] `cap:"access=public"`
}

type LongName struct {
	cap.Read[none] `cap:"Long; access=public; name=aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggg"`
}

type BadTimeouts0 struct {
	cap.Read[none] `cap:"Timeout; access=public; timeout=0"`
}
type BadTimeouts1 struct {
	cap.Read[none] `cap:"Timeout; access=public; timeout=-1s"`
}
type BadTimeouts2 struct {
	cap.Read[none] `cap:"Timeout; access=public; timeout=10"`
}

type ReversibleRead struct {
	cap.Read[none] `cap:"Read; access=public; reversible; destructive"`
}

type CommaTag struct {
	cap.Read[none] `cap:"Separated by a comma, access=public"`
}

type BareWrite struct {
	cap.Write[none] `cap:"Write; access=public"`
}

type BothWays struct {
	cap.Host[none] `cap:"Host; access=public; reversible; irreversible"`
}

func (BothWays) Describe() cap.PendingAction { return cap.PendingAction{} }

type ScopedPublic struct {
	cap.Read[none] `cap:"Public with a scope; access=public; scope=a"`
}

type Channels struct {
	cap.Read[WithChannel] `cap:"Channels; access=public"`
	Done                  func() `json:"done"`
}

type WithChannel struct {
	C chan int `json:"c"`
}

type SwallowedByMarshaler struct {
	cap.Read[Swallowed] `cap:"Swallowed; access=public"`
}

type Swallowed struct {
	Own
	X int `json:"x"`
}

type Own struct{}

func (Own) MarshalJSON() ([]byte, error) { return []byte(`{}`), nil }

type BadRules struct {
	cap.Read[none] `cap:"Rules; access=public"`
	A              string `json:"a" validate:"requird"`
	B              string `json:"b" validate:"min=abc"`
	C              int    `json:"c" validate:"required"`
	D              string `json:"d,omitempty" validate:"required"`
	E              string `json:"e" validate:"file"`
}

type BadDefaults struct {
	cap.Read[none] `cap:"Defaults; access=public"`
	A              int    `json:"a" cap:"A; default=x"`
	B              int    `json:"b" cap:"B; default=3" validate:"min=5"`
	C              string `json:"c" cap:"C; exmaple=3"`
}

type FailsAnything struct {
	cap.Read[none] `cap:"Fails; access=public"`
	_              cap.Fails[error]
	_              cap.Fails[Unmarked]
	_              cap.Fails[NoFix]
	_              cap.Fails[NoteNotFound]
	_              cap.Fails[*NoteNotFound]
	_              cap.Fails[SameTag]
	Named          cap.Fails[NoteNotFound]
}

type Unmarked struct{}

func (Unmarked) Error() string { return "" }

type NoFix struct {
	_ cap.Failure `cap:""`
}

func (NoFix) Error() string { return "" }

type SameTag struct {
	_ cap.Failure `cap:"Same; tag=NoteNotFound; fix=Choose another."`
}

func (SameTag) Error() string { return "" }

type EmbeddedMarker struct{ GetNote }

type PointerMarker struct {
	*cap.Read[none] `cap:"Pointer; access=public"`
}

type BlankMarker struct {
	_ cap.Read[none] `cap:"Blank; access=public"`
}

type TwoMarkers struct {
	cap.Read[none]  `cap:"One; access=public"`
	cap.Write[none] `cap:"Two; access=public"`
}

type GenericIn[T any] struct {
	cap.Read[T] `cap:"Generic; access=public"`
}

type HasMarkerName struct {
	cap.Host[none] `cap:"Host; access=public; reversible"`
	Name           string `json:"name"`
}

func (HasMarkerName) Desribe() cap.PendingAction { return cap.PendingAction{} }

type Twice struct {
	cap.Read[none] `cap:"Twice; access=public"`
}

type TwiceToo struct {
	cap.Read[none] `cap:"Twice; access=public; name=twice"`
}

type CitesTwice struct {
	cap.Read[CitingOutput] `cap:"Cites; access=public"`
}

type CitingOutput struct {
	Ref cap.ObjectRef `json:"ref" cap:"Ref; cite"`
	Bad string        `json:"bad" cap:"Bad; cite"`
}

func (CitingOutput) Cites() []cap.ObjectRef { return nil }

type RuleWithout struct {
	cap.Read[none] `cap:"Rule; access=rule"`
}

// Services with mistakes in their methods.

type WrongShapes struct{}

func (WrongShapes) Twice(ctx, Twice) none                          { return none{} }
func (WrongShapes) NoAccess(ctx, NoAccess, int) (none, error)      { return none{}, nil }
func (WrongShapes) GetNotes(ctx, GetNote) (Note, error)            { return Note{}, nil }
func (WrongShapes) RuleWithout(ctx, RuleWithout) (none, error)     { return none{}, nil }
func (WrongShapes) AlowRuleWithout(ctx, RuleWithout) (bool, error) { return true, nil }
func (WrongShapes) WhoAmI(ctx, WhoAmI) (int, error)                { return 0, nil }
func (WrongShapes) AllowWhoAmI(ctx, WhoAmI) (bool, error)          { return true, nil }
func (WrongShapes) AllowNothing(ctx, GetNote) (bool, error)        { return true, nil }
func (WrongShapes) NotExposed(ctx, string) error                   { return nil }
func (WrongShapes) PreconditionsWhoAmI(ctx, WhoAmI) ([]int, error) { return nil, nil }

type StrangeMarkers struct{}

func (StrangeMarkers) TwoMarkers(ctx, TwoMarkers) (none, error)   { return none{}, nil }
func (StrangeMarkers) BlankMarker(ctx, BlankMarker) (none, error) { return none{}, nil }

type Ruleless struct{}

func (Ruleless) RuleWithout(ctx, RuleWithout) (none, error) { return none{}, nil }

type UsedTwice struct{}

func (UsedTwice) Twice(ctx, Twice) (none, error)      { return none{}, nil }
func (UsedTwice) TwiceAgain(ctx, Twice) (none, error) { return none{}, nil }

type OneTwice struct{}

func (OneTwice) Twice(ctx, Twice) (none, error) { return none{}, nil }

type OtherTwice struct{}

func (OtherTwice) Twice(ctx, Twice) (none, error) { return none{}, nil }

type Misnamed struct{}

func (Misnamed) BadRuls(ctx, BadRules) (none, error) { return none{}, nil }
func (Misnamed) Twice(ctx, Twice) error              { return nil }

type PointerReceiver struct{}

func (*PointerReceiver) Twice(ctx, Twice) (none, error) { return none{}, nil }

type Left struct{}

func (Left) AllowRuleWithout(ctx, RuleWithout) (bool, error) { return true, nil }

type Right struct{}

func (Right) AllowRuleWithout(ctx, RuleWithout) (bool, error) { return true, nil }

type Ambiguous struct {
	Left
	Right
}

func (Ambiguous) RuleWithout(ctx, RuleWithout) (none, error) { return none{}, nil }

type NilInside struct{ *Base }

type Base struct{}

func (*Base) Twice(ctx, Twice) (none, error) { return none{}, nil }

type Übersicht struct {
	cap.Read[none] `cap:"A name that is not ASCII; access=public"`
}

type PanickyDoc struct {
	cap.Read[none] `cap:"Doc panics; access=public"`
}

func (PanickyDoc) Doc() string { panic("no words") }

type CitesBothWays struct {
	cap.Read[CitesBoth] `cap:"Cites by a field and by a companion; access=public"`
}

type CitesBoth struct {
	ID cap.ObjectRef `json:"id" cap:"Id; cite"`
}

func (CitesBoth) Cites() []cap.ObjectRef { return nil }

type StrangeFailures struct {
	cap.Read[none] `cap:"Fails; access=public"`
	_              cap.Fails[TextFailure]
	_              cap.Fails[NamedMarker]
}

type TextFailure string

func (TextFailure) Error() string { return "" }

type NamedMarker struct {
	Marker cap.Failure `cap:"Named; fix=Leave it blank."`
}

func (NamedMarker) Error() string { return "" }

type TwoServices struct {
	_    cap.Service `cap:"One; access=public"`
	Main cap.Service `cap:"Two; access=public"`
}

func (TwoServices) NoAccess(ctx, NoAccess) (none, error) { return none{}, nil }

// A contract whose own JSON is no object.
type TextContract struct {
	cap.Read[none] `cap:"Text; access=public"`
}

func (TextContract) MarshalText() ([]byte, error) { return nil, nil }
func (*TextContract) UnmarshalText([]byte) error  { return nil }
func (TextContract) JSONSchema() any              { return map[string]any{"type": "string"} }

// Schema hooks that answer with what is no schema.
type StrangeSchemas struct {
	cap.Read[none] `cap:"Schemas; access=public"`
	List           listSchema   `json:"list"`
	Cyclic         cyclicSchema `json:"cyclic"`
	Channel        chanSchema   `json:"channel"`
}

type (
	listSchema   struct{}
	cyclicSchema struct{}
	chanSchema   struct{}
)

func (listSchema) MarshalJSON() ([]byte, error)   { return []byte("1"), nil }
func (*listSchema) UnmarshalJSON([]byte) error    { return nil }
func (listSchema) JSONSchema() any                { return []any{"string"} }
func (cyclicSchema) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (*cyclicSchema) UnmarshalJSON([]byte) error  { return nil }
func (chanSchema) MarshalJSON() ([]byte, error)   { return []byte("1"), nil }
func (*chanSchema) UnmarshalJSON([]byte) error    { return nil }
func (chanSchema) JSONSchema() any                { return map[string]any{"type": make(chan int)} }

func (cyclicSchema) JSONSchema() any {
	schema := map[string]any{"type": "object"}
	schema["properties"] = map[string]any{"self": schema}
	return schema
}

type BadDefaultsOfService struct {
	_ cap.Service `cap:"Notes; acces=public"`
}

func (BadDefaultsOfService) NoAccess(ctx, NoAccess) (none, error) { return none{}, nil }

type NoHandlers struct{}

func (NoHandlers) twice(ctx, Twice) (none, error) { return none{}, nil }

func f[In cap.Contract[Out], Out any]() cap.Declaration {
	return cap.Func(func(context.Context, In) (out Out, err error) { return out, nil })
}

// TestProblems holds every message against its golden line.
func TestProblems(t *testing.T) {
	t.Parallel()
	NoHandlers{}.twice(t.Context(), Twice{}) //nolint:errcheck // it is only there to be unseen
	var got strings.Builder
	for _, tt := range []struct {
		name     string
		services []any
	}{
		{"misspelt option", []any{f[Misspelt]()}},
		{"no description", []any{f[NoDescription]()}},
		{"no tag at all", []any{f[NoTag]()}},
		{"no access", []any{f[NoAccess]()}},
		{"an option where the description belongs", []any{f[OptionFirst]()}},
		{"options behind a comma", []any{f[CommaTag]()}},
		{"a name of 66 characters", []any{f[LongName]()}},
		{"timeout 0", []any{f[BadTimeouts0]()}},
		{"timeout below 0", []any{f[BadTimeouts1]()}},
		{"timeout without a unit", []any{f[BadTimeouts2]()}},
		{"a read that is reversible", []any{f[ReversibleRead]()}},
		{"a write that says nothing", []any{f[BareWrite]()}},
		{"reversible and irreversible", []any{f[BothWays]()}},
		{"a public scope", []any{f[ScopedPublic]()}},
		{"types without a JSON form", []any{f[Channels]()}},
		{"a promoted MarshalJSON", []any{f[SwallowedByMarshaler]()}},
		{"validate rules", []any{f[BadRules]()}},
		{"defaults", []any{f[BadDefaults]()}},
		{"failures", []any{f[FailsAnything]()}},
		{"a marker of an embedded contract", []any{f[EmbeddedMarker]()}},
		{"a marker by pointer", []any{f[PointerMarker]()}},
		{"a generic contract", []any{f[GenericIn[int]]()}},
		{"a misspelt Describe", []any{f[HasMarkerName]()}},
		{"two capabilities of one name", []any{f[Twice](), f[TwiceToo]()}},
		{"two services with one contract", []any{OneTwice{}, OtherTwice{}}},
		{"a misnamed handler, and a contract with problems", []any{Misnamed{}}},
		{"cites twice", []any{f[CitesTwice]()}},
		{"a rule without its companion", []any{Ruleless{}}},
		{"a rule for a function", []any{f[RuleWithout]()}},
		{"methods of wrong shapes", []any{WrongShapes{}}},
		{"two markers, and one without a name", []any{StrangeMarkers{}}},
		{"a contract used twice", []any{UsedTwice{}}},
		{"a service by value", []any{PointerReceiver{}}},
		{"a companion hidden by an ambiguous embedding", []any{Ambiguous{}}},
		{"a nil embedded pointer", []any{NilInside{}}},
		{"defaults of a service", []any{BadDefaultsOfService{}}},
		{"a service that says two things", []any{TwoServices{}}},
		{"a name that is not ASCII", []any{f[Übersicht]()}},
		{"a Doc that panics", []any{f[PanickyDoc]()}},
		{"cites by a field and by a companion", []any{f[CitesBothWays]()}},
		{"failures that are no structs with a blank marker", []any{f[StrangeFailures]()}},
		{"an input that is no object", []any{f[TextContract]()}},
		{"schemas that are none", []any{f[StrangeSchemas]()}},
		{"no handlers", []any{NoHandlers{}}},
		{"no service", nil},
		{"nil", []any{nil}},
		{"a nil pointer", []any{(*Notes)(nil)}},
		{"no struct", []any{42}},
		{"a nil function", []any{cap.Func[Twice](nil)}},
		{"several services", []any{UsedTwice{}, f[NoAccess](), f[Misspelt]()}},
	} {
		registry := cap.New(cap.Options{})
		err := registry.Register(tt.services...)
		require.Errorf(t, err, "%s: must be refused", tt.name)
		assert.Zerof(t, registry.Len(), "%s: nothing is registered", tt.name)
		fmt.Fprintf(&got, "-- %s --\n%v\n", tt.name, err)
	}
	golden(t, "testdata/problems.txtar", got.String())
}

// Tags that go vet refuses are printed by a program of their own.
func TestProblemsOfBrokenTags(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "run", "./testdata/badtags").CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	golden(t, "testdata/badtags/want.txt", string(out))
}

// %+v adds file and line, also for a handler that is promoted from an embedded struct.
func TestProblemsWithLines(t *testing.T) {
	t.Parallel()
	err := cap.New(cap.Options{}).Register(UsedTwice{}, WrongShapes{})
	require.Error(t, err)
	text := fmt.Sprintf("%+v", err)
	assert.Regexp(t, `\n {6}\S+problems_test\.go:\d+`, text)
	assert.NotContains(t, err.Error(), "problems_test.go")
	assert.Equal(t, err.Error(), fmt.Sprintf("%v", err))
}

// The order is fixed: the same problems come in the same order however often they are found.
func TestProblemsInFixedOrder(t *testing.T) {
	t.Parallel()
	first := cap.New(cap.Options{}).Register(WrongShapes{}, f[BadRules](), f[FailsAnything]())
	for range 20 {
		assert.EqualError(t, cap.New(cap.Options{}).Register(WrongShapes{}, f[BadRules](), f[FailsAnything]()), first.Error())
	}
}

// Handle says what Register says, of one handler.
func TestProblemsOfHandle(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"nil handler", cap.Handle[OneTwice, Twice](registry, OneTwice{}, nil), "Handle of cap_test.Twice: the handler is nil (pass a method expression, such as (*Orders).CancelOrder)"},
		{"nil service", cap.Handle(registry, (*Doors)(nil), (*Doors).Guarded), "cap_test.Doors: service is a nil pointer (pass a pointer to a value)"},
		{"a function", cap.Handle(registry, OneTwice{}, func(OneTwice, context.Context, NoAccess) (none, error) { return none{}, nil }), "Handle of cap_test.NoAccess: cap_test.OneTwice has no handler of that name (pass the method that bears the contract's name)"},
		{"nil embedded pointer", cap.Handle(registry, NilInside{}, NilInside.Twice), "cap_test.NilInside.Base: embedded pointer is nil (set it before registering: the handlers behind it would panic)"},
		{"problems of the service", cap.Handle(registry, WrongShapes{}, WrongShapes.RuleWithout), "cap: 6 problems\n  cap_test.WrongShapes.Twice: returns (cap.None) (want"},
	} {
		require.ErrorContains(t, tt.err, tt.want, tt.name)
	}
	assert.Zero(t, registry.Len())
}

// The default registry is one for the whole program, so that a program of its own shows it.
func TestDefaultRegistry(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "run", "./testdata/default").CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	golden(t, "testdata/default/want.txt", string(out))
}
