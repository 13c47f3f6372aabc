package cap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

func TestInvokeAnswers(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{})
	result, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":{"product":"notes","kind":"note","id":"N-1"},"text":"hello","tags":[]}`, string(result.Output))
	assert.Equal(t, []cap.ObjectRef{{Product: "notes", Kind: "note", ID: "N-1"}}, result.Cites)
}

func TestTypedInvoke(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{})

	note, err := cap.Invoke(t.Context(), registry, GetNote{Note: "N-1"})
	require.NoError(t, err)
	assert.Equal(t, aNote("N-1", "hello").ID, note.ID)
	assert.NotNil(t, note.Tags, "a nil slice goes over the wire as []")

	name, err := cap.Invoke(t.Context(), registry, &WhoAmI{}, cap.CallOptions{Principal: person()})
	require.NoError(t, err)
	assert.Equal(t, "ana", name, "an output that is no object is wrapped and unwrapped")

	_, err = cap.Invoke(t.Context(), registry, (*GetNote)(nil))
	failed(t, err, cap.CodeInputInvalid)
}

func TestDefaultsTakeEffect(t *testing.T) {
	t.Parallel()
	var got GetNote
	registry := newNotes(t, &Notes{Get: func(_ context.Context, in GetNote) (Note, error) {
		got = in
		return aNote("N-1", ""), nil
	}}, cap.Options{})
	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.NoError(t, err)
	assert.Equal(t, 3, got.Lines)
}

// INP-03 to INP-05, INP-16: every issue at once, each with a pointer, none with the value.
func TestInputIssues(t *testing.T) {
	t.Parallel()
	ran := false
	registry := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { ran = true; return Note{}, nil }}, cap.Options{})
	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":7,"lines":12,"tags":["a",null],"x":"canary"}`), cap.CallOptions{})
	e := failed(t, err, cap.CodeInputInvalid)
	var pointers []string
	for _, issue := range e.Issues {
		pointers = append(pointers, issue.Pointer+" "+issue.Rule)
	}
	assert.Equal(t, []string{"/note type", "/lines max", "/tags/1 type", "/x unknown"}, pointers)
	assert.NotContains(t, fmt.Sprintf("%+v %s", e, e.Error()), "canary")
	assert.False(t, ran, "the handler must not run")

	_, err = cap.Invoke(t.Context(), registry, GetNote{Note: "X", Lines: 10})
	assert.Len(t, failed(t, err, cap.CodeInputInvalid).Issues, 2, "a typed call is held to the same rules")
}

func TestNilArgsAreAnEmptyObject(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{})
	_, err := registry.Invoke(t.Context(), "who_am_i", nil, cap.CallOptions{Principal: person()})
	require.NoError(t, err)
	_, err = registry.Invoke(t.Context(), "who_am_i", raw(""), cap.CallOptions{Principal: person()})
	assert.Equal(t, "syntax", failed(t, err, cap.CodeInputInvalid).Issues[0].Rule)
}

