package cap

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/seed-369ec62e/cap/internal/method"
	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/tags"
)

var (
	failureType        = reflect.TypeFor[Failure]()
	serviceType        = reflect.TypeFor[Service]()
	objectRefType      = reflect.TypeFor[ObjectRef]()
	preconditionType   = reflect.TypeFor[Precondition]()
	outcomeType        = reflect.TypeFor[Outcome]()
	contractMarkerType = reflect.TypeFor[contractMarker]()
	failsMarkerType    = reflect.TypeFor[failsMarker]()
	maybeType          = reflect.TypeFor[maybe]()
	describeShape      = method.Shape{Out: []reflect.Type{reflect.TypeFor[PendingAction]()}}
	citesShape         = method.Shape{Out: []reflect.Type{reflect.TypeFor[[]ObjectRef]()}}
	textShape          = method.Shape{Out: []reflect.Type{reflect.TypeFor[string]()}}
)

// contracts compiles contract types, each once.
type contracts struct {
	plans *plan.Compiler

	mu       sync.Mutex
	compiled map[reflect.Type]*contract
}

// contract is a compiled contract type and every problem that it has by itself. What a service defaults is judged later.
type contract struct {
	description
	problems []Problem
	// garbled says that the marker's tag was not understood, so that what it leaves out is not held against it.
	garbled bool
}

func newContracts(config plan.Config) *contracts {
	config.Hooks = planHooks()
	return &contracts{plans: plan.New(config), compiled: make(map[reflect.Type]*contract)}
}

// lookup compiles the contract type t, or returns what it was compiled to before.
func (cs *contracts) lookup(t reflect.Type) *contract {
	if c := cs.known(t); c != nil {
		return c
	}
	// Not under the lock: companions of the user's may ask for contracts themselves.
	c := cs.compile(t)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if first := cs.compiled[t]; first != nil {
		return first
	}
	cs.compiled[t] = c
	return c
}

func (cs *contracts) known(t reflect.Type) *contract {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.compiled[t]
}

// isContract reports whether t means to be a contract, and gives the name of its handler. It may still have problems.
func isContract(t reflect.Type) (string, bool) {
	if t.Kind() != reflect.Struct || isMarker(t) {
		return "", false
	}
	if !t.Implements(contractMarkerType) && !hasMarkerField(t) {
		return "", false
	}
	return handlerName(baseTypeName(t)), true
}

func hasMarkerField(t reflect.Type) bool {
	for i := range t.NumField() {
		if isContractMarker(deref(t.Field(i).Type)) {
			return true
		}
	}
	return false
}

// isContractMarker reports whether t is Read, Write or Host itself.
func isContractMarker(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 0 && t.Implements(contractMarkerType)
}

func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// baseTypeName is the name of t without type arguments.
func baseTypeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// typeName is t as its users write it: package and name.
func typeName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	pkg, _, _ := strings.Cut(t.String(), ".")
	return pkg + "." + baseTypeName(t)
}

// report notes a problem of the contract type itself.
func (c *contract) report(what, do string) {
	c.problems = append(c.problems, Problem{Where: c.contract, What: what, Do: do})
}

func (c *contract) reportTag(where string, problems []tags.Problem) {
	for _, p := range problems {
		c.problems = append(c.problems, Problem{Where: where, What: p.What, Do: p.Do})
	}
}

// compile reads everything that t declares.
func (cs *contracts) compile(t reflect.Type) *contract {
	c := &contract{description: description{contract: typeName(t), schemas: new(schemas)}}
	marker := c.findMarker(t)
	if marker == nil {
		return c
	}
	m, ok := reflect.Zero(marker.Type).Interface().(contractMarker)
	if !ok {
		return c
	}
	c.effect = m.effect()
	c.readMarker(t, *marker)
	c.readCompanions(t)
	c.in = cs.compileType(c, t, "input field")
	if c.in != nil && !c.in.IsObject() {
		c.report(fmt.Sprintf("capability %q has an input whose JSON is no object", c.name), "remove the methods that give the contract a JSON form of its own")
	}
	cs.compileOutput(c, m.outputType())
	cs.compileFailures(c, t)
	return c
}

// findMarker finds the one embedded marker, and reports what else claims to be one.
func (c *contract) findMarker(t reflect.Type) *reflect.StructField {
	var found *reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		if !isContractMarker(deref(f.Type)) {
			continue
		}
		name := typeName(deref(f.Type))
		switch {
		case f.Type.Kind() == reflect.Pointer:
			c.report(fmt.Sprintf("marker %s is a pointer", name), "embed it by value")
		case !f.Anonymous:
			c.report(fmt.Sprintf("marker %s is field %s", name, f.Name), "embed it, without a name")
		case found != nil:
			c.report(fmt.Sprintf("has a second marker %s", name), "a contract has one of cap.Read, cap.Write and cap.Host")
		default:
			found = &f
			continue
		}
		return nil
	}
	if found == nil {
		c.report("has no marker of its own, only that of an embedded contract", "embed cap.Read, cap.Write or cap.Host in it, or move the shared fields to a struct without a marker")
	}
	return found
}

