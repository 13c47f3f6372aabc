package cap

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Codes of a [CompositionIssue].
const (
	// NameCollision: two declarations are mounted under one name.
	NameCollision = "CAPABILITY_ID_COLLISION"
	// ImportInvalid: a library, a selection or an export is not what it should be.
	ImportInvalid = "CAPABILITY_IMPORT_INVALID"
	// ImportNotFound: the library has no capability of that name.
	ImportNotFound = "CAPABILITY_IMPORT_ID_NOT_FOUND"
	// RemapNotSelected: a capability is renamed that the selection leaves out.
	RemapNotSelected = "CAPABILITY_REMAP_NOT_SELECTED"
)

// Provenance says where a declaration comes from, in names and versions only.
type Provenance struct {
	// Kind is "local", "library" (a library or a selection of it) or "atomic" (one export).
	Kind    string `json:"kind"`
	Library string `json:"library,omitempty"`
	Version string `json:"version,omitempty"`
	// Name is the capability's own name, whatever it is mounted as.
	Name string `json:"name,omitempty"`
	// Contract is the Go type of its contract, such as "orders.GetOrder".
	Contract string `json:"contract,omitempty"`
}

// String gives every part of it that might hold anything as a quoted text, so that no name can pass for another line.
func (p Provenance) String() string {
	parts := []string{p.Kind}
	if p.Library != "" || p.Version != "" {
		parts = append(parts, strconv.Quote(p.Library), strconv.Quote(p.Version))
	}
	if p.Name != "" {
		parts = append(parts, strconv.Quote(p.Name))
	}
	if p.Contract != "" {
		parts = append(parts, "("+p.Contract+")")
	}
	return strings.Join(parts, " ")
}

// CompositionIssue is one thing that keeps declarations from being composed.
type CompositionIssue struct {
	Code string `json:"code"`
	// Name is the name that collides, or of the capability that cannot be imported. It is empty where the whole library is
	// at fault.
	Name string `json:"name,omitempty"`
	What string `json:"what"`
	Do   string `json:"do,omitempty"`
	// From are the declarations at fault, in their order.
	From []Provenance `json:"from"`
}

func (i CompositionIssue) String() string {
	text := i.Code
	if i.Name != "" {
		text += " " + strconv.Quote(i.Name)
	}
	text += ": " + i.What
	if i.Do != "" {
		text += " (" + i.Do + ")"
	}
	return text
}

// CompositionError reports everything that is wrong with a composition at once, in a fixed order: collisions by name in
// byte order, then what cannot be imported as it was declared, then the problems of the services themselves.
type CompositionError struct {
	Issues   []CompositionIssue `json:"issues,omitempty"`
	Problems []Problem          `json:"problems,omitempty"`
}

// Error lists every issue with the declarations at fault, then every problem.
func (e *CompositionError) Error() string {
	var b strings.Builder
	b.WriteString("cap: CAPABILITY_COMPOSITION_INVALID")
	for _, issue := range e.Issues {
		b.WriteString("\n  " + issue.String())
		for _, from := range issue.From {
			b.WriteString("\n    " + from.String())
		}
	}
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// Unwrap gives the problems as a *[RegistrationError], if there are any.
func (e *CompositionError) Unwrap() error { return problemError(e.Problems) }

// Compose makes a registry of declarations: [Local] services, libraries, what is selected or exported of them, and what
// [Func] returns. It is eager and all or nothing: either every name has one capability, or the error is a
// *[CompositionError] with everything that is wrong. There is no precedence between declarations. Handlers are not called.
//
// An import keeps the tags of its contract: a contract with an HTTP path of its own, mounted twice, collides over HTTP unless a
// filter of the adapter leaves one out.
//
// Local declarations come first, then imports, each in the order given. The registry is sealed: nothing can be added.
func Compose(options Options, declarations ...Declaration) (*Registry, error) {
	g := &registration{registry: New(options)}
	for _, d := range localFirst(declarations) {
		g.service++
		g.declare(d)
	}
	list := g.sorted()
	failed := &CompositionError{Issues: slices.Concat(g.collisions(list), g.issues), Problems: g.listed()}
	if len(failed.Issues)+len(failed.Problems) > 0 {
		return nil, failed
	}
	list = g.overridden(list)
	if len(g.problems) > 0 {
		return nil, &CompositionError{Problems: g.listed()}
	}
	for _, c := range list {
		g.registry.keep(c)
	}
	g.registry.seal()
	return g.registry, nil
}

// declare reads a declaration. One that is nil is an issue.
func (g *registration) declare(d Declaration) {
	if holdsNil(reflect.ValueOf(d)) {
		g.issue(CompositionIssue{Code: ImportInvalid, What: "a declaration is nil", Do: "leave it out", From: []Provenance{{Kind: "local"}}})
		return
	}
	d.declare(g)
}

// holdsNil reports whether v is nil, or a struct of the user's that embeds a declaration which is.
func holdsNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || holdsNil(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Anonymous && holdsNil(v.Field(i)) {
				return true
			}
		}
		return false
	default:
		return false
	}
}

