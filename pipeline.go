package cap

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// Result is the answer of a call: its output as JSON, and the objects that it cites.
type Result struct {
	Output json.RawMessage `json:"output"`
	Cites  []ObjectRef     `json:"cites,omitempty"`
	// Approval is the id of the approval that a Write or Host call ran under.
	Approval string `json:"approval,omitempty"`
	// Replayed says that nothing ran now: this is the stored answer of the approval that the call names.
	Replayed bool `json:"replayed,omitempty"`
}

// Invoke calls the capability of that name with a JSON object and returns its JSON answer. It is what every adapter and the
// typed [Invoke] stand on: one pipeline, in this order: lookup, identity and scopes, strict decoding and validation, the
// access rule, the gate, the handler, encoding.
//
// Nil args mean an empty object. args is read, never kept. The error, if any, is an *[Error]. Invoke is safe for concurrent
// use. A handler without a timeout runs on the caller's goroutine; one with a timeout runs on its own and is left behind
// when the time is up or ctx has ended.
func (r *Registry) Invoke(ctx context.Context, name string, args json.RawMessage, options CallOptions) (*Result, error) {
	return r.invoke(r.newCall(ctx, name, args, options))
}

// newCall may run before the registry has been asked for anything, so it seals it.
func (r *Registry) newCall(ctx context.Context, name string, args json.RawMessage, options CallOptions) *call {
	r.seal()
	if ctx == nil {
		ctx = context.Background()
	}
	if args == nil {
		args = json.RawMessage("{}")
	}
	c := &call{Context: ctx, registry: r, args: args, options: options, source: options.Source, started: time.Now()}
	c.self = c
	if c.source == "" {
		c.source = SourceDirect
	}
	// A name that no capability can have may be anything, of any length: it is not repeated.
	if isName(name) {
		c.name = name
	}
	return c
}

// invoke runs c between its two events.
func (r *Registry) invoke(c *call) (*Result, error) {
	returned := false
	defer func() {
		if !returned {
			_ = c.fail(&Error{Code: CodeExecutionFailed, cause: errGoexit}) // told to observers; nobody is left to return it to
		}
	}()
	c.start()
	result, failed := contained(c.run)
	returned = true
	if failed != nil {
		return nil, c.fail(failed)
	}
	c.observe(Event{Type: EventCompleted, Duration: time.Since(c.started)})
	return result, nil
}

func (c *call) start() {
	c.observe(Event{Type: EventStarted, Started: c.started, PrincipalID: c.claimedID(), Source: c.source})
}

// refuse ends a call that the pipeline cannot look up, with the two events of every call.
func (c *call) refuse(failed *Error) *Error {
	c.start()
	return c.fail(failed)
}

// errGoexit is the cause where the user's code ended its goroutine, as the FailNow of a test does: nothing of ours returns
// then, but what is deferred still runs.
var errGoexit = errors.New("cap: the goroutine of the call was ended")

// contained runs f. What calls the user's code catches panics by itself; those that remain are of contexts and gates.
func contained[T any](f func() (T, *Error)) (answer T, failed *Error) {
	defer func() {
		if value := recover(); value != nil {
			failed = &Error{Code: CodeExecutionFailed, cause: &panicError{value}}
		}
	}()
	return f()
}

// fail ends the call with an error.
func (c *call) fail(failed *Error) *Error {
	c.complete(failed)
	c.observe(Event{Type: EventFailed, Duration: time.Since(c.started), Code: failed.Code})
	return failed
}

// complete fills in what every error says, and logs what callers do not see.
func (c *call) complete(failed *Error) {
	failed.Capability, failed.RequestID = c.name, c.requestID()
	failed.cause = sound(failed.cause)
	if failed.Message == "" {
		failed.Message = messageOf(failed.Code)
	}
	switch failed.Code {
	case CodeCancelled, CodeOutputInvalid, CodeExecutionFailed:
		if c.handlerStarted && c.capability.effect != EffectRead {
			failed.Effect = EffectUnknown
		}
	default:
	}
	if failed.Code == CodeOutputInvalid || failed.Code == CodeExecutionFailed {
		c.logDefect(failed)
	}
}

