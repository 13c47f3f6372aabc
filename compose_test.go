package cap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

// notesLibrary holds get_note, write_note, who_am_i and guarded, in this order.
func notesLibrary() *cap.Library { return libraryOf("acme/notes", &Notes{}) }

func libraryOf(name string, services ...any) *cap.Library {
	return cap.NewLibrary(name, "1.4.0", services...)
}

type GetNoteToo struct {
	cap.Read[cap.None] `cap:"Takes the name of another; name=get_note; access=public"`
}

func compose(t *testing.T, declarations ...cap.Declaration) *cap.Registry {
	t.Helper()
	registry, err := cap.Compose(cap.Options{Name: "support", Version: "2"}, declarations...)
	require.NoError(t, err)
	return registry
}

func composeFails(t *testing.T, declarations ...cap.Declaration) *cap.CompositionError {
	t.Helper()
	registry, err := cap.Compose(cap.Options{}, declarations...)
	require.Nil(t, registry)
	failed, ok := errors.AsType[*cap.CompositionError](err)
	require.Truef(t, ok, "got %T: %v", err, err)
	return failed
}

// CMP-09, CMP-10, CMP-12: local first, then imports in their order; what is renamed leaves its own name free.
func TestComposeMountsInOrder(t *testing.T) {
	t.Parallel()
	lib := notesLibrary()
	for _, tt := range []struct {
		name         string
		declarations []cap.Declaration
		want         string
	}{
		{"nothing", nil, ""},
		{"local", []cap.Declaration{cap.Local(&Notes{})}, "get_note write_note who_am_i guarded"},
		{"a whole library", []cap.Declaration{lib}, "get_note write_note who_am_i guarded"},
		{"a library, one renamed", []cap.Declaration{lib.Rename("who_am_i", "me")}, "get_note write_note me guarded"},
		{"a selection stands in the library's order", []cap.Declaration{lib.Select("guarded", "get_note")}, "get_note guarded"},
		{
			"a selection with new names",
			[]cap.Declaration{lib.Select("get_note", "guarded").Rename("get_note", "notes_get").Rename("guarded", "door")},
			"notes_get door",
		},
		{"two names change places", []cap.Declaration{lib.Select("get_note", "guarded").Rename("get_note", "guarded").Rename("guarded", "get_note")}, "guarded get_note"},
		{"an export", []cap.Declaration{lib.Export("guarded")}, "guarded"},
		{"exports under other names", []cap.Declaration{lib.Export("guarded").As("front"), lib.Export("guarded").As("back")}, "front back"},
		{
			"local comes first, wherever it stands",
			[]cap.Declaration{lib.Export("guarded").As("door"), cap.Local(f[TwiceToo]()), lib.Select("who_am_i"), f[GetNoteToo]()},
			"twice get_note door who_am_i",
		},
		{
			"a name that is renamed away is free",
			[]cap.Declaration{f[GetNoteToo](), lib.Select("get_note").Rename("get_note", "notes_get")},
			"get_note notes_get",
		},
		{"local services keep their order", []cap.Declaration{cap.Local(f[Twice](), f[GetNoteToo](), &Defaulted2{})}, "twice get_note documented"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := compose(t, tt.declarations...)
			assert.Equal(t, tt.want, strings.Join(names(registry), " "))
			assert.Equal(t, "support 2", registry.Name()+" "+registry.Version())
			assert.ErrorContains(t, registry.Register(&Notes{}), "nothing more can be registered", "a composed registry is sealed")
		})
	}
}

// hollow is a declaration that embeds none.
type hollow struct{ cap.Declaration }

type Defaulted2 struct{}

func (*Defaulted2) Documented(ctx, Documented) (none, error) { return none{}, nil }