// ERR and @knpkv/capability: what a handler returns, and what the caller sees of it.
func TestHandlerErrors(t *testing.T) {
	t.Parallel()
	inner := errors.New("canary in a cause")
	for _, tt := range []struct {
		name   string
		err    error
		code   cap.Code
		tag    string
		fix    string
		reason string
	}{
		{"declared by value", NoteNotFound{Note: "N-1"}, cap.CodeCapabilityFailed, "NoteNotFound", "List the notes and pick one.", "note N-1 was not found"},
		{"declared by pointer", &NoteNotFound{Note: "N-1"}, cap.CodeCapabilityFailed, "NoteNotFound", "List the notes and pick one.", "note N-1 was not found"},
		{"declared with a pointer receiver", &NoteLocked{By: "bo"}, cap.CodeCapabilityFailed, "Locked", "Ask bo.", "locked"},
		{"declared, wrapped", fmt.Errorf("canary: %w", NoteNotFound{Note: "N-1"}), cap.CodeCapabilityFailed, "NoteNotFound", "List the notes and pick one.", "note N-1 was not found"},
		{"declared, joined", errors.Join(inner, NoteNotFound{Note: "N-1"}), cap.CodeCapabilityFailed, "NoteNotFound", "List the notes and pick one.", "note N-1 was not found"},
		{"declared, but broken", &NoteLocked{}, cap.CodeExecutionFailed, "", "", ""},
		{"declared, but not UTF-8", NoteNotFound{Note: "\xff"}, cap.CodeExecutionFailed, "", "", ""},
		{"declared, a nil pointer", (*NoteNotFound)(nil), cap.CodeExecutionFailed, "", "", ""},
		{"any other error", inner, cap.CodeExecutionFailed, "", "", ""},
		{"an error of the framework", &cap.Error{Code: cap.CodeForbidden, Message: "canary"}, cap.CodeExecutionFailed, "", "", ""},
		{"an error of the framework, wrapped", fmt.Errorf("canary: %w", &cap.Error{Code: cap.CodeForbidden}), cap.CodeExecutionFailed, "", "", ""},
		{"a failure of a nested call", &cap.Error{Code: cap.CodeCapabilityFailed, Tag: "canary"}, cap.CodeExecutionFailed, "", "", ""},
		{"an error whose text panics", panickyError{}, cap.CodeExecutionFailed, "", "", ""},
		{"an error that unwraps to itself", &selfish{}, cap.CodeExecutionFailed, "", "", ""},
		{"a context's error of its own", context.Canceled, cap.CodeExecutionFailed, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { return Note{}, tt.err }}, cap.Options{})
			_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
			e := failed(t, err, tt.code)
			assert.Equal(t, tt.tag, e.Tag)
			assert.Equal(t, tt.fix, e.Fix)
			assert.Equal(t, tt.reason, e.Reason)
			assert.Empty(t, e.Effect, "a read has no effect")
			assert.NotContains(t, publicText(t, e), "canary")
			if tt.code == cap.CodeExecutionFailed {
				assert.Equal(t, "Capability execution failed.", e.Message)
				assert.Nil(t, e.Failure)
			}
		})
	}
}

type panickyError struct{}

func (panickyError) Error() string { panic("canary") }

type selfish struct{}

func (s *selfish) Error() string { return "selfish" }
func (s *selfish) Unwrap() error { return s }

// publicText is all that an adapter may send of an error.
func publicText(t *testing.T, e *cap.Error) string {
	t.Helper()
	data, err := json.Marshal(e)
	require.NoError(t, err)
	return string(data) + e.Error()
}

// Declared failures come back as their Go type, by value and by pointer, whatever the handler returned.
func TestFailuresAsGoTypes(t *testing.T) {
	t.Parallel()
	original := &NoteNotFound{Note: "N-7"}
	registry := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { return Note{}, original }}, cap.Options{})
	_, err := cap.Invoke(t.Context(), registry, GetNote{Note: "N-7"})

	byValue, ok := errors.AsType[NoteNotFound](err)
	require.True(t, ok)
	assert.Equal(t, "N-7", byValue.Note)
	byPointer, ok := errors.AsType[*NoteNotFound](err)
	require.True(t, ok)
	assert.Equal(t, "N-7", byPointer.Note)
	assert.NotSame(t, original, byPointer, "the caller's copy is its own")
	_, ok = errors.AsType[*NoteLocked](err)
	assert.False(t, ok)
}

func TestPanicsNeverEscape(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		value any
	}{
		{"text", "canary"},
		{"error", errors.New("canary")},
		{"nil", nil},
		{"an error whose text panics", panickyError{}},
		{"a failure that is declared", NoteNotFound{Note: "canary"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { panic(tt.value) }}, cap.Options{})
			_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
			e := failed(t, err, cap.CodeExecutionFailed)
			assert.NotContains(t, publicText(t, e), "canary")
		})
	}
}

// OUT-02, OUT-06, JSN-06 to JSN-08: an output that breaks its contract says nothing to the caller.
func TestOutputInvalid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		note Note
	}{
		{"breaks a rule", aNote("N-1", strings.Repeat("canary", 9))},
		{"not UTF-8", aNote("N-1", "\xffcanary")},
		{"empty citation", aNote("", "canary")},
		{"citation with blanks", aNote(" canary", "x")},
		{"citation too long", aNote(strings.Repeat("c", 201), "x")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { return tt.note, nil }}, cap.Options{})
			_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
			e := failed(t, err, cap.CodeOutputInvalid)
			assert.Equal(t, "Capability output is invalid.", e.Message)
			assert.Empty(t, e.Issues)
			assert.NotContains(t, publicText(t, e), "canary")
		})
	}
}

type Measure struct {
	cap.Read[float64] `cap:"Measure; access=public"`
}

type Nothing struct {
	cap.Read[*Note] `cap:"Nothing; access=public"`
}