// run is the pipeline.
func (c *call) run() (*Result, *Error) {
	if failed := c.admit(); failed != nil {
		return nil, failed
	}
	if c.capability.effect != EffectRead || c.capability.access == AccessRule {
		// What is allowed, what is agreed to and what runs are decoded from the same bytes, whatever the caller does with its own.
		c.args = slices.Clone(c.args)
	}
	in, failed := c.decode()
	if failed != nil {
		return nil, failed
	}
	if failed := c.allow(); failed != nil {
		return nil, failed
	}
	// A rule may take its time. No approval is used up, and nothing begins, for a caller who has left meanwhile.
	if err := c.Err(); err != nil {
		return nil, cancelled(err, ReasonCaller)
	}
	if c.capability.effect == EffectRead {
		return c.execute(in)
	}
	return c.executeGated(in)
}

// admit looks the capability up and judges identity and scopes, before the input is read: a stranger learns nothing of it.
func (c *call) admit() *Error {
	capability, ok := c.registry.byName[c.name]
	if !ok {
		return &Error{Code: CodeCapabilityNotFound}
	}
	c.capability = capability
	if err := c.Err(); err != nil {
		return cancelled(err, ReasonCaller)
	}
	if c.options.Principal != nil {
		principal, ok := c.options.Principal.snapshot()
		if !ok {
			return &Error{Code: CodeUnauthenticated, cause: errMalformedPrincipal}
		}
		c.principal = principal
	}
	if c.principal == nil && (capability.access == AccessAuthenticated || len(capability.scopes) > 0) {
		return &Error{Code: CodeUnauthenticated}
	}
	if c.principal != nil && !c.principal.hasScopes(capability.scopes) {
		return &Error{Code: CodeForbidden, cause: errMissingScopes}
	}
	return nil
}

var (
	errMalformedPrincipal = errors.New("cap: the principal is malformed")
	errMissingScopes      = errors.New("cap: the principal lacks a scope of the capability")
)

// decode reads the input into a new value, or gives every issue of it.
func (c *call) decode() (reflect.Value, *Error) {
	if c.encoding != nil {
		return reflect.Value{}, c.encoding
	}
	in, issues, err := c.capability.decodeInput(c.args, c.registry.limits)
	switch {
	case err != nil:
		return reflect.Value{}, &Error{Code: CodeInputInvalid, cause: err}
	case issues != nil:
		return reflect.Value{}, inputInvalid(issues)
	default:
		return in, nil
	}
}

func inputInvalid(issues *plan.Issues) *Error {
	failed := &Error{Code: CodeInputInvalid, OmittedIssues: issues.Omitted, Issues: make([]Issue, len(issues.List))}
	for i, issue := range issues.List {
		failed.Issues[i] = Issue(issue)
	}
	return failed
}

// allow asks the Allow companion, on its own copy of the input. Only (true, nil) allows.
func (c *call) allow() *Error {
	if c.capability.access != AccessRule {
		return nil
	}
	in, failed := c.decode()
	if failed != nil {
		return failed
	}
	allowed, err := c.capability.allow(c, in)
	switch {
	case err != nil:
		return c.classify(err, nil)
	case allowed:
		return nil
	case c.principal == nil:
		return &Error{Code: CodeUnauthenticated}
	default:
		return &Error{Code: CodeForbidden}
	}
}

// execute runs the handler and encodes its answer.
func (c *call) execute(in reflect.Value) (*Result, *Error) {
	ctx, stop, expired := c.deadline()
	defer stop()
	c.handlerStarted = true
	out, err := c.handle(ctx, in)
	if err != nil {
		return nil, c.classify(err, expired)
	}
	result, failed := c.encode(out)
	if failed == nil && expired() {
		return nil, cancelled(context.DeadlineExceeded, ReasonTimeout)
	}
	return result, failed
}

// deadline starts the capability's timeout. expired reports whether it is up.
func (c *call) deadline() (ctx context.Context, stop context.CancelFunc, expired func() bool) {
	if c.capability.timeout == 0 {
		return c, func() {}, func() bool { return false }
	}
	timed, stop := context.WithTimeoutCause(c, c.capability.timeout, errTimeout)
	return timed, stop, func() bool { return errors.Is(context.Cause(timed), errTimeout) }
}

var errTimeout = errors.New("cap: the capability's timeout is up")