func (c *contract) readMarker(t reflect.Type, marker reflect.StructField) {
	tag, problems := tags.Parse(string(marker.Tag))
	text, _ := tag.Lookup("cap")
	options, more := tags.ParseContract(text)
	c.reportTag(c.contract, append(problems, more...))
	c.garbled = len(problems)+len(more) > 0
	c.tag, c.options = tag, options
	c.text, c.title = options.Description, options.Title
	c.access, c.scopes, c.timeout = Access(options.Access), options.Scopes, options.Timeout
	if c.text == "" && !c.garbled {
		c.report("has no description", fmt.Sprintf(`say in the tag of %s what it does: cap:"Cancel an order; access=…"`, marker.Name))
	}
	c.name = options.Name
	if c.name == "" {
		c.name = c.derivedName(t)
	}
	c.checkEffect()
}

// derivedName is the capability's name where the tag gives none.
func (c *contract) derivedName(t reflect.Type) string {
	if t.Name() != baseTypeName(t) {
		c.report("is generic, so its name says nothing", "give it one with name=")
		return ""
	}
	name := snakeCase(handlerName(t.Name()))
	if !isName(name) {
		c.report(fmt.Sprintf("name %q must match %s", name, namePattern), "give it another with name=")
	}
	return name
}

// readCompanions finds Describe and Doc.
func (c *contract) readCompanions(t reflect.Type) {
	found, near := c.companion(t, "Describe", describeShape)
	if found {
		c.describe = describePending
	}
	if c.effect != EffectRead && !found && !near {
		c.report("has no Describe companion", fmt.Sprintf("add func (in %s) Describe() cap.PendingAction, which says what a person agrees to", baseTypeName(t)))
	}
	if found, _ := c.companion(t, "Doc", textShape); found {
		c.long = c.docOf(t)
	}
}

// companion reports whether t has the companion. A near miss is a problem, which is noted.
func (c *contract) companion(t reflect.Type, name string, shape method.Shape) (found, near bool) {
	companion, problem := method.Find(t, name, shape)
	if problem != nil {
		c.problems = append(c.problems, Problem(*problem))
	}
	return companion != nil, problem != nil
}

// docOf calls the Doc companion of t, once.
func (c *contract) docOf(t reflect.Type) (text string) {
	defer func() {
		if v := recover(); v != nil {
			c.report("its Doc companion panicked: "+safeText(&panicError{v}), "it is called on the zero value, once, at registration")
		}
	}()
	if d, ok := reflect.New(t).Interface().(Documenter); ok {
		text = d.Doc()
	}
	return text
}

// compileType compiles one type, and words its problems.
func (cs *contracts) compileType(c *contract, t reflect.Type, field string) *plan.Plan {
	p, problems := cs.plans.Compile(t)
	for _, problem := range problems {
		where := typeName(t)
		if problem.Path != "" {
			where += ": " + field + " " + problem.Path
		}
		c.problems = append(c.problems, Problem{Where: where, What: problem.What, Do: problem.Do})
	}
	return p
}

// compileOutput compiles the output type. One whose JSON is no object is wrapped in a struct with the member result.
func (cs *contracts) compileOutput(c *contract, out reflect.Type) {
	c.outType = deref(out)
	c.out = cs.compileType(c, c.outType, "output field")
	if c.out == nil {
		return
	}
	if c.outType.Kind() == reflect.Struct {
		c.citer, _ = c.companion(c.outType, "Cites", citesShape)
	}
	if c.citer && c.out.HasCites() {
		c.report(fmt.Sprintf("output %s has both a Cites companion and fields tagged cite", typeName(c.outType)), "keep one of them")
	}
	if c.out.IsObject() {
		return
	}
	c.wrapped = reflect.StructOf([]reflect.StructField{{Name: "Result", Type: c.outType, Tag: `json:"result"`}})
	c.out, _ = cs.plans.Compile(c.wrapped)
}

// checkEffect judges the options that depend on the effect.
func (c *contract) checkEffect() {
	if c.effect != EffectRead {
		if !c.options.Reversible && !c.options.Irreversible && !c.garbled {
			c.report("does not say whether what it does can be undone", "add reversible or irreversible to the tag of its marker")
		}
		return
	}
	for _, o := range []struct {
		set  bool
		name string
	}{{c.options.Reversible, "reversible"}, {c.options.Irreversible, "irreversible"}, {c.options.Destructive, "destructive"}} {
		if o.set {
			c.report(fmt.Sprintf("option %q is for cap.Write and cap.Host", o.name), "a cap.Read changes nothing")
		}
	}
}
