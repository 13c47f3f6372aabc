// Package method finds handlers and companions: methods that are known by their names and their signatures. Whatever
// comes near to one and is none is a [Problem], so that a slip of the pen never removes a capability in silence.
package method

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
)

// A Problem is one mistake in the methods of a type.
type Problem struct {
	Where string // package, type and method, such as tickets.Service.Create
	What  string
	Do    string
	File  string // empty where Go does not know
	Line  int
}

// Hooks tell Scan what it may not know by itself.
type Hooks struct {
	// Contract reports whether t, which is a struct, is a contract, and how its handler is called.
	Contract func(t reflect.Type) (name string, ok bool)
	// Precondition is the element of what a Preconditions companion returns.
	Precondition reflect.Type
	// Outcome is what a Reconcile companion returns.
	Outcome reflect.Type
}

// A Handler is a method that serves a contract.
type Handler struct {
	Name                            string
	Method                          reflect.Method // of the service's method set: its Func takes the service first
	In, Out                         reflect.Type   // never pointers
	InPointer, OutPointer           bool           // whether the method takes and returns pointers to them
	Allow, Preconditions, Reconcile *Companion     // nil where there is none
	File                            string         // where the method is declared; empty where Go does not know
	Line                            int
}

// A Companion is a method that is found by the name of a handler.
type Companion struct {
	Method    reflect.Method
	InPointer bool
	Wrong     bool // its signature is among the problems: it is there, but must not be called
	File      string
	Line      int
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
	boolType    = reflect.TypeFor[bool]()
	stringType  = reflect.TypeFor[string]()
)

// Scan finds the handlers of a service, which is the type of the value that is registered, with their companions. It
// reports every problem at once. Both are ordered by file, line and name.
func Scan(service reflect.Type, hooks Hooks) ([]Handler, []Problem) {
	s := scanner{hooks: hooks, service: service}
	if !s.checkService() {
		return nil, s.problems
	}
	byValue := s.checkReceivers()
	s.readMethods()
	s.findHandlers()
	s.findHidden()
	for _, m := range s.methods {
		s.judge(m)
	}
	s.checkCase()
	if len(s.names) == 0 && len(s.problems) == 0 {
		s.report(Problem{
			Where: typeText(s.base), What: "no exported method takes a contract",
			Do: "a contract is a struct that embeds cap.Read, cap.Write or cap.Host; its handler is func(context.Context, Contract) (Output, error) and bears its name; an unexported method cannot be seen",
		})
	}
	slices.SortStableFunc(s.problems, compareProblems)
	if byValue {
		return nil, s.problems
	}
	return s.sorted(), s.problems
}

// A scanner works through one service.
type scanner struct {
	hooks    Hooks
	service  reflect.Type
	base     reflect.Type // the struct of the service
	methods  []method
	names    []string            // of the methods that are named like their contract, in the order of methods
	handlers map[string]*Handler // by name; those with a problem in their signature too
	broken   map[string]bool     // the names of these
	hidden   map[string]bool     // methods of embedded types that take a contract and do not reach the service
	problems []Problem
}

// A method is an exported method of the service.
type method struct {
	reflect.Method
	contracts []contract // that it takes, wherever
	file      string
	line      int
}

// A contract is a type that a method takes.
type contract struct {
	t    reflect.Type
	name string // of its handler
}

func (s *scanner) report(p Problem) { s.problems = append(s.problems, p) }

// reportOn adds a problem of one method.
func (s *scanner) reportOn(m method, what, do string) {
	s.report(Problem{Where: typeText(s.base) + "." + m.Name, What: what, Do: do, File: m.file, Line: m.line})
}

// checkService reports whether the service is a struct or a pointer to one.
func (s *scanner) checkService() bool {
	if s.service == nil {
		s.report(Problem{Where: "nil", What: "is no service", Do: "pass a pointer to a struct"})
		return false
	}
	s.base = s.service
	if s.base.Kind() == reflect.Pointer {
		s.base = s.base.Elem()
	}
	if s.base.Kind() != reflect.Struct {
		s.report(Problem{Where: typeText(s.service), What: "is neither a struct nor a pointer to one", Do: "pass a pointer to a struct"})
		return false
	}
	return true
}