// Libraries can be registered as well as composed.
func TestRegisterTakesLibraries(t *testing.T) {
	t.Parallel()
	lib := notesLibrary()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(f[Twice](), lib.Select("get_note").Rename("get_note", "notes_get"), lib.Export("guarded"), cap.Local(f[GetNoteToo]())))
	assert.Equal(t, []string{"twice", "notes_get", "guarded", "get_note"}, names(registry))
	err := cap.New(cap.Options{}).Register(lib.Select("get_nte"), lib.Export("guarded"), lib.Export("guarded"))
	require.EqualError(t, err, "cap: 2 problems\n"+
		"  library \"acme/notes\" \"1.4.0\" \"get_nte\": the library has no such capability (did you mean \"get_note\"?)\n"+
		"  cap_test.Notes.Guarded: name \"guarded\" is taken by cap_test.Notes.Guarded "+
		"(a contract has one handler in a registry: register one of the two, or give the second a contract of its own)")
}

// CMP-14, CMP-15: whatever shares a name collides, and the declarations are told in their order.
func TestComposeCollisions(t *testing.T) {
	t.Parallel()
	lib, other := notesLibrary(), libraryOf("acme/other", f[GetNoteToo](), f[Twice]())
	local, atomic, library := cap.Local(f[GetNoteToo]()), lib.Export("get_note"), lib.Select("get_note")
	renamed := other.Select("twice").Rename("twice", "get_note")
	for _, tt := range []struct {
		name         string
		declarations []cap.Declaration
		want         string // kinds, in order
	}{
		{"local and local", []cap.Declaration{local, cap.Local(f[GetNoteToo]())}, "local local"},
		{"local and atomic", []cap.Declaration{atomic, local}, "local atomic"},
		{"local and library", []cap.Declaration{local, library}, "local library"},
		{"atomic and atomic", []cap.Declaration{atomic, other.Export("get_note")}, "atomic atomic"},
		{"atomic and library", []cap.Declaration{atomic, library}, "atomic library"},
		{"library and atomic", []cap.Declaration{library, atomic}, "library atomic"},
		{"library and library", []cap.Declaration{library, other.Select("get_note")}, "library library"},
		{"library and renamed", []cap.Declaration{library, renamed}, "library library"},
		{"renamed and renamed", []cap.Declaration{renamed, lib.Select("guarded").Rename("guarded", "get_note")}, "library library"},
		{"as and local", []cap.Declaration{local, other.Export("twice").As("get_note")}, "local atomic"},
		{"as and a default name", []cap.Declaration{atomic, other.Export("twice").As("get_note")}, "atomic atomic"},
		{"as and renamed", []cap.Declaration{lib.Export("guarded").As("get_note"), renamed}, "atomic library"},
		{"the same export twice", []cap.Declaration{atomic, atomic}, "atomic atomic"},
		{"the same library twice", []cap.Declaration{library, library}, "library library"},
		{"one name selected twice", []cap.Declaration{lib.Select("get_note", "get_note")}, "library library"},
		{"inside a library", []cap.Declaration{libraryOf("acme/both", f[GetNoteToo](), f[GetNote]())}, "library library"},
		{"all three", []cap.Declaration{library, atomic, local}, "local library atomic"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			failed := composeFails(t, tt.declarations...)
			require.Len(t, failed.Issues, 1)
			issue := failed.Issues[0]
			assert.Equal(t, "CAPABILITY_ID_COLLISION", issue.Code)
			assert.Equal(t, "get_note", issue.Name)
			var kinds []string
			for _, from := range issue.From {
				kinds = append(kinds, from.Kind)
			}
			assert.Equal(t, tt.want, strings.Join(kinds, " "))
			assert.Empty(t, failed.Problems)
		})
	}
}