// handle calls the handler. Where a timeout is declared it runs on a goroutine of its own, so that the answer comes when
// the time is up even if the handler ignores its context.
func (c *call) handle(ctx context.Context, in reflect.Value) (reflect.Value, error) {
	if c.capability.timeout == 0 {
		return c.capability.handle(ctx, in)
	}
	type answer struct {
		out reflect.Value
		err error
	}
	answers := make(chan answer, 1)
	var settled atomic.Bool // by whichever comes first: the handler's return or the end of ctx
	go func() {
		a := answer{err: errGoexit}
		defer func() {
			if settled.CompareAndSwap(false, true) {
				answers <- a
				return
			}
			c.returnedLate()
		}()
		a.out, a.err = c.capability.handle(ctx, in)
	}()
	select {
	case a := <-answers:
		return a.out, a.err
	case <-ctx.Done():
		if settled.CompareAndSwap(false, true) {
			return reflect.Value{}, ctx.Err()
		}
		a := <-answers
		return a.out, a.err
	}
}

func (c *call) returnedLate() {
	c.registry.lateReturns.Add(1)
	took := time.Since(c.started)
	c.logged(func() { c.log().Warn().Dur("duration", took).Msg("handler returned after its call had ended") })
	c.observe(Event{Type: EventReturnedLate, Duration: took})
}

// encode writes the output once, and collects what it cites.
func (c *call) encode(out reflect.Value) (*Result, *Error) {
	if out.Kind() == reflect.Pointer {
		if out.IsNil() {
			return nil, &Error{Code: CodeOutputInvalid, cause: errNilOutput}
		}
		out = out.Elem()
	}
	data, err := c.capability.encodeOutput(out, c.registry.limits)
	if err != nil {
		return nil, &Error{Code: CodeOutputInvalid, cause: err}
	}
	cites, err := c.capability.cites(out)
	if err != nil {
		return nil, citesInvalid(err)
	}
	return &Result{Output: data, Cites: cites}, nil
}

func citesInvalid(err error) *Error {
	if _, panicked := errors.AsType[*panicError](err); panicked {
		return &Error{Code: CodeExecutionFailed, cause: err}
	}
	return &Error{Code: CodeOutputInvalid, cause: err}
}

var errNilOutput = errors.New("cap: the handler returned neither an output nor an error")

// classify turns what a handler or an access rule returned into the call's error. A declared failure passes, whatever has
// happened to the context meanwhile.
func (c *call) classify(err error, expired func() bool) *Error {
	if declared, failed := c.declaredFailure(err); declared {
		return failed
	}
	switch {
	case expired != nil && expired():
		return cancelled(err, ReasonTimeout)
	case c.Err() != nil:
		return cancelled(err, ReasonCaller)
	default:
		return &Error{Code: CodeExecutionFailed, cause: err}
	}
}

func cancelled(cause error, reason string) *Error {
	return &Error{Code: CodeCancelled, Reason: reason, cause: cause}
}

// observe tells every observer, each contained.
func (c *call) observe(event Event) {
	if len(c.registry.options.Observers) == 0 {
		return
	}
	event.RequestID, event.Capability = c.requestID(), c.name
	for _, observer := range c.registry.options.Observers {
		c.tell(observer, event)
	}
}

func (c *call) tell(observer Observer, event Event) {
	defer func() {
		if value := recover(); value != nil {
			c.logContained("an observer panicked", &panicError{value})
		}
	}()
	observer(c.Context, event)
}

// claimedID is the principal's id for the started event, which comes before the principal is judged.
func (c *call) claimedID() string {
	if c.options.Principal == nil || nameFault(c.options.Principal.ID) != "" {
		return ""
	}
	return c.options.Principal.ID
}

func (c *call) logDefect(failed *Error) {
	c.logContained(string(failed.Code), failed.cause)
}

// logContained logs what callers do not see.
func (c *call) logContained(message string, cause error) {
	c.logged(func() {
		event := c.log().Error()
		if cause != nil {
			event = event.Str("cause", safeText(cause))
		}
		event.Msg(message)
	})
}

// logged runs f, which logs. A logger whose writer or hook panics must not change a result, nor end the program.
func (c *call) logged(f func()) {
	defer func() { _ = recover() }()
	f()
}
