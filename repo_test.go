package cap_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rules of this file are those of the repository's style that no linter
// checks and that a reader can count.
const (
	maxFileLines = 600
	maxFuncLines = 80
)

var (
	openWork    = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)
	issueNumber = regexp.MustCompile(`#[0-9]+`)
)

// A goFile is one parsed file of ours.
type goFile struct {
	name   string
	fset   *token.FileSet
	syntax *ast.File
	lines  int
}

func (f goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// at returns the position of a node as file:line.
func (f goFile) at(n ast.Node) string { return f.fset.Position(n.Pos()).String() }

// span counts the lines of a node.
func (f goFile) span(n ast.Node) int {
	return f.fset.Position(n.End()).Line - f.fset.Position(n.Pos()).Line + 1
}

func (f goFile) functions() []*ast.FuncDecl {
	var functions []*ast.FuncDecl
	for _, decl := range f.syntax.Decls {
		if d, isFunc := decl.(*ast.FuncDecl); isFunc {
			functions = append(functions, d)
		}
	}
	return functions
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		if f.isTest() || ast.IsGenerated(f.syntax) {
			continue
		}
		assert.LessOrEqual(t, f.lines, maxFileLines, "lines of %s; split it by noun", f.name)
		for _, d := range f.functions() {
			assert.LessOrEqual(t, f.span(d), maxFuncLines, "lines of %s at %s", d.Name.Name, f.at(d))
		}
	}
}

func TestOpenWorkNamesAnIssue(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				if openWork.MatchString(c.Text) {
					assert.Regexp(t, issueNumber, c.Text, "%s: open work without the number of its issue", f.at(c))
				}
			}
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, f := range goFiles(t) {
		if !f.isTest() {
			dir := path.Dir(f.name)
			documented[dir] = documented[dir] || f.syntax.Doc.Text() != ""
		}
	}
	for dir, ok := range documented {
		assert.True(t, ok, "no file of %s has a package comment", dir)
	}
}

// suites are packages of tests for others to run. They panic on purpose, to see
// what becomes of it.
var suites = []string{"internal/adaptertest", "approval/storetest"}

// TestOnlyMustPanics also holds that nothing happens on import.
func TestOnlyMustPanics(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		if f.isTest() || slices.Contains(suites, path.Dir(f.name)) {
			continue
		}
		for _, imp := range f.syntax.Imports {
			assert.NotEqual(t, `"unsafe"`, imp.Path.Value, "%s imports unsafe", f.name)
		}
		for _, d := range f.functions() {
			assert.False(t, d.Recv == nil && d.Name.Name == "init", "%s: work on import", f.at(d))
			if strings.HasPrefix(d.Name.Name, "Must") {
				continue
			}
			for _, call := range callsIn(d) {
				name, isName := call.Fun.(*ast.Ident)
				assert.False(t, isName && name.Name == "panic", "%s: %s panics; return an error", f.at(call), d.Name.Name)
			}
		}
	}
}

func TestSkipsSayWhy(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		for _, call := range callsIn(f.syntax) {
			method, isMethod := call.Fun.(*ast.SelectorExpr)
			if !isMethod || !f.isTest() {
				continue
			}
			silent := method.Sel.Name == "SkipNow" || method.Sel.Name == "Skip" && len(call.Args) == 0
			assert.False(t, silent, "%s: a skip without a reason", f.at(call))
		}
	}
}

// TestFuzzTargetsAreListed keeps the list of CONTRIBUTING.md complete and true.
func TestFuzzTargetsAreListed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| `(Fuzz\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		got = append(got, row[1]+" "+row[2])
	}
	var want []string
	for _, f := range goFiles(t) {
		for _, d := range f.functions() {
			if f.isTest() && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Fuzz") {
				want = append(want, path.Dir(f.name)+" "+d.Name.Name)
			}
		}
	}
	assert.ElementsMatch(t, want, got, "fuzz targets listed in CONTRIBUTING.md, as | `folder` | `target` | what it compares |")
}

// goFiles parses every Go file of the repository.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		fset := token.NewFileSet()
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, goFile{name: name, fset: fset, syntax: syntax, lines: strings.Count(string(text), "\n")})
	})
	return files
}

func callsIn(n ast.Node) []*ast.CallExpr {
	var calls []*ast.CallExpr
	ast.Inspect(n, func(n ast.Node) bool {
		if call, isCall := n.(*ast.CallExpr); isCall {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}

// A regular expression that is compiled when a package is loaded is paid for by every program that links it.
func TestNoPackageCompilesPatternsOnImport(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles(t) {
		if f.isTest() || strings.HasPrefix(f.name, "benchmarks/") {
			continue
		}
		for _, decl := range f.syntax.Decls {
			d, isGeneral := decl.(*ast.GenDecl)
			if !isGeneral || d.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if _, isFunc := n.(*ast.FuncLit); isFunc {
					return false // it runs when it is called
				}
				call, isCall := n.(*ast.CallExpr)
				if !isCall {
					return true
				}
				if name, isName := call.Fun.(*ast.SelectorExpr); isName && strings.HasPrefix(name.Sel.Name, "MustCompile") {
					t.Errorf("%s: compiles a pattern on import; want sync.OnceValue around it, or a loop over the bytes", f.at(n))
				}
				return true
			})
		}
	}
}
