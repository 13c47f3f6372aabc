package cap_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxExported is how many types and functions the core may export. A name more
// is a name that every user meets; make room before adding one.
const maxExported = 90

const apiFile = "testdata/api.txt"

// TestAPI compares the exported names of the root package with the list in
// testdata, so that no change of the API goes unseen. "make api" rewrites it.
func TestAPI(t *testing.T) {
	t.Parallel()
	golden(t, apiFile, strings.Join(exportedAPI(t), "\n")+"\n")
}

func TestAPISize(t *testing.T) {
	t.Parallel()
	count := 0
	for _, line := range exportedAPI(t) {
		if strings.HasPrefix(line, "type ") || strings.HasPrefix(line, "func ") {
			count++
		}
	}
	assert.LessOrEqual(t, count, maxExported, "exported types and functions of the core")
}

// exportedAPI returns what the root package exports, a name a line, sorted:
// constants, variables and types, functions, methods, and the fields and
// methods of exported structs and interfaces.
func exportedAPI(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var lines []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			lines = append(lines, declLines(fset, decl)...)
		}
	}
	slices.Sort(lines)
	return lines
}

func declLines(fset *token.FileSet, decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return funcLines(fset, d)
	case *ast.GenDecl:
		var lines []string
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				lines = append(lines, valueLines(fset, d.Tok, s)...)
			case *ast.TypeSpec:
				lines = append(lines, typeLines(fset, s)...)
			}
		}
		return lines
	default:
		return nil
	}
}

// promoting is unexported, but Capability and ContractInfo embed it, so its methods are theirs.
const promoting = "description"

func funcLines(fset *token.FileSet, d *ast.FuncDecl) []string {
	signature := strings.TrimPrefix(source(fset, d.Type), "func")
	if d.Recv == nil {
		if !d.Name.IsExported() {
			return nil
		}
		// The printer leaves out the name, which stands before type parameters.
		return []string{"func " + d.Name.Name + signature}
	}
	receiver := d.Recv.List[0].Type
	if name := baseName(receiver); !d.Name.IsExported() || !ast.IsExported(name) && name != promoting {
		return nil
	}
	return []string{fmt.Sprintf("method (%s) %s%s", source(fset, receiver), d.Name.Name, signature)}
}

func valueLines(fset *token.FileSet, kind token.Token, s *ast.ValueSpec) []string {
	var lines []string
	for _, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		line := kind.String() + " " + name.Name
		if s.Type != nil {
			line += " " + source(fset, s.Type)
		}
		lines = append(lines, line)
	}
	return lines
}

func typeLines(fset *token.FileSet, s *ast.TypeSpec) []string {
	if !s.Name.IsExported() {
		return nil
	}
	name := s.Name.Name
	head := "type " + name
	if s.TypeParams != nil {
		head += typeParams(fset, s.TypeParams)
	}
	if s.Assign.IsValid() {
		head += " ="
	}
	switch typ := s.Type.(type) {
	case *ast.StructType:
		return append([]string{head + " struct"}, memberLines(fset, "field ", name, typ.Fields)...)
	case *ast.InterfaceType:
		return append([]string{head + " interface"}, memberLines(fset, "interface ", name, typ.Methods)...)
	default:
		return []string{head + " " + source(fset, s.Type)}
	}
}

// memberLines lists the exported fields of a struct or methods of an interface.
func memberLines(fset *token.FileSet, kind, owner string, members *ast.FieldList) []string {
	var lines []string
	for _, member := range members.List {
		text := source(fset, member.Type)
		if len(member.Names) == 0 && ast.IsExported(baseName(member.Type)) {
			lines = append(lines, kind+owner+" embeds "+text)
		}
		for _, name := range member.Names {
			if name.IsExported() {
				lines = append(lines, kind+owner+"."+name.Name+" "+text)
			}
		}
	}
	return lines
}

func typeParams(fset *token.FileSet, params *ast.FieldList) string {
	var parts []string
	for _, p := range params.List {
		var names []string
		for _, n := range p.Names {
			names = append(names, n.Name)
		}
		parts = append(parts, strings.Join(names, ", ")+" "+source(fset, p.Type))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// baseName returns the name of a receiver or an embedded type, without
// pointer, package and type arguments.
func baseName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	default:
		return ""
	}
}

// source prints a piece of syntax on one line.
func source(fset *token.FileSet, node any) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, fset, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
