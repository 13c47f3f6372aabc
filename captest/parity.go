package captest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/seed-369ec62e/cap"
)

// Case is one call that [Parity] makes over every front.
type Case struct {
	Name       string
	Capability string
	Args       json.RawMessage // nil means {}
	As         *cap.Principal  // nil: anonymous

	// Code is what the call ends with; "" means that it answers.
	Code cap.Code

	// Approver, if set, decides on the Write or Host call: it is made once, the approver agrees through the registry's gate,
	// which must be a [cap.Approvals], and then it is made again under the approval.
	Approver *cap.Principal

	// Cancel, if set, gives a value when the handler has begun: the caller then goes away.
	Cancel <-chan struct{}
}

// Parity makes every call in process and over every front, and compares what the callers saw and what the observers were
// told: output, citations, code, message, issues, failure, effect, action, events. It logs a table of them all.
//
// registry is called once for each front and returns a new registry made with the options that it is given; it may add to
// them, but not take the observer out. So no front sees what another one did.
func Parity(t testing.TB, registry func(cap.Options) *cap.Registry, cases []Case, fronts ...Front) {
	t.Helper()
	fronts = append([]Front{InProcess()}, fronts...)
	table := newTable(fronts)
	columns := make([][]cell, len(fronts))
	for i, front := range fronts {
		columns[i] = runFront(t, front, registry, cases)
	}
	for row, c := range cases {
		marks := []string{columns[0][row].text()}
		for _, fault := range columns[0][row].expected(c) {
			t.Errorf("captest: %s, %s: %s", c.Name, fronts[0].Name(), fault)
		}
		for i := 1; i < len(fronts); i++ {
			faults := differences(columns[0][row], columns[i][row])
			for _, fault := range faults {
				t.Errorf("captest: %s, %s: %s", c.Name, fronts[i].Name(), fault)
			}
			marks = append(marks, columns[i][row].mark(faults))
		}
		table.row(c.Name, marks)
	}
	t.Logf("%s", table)
}

// cell is one call over one front.
type cell struct {
	answer Answer
	events []cap.Event
	left   string // why it was left out
}

func runFront(t testing.TB, front Front, build func(cap.Options) *cap.Registry, cases []Case) []cell {
	t.Helper()
	recorder := newRecorder()
	registry := build(cap.Options{Name: "parity", Version: "1.0.0", Observers: []cap.Observer{recorder.observe}})
	caller := front.Open(t, registry)
	cells := make([]cell, len(cases))
	for i, c := range cases {
		if leaver, ok := front.(Leaver); ok {
			if cells[i].left = leaver.Leaves(c); cells[i].left != "" {
				continue
			}
		}
		cells[i].answer = call(t, caller, registry, c)
		cells[i].events = recorder.take(t)
		if c.Approver != nil && len(cells[i].events) > 2 {
			cells[i].events = cells[i].events[len(cells[i].events)-2:] // of the call under the approval
		}
	}
	return cells
}