// Every message of a composition, against its golden line.
func TestCompositionErrors(t *testing.T) {
	t.Parallel()
	lib := notesLibrary()
	var got strings.Builder
	for _, tt := range []struct {
		name         string
		declarations []cap.Declaration
	}{
		{"a collision", []cap.Declaration{lib.Select("get_note"), f[GetNoteToo](), lib.Export("guarded").As("get_note")}},
		{"unknown names", []cap.Declaration{lib.Select("get_notes", "nothing"), lib.Export("whoami"), lib.Rename("gaurded", "door")}},
		{"a rename of what is left out", []cap.Declaration{lib.Select("get_note").Rename("guarded", "door")}},
		{"renamed twice", []cap.Declaration{lib.Rename("guarded", "door").Rename("guarded", "gate")}},
		{"no names", []cap.Declaration{lib.Rename("guarded", "the door"), lib.Export("guarded").As(""), lib.Export("").As("x")}},
		{"a name that forges a line", []cap.Declaration{lib.Export("guarded").As("x\n  " + strings.Repeat("y", 200)), lib.Export("a\n  b\"")}},
		{"nothing selected", []cap.Declaration{lib.Select()}},
		{"nil", []cap.Declaration{nil, (*cap.Library)(nil), (*cap.Library)(nil).Select("x"), (*cap.Selection)(nil), new(cap.Selection).Rename("a", "b"), (*cap.Export)(nil).As("c"), hollow{}, cap.Local(nil, (*cap.Export)(nil)), libraryOf("acme/hollow", hollow{})}},
		{"no library", []cap.Declaration{cap.NewLibrary(" ", ""), libraryOf("acme/nested", f[Twice](), cap.Local(lib.Export("guarded")))}},
		{"a library that is imported twice says its faults once", []cap.Declaration{libraryOf("acme/none").Select("a"), libraryOf("acme/one", 42).Select("b")}},
		{"no local service", []cap.Declaration{cap.Local()}},
		{"a library as a local service", []cap.Declaration{cap.Local(lib.Export("nope"))}},
		{
			"everything at once: collisions by byte, then imports as declared, then problems of services",
			[]cap.Declaration{
				lib.Export("nope"),
				lib.Export("guarded").As("alpha"), lib.Export("who_am_i").As("alpha"),
				lib.Export("guarded").As("Zeta"), lib.Export("who_am_i").As("Zeta"),
				lib.Select("get_note").Rename("guarded", "x"),
				libraryOf("acme/bad", f[NoAccess]()),
				cap.Local(f[Misspelt]()),
			},
		},
	} {
		fmt.Fprintf(&got, "-- %s --\n%v\n", tt.name, composeFails(t, tt.declarations...))
	}
	golden(t, "testdata/composition.txtar", got.String())
}

// CMP-24: an error can be read without its type, and is nobody else's.
func TestCompositionErrorIsData(t *testing.T) {
	t.Parallel()
	lib := notesLibrary()
	first := composeFails(t, lib, lib.Export("guarded"), f[NoAccess]())
	data, err := json.Marshal(first)
	require.NoError(t, err)
	assert.JSONEq(t, `{"issues":[{"code":"CAPABILITY_ID_COLLISION","name":"guarded","what":"2 declarations have this name",
		"do":"mount them under different names, or leave all but one out","from":[
		{"kind":"library","library":"acme/notes","version":"1.4.0","name":"guarded","contract":"cap_test.Guarded"},
		{"kind":"atomic","library":"acme/notes","version":"1.4.0","name":"guarded","contract":"cap_test.Guarded"}]}],
		"problems":[{"where":"Func of cap_test.NoAccess","what":"does not say who may call it",
		"do":"add access=public, access=authenticated or access=rule to the tag of cap_test.NoAccess, or a default to its service"}]}`, string(data))
	want := first.Error()
	clear(first.Issues[0].From)
	clear(first.Issues)
	require.EqualError(t, composeFails(t, lib, lib.Export("guarded"), f[NoAccess]()), want)
	problems, ok := errors.AsType[*cap.RegistrationError](error(first))
	require.True(t, ok)
	assert.Len(t, problems.Problems, 1)
	assert.NoError(t, errors.Unwrap(composeFails(t, lib, lib)), "no problems of services, no RegistrationError")
}

// CMP-05, CMP-07: a library is what it was when it was made, and a selection what it was when it was chosen.
func TestLibrariesAreSnapshots(t *testing.T) {
	t.Parallel()
	services := []any{f[Twice](), f[GetNoteToo]()}
	lib := libraryOf("acme/two", services...)
	services[1] = f[NoAccess]()
	chosen := []string{"twice", "get_note"}
	selection := lib.Select(chosen...)
	chosen[0] = "nope"
	renamed := selection.Rename("twice", "double")
	selection.Rename("get_note", "other")
	export := lib.Export("twice")
	export.As("other")
	assert.Equal(t, []string{"twice", "get_note"}, names(compose(t, selection)))
	assert.Equal(t, []string{"double", "get_note"}, names(compose(t, renamed)))
	assert.Equal(t, []string{"twice"}, names(compose(t, export)))
	assert.Equal(t, "acme/two 1.4.0", lib.Name()+" "+lib.Version())
}