func TestOutputsThatAreNoJSON(t *testing.T) {
	t.Parallel()
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)} {
		registry := cap.New(cap.Options{})
		require.NoError(t, registry.Register(cap.Func(func(context.Context, Measure) (float64, error) { return f, nil })))
		_, err := registry.Invoke(t.Context(), "measure", nil, cap.CallOptions{})
		failed(t, err, cap.CodeOutputInvalid)
	}
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Nothing) (*Note, error) { return nil, nil })))
	_, err := registry.Invoke(t.Context(), "nothing", nil, cap.CallOptions{})
	failed(t, err, cap.CodeOutputInvalid)
}

func TestCapabilityNotFound(t *testing.T) {
	t.Parallel()
	events := &recorder{}
	registry := newNotes(t, &Notes{}, cap.Options{Observers: []cap.Observer{events.observe}})
	_, err := registry.Invoke(t.Context(), "no_such", raw(`{}`), cap.CallOptions{})
	assert.Equal(t, "no_such", failed(t, err, cap.CodeCapabilityNotFound).Capability)

	long := strings.Repeat("x", 1<<20)
	_, err = registry.Invoke(t.Context(), long, raw(`{}`), cap.CallOptions{})
	assert.Empty(t, failed(t, err, cap.CodeCapabilityNotFound).Capability, "a name that nothing can have is not echoed")
	assert.Equal(t, []cap.EventType{cap.EventStarted, cap.EventFailed, cap.EventStarted, cap.EventFailed}, events.types())
}

// EVT-01 to EVT-06, EVT-12.
func TestEvents(t *testing.T) {
	t.Parallel()
	events := &recorder{}
	var seen string
	registry := newNotes(t, &Notes{Get: func(ctx context.Context, in GetNote) (Note, error) {
		seen = cap.CallFrom(ctx).RequestID
		return aNote(in.Note, "canary"), nil
	}}, cap.Options{Observers: []cap.Observer{events.observe}})

	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{Principal: person(), Source: "http", RequestID: "r-1"})
	require.NoError(t, err)
	require.Len(t, events.events, 2)
	started, completed := events.events[0], events.events[1]
	assert.Equal(t, cap.EventStarted, started.Type)
	assert.Equal(t, []string{"r-1", "get_note", "http", "ana"}, []string{started.RequestID, started.Capability, started.Source, started.PrincipalID})
	assert.False(t, started.Started.IsZero())
	assert.Equal(t, cap.EventCompleted, completed.Type)
	assert.Equal(t, "r-1", completed.RequestID)
	assert.Equal(t, "r-1", seen)

	_, err = registry.Invoke(t.Context(), "get_note", raw(`{"note":"canary"}`), cap.CallOptions{})
	failed(t, err, cap.CodeInputInvalid)
	require.Len(t, events.events, 4)
	anonymous, last := events.events[2], events.events[3]
	assert.Empty(t, anonymous.PrincipalID)
	assert.Equal(t, cap.SourceDirect, anonymous.Source)
	assert.Len(t, anonymous.RequestID, 36, "a request id is made up")
	assert.Equal(t, anonymous.RequestID, last.RequestID)
	assert.Equal(t, cap.CodeInputInvalid, last.Code)
	data, err := json.Marshal(events.events)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "canary")
}

// EVT-07 to EVT-11: an observer changes nothing, whatever it does; every failed delivery is logged.
func TestObserversAreContained(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	events := &recorder{}
	registry := newNotes(t, &Notes{}, cap.Options{
		Logger:    zerolog.New(&log),
		Observers: []cap.Observer{func(context.Context, cap.Event) { panic("broken") }, events.observe},
	})
	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.NoError(t, err)
	assert.Len(t, events.events, 2, "later observers are told all the same")
	assert.Equal(t, 2, strings.Count(log.String(), "an observer panicked"))

	broken := newNotes(t, &Notes{}, cap.Options{
		Logger:    zerolog.New(panickyWriter{}),
		Observers: []cap.Observer{func(context.Context, cap.Event) { panic("broken") }},
	})
	_, err = broken.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.NoError(t, err, "a logger that panics changes nothing either")
}

type panickyWriter struct{}

func (panickyWriter) Write([]byte) (int, error) { panic("no disk") }

