package cap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap/tags"
)

// Library is a named, versioned set of capabilities that one package publishes and others compose; see [Compose]. It never
// changes and is safe for concurrent use. As a [Declaration] it is all its capabilities under their own names.
type Library struct {
	name, version string
	services      []any
}

// NewLibrary returns a library of services: pointers to structs whose exported methods are handlers, and what [Func]
// returns. It keeps the list as it is now. The services are read where the library is composed, with that registry's rules
// and types, and what is wrong with them is told there.
//
//	func Library(store Store) *cap.Library {
//		return cap.NewLibrary("acme/orders", "1.4.0", &Orders{Store: store})
//	}
func NewLibrary(name, version string, services ...any) *Library {
	return &Library{name: name, version: version, services: slices.Clone(services)}
}

// Name is what the library is called, such as "acme/orders".
func (l *Library) Name() string { return l.name }

// Version is the version of the library.
func (l *Library) Version() string { return l.version }

// Select imports the capabilities of these names.
func (l *Library) Select(names ...string) *Selection {
	return &Selection{library: l, names: slices.Clone(names), some: true}
}

// Rename imports the whole library, one capability of it under another name.
func (l *Library) Rename(from, to string) *Selection {
	return (&Selection{library: l}).Rename(from, to)
}

// Export imports one capability.
func (l *Library) Export(name string) *Export { return &Export{library: l, name: name, as: name} }

// Selection is a [Declaration]: capabilities of a library, some of them under other names. It never changes.
type Selection struct {
	library *Library
	names   []string
	some    bool // names, not the whole library
	renames *renaming
}

// renaming is a list, the last one first: every step of a chain of Rename is a Selection of its own.
type renaming struct {
	from, to string
	before   *renaming
}

// Rename returns the selection with one capability mounted under another name. Its own name is then free.
func (s *Selection) Rename(from, to string) *Selection {
	var renamed Selection // of nothing, if s is nil, which Compose reports
	if s != nil {
		renamed = *s
	}
	renamed.renames = &renaming{from: from, to: to, before: renamed.renames}
	return &renamed
}

// Export is a [Declaration]: one capability of a library. It never changes.
type Export struct {
	library  *Library
	name, as string
}

// As returns the export mounted under another name. The capability's own name is then free.
func (e *Export) As(name string) *Export {
	if e == nil {
		return &Export{as: name}
	}
	return &Export{library: e.library, name: e.name, as: name}
}

func (l *Library) declare(g *registration) { (&Selection{library: l}).declare(g) }

func (s *Selection) declare(g *registration) {
	lib := g.open(s.library)
	if lib == nil {
		return
	}
	list := lib.list
	if s.some {
		list = lib.selected(g, s.names)
	}
	to := lib.renamed(g, s.renames, list)
	for _, c := range list {
		name, renames := to[c.name]
		if !renames {
			name = c.name
		}
		if name != "" {
			g.mount(c, name, lib.origin("library", c.name))
		}
	}
}

func (e *Export) declare(g *registration) {
	lib := g.open(e.library)
	if lib == nil {
		return
	}
	if !isName(e.as) {
		g.issue(CompositionIssue{
			Code: ImportInvalid, Name: e.name, What: fmt.Sprintf("is mounted as %q, which is no name", clip(e.as)), Do: nameRule,
			From: []Provenance{lib.origin("atomic", e.name)},
		})
		return
	}
	for _, c := range lib.find(g, "atomic", e.name) {
		g.mount(c, e.as, lib.origin("atomic", c.name))
	}
}

// nameRule says what the name of a capability is.
const nameRule = "a name is 1 to 64 letters, digits, _ and -"

// importedLibrary is a library as one composition reads it, once.
type importedLibrary struct {
	library *Library
	list    []*Capability // services as given, handlers as they stand in the source
	byName  map[string][]*Capability
	names   []string
	guesses int // how many names were searched for a likely one
}

// open reads a library. What is wrong with it is told once. It returns nil if nothing can be imported from it.
func (g *registration) open(l *Library) *importedLibrary {
	if lib, done := g.libraries[l]; done {
		return lib
	}
	if g.libraries == nil {
		g.libraries = make(map[*Library]*importedLibrary)
	}
	lib := &importedLibrary{library: l, byName: make(map[string][]*Capability)}
	g.libraries[l] = nil
	if l == nil {
		g.issue(CompositionIssue{Code: ImportInvalid, What: "the library is nil", Do: "pass what NewLibrary returned", From: []Provenance{{Kind: "library"}}})
		return nil
	}
	if !lib.check(g) {
		return nil
	}
	// The services' problems and capabilities take their places before what is imported of them.
	inner := &registration{registry: g.registry, service: g.service}
	for _, service := range l.services {
		inner.service++
		inner.add(service)
	}
	g.service = inner.service + 1
	g.problems = append(g.problems, inner.problems...)
	g.issues = append(g.issues, inner.issues...)
	lib.list = inner.sorted()
	for _, c := range lib.list {
		lib.byName[c.name] = append(lib.byName[c.name], c)
		lib.names = append(lib.names, c.name)
	}
	g.libraries[l] = lib
	return lib
}

