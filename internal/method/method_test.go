package method_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/method"
)

var update = flag.Bool("update", false, "write the golden files")

func TestScan(t *testing.T) {
	t.Parallel()
	type local struct{ Sound0 }
	var b strings.Builder
	for _, tt := range []struct {
		name    string
		service any
	}{
		{"sound", &Sound{}},
		{"value and pointer receivers", &Mixed{}},
		{"by value", ByValue{}},
		{"by value, by pointer", &ByValue{}},
		{"promoted twice", &Promoted{}},
		{"promoted through a pointer, by value", PromotedPointer{}},
		{"promoted from an interface", FromInterface{}},
		{"promoted to a struct without a name", struct{ *Sound0 }{}},
		{"declared in a function", &local{}},
		{"generic", &Generic[generic]{}},
		{"generic over a type of a function", &Generic[local]{}},
		{"generic over generic", &Generic[map[string]Page[*strings.Builder]]{}},
		{"no context", &NoContext{}},
		{"context last", &ContextLast{}},
		{"a parameter too many", &TooMany{}},
		{"variadic", &Variadic{}},
		{"pointer to a pointer", &TwoPointers{}},
		{"no result", &NoResult{}},
		{"one result", &OneResult{}},
		{"three results", &ThreeResults{}},
		{"error first", &ErrorFirst{}},
		{"two errors", &TwoErrors{}},
		{"returns a pointer to a pointer", &PointerPointer{}},
		{"wrong altogether", &AllWrong{}},
		{"two contracts", &TwoContracts{}},
		{"wrong companions", &BadCompanions{}},
		{"misspelt", &Misspelt{}},
		{"companions without a handler", &Orphans{}},
		{"contract used twice", &Twice{}},
		{"names that differ by case", &Cases{}},
		{"ambiguous", &Ambiguous{}},
		{"ambiguous by a diamond", &Diamond{}},
		{"hidden by a field", &FieldHides{}},
		{"hidden by a field of another embedded type", &FieldBeside{}},
		{"only the companion is hidden", &WithHandler{}},
		{"ambiguous with an interface", &Interfaces{}},
		{"ambiguity that is overridden", &Override{}},
		{"pointer receivers, by value", Mixed{}},
		{"promoted pointer receivers, by value", Promoted{}},
		{"generic, by value", Generic[generic]{}},
		{"embedded in itself", &Recursive{}},
		{"no handler", &Nothing{}},
		{"no method", &struct{}{}},
		{"no struct", NoStruct(1)},
		{"pointer to no struct", new(NoStruct)},
		{"pointer to a pointer to a struct", new(*Sound)},
		{"function", func() {}},
		{"recursive pointer", *new(loop)},
		{"nil", nil},
	} {
		handlers, problems := method.Scan(reflect.TypeOf(tt.service), hooks)
		fmt.Fprintf(&b, "# %s\n", tt.name)
		for _, h := range handlers {
			b.WriteString("  " + show(h) + "\n")
		}
		for _, p := range problems {
			writeProblem(&b, p)
		}
	}
	golden(t, "scan.golden", b.String())
}

// show gives a handler one line.
func show(h method.Handler) string {
	text := fmt.Sprintf("%s: %s%v to %s%v", h.Name, star(h.InPointer), h.In, star(h.OutPointer), h.Out)
	for _, c := range []*method.Companion{h.Allow, h.Preconditions, h.Reconcile} {
		if c == nil {
			continue
		}
		text += fmt.Sprintf(", %s(%s)", c.Method.Name, star(c.InPointer))
		if c.Wrong {
			text += " wrong"
		}
	}
	return text
}

func star(pointer bool) string {
	if pointer {
		return "*"
	}
	return ""
}

func writeProblem(b *strings.Builder, p method.Problem) {
	fmt.Fprintf(b, "  ! %s: %s (%s)\n", p.Where, p.What, p.Do)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run the test with -update and read the difference")
}

// declared finds the line of a method in the fixtures.
func declared(t *testing.T, receiver, name string) int {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "fixture_test.go", nil, 0)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.Name != name {
			continue
		}
		found := false
		ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == receiver
			return true
		})
		if found {
			return files.Position(f.Pos()).Line
		}
	}
	require.Fail(t, "no such method", "%s.%s", receiver, name)
	return 0
}

func TestScanFindsLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, handler, receiver string
		service                 any
	}{
		{"own method with a pointer receiver", "Get", "Sound", &Sound{}},
		{"own method with a value receiver", "Cancel", "Mixed", &Mixed{}},
		{"value receiver of a value", "Cancel", "ByValue", ByValue{}},
		{"promoted, depth one", "Cancel", "Middle", &Promoted{}},
		{"promoted, depth two", "Get", "Deep", &Promoted{}},
		{"promoted through a pointer", "Cancel", "Middle", PromotedPointer{}},
		{"generic", "Get", "Generic", &Generic[int]{}},
		{"interface", "Cancel", "", FromInterface{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handlers, _ := method.Scan(reflect.TypeOf(tt.service), hooks)
			for _, h := range handlers {
				if h.Name != tt.handler {
					continue
				}
				if tt.receiver == "" {
					assert.Empty(t, h.File)
					assert.Zero(t, h.Line)
					return
				}
				assert.Equal(t, "fixture_test.go", filepath.Base(h.File))
				assert.Equal(t, declared(t, tt.receiver, tt.handler), h.Line)
				return
			}
			require.Fail(t, "no such handler", tt.handler)
		})
	}

	handlers, problems := method.Scan(reflect.TypeFor[*Promoted](), hooks)
	require.Empty(t, problems)
	require.Len(t, handlers, 2)
	require.NotNil(t, handlers[0].Allow)
	assert.Equal(t, declared(t, "Deep", "AllowGet"), handlers[0].Allow.Line, "a companion with a value receiver")

	_, problems = method.Scan(reflect.TypeFor[*Ambiguous](), hooks)
	require.NotEmpty(t, problems)
	assert.Equal(t, declared(t, "Left", "Cancel"), problems[0].Line, "a hidden handler")
}

func TestScanKeepsOrder(t *testing.T) {
	t.Parallel()
	want, wantProblems := method.Scan(reflect.TypeFor[*Misspelt](), hooks)
	for range 20 {
		got, problems := method.Scan(reflect.TypeFor[*Misspelt](), hooks)
		require.Equal(t, wantProblems, problems)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i].Name, got[i].Name)
		}
	}
	for i := 1; i < len(want); i++ {
		assert.LessOrEqual(t, want[i-1].Line, want[i].Line)
	}
}

func TestScanMethodCanBeCalled(t *testing.T) {
	t.Parallel()
	service := &Sound{prefix: "here"}
	handlers, _ := method.Scan(reflect.TypeOf(service), hooks)
	for _, h := range handlers {
		if h.Name == "Get" {
			got := h.Method.Func.Call([]reflect.Value{reflect.ValueOf(service), reflect.ValueOf(t.Context()), reflect.New(h.In).Elem()})
			assert.Equal(t, Order{"here"}, got[0].Interface())
			return
		}
	}
	require.Fail(t, "Sound has no handler Get")
}

func TestNilEmbedded(t *testing.T) {
	t.Parallel()
	type unused struct{ Closer *Nothing }
	type beside struct {
		Sound0
		*Nothing
	}
	for _, tt := range []struct {
		name    string
		service any
		want    string
	}{
		{"nothing embedded", &Sound{}, ""},
		{"embedded value", &BadCompanions{}, ""},
		{"nil at depth two", &Promoted{}, "method_test.Promoted.Middle.Deep"},
		{"nil at depth one", PromotedPointer{}, "method_test.PromotedPointer.Middle"},
		{"nil behind a pointer", PromotedPointer{&Middle{}}, "method_test.PromotedPointer.Middle.Deep"},
		{"all set", &PromotedPointer{&Middle{&Deep{}}}, ""},
		{"nil interface", FromInterface{}, "method_test.FromInterface.Canceller"},
		{"interface that is set", FromInterface{&Sound0{}}, ""},
		{"nil that is embedded in itself", &Recursive{}, ""},
		{"nil that no handler needs", &beside{}, ""},
		{"nil that is not embedded", &unused{}, ""},
		{"nil service", (*Sound)(nil), "*method_test.Sound"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handlers, _ := method.Scan(reflect.TypeOf(tt.service), hooks)
			got, found := method.NilEmbedded(reflect.ValueOf(tt.service), handlers)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.want != "", found)
		})
	}
	_, found := method.NilEmbedded(reflect.Value{}, nil)
	assert.True(t, found, "no value at all")
}