// Defects are logged with their cause; handlers find a logger that knows the call; payloads are never logged.
func TestLogging(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	registry := newNotes(t, &Notes{
		Get: func(ctx context.Context, _ GetNote) (Note, error) {
			zerolog.Ctx(ctx).Info().Msg("looking")
			return Note{}, errors.New("the disk is full")
		},
	}, cap.Options{Logger: zerolog.New(&log)})
	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-secret"}`), cap.CallOptions{RequestID: "r-9"})
	failed(t, err, cap.CodeExecutionFailed)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2)
	assert.JSONEq(t, `{"level":"info","requestId":"r-9","capability":"get_note","message":"looking"}`, lines[0])
	assert.JSONEq(t, `{"level":"error","requestId":"r-9","capability":"get_note","cause":"the disk is full","message":"EXECUTION_FAILED"}`, lines[1])
	assert.NotContains(t, log.String(), "N-secret")
}

func TestWithoutLoggerTheCallersIsUsed(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ctx := zerolog.New(&log).WithContext(t.Context())
	registry := newNotes(t, &Notes{Get: func(ctx context.Context, in GetNote) (Note, error) {
		zerolog.Ctx(ctx).Info().Msg("hello")
		return aNote(in.Note, ""), nil
	}}, cap.Options{})
	_, err := registry.Invoke(ctx, "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.NoError(t, err)
	assert.Contains(t, log.String(), `"capability":"get_note"`)
}

// EVT-12: a typed call that nothing answers has its two events like any other.
func TestTypedCallOfAnUnknownContract(t *testing.T) {
	t.Parallel()
	events := &recorder{}
	registry := newNotes(t, &Notes{}, cap.Options{Observers: []cap.Observer{events.observe}})
	_, err := cap.Invoke(t.Context(), registry, Measure{}, cap.CallOptions{RequestID: "r-1"})
	e := failed(t, err, cap.CodeCapabilityNotFound)
	assert.Equal(t, "Capability was not found.", e.Message)
	assert.Equal(t, "r-1", e.RequestID)
	require.EqualError(t, errors.Unwrap(e), "cap: no capability has the contract cap_test.Measure")
	assert.Equal(t, []cap.EventType{cap.EventStarted, cap.EventFailed}, events.types())
}

// EVT-01 to EVT-03: what each event holds, and nothing else.
func TestEventsAsJSON(t *testing.T) {
	t.Parallel()
	events := &recorder{}
	registry := newNotes(t, &Notes{}, cap.Options{Observers: []cap.Observer{events.observe}})
	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{Principal: person()})
	require.NoError(t, err)
	_, err = registry.Invoke(t.Context(), "get_note", nil, cap.CallOptions{})
	failed(t, err, cap.CodeInputInvalid)
	var got []string
	for _, event := range events.events {
		data, err := json.Marshal(event)
		require.NoError(t, err)
		var members map[string]any
		require.NoError(t, json.Unmarshal(data, &members))
		got = append(got, fmt.Sprint(event.Type, " ", slices.Sorted(maps.Keys(members))))
	}
	assert.Equal(t, []string{
		"started [capability principalId requestId source startedAt type]",
		"completed [capability durationNs requestId type]",
		"started [capability requestId source startedAt type]",
		"failed [capability code durationNs requestId type]",
	}, got)
}

// Cited names its objects by a companion, which decides by the text what it does.
type Cited struct {
	Text string `json:"text" cap:"Text"`
}

func (c *Cited) Cites() []cap.ObjectRef {
	switch c.Text {
	case "none":
		return nil
	case "panic":
		panic("canary")
	default:
		return []cap.ObjectRef{{Product: "notes", Kind: "note", ID: c.Text}}
	}
}

type GetCited struct {
	cap.Read[Cited] `cap:"Cited; access=public"`

	Text string `json:"text" cap:"Text"`
}

// A Cites companion is asked of the output as it is; citing what is no object is the capability's fault.
func TestCitesCompanion(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(_ context.Context, in GetCited) (Cited, error) { return Cited(struct{ Text string }{in.Text}), nil })))
	for _, tt := range []struct {
		name, text string
		code       cap.Code // "" for an answer
		cites      int
	}{
		{"none", "none", "", 0},
		{"one", "N-1", "", 1},
		{"longest id", strings.Repeat("é", 200), "", 1},
		{"empty id", "", cap.CodeOutputInvalid, 0},
		{"blank at the end", "N-1 ", cap.CodeOutputInvalid, 0},
		{"id too long", strings.Repeat("é", 201), cap.CodeOutputInvalid, 0},
		{"panic", "panic", cap.CodeExecutionFailed, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, err := registry.Invoke(t.Context(), "get_cited", raw(`{"text":"`+tt.text+`"}`), cap.CallOptions{})
			if tt.code != "" {
				assert.NotContains(t, publicText(t, failed(t, err, tt.code)), "canary")
				return
			}
			require.NoError(t, err)
			assert.Len(t, result.Cites, tt.cites)
		})
	}
}