// checkReceivers reports whether the service is passed by value although it has handlers with pointer receivers. Then
// the pointer's methods are scanned in its place, so that one slip does not look like many.
func (s *scanner) checkReceivers() bool {
	if s.service.Kind() == reflect.Pointer {
		return false
	}
	pointer := reflect.PointerTo(s.base)
	var lost []string
	for i := range pointer.NumMethod() {
		m := pointer.Method(i)
		if _, ok := s.base.MethodByName(m.Name); !ok && len(s.contractsOf(m.Type, 1)) > 0 {
			lost = append(lost, m.Name)
		}
	}
	if len(lost) == 0 {
		return false
	}
	s.service = pointer
	s.report(Problem{
		Where: typeText(s.base), What: "is passed by value, but has pointer receivers: " + strings.Join(lost, ", "),
		Do: "pass &" + shortText(s.base) + "{…}",
	})
	return true
}

func (s *scanner) readMethods() {
	for i := range s.service.NumMethod() {
		m := method{Method: s.service.Method(i)}
		m.contracts = s.contractsOf(m.Type, 1)
		at := locate(s.base, m.Name)
		m.file, m.line = at.file, at.line
		s.methods = append(s.methods, m)
	}
	slices.SortStableFunc(s.methods, func(a, b method) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.Name, b.Name))
	})
}

// contractsOf lists the contracts among the parameters of f, from the given one on.
func (s *scanner) contractsOf(f reflect.Type, from int) []contract {
	var found []contract
	for i := from; i < f.NumIn(); i++ {
		t := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			t = t.Elem()
		}
		// A pointer type may be its own element, so there is a last one to follow.
		for range 3 {
			t, _ = deref(t)
		}
		if t.Kind() != reflect.Struct {
			continue
		}
		if name, ok := s.hooks.Contract(t); ok {
			found = append(found, contract{t, name})
		}
	}
	return found
}

// findHandlers takes every method that bears the name of a contract that it takes.
func (s *scanner) findHandlers() {
	s.handlers, s.broken = map[string]*Handler{}, map[string]bool{}
	for _, m := range s.methods {
		i := slices.IndexFunc(m.contracts, func(c contract) bool { return c.name == m.Name })
		if i < 0 {
			continue
		}
		h := &Handler{Name: m.Name, Method: m.Method, In: m.contracts[i].t, File: m.file, Line: m.line}
		s.names = append(s.names, m.Name)
		s.handlers[m.Name] = h
		s.broken[m.Name] = !s.checkHandler(m, h)
	}
}

// checkHandler completes h and reports whether its signature is that of a handler.
func (s *scanner) checkHandler(m method, h *Handler) bool {
	in, pointer, ok := secondParameter(m.Type)
	h.InPointer = pointer
	takes := ok && in == h.In && m.Type.NumIn() == 3
	if !takes {
		s.reportOn(m, "takes "+parametersText(m.Type), "want (context.Context, "+typeText(h.In)+")")
	}
	returns := m.Type.NumOut() == 2 && m.Type.Out(0) != errorType && m.Type.Out(1) == errorType
	if returns {
		h.Out, h.OutPointer = deref(m.Type.Out(0))
		returns = h.Out.Kind() != reflect.Pointer
	}
	if !returns {
		s.reportOn(m, "returns "+resultsText(m.Type), "want (Output, error); the output of what returns nothing is cap.None")
	}
	return takes && returns
}

// secondParameter returns what a method takes behind a context, without its pointer. It reports whether the method
// begins like that and is not variadic.
func secondParameter(f reflect.Type) (t reflect.Type, pointer, ok bool) {
	if f.NumIn() < 3 || f.In(1) != contextType || f.IsVariadic() {
		return nil, false, false
	}
	t, pointer = deref(f.In(2))
	return t, pointer, true
}

// deref takes one pointer off t and reports whether there was one.
func deref(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() == reflect.Pointer {
		return t.Elem(), true
	}
	return t, false
}

// checkCase reports handlers that only their case tells apart: fronts that fold case could not.
func (s *scanner) checkCase() {
	for i, name := range s.names {
		for _, before := range s.names[:i] {
			if h := s.handlers[name]; strings.EqualFold(name, before) {
				s.report(Problem{
					Where: typeText(s.base) + "." + name, What: "its name differs from " + before + " by case only",
					Do: "rename one of the contracts and its handler", File: h.File, Line: h.Line,
				})
			}
		}
	}
}

// sorted returns the handlers without a problem in their signature. The methods were in order already.
func (s *scanner) sorted() []Handler {
	var sound []Handler
	for _, name := range s.names {
		if !s.broken[name] {
			sound = append(sound, *s.handlers[name])
		}
	}
	return sound
}

func compareProblems(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Where, b.Where))
}
