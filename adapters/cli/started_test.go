package capcli_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// AddBook has an example in every form of flag.
type AddBook struct {
	cap.Write[cap.None] `cap:"Add a book to the shelf; access=public; reversible"`

	_ cap.Fails[NoRoom]

	Title   string            `json:"title"             cap:"Title; example=Dune Messiah"`
	Authors []string          `json:"authors"           cap:"Who wrote it; example=[\"Frank Herbert\",\"x\"]"`
	Years   []int             `json:"years,omitempty"   cap:"Years; example=[1965,1969]"`
	Labels  map[string]string `json:"labels,omitempty"  cap:"Labels; example={\"shelf\":\"B 4\",\"x\":\"y\"}"`
	Copies  []Copy            `json:"copies,omitempty"  cap:"Copies"`
	Notes   []string          `json:"notes,omitempty"   cap:"Notes; example=[\"it's \\\"good\\\"\"]"`
	Pins    []Pin             `json:"pins,omitempty"    cap:"Pins"`
	Parts   []Part            `json:"parts,omitempty"   cap:"Parts"`
}

type Copy struct {
	Code  string   `json:"code"             cap:"Code; example=C-1"`
	State string   `json:"state"            cap:"State" validate:"oneof=new used"`
	Shelf struct{} `json:"shelf"            cap:"Shelf"`
	Pages int      `json:"pages"            cap:"Pages"`
	Torn  bool     `json:"torn"             cap:"Torn"`
	Tags  []string `json:"tags"             cap:"Tags"`
	Note  string   `json:"note,omitempty"   cap:"Note"`
}

type Pin struct {
	Pin string `json:"pin" cap:"Pin; secret"`
}

// Part holds itself.
type Part struct {
	Name string `json:"name" cap:"Name"`
	Part *Part  `json:"part,omitempty" cap:"Inner; example={\"name\":\"x\"}"`
}

type NoRoom struct {
	_ cap.Failure `cap:"The shelf is full; fix=Choose another shelf."`
}

func (NoRoom) Error() string { return "The shelf is full." }

func (in AddBook) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "add", Target: cap.ObjectRef{Product: "library", Kind: "book", ID: in.Title}}
}

// FindBook takes no positional argument.
type FindBook struct {
	cap.Read[cap.None] `cap:"Find a book; access=public"`

	Number string `json:"number"           cap:"Number"`
	Shelf  string `json:"shelf,omitempty"  cap:"Shelf"`
}

// CloseShop takes nothing.
type CloseShop struct {
	cap.Read[cap.None] `cap:"Close the shop; access=public"`
}

// newShelf is a program whose handlers all end with a defect.
func newShelf(t *testing.T, gate cap.Gate, options capcli.Options) *capcli.Program {
	t.Helper()
	registry := cap.New(cap.Options{Name: "Library of Bern", Gate: gate})
	require.NoError(t, registry.Register(
		cap.Func(func(context.Context, AddBook) (cap.None, error) { return cap.None{}, errCanary }),
		cap.Func(func(context.Context, FindBook) (cap.None, error) { return cap.None{}, errCanary }),
		cap.Func(func(context.Context, CloseShop) (cap.None, error) { return cap.None{}, errCanary }),
	))
	program, err := capcli.New(registry, options)
	require.NoError(t, err)
	return program
}

var errCanary = errors.New("canary")

func TestHelpShowsWhatCanBeTyped(t *testing.T) {
	t.Parallel()
	got := runWith(t, newShelf(t, adaptertest.NewGate(), capcli.Options{}), capcli.Streams{Program: "books"}, "add-book", "--help")
	require.Equal(t, 0, got.code, got.err)
	golden(t, "help-add-book.txt", got.out)
}