type Ruled struct {
	cap.Read[RuledOutput] `cap:"Ruled; access=public; timeout=5s"`

	Text string `json:"text" cap:"Text" validate:"mood"`
}

type RuledOutput struct {
	Text string `json:"text" cap:"Text" validate:"mood"`
}

// INP-07, OUT-04, CAN-04: the stage decides the code, whatever a rule of the user's does; the timeout covers the output.
func TestRulesOfTheUser(t *testing.T) {
	t.Parallel()
	rules := validator.New(validator.WithRequiredStructEnabled())
	require.NoError(t, rules.RegisterValidation("mood", func(f validator.FieldLevel) bool {
		switch text := f.Field().String(); text {
		case "panic":
			panic(&cap.Error{Code: cap.CodeForbidden, Message: "canary"})
		case "slow":
			time.Sleep(time.Minute)
		}
		return f.Field().String() != "bad"
	}))
	for _, tt := range []struct {
		name, in, out string
		code          cap.Code
	}{
		{"input breaks it", "bad", "", cap.CodeInputInvalid},
		{"input makes it panic", "panic", "", cap.CodeInputInvalid},
		{"output breaks it", "", "bad", cap.CodeOutputInvalid},
		{"output makes it panic", "", "panic", cap.CodeOutputInvalid},
		{"output makes it slow", "", "slow", cap.CodeCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				registry := cap.New(cap.Options{Validator: rules})
				require.NoError(t, registry.Register(cap.Func(func(context.Context, Ruled) (RuledOutput, error) {
					return RuledOutput{Text: tt.out}, nil
				})))
				_, err := registry.Invoke(t.Context(), "ruled", raw(`{"text":"`+tt.in+`"}`), cap.CallOptions{})
				e := failed(t, err, tt.code)
				assert.NotContains(t, publicText(t, e), "canary")
				if tt.code == cap.CodeInputInvalid {
					assert.Equal(t, []cap.Issue{{Pointer: "/text", Rule: "mood", Message: e.Issues[0].Message}}, e.Issues)
				} else {
					assert.Empty(t, e.Issues)
				}
			})
		})
	}
}

type Quote struct {
	cap.Read[Quoted] `cap:"Quote; access=public"`
}

type Quoted struct {
	Source cap.ObjectRef   `json:"source,omitzero" cap:"Where it stands; cite"`
	More   []cap.ObjectRef `json:"more,omitempty" cap:"Further places; cite"`
}

// What the answer leaves out is not cited.
func TestAbsentCitations(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(f[Quote]()))
	result, err := registry.Invoke(t.Context(), "quote", nil, cap.CallOptions{})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(result.Output))
	assert.Empty(t, result.Cites)
}

// ERR-02: a failure of a capability that the handler called is none of its own, though it declares the same one: the caller
// would read of a note that it never asked for.
func TestFailuresOfNestedCalls(t *testing.T) {
	t.Parallel()
	inner := newNotes(t, &Notes{Get: func(context.Context, GetNote) (Note, error) { return Note{}, NoteNotFound{Note: "N-7"} }}, cap.Options{})
	for name, wrap := range map[string]func(error) error{
		"as it is": func(err error) error { return err },
		"wrapped":  func(err error) error { return fmt.Errorf("looking: %w", err) },
		"joined":   func(err error) error { return errors.Join(io.EOF, err) },
	} {
		registry := newNotes(t, &Notes{Get: func(ctx context.Context, in GetNote) (Note, error) {
			note, err := cap.Invoke(ctx, inner, in)
			return note, wrap(err)
		}}, cap.Options{})
		_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
		assert.NotContains(t, publicText(t, failed(t, err, cap.CodeExecutionFailed)), "N-7", name)
	}
}

type Stages struct {
	cap.Host[StagesOutput] `cap:"Note every stage; access=rule; irreversible; scope=stages"`

	Text string `json:"text" cap:"Text" validate:"stage"`
}

type StagesOutput struct {
	Text string `json:"text" cap:"Text" validate:"stage"`
}

// staged notes when each stage is reached.
type staged struct{ stages []string }

