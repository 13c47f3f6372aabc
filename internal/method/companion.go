package method

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap/tags"
)

// A role is one kind of companion of a handler.
type role string

const (
	allow         role = "Allow"
	preconditions role = "Preconditions"
	reconcile     role = "Reconcile"
)

var roles = []role{allow, preconditions, reconcile}

// judge takes a method that is no handler for a companion, for a near miss, or for none of our business.
func (s *scanner) judge(m method) {
	if s.handlers[m.Name] != nil {
		return
	}
	if r, h := s.companionOf(m.Name); h != nil {
		s.setCompanion(r, h, m)
		return
	}
	if len(m.contracts) > 0 {
		s.reportNearMiss(m, m.contracts[0])
		return
	}
	s.judgeStranger(m)
}

// companionOf finds the handler that a method of this name belongs to.
func (s *scanner) companionOf(name string) (role, *Handler) {
	for _, r := range roles {
		if rest, ok := strings.CutPrefix(name, string(r)); ok && s.handlers[rest] != nil {
			return r, s.handlers[rest]
		}
	}
	return "", nil
}

func (s *scanner) setCompanion(r role, h *Handler, m method) {
	in, pointer, ok := secondParameter(m.Type)
	more := s.parameters(r)
	takes := ok && in == h.In && m.Type.NumIn() == 3+len(more)
	for i := range more {
		takes = takes && m.Type.In(3+i) == more[i]
	}
	if !takes {
		want := append([]reflect.Type{contextType, h.In}, more...)
		s.reportOn(m, "takes "+parametersText(m.Type), "want "+listText(want))
	}
	returns := s.returns(m, r)
	if !returns {
		s.reportOn(m, "returns "+resultsText(m.Type), "want "+listText([]reflect.Type{s.result(r), errorType}))
	}
	c := &Companion{Method: m.Method, InPointer: pointer, Wrong: !takes || !returns, File: m.file, Line: m.line}
	switch r {
	case allow:
		h.Allow = c
	case preconditions:
		h.Preconditions = c
	case reconcile:
		h.Reconcile = c
	}
}

// parameters lists what a companion takes behind the context and the input.
func (s *scanner) parameters(r role) []reflect.Type {
	if r == reconcile {
		return []reflect.Type{stringType} // the approval's id
	}
	return nil
}

// result is what a companion returns before the error.
func (s *scanner) result(r role) reflect.Type {
	switch r {
	case preconditions:
		return reflect.SliceOf(s.hooks.Precondition)
	case reconcile:
		return s.hooks.Outcome
	default:
		return boolType
	}
}

// returns reports whether m returns what a companion of this role returns.
func (s *scanner) returns(m method, r role) bool {
	return m.Type.NumOut() == 2 && m.Type.Out(0) == s.result(r) && m.Type.Out(1) == errorType
}

// reportNearMiss reports a method that takes a contract and is neither its handler nor a companion.
func (s *scanner) reportNearMiss(m method, c contract) {
	served := s.handlers[c.name] != nil
	var known []string
	for _, r := range roles {
		name := string(r) + c.name
		if m.Name == name && s.hidden[c.name] {
			return // Its handler is among the problems.
		}
		if m.Name == name {
			s.reportOn(m, fmt.Sprintf("is a companion of %s, which is not there", c.name), s.missingHandler(c))
			return
		}
		known = append(known, name)
	}
	if !served {
		known = append(known, c.name)
	}
	what := fmt.Sprintf("takes the contract %s, but is neither its handler nor a companion", typeText(c.t))
	if served {
		what = fmt.Sprintf("takes the contract %s, which has its handler in %s", typeText(c.t), c.name)
	}
	if meant, ok := s.meant(m, c, known); ok {
		s.reportOn(m, what, fmt.Sprintf("did you mean %q?", meant))
		return
	}
	do := "give it a contract of its own, or unexport it"
	if !served {
		do = fmt.Sprintf("rename it to %q, or unexport it", c.name)
	}
	s.reportOn(m, what, do)
}

func (s *scanner) missingHandler(c contract) string {
	return fmt.Sprintf("write %s(context.Context, %s) (Output, error); an unexported method cannot be seen", c.name, typeText(c.t))
}

// meant says which name a near miss should bear: the nearest, or the one whose results it has.
func (s *scanner) meant(m method, c contract, known []string) (string, bool) {
	if nearest, ok := tags.Nearest(m.Name, known); ok {
		return nearest, true
	}
	for _, r := range roles {
		if s.returns(m, r) {
			return string(r) + c.name, true
		}
	}
	return "", false
}

// judgeStranger looks at a method that takes no contract. Those are not our business, but for one that is named almost
// like a companion and returns just what this companion returns.
func (s *scanner) judgeStranger(m method) {
	for _, r := range roles {
		if !s.returns(m, r) {
			continue
		}
		var known []string
		for _, name := range s.names {
			known = append(known, string(r)+name)
		}
		if nearest, ok := tags.Nearest(m.Name, known); ok {
			s.reportOn(m, "looks like a companion of "+strings.TrimPrefix(nearest, string(r)), fmt.Sprintf("did you mean %q?", nearest))
			return
		}
		// What Allow returns is common; what the others return comes from here alone.
		if rest, ok := strings.CutPrefix(m.Name, string(r)); ok && rest != "" && r != allow {
			s.reportOn(m, fmt.Sprintf("is a companion of %q, and there is no such handler", rest), "name it for a handler: "+s.handlerList())
			return
		}
	}
}

func (s *scanner) handlerList() string {
	if len(s.names) == 0 {
		return "none is there"
	}
	return strings.Join(slices.Sorted(slices.Values(s.names)), ", ")
}
