package cap_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/seed-369ec62e/cap"

// A layer says what the packages of a tree may import. A tree is a folder of
// the repository, "." the core; with /... it is all that lies below as well.
type layer struct {
	tree  string
	allow []string // packages of ours
	tests []string // packages of ours that only its tests may import
	libs  []string // modules of others
	never []string // packages that it must not import, the standard library's too
}

// Modules of others, by who may import them. A further one is a decision for a
// reviewer; what is large or needs a server gets a go.mod of its own.
var (
	validatorModule  = "github.com/go-playground/validator/v10"
	jsonschemaModule = "github.com/invopop/jsonschema"
	uuidModule       = "github.com/google/uuid"
	zerologModule    = "github.com/rs/zerolog"
	testifyModule    = "github.com/stretchr/testify"

	common   = []string{validatorModule, jsonschemaModule, uuidModule, zerologModule}
	helpers  = append([]string{testifyModule}, common...)
	anything = []string{"*"}
)

// layers is read top down: the first tree that holds a package rules it.
var layers = []layer{
	{tree: "tags", never: []string{"reflect"}},

	// The core is built from the bottom up; nothing below it knows it.
	{tree: "internal/jsonvalue"},
	{tree: "internal/method", allow: []string{"tags"}},
	{tree: "internal/rules", allow: []string{"tags", "internal/jsonvalue"}, libs: common},
	{tree: "internal/plan", allow: []string{"tags", "internal/jsonvalue", "internal/rules"}, libs: common},
	{
		tree:  "internal/schema",
		allow: []string{"tags", "internal/jsonvalue", "internal/rules", "internal/plan"},
		libs:  common,
	},
	{tree: "internal/adaptertest", allow: []string{"."}, tests: []string{"approval"}, libs: helpers},
	{tree: ".", allow: []string{"tags", "internal/..."}, tests: []string{"..."}, libs: common},

	// What stands on the core uses only what a third party could use.
	{
		tree:  "adapters/http",
		allow: []string{"."},
		tests: []string{"internal/adaptertest", "approval", "captest"},
		never: []string{"reflect"},
	},
	{
		tree:  "adapters/mcp",
		allow: []string{"."},
		tests: []string{"internal/adaptertest", "approval", "captest"},
		libs:  []string{"github.com/modelcontextprotocol/go-sdk"},
		never: []string{"reflect"},
	},
	{
		tree:  "adapters/cli",
		allow: []string{"."},
		tests: []string{"internal/adaptertest", "approval", "captest"},
		// x/sys tells a terminal and its width.
		libs:  []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/sys"},
		never: []string{"reflect"},
	},
	{tree: "approval", allow: []string{"."}, tests: []string{"captest", "approval/storetest"}, libs: common, never: []string{"reflect"}},
	{tree: "approval/storetest", allow: []string{".", "approval"}, libs: helpers},
	{tree: "lint", allow: []string{"."}, tests: []string{"captest"}, libs: common, never: []string{"reflect"}},
	{tree: "contracts", allow: []string{"."}, tests: []string{"captest"}, libs: common, never: []string{"reflect"}},
	{
		tree:  "captest",
		allow: []string{".", "lint", "contracts"},
		tests: []string{"adapters/...", "approval"},
		libs:  helpers,
	},
	{
		tree:  "app",
		allow: []string{".", "tags", "adapters/...", "approval", "lint", "contracts"},
		tests: []string{"captest"},
		libs:  common,
		never: []string{"testing"},
	},

	// Modules of their own.
	{
		tree:  "adapters/http/...",
		allow: []string{".", "adapters/http"},
		tests: []string{"adapters/http/...", "approval", "captest"},
		libs:  anything,
		never: []string{"reflect"},
	},
	{
		tree:  "adapters/mcp/...",
		allow: []string{".", "adapters/mcp"},
		tests: []string{"captest"},
		libs:  anything,
		never: []string{"reflect"},
	},
	{
		tree:  "adapters/cli/...",
		allow: []string{".", "adapters/cli"},
		tests: []string{"captest"},
		libs:  anything,
		never: []string{"reflect"},
	},
	{
		tree:  "approval/sqlstore/...",
		allow: []string{".", "approval", "approval/sqlstore/..."},
		tests: []string{"approval/storetest", "captest"},
		libs:  anything,
	},
	{
		tree: "examples/...",
		allow: []string{
			".", "tags", "adapters/...", "approval/...", "lint", "contracts", "captest", "app", "examples/...",
		},
		libs: anything,
	},
}

// unreachable lists packages that a tree must not link, however indirectly.
var unreachable = []struct{ tree, pkg, why string }{
	{".", "net/http", "the core is transport-free; HTTP lives in adapters/http"},
	{"tags", "net/http", "the core is transport-free"},
	{"approval", "testing", "test helpers must not reach a user's binary"},
	{"lint", "testing", "test helpers must not reach a user's binary"},
	{"contracts", "testing", "test helpers must not reach a user's binary"},
	{"adapters/...", "testing", "test helpers must not reach a user's binary"},
	{"app", "testing", "test helpers must not reach a user's binary"},
}

