package cap

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/schema"
	"github.com/seed-369ec62e/cap/tags"
)

// failurePlan is what is compiled from a failure type.
type failurePlan struct {
	plan   *plan.Plan
	tag    tags.StructTag
	once   sync.Once
	schema json.RawMessage
}

func (f *failurePlan) schemaBytes() json.RawMessage {
	f.once.Do(func() { f.schema = schema.Output(f.plan, schema.Options{}) })
	return f.schema
}

// decode makes the Go value of an encoded failure; it is addressable.
func (f *failurePlan) decode(data json.RawMessage, read readAnswer) (reflect.Value, error) {
	value := reflect.New(f.plan.Type).Elem()
	if err := read.contained("failure "+typeName(f.plan.Type), f.plan, data, value); err != nil {
		return reflect.Value{}, err
	}
	return value, nil
}

// compileFailures reads the Fails fields of the contract type t.
func (cs *contracts) compileFailures(c *contract, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Type.Implements(failsMarkerType) || f.Type.Kind() != reflect.Struct || f.Type.NumField() != 0 {
			continue
		}
		m, ok := reflect.Zero(f.Type).Interface().(failsMarker)
		if !ok {
			continue
		}
		if f.Name != "_" || f.Anonymous {
			c.report(fmt.Sprintf("cap.Fails is field %s", f.Name), "declare a failure by a blank field: _ cap.Fails[…]")
		}
		if info, ok := cs.compileFailure(c, m.failureType()); ok {
			c.addFailure(info)
		}
	}
}

// addFailure notes a failure whose tag is not taken yet.
func (c *contract) addFailure(info FailureInfo) {
	for _, other := range c.failures {
		switch {
		case other.failure.plan.Type == info.failure.plan.Type:
			c.report(fmt.Sprintf("declares failure %s twice", typeName(info.failure.plan.Type)), "keep one")
			return
		case other.Tag == info.Tag:
			c.report(fmt.Sprintf("two failures have the tag %q", info.Tag), "give one another with tag=")
			return
		}
	}
	c.failures = append(c.failures, info)
}

// compileFailure reads one failure type.
func (cs *contracts) compileFailure(c *contract, t reflect.Type) (FailureInfo, bool) {
	if t.Kind() == reflect.Interface {
		c.report(fmt.Sprintf("cap.Fails[%s] declares every error", t), "name the struct of one failure")
		return FailureInfo{}, false
	}
	t = deref(t)
	if t.Kind() != reflect.Struct {
		c.report(fmt.Sprintf("failure %s is no struct", typeName(t)), "make it a struct with a blank cap.Failure field")
		return FailureInfo{}, false
	}
	marker, ok := failureMarker(t)
	if !ok {
		c.report(fmt.Sprintf("failure %s has no cap.Failure field", typeName(t)), `add _ cap.Failure with a tag that says when it happens: cap:"…; fix=…"`)
		return FailureInfo{}, false
	}
	info := c.readFailure(t, marker)
	info.failure.plan = cs.compileType(c, t, "failure field")
	return info, info.failure.plan != nil
}

// failureMarker finds the field of type Failure.
func failureMarker(t reflect.Type) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Type == failureType {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func (c *contract) readFailure(t reflect.Type, marker reflect.StructField) FailureInfo {
	where := typeName(t)
	tag, problems := tags.Parse(string(marker.Tag))
	c.reportTag(where, problems)
	text, _ := tag.Lookup("cap")
	options, found := tags.ParseFailure(text)
	c.reportTag(where, found)
	if marker.Name != "_" {
		c.problems = append(c.problems, Problem{Where: where, What: fmt.Sprintf("cap.Failure is field %s", marker.Name), Do: "make it a blank field: _ cap.Failure"})
	}
	if options.Description == "" && len(found) == 0 {
		c.problems = append(c.problems, Problem{Where: where, What: "has no description", Do: "say in the tag of its cap.Failure field when it happens"})
	}
	info := FailureInfo{Tag: options.Tag, Description: options.Description, Fix: options.Fix, failure: &failurePlan{tag: tag}}
	if info.Tag == "" {
		info.Tag = baseTypeName(t)
	}
	if options.Retry > 0 {
		info.Retry = options.Retry.String()
	}
	fixes, near := c.companion(t, "Fix", textShape)
	if !fixes && !near && options.Fix == "" && len(found) == 0 {
		c.problems = append(c.problems, Problem{Where: where, What: "says no fix", Do: "add fix=… to the tag of its cap.Failure field, or a method Fix() string"})
	}
	if found, _ := c.companion(t, "Doc", textShape); found {
		info.Doc = c.docOf(t)
	}
	return info
}