func (s *staged) note(stage string) {
	if len(s.stages) == 0 || s.stages[len(s.stages)-1] != stage {
		s.stages = append(s.stages, stage)
	}
}

func (Stages) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "note", Target: cap.ObjectRef{Product: "p", Kind: "k", ID: "i"}}
}

func (s *staged) Stages(context.Context, Stages) (StagesOutput, error) {
	s.note("handler")
	return StagesOutput{Text: "output"}, nil
}

func (s *staged) AllowStages(context.Context, Stages) (bool, error) {
	s.note("access rule")
	return true, nil
}

func (s *staged) PreconditionsStages(context.Context, Stages) ([]cap.Precondition, error) {
	s.note("preconditions")
	return nil, nil
}

// stagedGate begins and finishes for a staged.
type stagedGate struct{ *staged }

func (g stagedGate) Begin(context.Context, cap.Action, cap.Confirmation) (cap.Attempt, error) {
	g.note("gate begins")
	return g, nil
}

func (stagedGate) Approval() string { return "approval-1" }

func (g stagedGate) Finish(context.Context, cap.Outcome) error {
	g.note("gate is told")
	return nil
}

// INP-01: the stages come in one order, which is that of the documentation, and none comes before the one that may refuse.
func TestOrderOfThePipeline(t *testing.T) {
	t.Parallel()
	s := &staged{}
	rules := validator.New(validator.WithRequiredStructEnabled())
	require.NoError(t, rules.RegisterValidation("stage", func(f validator.FieldLevel) bool {
		if f.Field().String() != "" { // the rehearsal at registration
			s.note(f.Field().String())
		}
		return true
	}))
	registry := cap.New(cap.Options{Validator: rules, Gate: stagedGate{s}, Observers: []cap.Observer{func(_ context.Context, event cap.Event) {
		s.note(string(event.Type))
	}}})
	require.NoError(t, registry.Register(s))
	args := raw(`{"text":"input"}`)
	_, err := registry.Invoke(t.Context(), "stages", args, cap.CallOptions{})
	failed(t, err, cap.CodeUnauthenticated)
	assert.Equal(t, []string{"started", "failed"}, s.stages, "a stranger's input is not read")

	s.stages = nil
	_, err = registry.Invoke(t.Context(), "stages", args, cap.CallOptions{Principal: &cap.Principal{ID: "ana", Scopes: []string{"stages"}}})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"started", "input", "access rule", "input", "preconditions", "gate begins", "handler", "output", "gate is told", "completed",
	}, s.stages)
}

type Grumble struct {
	cap.Read[*Note] `cap:"Grumble; access=public"`

	_ cap.Fails[Grumpy]

	Text string `json:"text,omitempty" cap:"What to say"`
	Help string `json:"help,omitempty" cap:"What to advise"`
}

type Grumpy struct {
	_    cap.Failure `cap:"It grumbles"`
	Text string      `json:"text"`
	Help string      `json:"help"`
}

func (g Grumpy) Error() string {
	if g.Text == "panic" {
		panic("canary")
	}
	return g.Text
}

func (g Grumpy) Fix() string { return g.Help }

// A declared failure without a reason or a fix says nothing to its caller: it is a defect.
func TestTextsOfFailures(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(_ context.Context, in Grumble) (*Note, error) {
		if in.Text == "fine" {
			note := aNote("N-1", "fine")
			return &note, nil
		}
		return nil, Grumpy{Text: in.Text, Help: in.Help}
	})))
	for _, tt := range []struct {
		name, text, help string
		code             cap.Code
	}{
		{"both", "no", "Ask later.", cap.CodeCapabilityFailed},
		{"no reason", "", "Ask later.", cap.CodeExecutionFailed},
		{"no fix", "no", "", cap.CodeExecutionFailed},
		{"a reason that panics", "panic", "Ask later.", cap.CodeExecutionFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := cap.Invoke(t.Context(), registry, Grumble{Text: tt.text, Help: tt.help})
			e := failed(t, err, tt.code)
			assert.NotContains(t, publicText(t, e), "canary")
			if tt.code == cap.CodeCapabilityFailed {
				assert.Equal(t, []string{tt.text, tt.help}, []string{e.Reason, e.Fix})
			}
		})
	}
	note, err := cap.Invoke(t.Context(), registry, Grumble{Text: "fine"})
	require.NoError(t, err)
	assert.Equal(t, "fine", note.Text, "an output by pointer comes back by pointer")
}