// check reports what is wrong with the library as such.
func (lib *importedLibrary) check(g *registration) bool {
	before := len(g.issues)
	wrong := func(what, do string) {
		g.issue(CompositionIssue{Code: ImportInvalid, What: what, Do: do, From: []Provenance{lib.origin("library", "")}})
	}
	if strings.TrimSpace(lib.library.name) == "" {
		wrong("the library has no name", "give NewLibrary one, such as \"acme/orders\"")
	}
	if strings.TrimSpace(lib.library.version) == "" {
		wrong("the library has no version", "give NewLibrary one, such as \"1.4.0\"")
	}
	if len(lib.library.services) == 0 {
		wrong("the library has no services", "pass them to NewLibrary")
	}
	if holdsImport(lib.library.services) {
		wrong("the library holds another library", "a library holds services; compose both libraries side by side")
	}
	return len(g.issues) == before
}

func holdsImport(services []any) bool {
	return slices.ContainsFunc(services, func(service any) bool {
		switch service := service.(type) {
		case *Library, *Selection, *Export:
			return true
		case *localDeclaration:
			return holdsImport(service.services)
		default:
			return false
		}
	})
}

func (lib *importedLibrary) origin(kind, name string) Provenance {
	origin := Provenance{Kind: kind, Library: lib.library.name, Version: lib.library.version, Name: name}
	if list := lib.byName[name]; len(list) > 0 {
		origin.Contract = list[0].contract
	}
	return origin
}

// find returns the capabilities of that name: none is an issue, and several will collide.
func (lib *importedLibrary) find(g *registration, kind, name string) []*Capability {
	list := lib.byName[name]
	issue := CompositionIssue{
		Code: ImportNotFound, Name: name, What: "the library has no such capability", From: []Provenance{lib.origin(kind, name)},
	}
	switch {
	case len(list) > 0:
		return list
	case name == "":
		issue.Code, issue.What = ImportInvalid, "a capability without a name is asked for"
	default:
		issue.Do = lib.guess(name)
	}
	g.issue(issue)
	return nil
}

// maxGuesses bounds the search for likely names: each one looks at the whole library.
const maxGuesses = 100

func (lib *importedLibrary) guess(name string) string {
	if lib.guesses++; lib.guesses > maxGuesses {
		return ""
	}
	if nearest, ok := tags.Nearest(name, lib.names); ok {
		return fmt.Sprintf("did you mean %q?", nearest)
	}
	return ""
}

// selected are the capabilities of these names, in the library's order if each is named once.
func (lib *importedLibrary) selected(g *registration, names []string) []*Capability {
	if len(names) == 0 {
		g.issue(CompositionIssue{
			Code: ImportInvalid, What: "nothing is selected", Do: "name what to import, or declare the library itself for all of it",
			From: []Provenance{lib.origin("library", "")},
		})
	}
	times := make(map[string]int, len(names))
	for _, name := range names {
		times[name]++
		if times[name] == 1 || len(lib.byName[name]) == 0 {
			lib.find(g, "library", name)
		}
	}
	var list []*Capability
	for _, c := range lib.list {
		for range times[c.name] {
			list = append(list, c)
		}
	}
	return list
}

// renamed gives the new name of what is renamed, "" where it is of no use.
func (lib *importedLibrary) renamed(g *registration, last *renaming, list []*Capability) map[string]string {
	var steps []*renaming
	for ; last != nil; last = last.before {
		steps = append(steps, last)
	}
	chosen := make(map[string]bool, len(list))
	for _, c := range list {
		chosen[c.name] = true
	}
	to := make(map[string]string, len(steps))
	for _, step := range slices.Backward(steps) {
		issue := CompositionIssue{Code: ImportInvalid, Name: step.from, From: []Provenance{lib.origin("library", step.from)}}
		_, again := to[step.from]
		switch {
		case len(lib.byName[step.from]) == 0:
			lib.find(g, "library", step.from)
			continue
		case !chosen[step.from]:
			issue.Code, issue.What, issue.Do = RemapNotSelected, fmt.Sprintf("is renamed to %q, but not selected", clip(step.to)), "select it too"
		case again:
			issue.What, issue.Do = "is renamed twice", "keep one; Export it for a second name"
		case !isName(step.to):
			issue.What, issue.Do = fmt.Sprintf("is renamed to %q, which is no name", clip(step.to)), nameRule
			to[step.from] = ""
		default:
			to[step.from] = step.to
			continue
		}
		g.issue(issue)
	}
	return to
}

// clip cuts a text that may be anything to what fits a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