// coreModules is the most that importing the root package may link into a
// program. Adding a line is a decision for a reviewer, not a side effect.
var coreModules = []string{
	module,

	zerologModule,
	"github.com/mattn/go-colorable",
	"github.com/mattn/go-isatty",
	"golang.org/x/sys",

	uuidModule,

	jsonschemaModule,
	"github.com/bahlo/generic-list-go",
	"github.com/buger/jsonparser",
	"github.com/pb33f/ordered-map/v2",
	"go.yaml.in/yaml/v4",

	validatorModule,
	"github.com/gabriel-vasile/mimetype",
	"github.com/go-playground/locales",
	"github.com/go-playground/universal-translator",
	"github.com/leodido/go-urn",
	"golang.org/x/crypto",
	"golang.org/x/text",
}

// standalone lists the modules that go.work leaves out.
var standalone = []string{"tools", "benchmarks"}

func TestImportRules(t *testing.T) {
	t.Parallel()
	packages := goList(t, "work")
	require.NotEmpty(t, packages)
	for _, p := range packages {
		from := relative(p.ImportPath)
		at := slices.IndexFunc(layers, func(l layer) bool { return inTree(from, l.tree) })
		if !assert.GreaterOrEqual(t, at, 0, "%s: no layer holds this package; add it to layers", from) {
			continue
		}
		checkImports(t, p, layers[at])
		checkTestImports(t, p, layers[at])
	}
}

func checkImports(t *testing.T, p goPackage, l layer) {
	t.Helper()
	from := relative(p.ImportPath)
	for _, imp := range p.Imports {
		assert.NotContains(t, l.never, imp, "%s imports %s", from, imp)
		switch {
		case isOurs(imp):
			assert.True(t, inTrees(relative(imp), l.allow), "%s imports %s; of ours it may import only %q", from, relative(imp), l.allow)
		case !isStandard(imp):
			assert.True(t, inModules(imp, l.libs), "%s imports %s; of others it may import only %q", from, imp, l.libs)
		}
	}
}

// checkTestImports judges packages of ours alone: tests may use any library.
func checkTestImports(t *testing.T, p goPackage, l layer) {
	t.Helper()
	from := relative(p.ImportPath)
	for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
		if !isOurs(imp) || imp == p.ImportPath {
			continue
		}
		may := slices.Concat(l.allow, l.tests)
		assert.True(t, inTrees(relative(imp), may), "tests of %s import %s; of ours they may import only %q", from, relative(imp), may)
	}
}

func TestUnreachablePackages(t *testing.T) {
	t.Parallel()
	for _, p := range goList(t, "work") {
		from := relative(p.ImportPath)
		for _, u := range unreachable {
			if inTree(from, u.tree) {
				assert.NotContains(t, p.Deps, u.pkg, "%s links %s: %s", from, u.pkg, u.why)
			}
		}
	}
}

func TestCoreModules(t *testing.T) {
	t.Parallel()
	for _, p := range goList(t, "-deps", ".") {
		if p.Module != nil {
			assert.Contains(t, coreModules, p.Module.Path, "the core links %s of another module", p.ImportPath)
		}
	}
}

// TestWorkspace holds that go.work names every module of the repository but
// the ones that stand alone, so that none is left out of the checks.
func TestWorkspace(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "work", "edit", "-json").Output()
	require.NoError(t, err)
	var work struct{ Use []struct{ DiskPath string } }
	require.NoError(t, json.Unmarshal(out, &work))

	var got []string
	for _, use := range work.Use {
		got = append(got, path.Clean(use.DiskPath))
	}
	var want []string
	walk(t, func(file string) {
		if dir := path.Dir(file); path.Base(file) == "go.mod" && !slices.Contains(standalone, dir) {
			want = append(want, dir)
		}
	})
	assert.ElementsMatch(t, want, got, "modules named by go.work")
}

type goPackage struct {
	ImportPath                string
	Imports, Deps             []string
	TestImports, XTestImports []string
	Module                    *struct{ Path string }
}

func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	// The test cache does not see what go list reads. Walking the tree here
	// makes a cached result stale when a file of the repository changes.
	walk(t, func(string) {})
	// With -e, code that does not build yet is judged all the same; that it
	// builds is the business of go vet.
	args = append([]string{"list", "-e", "-json=ImportPath,Imports,Deps,TestImports,XTestImports,Module"}, args...)
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		require.NoError(t, err, "go %v: %s", args, exit.Stderr)
	}
	require.NoError(t, err)
	var packages []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}

// walk visits every file of the repository that is ours: hidden folders, such
// as .git, and testdata are left out. Names have slashes.
func walk(t *testing.T, visit func(file string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
			return fs.SkipDir
		case !entry.IsDir():
			visit(filepath.ToSlash(file))
		}
		return nil
	})
	require.NoError(t, err)
}

func isOurs(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// isStandard reports whether a package is the standard library's: no host name
// begins its path.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// relative turns an import path of ours into "tags", or "." at the root.
func relative(importPath string) string {
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"))
}

func inTrees(rel string, trees []string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool { return inTree(rel, tree) })
}

func inTree(rel, tree string) bool {
	if tree == "..." {
		return true
	}
	root, deep := strings.CutSuffix(tree, "/...")
	return rel == root || deep && strings.HasPrefix(rel, root+"/")
}

func inModules(importPath string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool {
		return m == "*" || importPath == m || strings.HasPrefix(importPath, m+"/")
	})
}
