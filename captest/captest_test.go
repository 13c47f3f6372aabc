package captest_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/captest"
)

func registryOf(t *testing.T, options cap.Options, services ...any) *cap.Registry {
	t.Helper()
	registry := cap.New(options)
	require.NoError(t, registry.Register(services...))
	return registry
}

func TestCall(t *testing.T) {
	t.Parallel()
	registry := registryOf(t, cap.Options{}, newDesk(nil))
	assert.Equal(t, "Go & <more>", captest.Call(t, registry, nil, FindBook{Number: "B-1"}).Title)
	assert.Equal(t, []string{"ana's book"}, captest.Call(t, registry, captest.Person("ana", "books"), MyBooks{}))
	assert.Equal(t, []string{"bot's book"}, captest.Call(t, registry, captest.Agent("bot", "ana", "books"), MyBooks{}))

	refused := failing(t, func(t testing.TB) { captest.Call(t, registry, nil, MyBooks{}) })
	assert.True(t, refused.fatal)
	assert.Equal(t, "captest: captest_test.MyBooks did not answer: my_books: UNAUTHENTICATED: Authentication is required.\n", refused.text.String())
	defect := failing(t, func(t testing.TB) { captest.Call(t, registry, nil, FindBook{Number: "B-defect"}) })
	assert.Contains(t, defect.text.String(), "\n  cause: secret-canary: the shelf fell over", "the author of the test sees the cause")
}

func TestRequireFailure(t *testing.T) {
	t.Parallel()
	registry := registryOf(t, cap.Options{}, newDesk(nil))
	_, notFound := captest.Try(t, registry, nil, FindBook{Number: "B-0"})
	assert.Equal(t, "B-0", captest.RequireFailure[BookNotFound](t, notFound).Number)
	assert.Equal(t, "B-0", captest.RequireFailure[*BookNotFound](t, notFound).Number)
	_, defect := captest.Try(t, registry, nil, FindBook{Number: "B-defect"})

	for _, tt := range []struct {
		name string
		test func(testing.TB)
		want string
	}{
		{"an answer", func(t testing.TB) { _ = captest.RequireFailure[BookNotFound](t, nil) }, "the call answered, want the failure captest_test.BookNotFound"},
		{"another failure", func(t testing.TB) { _ = captest.RequireFailure[otherFailure](t, notFound) }, "want the failure captest_test.otherFailure, got find_book: CAPABILITY_FAILED"},
		{"a defect", func(t testing.TB) { _ = captest.RequireFailure[BookNotFound](t, defect) }, "want the failure captest_test.BookNotFound, got find_book: EXECUTION_FAILED"},
		{"a failure that went through no pipeline", func(t testing.TB) { _ = captest.RequireFailure[BookNotFound](t, BookNotFound{}) }, "got There is no book ."},
		{"a code instead of an answer", func(t testing.TB) { captest.RequireCode(t, nil, cap.CodeForbidden) }, "the call answered, want FORBIDDEN"},
		{"another code", func(t testing.TB) { captest.RequireCode(t, notFound, cap.CodeForbidden) }, "want FORBIDDEN, got find_book: CAPABILITY_FAILED"},
		{"an error of another kind", func(t testing.TB) { captest.RequireCode(t, errors.New("boom"), cap.CodeForbidden) }, "want FORBIDDEN, got boom"},
	} {
		fake := failing(t, tt.test)
		assert.True(t, fake.fatal, tt.name)
		assert.Contains(t, fake.text.String(), tt.want, tt.name)
	}
	assert.Equal(t, "BookNotFound", captest.RequireCode(t, notFound, cap.CodeCapabilityFailed).Tag)
}

type otherFailure struct{ error }

func TestOpenGate(t *testing.T) {
	t.Parallel()
	gate := new(captest.OpenGate)
	registry := registryOf(t, cap.Options{Gate: gate}, newDesk(nil))
	assert.Equal(t, "Lent", captest.Call(t, registry, captest.Person("ana"), LendBook{Number: "B-1"}).Title)
	_, err := captest.Try(t, registry, captest.Person("ana"), LendBook{Number: "B-0"})
	_ = captest.RequireFailure[BookNotFound](t, err)
	require.Len(t, gate.Actions(), 2)
	assert.Equal(t, "lend", gate.Actions()[0].Pending.Verb)
	assert.Equal(t, cap.OutcomeFailed, gate.Outcomes()[1].State)
}

