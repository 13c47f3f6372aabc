package cap

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// registration collects what one Register found.
type registration struct {
	registry     *Registry
	service      int // counts the services that were read
	capabilities []place[*Capability]
	problems     []located

	// What declarations of libraries add; see Compose.
	issues    []CompositionIssue
	libraries map[*Library]*importedLibrary
	origins   map[*Capability]Provenance
}

// place says where in the source a thing was found, to put things in order.
type place[T any] struct {
	thing   T
	service int
	file    string
	line    int
}

type located struct {
	Problem
	service int
}

// locked runs f under the lock of the registry, if that is not sealed, and gives what is wrong then.
func (g *registration) locked(f func()) error {
	g.registry.mu.Lock()
	defer g.registry.mu.Unlock()
	if g.registry.sealed.Load() {
		return errSealed
	}
	f()
	return g.err()
}

func (g *registration) report(p Problem) {
	g.problems = append(g.problems, located{Problem: p, service: g.service})
}

// overridden asks the operator's hook about every capability, and gives those that are not disabled. A hook that panics
// might have disabled something: that is a problem.
func (g *registration) overridden(list []*Capability) []*Capability {
	hook := g.registry.options.Override
	if hook == nil {
		return list
	}
	return slices.DeleteFunc(list, func(c *Capability) (disabled bool) {
		defer func() {
			if v := recover(); v != nil {
				g.report(Problem{Where: c.contract, What: "Options.Override panicked: " + safeText(&panicError{v}), Do: "return the zero Override for what stays as it is"})
			}
		}()
		return c.override(hook(c))
	})
}

// checkNames reports every name that two capabilities have.
func (g *registration) checkNames() {
	type owner struct {
		where string
		in    reflect.Type
	}
	owners := make(map[string]owner)
	for _, c := range g.registry.list {
		owners[c.name] = owner{c.where, c.in.Type}
	}
	g.sorted()
	for _, p := range g.capabilities {
		c := p.thing
		first, taken := owners[c.name]
		if !taken {
			owners[c.name] = owner{c.where, c.in.Type}
			continue
		}
		do := "give one of them another with name="
		if first.in == c.in.Type {
			do = "a contract has one handler in a registry: register one of the two, or give the second a contract of its own"
		}
		g.service = p.service
		g.report(Problem{Where: c.where, What: fmt.Sprintf("name %q is taken by %s", c.name, first.where), Do: do, File: p.file, Line: p.line})
	}
}

func (g *registration) err() error { return problemError(g.listed()) }

// listed gives all problems in their fixed order: by service, then by the handler's file and line, then as they were found,
// which is field order. A problem that several capabilities share is listed once.
func (g *registration) listed() []Problem {
	slices.SortStableFunc(g.problems, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.service, b.service), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	var problems []Problem
	seen := make(map[string]bool)
	for _, p := range g.problems {
		if text := p.String(); !seen[text] {
			seen[text] = true
			problems = append(problems, p.Problem)
		}
	}
	return problems
}

func (g *registration) sorted() []*Capability {
	slices.SortStableFunc(g.capabilities, func(a, b place[*Capability]) int {
		return cmp.Or(cmp.Compare(a.service, b.service), strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	list := make([]*Capability, len(g.capabilities))
	for i, c := range g.capabilities {
		list[i] = c.thing
	}
	return list
}