// CMP-08, CMP-23: composing calls nothing, and an error holds names and versions alone.
func TestComposingCallsNothing(t *testing.T) {
	t.Parallel()
	const canary = "canary-51ab"
	lib := libraryOf("acme/loud", cap.Func(func(context.Context, Loud) (cap.None, error) { panic(canary) }))
	registry := compose(t, lib, lib.Export("loud").As("louder"))
	assert.Equal(t, 2, registry.Len())
	assert.NotContains(t, composeFails(t, lib, lib, lib.Export(canary[:3])).Error(), canary)
}

type Loud struct {
	cap.Write[cap.None] `cap:"canary-51ab; title=canary-51ab; access=public; reversible"`
}

func (Loud) Describe() cap.PendingAction { panic("canary-51ab") }

// CMP-27, CMP-28, ACC-21: an import is the capability as it was declared, under its new name alone.
func TestImportsKeepTheContract(t *testing.T) {
	t.Parallel()
	events := &recorder{}
	notes := &Notes{}
	local := newNotes(t, notes, cap.Options{})
	registry, err := cap.Compose(cap.Options{Observers: []cap.Observer{events.observe}}, libraryOf("acme/notes", notes).Rename("get_note", "notes_get"))
	require.NoError(t, err)
	want, _ := local.Lookup("get_note")
	got, ok := registry.Lookup("notes_get")
	require.True(t, ok)
	for _, pair := range [][2]any{
		{want.Title(), got.Title()},
		{want.Description(), got.Description()},
		{want.Doc(), got.Doc()},
		{want.Timeout(), got.Timeout()},
		{want.Access(), got.Access()},
		{want.Scopes(), got.Scopes()},
		{want.Effect(), got.Effect()},
		{want.Idempotent(), got.Idempotent()},
		{string(want.InputSchema()), string(got.InputSchema())},
		{string(want.OutputSchema()), string(got.OutputSchema())},
		{len(want.Failures()), len(got.Failures())},
		{want.ContractType(), got.ContractType()},
	} {
		assert.Equal(t, pair[0], pair[1])
	}
	_, err = registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	failed(t, err, cap.CodeCapabilityNotFound)
	_, ok = registry.Lookup("get_note")
	assert.False(t, ok)
	_, err = registry.Invoke(t.Context(), "notes_get", raw(`{}`), cap.CallOptions{})
	assert.Equal(t, "notes_get", failed(t, err, cap.CodeInputInvalid).Capability)
	assert.Equal(t, "notes_get", events.events[3].Capability)
}

// The operator's word holds for one mount, not for the library.
func TestOverrideOfOneMount(t *testing.T) {
	t.Parallel()
	lib := notesLibrary()
	registry, err := cap.Compose(cap.Options{Override: func(c *cap.Capability) cap.Override {
		switch c.Name() {
		case "slow":
			return cap.Override{Timeout: time.Second, Scopes: []string{"slow"}}
		case "hidden":
			return cap.Override{Disable: true}
		default:
			return cap.Override{}
		}
	}}, lib, lib.Export("write_note").As("slow"), lib.Export("write_note").As("hidden"))
	require.NoError(t, err)
	own, _ := registry.Lookup("write_note")
	slow, _ := registry.Lookup("slow")
	assert.Equal(t, []string{"notes.write"}, own.Scopes())
	assert.Equal(t, []string{"notes.write", "slow"}, slow.Scopes())
	assert.Zero(t, own.Timeout())
	_, ok := registry.Lookup("hidden")
	assert.False(t, ok)
}