// localFirst puts imports behind everything else.
func localFirst(declarations []Declaration) []Declaration {
	sorted := slices.Clone(declarations)
	slices.SortStableFunc(sorted, func(a, b Declaration) int { return cmp.Compare(importRank(a), importRank(b)) })
	return sorted
}

func importRank(d Declaration) int {
	switch d.(type) {
	case *Library, *Selection, *Export:
		return 1
	default:
		return 0
	}
}

// Local declares services of the program itself, for [Compose].
func Local(services ...any) Declaration { return &localDeclaration{services: slices.Clone(services)} }

type localDeclaration struct{ services []any }

func (l *localDeclaration) declare(g *registration) {
	if len(l.services) == 0 {
		g.report(Problem{Where: "Local", What: "no service is given", Do: "pass the services that hold the handlers"})
	}
	for _, service := range l.services {
		g.service++
		g.add(service)
	}
}

// mount keeps c, which a library shares with every program that imports it, under a name of this program.
func (g *registration) mount(c *Capability, name string, from Provenance) {
	mounted := &Capability{
		description: c.description, where: c.where, handle: c.handle, allow: c.allow, preconditions: c.preconditions, reconcile: c.reconcile,
	}
	mounted.name = name
	if g.origins == nil {
		g.origins = make(map[*Capability]Provenance)
	}
	from.Contract = c.contract
	g.origins[mounted] = from
	g.capabilities = append(g.capabilities, place[*Capability]{thing: mounted, service: g.service})
}

func (g *registration) origin(c *Capability) Provenance {
	if from, imported := g.origins[c]; imported {
		return from
	}
	return Provenance{Kind: "local", Name: c.name, Contract: c.contract}
}

func (g *registration) issue(i CompositionIssue) { g.issues = append(g.issues, i) }

// collisions are the names that several capabilities have, in byte order.
func (g *registration) collisions(list []*Capability) []CompositionIssue {
	owners := make(map[string][]Provenance, len(list))
	for _, c := range list {
		owners[c.name] = append(owners[c.name], g.origin(c))
	}
	var issues []CompositionIssue
	for name, from := range owners {
		if len(from) > 1 {
			issues = append(issues, CompositionIssue{
				Code: NameCollision, Name: name, From: from,
				What: fmt.Sprintf("%d declarations have this name", len(from)), Do: "mount them under different names, or leave all but one out",
			})
		}
	}
	slices.SortFunc(issues, func(a, b CompositionIssue) int { return strings.Compare(a.Name, b.Name) })
	return issues
}

// issueProblems words the issues of imports that were given to [Registry.Register].
func (g *registration) issueProblems() {
	for _, i := range g.issues {
		for _, from := range i.From {
			g.report(Problem{Where: from.String(), What: i.What, Do: i.Do})
		}
	}
	g.issues = nil
}