func TestLocked(t *testing.T) {
	// It changes the environment, so it runs alone.
	registry := registryOf(t, cap.Options{}, newDesk(nil))
	path := filepath.Join(t.TempDir(), "contracts.lock.json")
	t.Setenv(captest.UpdateLock, "")
	missing := failing(t, func(t testing.TB) { captest.Locked(t, registry, path) })
	assert.True(t, missing.fatal)
	assert.Contains(t, missing.text.String(), "there is no lock file "+path+" (run the test with CAP_UPDATE_LOCK=1")

	t.Setenv(captest.UpdateLock, "1")
	captest.Locked(t, registry, path)
	t.Setenv(captest.UpdateLock, "")
	captest.Locked(t, registry, path)

	lib := cap.NewLibrary("acme/desk", "1", newDesk(nil))
	fewer, err := cap.Compose(cap.Options{}, lib.Select("find_book"))
	require.NoError(t, err)
	gone := failing(t, func(t testing.TB) { captest.Locked(t, fewer, path) })
	assert.False(t, gone.fatal)
	assert.Contains(t, gone.text.String(), "\nbreaking: burn_book: is gone (callers get CAPABILITY_NOT_FOUND)\n")
	more, err := cap.Compose(cap.Options{}, lib, lib.Export("find_book").As("seek_book"))
	require.NoError(t, err)
	added := failing(t, func(t testing.TB) { captest.Locked(t, more, path) })
	assert.Contains(t, added.text.String(), "\ncompatible: seek_book: is new (nobody calls it yet)\n", "what is compatible has to be locked too")

	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	broken := failing(t, func(t testing.TB) { captest.Locked(t, registry, path) })
	assert.Contains(t, broken.text.String(), "the lock has version 0, this program reads 1")
	folder := failing(t, func(t testing.TB) { captest.Locked(t, registry, filepath.Dir(path)) })
	assert.Contains(t, folder.text.String(), "is a directory")
	t.Setenv(captest.UpdateLock, "1")
	nowhere := failing(t, func(t testing.TB) { captest.Locked(t, registry, filepath.Join(path, "x")) })
	assert.Contains(t, nowhere.text.String(), "not a directory")
}

// lyingFront changes what a caller sees.
type lyingFront struct {
	captest.Front
	lie  func(captest.Request, *captest.Answer)
	call captest.Caller
}

func (lyingFront) Name() string { return "lying" }

func (f lyingFront) Open(t testing.TB, registry *cap.Registry) captest.Caller {
	f.call = f.Front.Open(t, registry)
	return f
}

func (f lyingFront) Call(ctx context.Context, t testing.TB, request captest.Request) captest.Answer {
	answer := f.call.Call(ctx, t, request)
	f.lie(request, &answer)
	return answer
}

// leavingFront leaves everything out.
type leavingFront struct{ captest.Front }

func (leavingFront) Leaves(captest.Case) string { return "not today" }

// silentFront never asks the registry.
type silentFront struct{ captest.Front }

func (f silentFront) Open(testing.TB, *cap.Registry) captest.Caller { return f }

func (silentFront) Call(context.Context, testing.TB, captest.Request) captest.Answer {
	return captest.Answer{Error: &cap.Error{Code: cap.CodeUnauthenticated, Message: "Authentication is required.", Capability: "my_books"}}
}