// A contract under two names is called by one of them.
func TestInvokeAs(t *testing.T) {
	t.Parallel()
	lib := libraryOf("acme/notes", cap.Func(func(ctx context.Context, _ WhoAmI) (string, error) {
		return cap.CallFrom(ctx).Capability, nil
	}))
	events := &recorder{}
	registry, err := cap.Compose(cap.Options{Observers: []cap.Observer{events.observe}}, lib.Export("who_am_i").As("me"), lib, f[Twice]())
	require.NoError(t, err)
	caller := cap.CallOptions{Principal: person()}

	_, err = cap.Invoke(t.Context(), registry, WhoAmI{}, caller)
	require.EqualError(t, err, "cap: contract cap_test.WhoAmI is mounted as me and who_am_i, so its type alone does not say which to call")
	name, err := cap.InvokeAs(t.Context(), registry, "me", WhoAmI{}, caller)
	require.NoError(t, err)
	assert.Equal(t, "me", name)
	name, err = cap.InvokeAs(t.Context(), registry, "who_am_i", WhoAmI{}, caller)
	require.NoError(t, err)
	assert.Equal(t, "who_am_i", name)

	_, err = cap.InvokeAs(t.Context(), registry, "who_am_i", WhoAmI{})
	failed(t, err, cap.CodeUnauthenticated)
	_, err = cap.InvokeAs(t.Context(), registry, "twice", WhoAmI{}, caller)
	require.EqualError(t, err, "cap: twice has the contract cap_test.Twice, not cap_test.WhoAmI")
	before := len(events.types())
	_, err = cap.InvokeAs(t.Context(), registry, "nobody", WhoAmI{}, caller)
	failed(t, err, cap.CodeCapabilityNotFound)
	assert.Equal(t, []cap.EventType{cap.EventStarted, cap.EventFailed}, events.types()[before:], "a name that is unknown has its events, as everywhere")
}

// CMP-25: many declarations compose in a time that grows with their number alone, and many collisions are all told.
func TestComposeMany(t *testing.T) {
	t.Parallel()
	const many = 10_000
	lib := libraryOf("acme/many", f[Twice]())
	apart, together := make([]cap.Declaration, 0, many), make([]cap.Declaration, 0, many)
	unknown := make([]cap.Declaration, 0, many)
	all := lib.Select("twice")
	for i := range many {
		apart = append(apart, lib.Export("twice").As("n"+strconv.Itoa(i)))
		together = append(together, lib.Export("twice").As("n"+strconv.Itoa(many+i/2)))
		unknown = append(unknown, lib.Export("twic"+strconv.Itoa(i)))
		all = all.Rename("twice", "n"+strconv.Itoa(i))
	}
	started := time.Now()
	registry := compose(t, apart...)
	assert.Equal(t, many, registry.Len())
	assert.Equal(t, "n9999", names(registry)[many-1])

	collided := composeFails(t, together...)
	require.Len(t, collided.Issues, many/2)
	assert.Equal(t, "n10000", collided.Issues[0].Name)
	assert.Len(t, composeFails(t, unknown...).Issues, many)
	assert.Len(t, composeFails(t, all).Issues, many-1, "renamed again and again")

	// A library of many capabilities, of which each declaration takes one.
	services := make([]any, many)
	for i := range services {
		services[i] = lib.Export("twice").As("n" + strconv.Itoa(i))
	}
	registry = cap.New(cap.Options{})
	require.NoError(t, registry.Register(services...))
	assert.Equal(t, many, registry.Len())
	assert.Less(t, time.Since(started), time.Minute, "5 compositions of 10,000 declarations; a quadratic one would take hours")
}

// DEF-27: what does not fit a contract does not compile.
func TestTypedCallsThatDoNotCompile(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", "/dev/null", "./testdata/mistyped").CombinedOutput()
	require.Error(t, err, "it compiles")
	lines := regexp.MustCompile(`main\.go:(\d+):`).FindAllStringSubmatch(string(out), -1)
	var at []string
	for _, line := range lines {
		at = append(at, line[1])
	}
	assert.Equal(t, []string{"19", "20", "21", "23", "24", "25"}, at, "%s", out)
}
