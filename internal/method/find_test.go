package method_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/method"
)

// pending is what the companion Describe returns.
type pending struct{ Verb string }

type (
	describesByValue   struct{}
	describesByPointer struct{}
	describesNot       struct{}
	describesText      struct{}
	describesMuch      struct{}
	describesArgument  struct{}
	describesVariadic  struct{}
	describesNothing   struct{}
	descirbes          struct{}
	describeIt         struct{}
	shortNames         struct{}
	docs               struct{}
	docInCapitals      struct{}
	embedsDocs         struct{ docs }
	listed             []string
	fieldOfAnyType     struct{ Doc, Describe string }
	fieldOfFunction    struct{ Describe func() pending }
	promotesDescribe   struct{ describesByPointer }
	ambiguousDescribe  struct {
		describesByValue
		describesByPointer
	}
	ambiguousButOther struct {
		describesText
		describesMuch
	}
	fieldHidesDescribe struct {
		describesByValue
		Describe string
	}
	embedsInterface struct{ describer }
	describer       interface{ Describe() pending }
)

func (describesByValue) Describe() pending           { return pending{} }
func (*describesByPointer) Describe() pending        { return pending{} }
func (describesText) Describe() string               { return "" }
func (describesMuch) Describe() (pending, error)     { return pending{}, nil }
func (describesArgument) Describe(time.Time) pending { return pending{} }
func (describesVariadic) Describe(...int) pending    { return pending{} }
func (*describesNothing) Describe()                  {}
func (*descirbes) Descirbe() pending                 { return pending{} }
func (*descirbes) Descrybe() string                  { return "" }
func (*describeIt) DescribeIt() pending              { return pending{} }
func (shortNames) Dog() string                       { return "" }
func (shortNames) ID() string                        { return "" }
func (shortNames) Dc() string                        { return "" }
func (docs) Docs() string                            { return "" }
func (docInCapitals) DOC() string                    { return "" }
func (*listed) Describe() pending                    { return pending{} }

func TestFind(t *testing.T) {
	t.Parallel()
	describe := method.Shape{Out: []reflect.Type{reflect.TypeFor[pending]()}}
	doc := method.Shape{Out: []reflect.Type{reflect.TypeFor[string]()}}
	pair := method.Shape{In: []reflect.Type{reflect.TypeFor[int]()}, Out: []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[error]()}}
	var b strings.Builder
	for _, tt := range []struct {
		name  string
		t     reflect.Type
		find  string
		shape method.Shape
	}{
		{"on the value", reflect.TypeFor[describesByValue](), "Describe", describe},
		{"on the pointer", reflect.TypeFor[describesByPointer](), "Describe", describe},
		{"asked of a pointer", reflect.TypeFor[*describesByPointer](), "Describe", describe},
		{"promoted", reflect.TypeFor[promotesDescribe](), "Describe", describe},
		{"promoted from an interface", reflect.TypeFor[embedsInterface](), "Describe", describe},
		{"on a type that is no struct", reflect.TypeFor[listed](), "Describe", describe},
		{"absent", reflect.TypeFor[describesNot](), "Describe", describe},
		{"absent from a type without a name", reflect.TypeFor[map[string]int](), "Describe", describe},
		{"interface", reflect.TypeFor[any](), "Describe", describe},
		{"other result", reflect.TypeFor[describesText](), "Describe", describe},
		{"too many results", reflect.TypeFor[describesMuch](), "Describe", describe},
		{"no result", reflect.TypeFor[describesNothing](), "Describe", describe},
		{"an argument", reflect.TypeFor[describesArgument](), "Describe", describe},
		{"variadic", reflect.TypeFor[describesVariadic](), "Describe", describe},
		{"other parameters than wanted", reflect.TypeFor[describesArgument](), "Describe", pair},
		{"another parameter", reflect.TypeFor[describesArgument](), "Describe", method.Shape{In: pair.In, Out: describe.Out}},
		{"misspelt", reflect.TypeFor[descirbes](), "Describe", describe},
		{"two letters more", reflect.TypeFor[describeIt](), "Describe", describe},
		{"misspelt with another shape", reflect.TypeFor[descirbes](), "Describe", pair},
		{"short words that are near by chance", reflect.TypeFor[shortNames](), "Doc", doc},
		{"short word in the plural", reflect.TypeFor[docs](), "Doc", doc},
		{"short word in capitals", reflect.TypeFor[docInCapitals](), "Doc", doc},
		{"short word that is promoted", reflect.TypeFor[embedsDocs](), "Doc", doc},
		{"ambiguous", reflect.TypeFor[ambiguousDescribe](), "Describe", describe},
		{"ambiguous, but of other shapes", reflect.TypeFor[ambiguousButOther](), "Describe", describe},
		{"hidden by a field", reflect.TypeFor[fieldHidesDescribe](), "Describe", describe},
		{"field that hides nothing", reflect.TypeFor[fieldOfAnyType](), "Doc", doc},
		{"field of a function", reflect.TypeFor[fieldOfFunction](), "Describe", describe},
	} {
		found, problem := method.Find(tt.t, tt.find, tt.shape)
		fmt.Fprintf(&b, "# %s\n", tt.name)
		if found != nil {
			require.Nil(t, problem, tt.name)
			fmt.Fprintf(&b, "  %s, pointer %v\n", found.Method.Name, found.Pointer)
		}
		if problem != nil {
			writeProblem(&b, *problem)
		}
	}
	golden(t, "find.golden", b.String())
}

func TestFindSaysWhere(t *testing.T) {
	t.Parallel()
	found, problem := method.Find(reflect.TypeFor[promotesDescribe](), "Describe", method.Shape{Out: []reflect.Type{reflect.TypeFor[pending]()}})
	require.Nil(t, problem)
	require.NotNil(t, found)
	assert.Equal(t, "find_test.go", filepath.Base(found.File))
	assert.Positive(t, found.Line)
	got := found.Method.Func.Call([]reflect.Value{reflect.New(reflect.TypeFor[promotesDescribe]())})
	assert.Equal(t, pending{}, got[0].Interface())
}