func TestTextsNameTheProgramAsItWasStarted(t *testing.T) {
	t.Parallel()
	program := newShelf(t, adaptertest.NewGate(), capcli.Options{})
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"usage", []string{"find-book"}, "usage: books find-book --number TEXT [flags]\n"},
		{"no command", nil, "see books --help"},
		{"unknown command", []string{"zzzzzzzz"}, "see books --help"},
		{"unknown capability", []string{"describe", "zzzzzzz"}, "see books list"},
		{"description", []string{"describe", "find_book"}, `"usage":"books find-book --number TEXT [flags]"`},
		{"group", []string{"approvals", "--help"}, "books approvals COMMAND [flags]"},
		{"own command", []string{"approvals", "show", "--help"}, "books approvals show ID [flags]"},
		{"completion", []string{"completion", "--help"}, "source <(books\ncompletion bash)"},
		{"script", []string{"completion", "bash"}, "__start_books"},
		{"what confirms", []string{"add-book", "--title", "x", "--authors", "y"}, "To confirm it, run: books add-book --title x --authors y --yes\n"},
		{"title", []string{"version"}, "Library of Bern (no version)\n"},
		{"documentation", []string{"docs"}, "# Library of Bern\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := runWith(t, program, capcli.Streams{Program: "books"}, tt.args...)
			assert.Contains(t, got.out+got.err, tt.want)
		})
	}
	assert.Contains(t, capcli.Standard().Program, "cli", "the name of the process")
}

func TestStrayArguments(t *testing.T) {
	t.Parallel()
	program := newShelf(t, adaptertest.NewGate(), capcli.Options{})
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"what is missing", []string{"find-book", "1 2"}, `unexpected argument "1 2" (did you mean --number "1 2"?)`},
		{"what there is", []string{"find-book", "--number", "1", "2"}, `unexpected argument "2" (it takes flags: --number, --shelf)`},
		{"much", []string{"add-book", "x"}, `unexpected argument "x" (it takes flags: --title, --authors, --years, --labels, --copies, …)`},
		{"nothing", []string{"close-shop", "x"}, `unexpected argument "x" (it takes no input)`},
		{"a command of the program's own", []string{"approvals", "list", "x"}, `unexpected argument "x" (it takes flags: --all)`},
		{"one without flags", []string{"version", "x"}, `unexpected argument "x" (it takes none)`},
		{"one with an argument", []string{"describe", "x", "y"}, `unexpected argument "y" (it takes NAME and no more)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := runWith(t, program, capcli.Streams{}, tt.args...)
			assert.Equal(t, capcli.ExitUsage, got.code)
			assert.Contains(t, got.err, tt.want+"\n")
		})
	}
}

func TestForgetfulApprovals(t *testing.T) {
	t.Parallel()
	const want = "error: this program's gate forgets when the process ends"
	program := newShelf(t, adaptertest.NewGate(), capcli.Options{Forgetful: true})
	for _, args := range [][]string{{"list"}, {"show", "x"}, {"approve", "x"}, {"deny", "x"}} {
		got := runWith(t, program, capcli.Streams{}, append([]string{"approvals"}, args...)...)
		assert.Equal(t, capcli.ExitFailed, got.code, args)
		assert.Contains(t, got.err, want, args)
	}
	registry := cap.New(cap.Options{Name: "demo", Gate: adaptertest.NewGate()})
	require.NoError(t, registry.Register(Demo{}))
	host, err := capcli.New(registry, capcli.Options{Forgetful: true})
	require.NoError(t, err)
	got := runWith(t, host, capcli.Streams{}, "wipe")
	assert.Equal(t, capcli.ExitPending, got.code)
	assert.Contains(t, got.err, "this program's gate forgets when the process ends")
	assert.NotContains(t, got.err, "approvals approve")
}

// A defect's cause goes to the logger of the context and nowhere else, whatever the format.
func TestContextHoldsTheLogger(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	program := newShelf(t, adaptertest.NewGate(), capcli.Options{
		Context: func(ctx context.Context, _ capcli.Streams) context.Context { return zerolog.New(&log).WithContext(ctx) },
	})
	for _, format := range []string{"text", "json"} {
		log.Reset()
		got := runWith(t, program, capcli.Streams{}, "close-shop", "--output", format)
		assert.Equal(t, capcli.ExitDefect, got.code)
		assert.NotContains(t, got.out+got.err, "canary")
		assert.Regexp(t, `^{"level":"error","requestId":"[^"]+","capability":"close_shop","cause":"canary","message":"EXECUTION_FAILED"}\n$`, log.String())
	}
	silent := runWith(t, newShelf(t, nil, capcli.Options{}), capcli.Streams{}, "close-shop")
	assert.NotContains(t, silent.out+silent.err, "canary")
}