// Whatever a front gets wrong, Parity says so.
func TestParityFindsDifferences(t *testing.T) {
	t.Parallel()
	build := func(options cap.Options) *cap.Registry {
		options.Gate = newGate(t)
		return registryOf(t, options, newDesk(nil))
	}
	lie := func(lie func(captest.Request, *captest.Answer)) captest.Front {
		return lyingFront{Front: captest.InProcess(), lie: lie}
	}
	find := captest.Case{Name: "find", Capability: "find_book", Args: json.RawMessage(`{"number":"B-1"}`)}
	fails := captest.Case{Name: "fails", Capability: "find_book", Args: json.RawMessage(`{"number":"B-0"}`), Code: cap.CodeCapabilityFailed}
	invalid := captest.Case{Name: "invalid", Capability: "find_book", Code: cap.CodeInputInvalid}
	lend := captest.Case{Name: "lend", Capability: "lend_book", Args: json.RawMessage(`{"number":"B-1"}`), As: captest.Person("ana")}
	for _, tt := range []struct {
		name  string
		front captest.Front
		c     captest.Case
		want  string // "" for no difference
	}{
		{"nothing", lie(func(captest.Request, *captest.Answer) {}), find, ""},
		{"blanks in JSON", lie(func(_ captest.Request, a *captest.Answer) { a.Output = append(a.Output, '\n') }), find, ""},
		{"left out", leavingFront{captest.InProcess()}, find, ""},
		{"a number that lost its end", lie(func(_ captest.Request, a *captest.Answer) { a.Output = json.RawMessage(`{}`) }), find, `output: got {}, in process {"id"`},
		{"no citations", lie(func(_ captest.Request, a *captest.Answer) { a.Cites = nil }), find, "citations: got []"},
		{"an error instead", lie(func(_ captest.Request, a *captest.Answer) { a.Error = &cap.Error{Code: cap.CodeForbidden} }), find, "code: got FORBIDDEN, in process an answer"},
		{"another message", lie(func(_ captest.Request, a *captest.Answer) { a.Error.Message = "Oh." }), fails, "message: got Oh., in process There is no book B-0."},
		{"no fix", lie(func(_ captest.Request, a *captest.Answer) { a.Error.Fix = "" }), fails, "fix: got nothing, in process Look into the catalogue."},
		{"no tag", lie(func(_ captest.Request, a *captest.Answer) { a.Error.Tag = "" }), fails, "tag: got nothing"},
		{"no retry", lie(func(_ captest.Request, a *captest.Answer) { a.Error.Retry = "" }), fails, "retry: got nothing, in process 1m0s"},
		{"another failure", lie(func(_ captest.Request, a *captest.Answer) { a.Error.Failure = json.RawMessage(`{}`) }), fails, "failure: got {}"},
		{"another request id", lie(func(_ captest.Request, a *captest.Answer) { a.Error.RequestID = "x" }), fails, "request id: got x"},
		{"an issue less", lie(func(_ captest.Request, a *captest.Answer) { a.Error.Issues = nil }), invalid, "issues: got nothing, in process /number required"},
		{"issues that were counted", lie(func(_ captest.Request, a *captest.Answer) { a.Error.OmittedIssues = 2 }), invalid, "and 2 more"},
		{"no events", silentFront{captest.InProcess()}, captest.Case{Name: "mine", Capability: "my_books", Code: cap.CodeUnauthenticated}, "events: got nothing, in process started my_books, failed my_books UNAUTHENTICATED"},
		{"another action", lie(func(_ captest.Request, a *captest.Answer) { a.Error.Confirmation = nil }), captest.Case{Name: "lend", Capability: "lend_book", Args: lend.Args, As: lend.As, Code: cap.CodeConfirmationRequired}, "action: got nothing"},
		{"a case that ends in another way", captest.InProcess(), captest.Case{Name: "find", Capability: "find_book", Args: find.Args, Code: cap.CodeForbidden}, "find, in process: ended with an answer, want FORBIDDEN"},
		{"nothing to agree to", captest.InProcess(), captest.Case{Name: "find", Capability: "find_book", Args: find.Args, Approver: captest.Person("boss")}, "was not refused with an action to agree to"},
		{"nobody may agree", captest.InProcess(), captest.Case{Name: "lend", Capability: "lend_book", Args: lend.Args, As: lend.As, Approver: captest.Agent("bot", "ana")}, "captest: lend_book: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := failing(t, func(t testing.TB) { captest.Parity(t, build, []captest.Case{tt.c}, tt.front) })
			assert.Equal(t, tt.want != "", fake.failed, fake.text.String())
			assert.Contains(t, fake.text.String(), tt.want)
			assert.True(t, tt.want == "" || strings.Contains(fake.text.String(), tt.c.Capability) || strings.Contains(fake.text.String(), tt.c.Name), "it says which")
		})
	}
}