func call(t testing.TB, caller Caller, registry *cap.Registry, c Case) Answer {
	t.Helper()
	request := Request{Capability: c.Capability, Args: slices.Clone(c.Args), As: c.As}
	if request.Args == nil {
		request.Args = json.RawMessage("{}")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if c.Cancel != nil {
		go func() {
			select {
			case <-c.Cancel:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	if c.Approver != nil {
		request.Confirmation.Approval = agree(ctx, t, caller, registry, request, *c.Approver)
	}
	return caller.Call(ctx, t, request)
}

// agree makes a call that is refused, and lets the approver agree to it.
func agree(ctx context.Context, t testing.TB, caller Caller, registry *cap.Registry, request Request, approver cap.Principal) string {
	t.Helper()
	refused := caller.Call(ctx, t, request)
	approvals, ok := registry.Gate().(cap.Approvals)
	switch {
	case refused.Error == nil || refused.Error.Confirmation == nil:
		t.Errorf("captest: %s: the first call was not refused with an action to agree to: %+v", request.Capability, refused)
		return ""
	case !ok:
		t.Errorf("captest: the registry's gate is no cap.Approvals, so nobody can decide")
		return ""
	}
	id := refused.Error.Confirmation.Approval
	if _, err := approvals.Decide(ctx, id, cap.Decision{Verdict: cap.VerdictApprove, Approver: approver, Method: "captest"}); err != nil {
		t.Errorf("captest: %s: %v", request.Capability, err)
	}
	return id
}

// expected says what is wrong with a call in process by itself.
func (c cell) expected(want Case) []string {
	faults := eventFaults(c.events)
	if got := c.code(); got != want.Code {
		faults = append(faults, fmt.Sprintf("ended with %s, want %s", orAnswered(got), orAnswered(want.Code)))
	}
	return faults
}

func (c cell) code() cap.Code {
	if c.answer.Error == nil {
		return ""
	}
	return c.answer.Error.Code
}

func orAnswered(code cap.Code) string {
	if code == "" {
		return "an answer"
	}
	return string(code)
}

// differences compares a call over a front with the one in process.
func differences(want, got cell) []string {
	if got.left != "" {
		return nil
	}
	d := &diff{}
	if !got.answer.Gone {
		d.add("code", orAnswered(want.code()), orAnswered(got.code()))
	}
	if got.answer.CodeOnly {
		return d.faults
	}
	d.faults = append(d.faults, eventFaults(got.events)...)
	d.add("events", strings.Join(eventTexts(want.events), ", "), strings.Join(eventTexts(got.events), ", "))
	if got.answer.Gone || want.code() != got.code() {
		return d.faults
	}
	d.add("output", compact(want.answer.Output), compact(got.answer.Output))
	d.add("citations", fmt.Sprint(want.answer.Cites), fmt.Sprint(got.answer.Cites))
	if want.answer.Error != nil {
		d.errors(want.answer.Error, got.answer.Error)
		if len(got.events) > 0 {
			d.add("request id", got.events[0].RequestID, got.answer.Error.RequestID)
		}
	}
	return d.faults
}

type diff struct{ faults []string }

func (d *diff) add(what, want, got string) {
	if want != got {
		d.faults = append(d.faults, fmt.Sprintf("%s: got %s, in process %s", what, orNothing(got), orNothing(want)))
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// errors compares everything in an error that every front must carry.
func (d *diff) errors(want, got *cap.Error) {
	d.add("message", want.Message, got.Message)
	d.add("capability", want.Capability, got.Capability)
	d.add("issues", issueTexts(want), issueTexts(got))
	d.add("reason", want.Reason, got.Reason)
	d.add("tag", want.Tag, got.Tag)
	d.add("fix", want.Fix, got.Fix)
	d.add("retry", want.Retry, got.Retry)
	d.add("failure", compact(want.Failure), compact(got.Failure))
	d.add("effect", want.Effect, got.Effect)
	d.add("action", actionID(want), actionID(got))
}

// issueTexts gives issues in an order of their own: a front may group them.
func issueTexts(e *cap.Error) string {
	var texts []string
	for _, i := range e.Issues {
		texts = append(texts, fmt.Sprintf("%s %s %s %q", i.Pointer, i.Rule, i.Param, i.Message))
	}
	slices.Sort(texts)
	if e.OmittedIssues > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", e.OmittedIssues))
	}
	return strings.Join(texts, "; ")
}

func actionID(e *cap.Error) string {
	if e.Confirmation == nil {
		return ""
	}
	return e.Confirmation.Action.ID
}

// compact takes blanks out of JSON and leaves everything else as it is.
func compact(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return string(data)
	}
	return b.String()
}

// text is how a call in process ended.
func (c cell) text() string {
	if c.answer.Error == nil {
		return "answered"
	}
	if c.answer.Error.Tag != "" {
		return c.answer.Error.Tag
	}
	return string(c.answer.Error.Code)
}

// mark is how a cell stands to the one in process.
func (c cell) mark(faults []string) string {
	switch {
	case c.left != "":
		return "left out: " + c.left
	case len(faults) > 0:
		return "DIFFERS"
	case c.answer.Gone:
		return "same events"
	case c.answer.CodeOnly:
		return "same code"
	default:
		return "same"
	}
}

// table is what Parity logs.
type table struct {
	text   strings.Builder
	writer *tabwriter.Writer
}

func newTable(fronts []Front) *table {
	tab := &table{}
	tab.text.WriteString("parity\n")
	tab.writer = tabwriter.NewWriter(&tab.text, 0, 0, 2, ' ', 0)
	names := make([]string, len(fronts))
	for i, front := range fronts {
		names[i] = front.Name()
	}
	tab.row("call", names)
	return tab
}

func (tab *table) row(name string, cells []string) {
	_, _ = fmt.Fprintf(tab.writer, "%s\t%s\n", name, strings.Join(cells, "\t"))
}

func (tab *table) String() string {
	_ = tab.writer.Flush()
	return tab.text.String()
}
