package cap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
)

func names(registry *cap.Registry) []string {
	var list []string
	for c := range registry.All() {
		list = append(list, c.Name())
	}
	return list
}

// DEF-02, DEF-03, CMP-09: what was given comes back, in the order of the source.
func TestRegistryListsWhatWasRegistered(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{Name: "notes", Version: "1.2.3"})
	assert.Equal(t, "notes", registry.Name())
	assert.Equal(t, "1.2.3", registry.Version())
	assert.Equal(t, []string{"get_note", "write_note", "who_am_i", "guarded"}, names(registry))

	c, ok := registry.Lookup("get_note")
	require.True(t, ok)
	assert.Equal(t, "Get note", c.Title())
	assert.Equal(t, "Read one note", c.Description())
	assert.Equal(t, "cap_test.GetNote", c.ContractType())
	assert.Equal(t, cap.EffectRead, c.Effect())
	assert.Equal(t, cap.AccessPublic, c.Access())
	assert.True(t, c.Idempotent())
	assert.False(t, c.Destructive())
	assert.Zero(t, c.Timeout())
	tag, ok := c.Tag("http")
	assert.True(t, ok)
	assert.Equal(t, "GET /notes/{note}", tag)
	_, ok = c.Tag("cli")
	assert.False(t, ok)
	_, ok = registry.Lookup("nope")
	assert.False(t, ok)
}

func TestRegistrySealsAtItsFirstUse(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(*cap.Registry){
		"call":    func(r *cap.Registry) { _, _ = r.Invoke(context.Background(), "x", nil, cap.CallOptions{}) },
		"look-up": func(r *cap.Registry) { r.Lookup("x") },
		"listing": func(r *cap.Registry) { r.All() },
		"prepare": func(r *cap.Registry) { _, _ = r.Prepare(context.Background(), "x", nil, cap.CallOptions{}) },
	} {
		registry := newNotes(t, &Notes{}, cap.Options{})
		use(registry)
		err := registry.Register(f[Twice]())
		require.ErrorContainsf(t, err, "used already", "after a %s", name)
		assert.Len(t, names(registry), 4)
	}
}

// A registration with a problem leaves the registry as it was.
func TestRegisterIsAllOrNothing(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.Error(t, registry.Register(f[Twice](), f[NoAccess]()))
	require.NoError(t, registry.Register(f[Twice]()))
	require.Error(t, registry.Register(f[TwiceToo]()), "the name is taken by an earlier registration")
	assert.Equal(t, []string{"twice"}, names(registry))
}

// DEF-11, DEF-12: what a caller does to an answer changes nothing.
func TestAnswersAreCopies(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{})
	c, _ := registry.Lookup("write_note")
	before := c.InputSchema()
	for _, spoil := range []func(){
		func() { clear(c.InputSchema()) },
		func() { clear(c.OutputSchema()) },
		func() { c.Scopes()[0] = "root" },
	} {
		spoil()
	}
	assert.Equal(t, before, c.InputSchema())
	assert.Equal(t, []string{"notes.write"}, c.Scopes())
	g, _ := registry.Lookup("get_note")
	failures := g.Failures()
	clear(failures[0].Schema)
	failures[0].Tag = "x"
	assert.Equal(t, "NoteNotFound", g.Failures()[0].Tag)
	assert.True(t, json.Valid(g.Failures()[0].Schema))
}

func TestFailuresAreDescribed(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{})
	c, _ := registry.Lookup("get_note")
	failures := c.Failures()
	require.Len(t, failures, 2)
	assert.Equal(t, []string{"NoteNotFound", "Locked"}, []string{failures[0].Tag, failures[1].Tag})
	assert.Equal(t, "No note has this number", failures[0].Description)
	assert.Equal(t, "List the notes and pick one.", failures[0].Fix)
	assert.Equal(t, "30s", failures[1].Retry)
	documented, err := cap.ContractOf[Failing]()
	require.NoError(t, err)
	assert.Equal(t, "# When it happens", documented.Failures()[0].Doc)
	status, ok := failures[0].Lookup("http")
	assert.True(t, ok)
	assert.Equal(t, "status=404", status)
}

type Failing struct {
	cap.Read[none] `cap:"Fails; access=public"`

	_ cap.Fails[WithDoc]
}

type WithDoc struct {
	_ cap.Failure `cap:"Documented; fix=Read it."`
}

func (WithDoc) Error() string { return "documented" }
func (WithDoc) Doc() string   { return "# When it happens" }

func TestFieldTree(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{})
	c, _ := registry.Lookup("get_note")
	fields := c.Input().Fields()
	require.Len(t, fields, 3)
	note, lines, tags := fields[0], fields[1], fields[2]
	assert.Equal(t, "note", note.Name())
	assert.Equal(t, cap.FieldString, note.Kind())
	assert.True(t, note.Required())
	assert.JSONEq(t, `"N-1"`, string(note.Example()))
	assert.Equal(t, "Number of the note", note.Description())
	assert.Equal(t, cap.FieldInteger, lines.Kind())
	assert.False(t, lines.Required())
	assert.JSONEq(t, `3`, string(lines.Default()))
	assert.Equal(t, cap.FieldArray, tags.Kind())
	assert.Equal(t, cap.FieldString, tags.Elem().Kind())
	w, _ := registry.Lookup("write_note")
	assert.True(t, w.Input().Fields()[1].Secret())
	assert.Equal(t, cap.FieldObject, c.Output().Fields()[0].Kind())
	assert.True(t, c.Output().Fields()[0].Cite())
}

// The operator's hook can only restrict.
func TestOverride(t *testing.T) {
	t.Parallel()
	registry := newNotes(t, &Notes{}, cap.Options{Override: func(c *cap.Capability) cap.Override {
		switch c.Name() {
		case "get_note":
			return cap.Override{Timeout: time.Second, Scopes: []string{"notes.read"}}
		case "guarded":
			return cap.Override{Disable: true}
		default:
			return cap.Override{}
		}
	}})
	assert.Equal(t, []string{"get_note", "write_note", "who_am_i"}, names(registry))
	c, _ := registry.Lookup("get_note")
	assert.Equal(t, time.Second, c.Timeout())
	_, err := registry.Invoke(t.Context(), "guarded", nil, cap.CallOptions{})
	failed(t, err, cap.CodeCapabilityNotFound)
	_, err = registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{Principal: person()})
	failed(t, err, cap.CodeForbidden)
	_, err = registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	failed(t, err, cap.CodeUnauthenticated)
}

// DEF-07, DEF-10: what the owner changes after registering does nothing.
func TestOptionsAreCopied(t *testing.T) {
	t.Parallel()
	events := &recorder{}
	observers := []cap.Observer{events.observe}
	registry := newNotes(t, &Notes{}, cap.Options{Observers: observers})
	observers[0] = nil
	_, err := registry.Invoke(t.Context(), "get_note", raw(`{"note":"N-1"}`), cap.CallOptions{})
	require.NoError(t, err)
	assert.Len(t, events.events, 2)
}

// Defaults of a service hold where the contract says nothing.
func TestServiceDefaults(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(&Defaulted{}))
	c, _ := registry.Lookup("no_access")
	assert.Equal(t, cap.AccessAuthenticated, c.Access())
	assert.Equal(t, []string{"notes"}, c.Scopes())
	assert.Equal(t, 3*time.Second, c.Timeout())
	public, _ := registry.Lookup("twice")
	assert.Equal(t, cap.AccessPublic, public.Access())
	assert.Empty(t, public.Scopes(), "a public capability wants no scopes")
	assert.Equal(t, 3*time.Second, public.Timeout())
}

type Defaulted struct {
	_ cap.Service `cap:"Notes; access=authenticated; scope=notes; timeout=3s"`
}

func (*Defaulted) NoAccess(ctx, NoAccess) (none, error) { return none{}, nil }
func (*Defaulted) Twice(ctx, Twice) (none, error)       { return none{}, nil }

// DEF-06, DEF-08: a companion that describes the contract is asked once, at registration.
func TestDocIsAskedOnce(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(f[Documented]()))
	c, _ := registry.Lookup("documented")
	assert.Equal(t, "# Long", c.Doc())
}

type Documented struct {
	cap.Read[none] `cap:"Documented; access=public"`
}

func (Documented) Doc() string { return "# Long" }

// Handle registers one handler of a service with its companions, without reflection on the way.
func TestHandle(t *testing.T) {
	t.Parallel()
	notes := &Notes{
		Rule:  func(_ context.Context, in *Guarded) (bool, error) { return in.Door == "front", nil },
		Enter: func(context.Context, Guarded) error { return nil },
	}
	registry := cap.New(cap.Options{})
	require.NoError(t, cap.Handle(registry, &Doors{notes}, (*Doors).Guarded))
	assert.Equal(t, []string{"guarded"}, names(registry))
	_, err := cap.Invoke(t.Context(), registry, Guarded{Door: "front"})
	require.NoError(t, err)
	_, err = cap.Invoke(t.Context(), registry, Guarded{Door: "back"})
	failed(t, err, cap.CodeUnauthenticated)
}

type Doors struct{ notes *Notes }

func (d *Doors) Guarded(c context.Context, in Guarded) (none, error) {
	return none{}, d.notes.Enter(c, in)
}

func (d *Doors) AllowGuarded(c context.Context, in *Guarded) (bool, error) {
	return d.notes.Rule(c, in)
}

func TestRegistriesAreApart(t *testing.T) {
	t.Parallel()
	a, b := newNotes(t, &Notes{}, cap.Options{}), cap.New(cap.Options{})
	require.NoError(t, b.Register(f[Twice]()))
	assert.NotEqual(t, names(a), names(b))
}

// A client has the contract without the handler: it encodes, and makes outputs and failures of what comes back.
func TestContractOf(t *testing.T) {
	t.Parallel()
	info, err := cap.ContractOf[GetNote]()
	require.NoError(t, err)
	assert.Equal(t, "get_note", info.Name())
	args, err := info.Encode(GetNote{Note: "not even a number"})
	require.NoError(t, err, "the callee judges rules")
	assert.JSONEq(t, `{"note":"not even a number"}`, string(args))
	_, err = info.Encode(WriteNote{})
	failed(t, err, cap.CodeInputInvalid)

	var note Note
	require.NoError(t, info.DecodeOutput(raw(`{"id":{"product":"notes","kind":"note","id":"N-1"},"text":"hi","tags":[]}`), &note))
	assert.Equal(t, "hi", note.Text)
	failed(t, info.DecodeOutput(raw(`{}`), &note), cap.CodeOutputInvalid)
	failed(t, info.DecodeOutput(raw(`{}`), note), cap.CodeOutputInvalid)

	failure := info.DecodeFailure("NoteNotFound", raw(`{"note":"N-9"}`))
	var notFound NoteNotFound
	require.ErrorAs(t, failure, &notFound)
	assert.Equal(t, "N-9", notFound.Note)
	require.NoError(t, info.DecodeFailure("Other", raw(`{}`)))

	registry := newNotes(t, &Notes{}, cap.Options{})
	c, _ := registry.Lookup("get_note")
	assert.Equal(t, string(c.InputSchema()), string(info.InputSchema()), "client and server show one schema")

	_, err = cap.ContractOf[Note]()
	require.ErrorContains(t, err, "is no contract")
	wrapped, err := cap.ContractOf[WhoAmI]()
	require.NoError(t, err)
	var name string
	require.NoError(t, wrapped.DecodeOutput(raw(`{"result":"ana"}`), &name))
	assert.Equal(t, "ana", name)
}

// A client does not have the rules that the callee registered with validator; it shows the same schema all the same.
func TestContractOfWithRulesOfTheCallee(t *testing.T) {
	t.Parallel()
	own := validator.New(validator.WithRequiredStructEnabled())
	require.NoError(t, own.RegisterValidation("sku", func(fl validator.FieldLevel) bool { return fl.Field().String() == "A-1" }))
	registry := cap.New(cap.Options{Validator: own})
	require.NoError(t, registry.Register(f[Stocked]()))
	_, err := cap.Invoke(t.Context(), registry, Stocked{SKU: "B-2"})
	assert.Equal(t, "sku", failed(t, err, cap.CodeInputInvalid).Issues[0].Rule)

	require.ErrorContains(t, cap.New(cap.Options{}).Register(f[Stocked]()), `unknown validate rule "sku"`)
	info, err := cap.ContractOf[Stocked]()
	require.NoError(t, err)
	c, _ := registry.Lookup("stocked")
	assert.Equal(t, string(c.InputSchema()), string(info.InputSchema()))
	assert.Contains(t, string(info.InputSchema()), `"x-cap-rules":["sku"]`)
}

type Stocked struct {
	cap.Read[none] `cap:"Stocked; access=public"`

	SKU string `json:"sku" cap:"Article" validate:"sku"`
}

// What is read back is what was written: an output's absent members take no defaults, and no limit of an input holds.
func TestOutputsAreReadBackAsTheyAre(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Sparse) (SparseOutput, error) {
		return SparseOutput{Wide: make([]Wide, 5000)}, nil
	})))
	out, err := cap.Invoke(t.Context(), registry, Sparse{})
	require.NoError(t, err)
	assert.Empty(t, out.Colour)
	assert.Len(t, out.Wide, 5000)
}

type Sparse struct {
	cap.Read[SparseOutput] `cap:"Sparse; access=public"`
}

type SparseOutput struct {
	Colour string `json:"colour,omitempty" cap:"Colour; default=red"`
	Wide   []Wide `json:"wide" cap:"Wide"`
}

// Wide is small as JSON and large in memory.
type Wide struct {
	A [64]int64 `json:"a,omitzero" cap:"A"`
}

// Schemas are the same bytes in every run, and say nothing that HTML escaping would change.
func TestSchemasAreStable(t *testing.T) {
	t.Parallel()
	a, _ := newNotes(t, &Notes{}, cap.Options{}).Lookup("get_note")
	b, _ := newNotes(t, &Notes{}, cap.Options{}).Lookup("get_note")
	assert.True(t, bytes.Equal(a.InputSchema(), b.InputSchema()))
	assert.True(t, slices.Equal(a.OutputSchema(), b.OutputSchema()))
	assert.NotContains(t, string(a.InputSchema()), `\u003c`)
}

// An answer of another process may be large, but a small document cannot take memory without end.
func TestForeignAnswersAreBounded(t *testing.T) {
	t.Parallel()
	info, err := cap.ContractOf[Sparse]()
	require.NoError(t, err)
	var out SparseOutput
	many := func(n int) json.RawMessage {
		return raw(`{"wide":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}`)
	}
	require.NoError(t, info.DecodeOutput(many(50_000), &out))
	failed(t, info.DecodeOutput(many(1_000_000), &out), cap.CodeOutputInvalid)
}

type HidesBadly struct {
	cap.Read[none] `cap:"Hides badly; access=public"`

	Login Login `json:"login" cap:"Login; default={\"password\":\"hunter2\"}"`
}

type Login struct {
	Password string `json:"password" cap:"Password; secret"`
}

func TestDefaultsShowNoSecrets(t *testing.T) {
	t.Parallel()
	err := cap.New(cap.Options{}).Register(f[HidesBadly]())
	require.ErrorContains(t, err, "default on a value that holds a secret")
	assert.NotContains(t, err.Error(), "hunter2")
}

type Everything struct {
	cap.Read[none] `cap:"Everything; access=public; openworld; deprecated=Use anything."`

	Colour  string            `json:"colour,omitempty" cap:"Colour; deprecated=Use shade." validate:"omitempty,oneof=red 'dark green'"`
	Sizes   []int             `json:"sizes" cap:"Sizes" validate:"dive,oneof=1 2" cli:"short=s"`
	When    *time.Time        `json:"when" cap:"When"`
	Blob    []byte            `json:"blob" cap:"Blob"`
	Wide    int64             `json:"wide,string" cap:"Wide"`
	Ratio   float64           `json:"ratio" cap:"Ratio"`
	Sure    bool              `json:"sure" cap:"Sure"`
	Any     any               `json:"any" cap:"Any"`
	Labels  map[string]string `json:"labels" cap:"Labels"`
	State   string            `json:"state" cap:"State; version"`
	Price   Price             `json:"price" cap:"Price"`
	Perhaps cap.Maybe[int]    `json:"perhaps,omitzero" cap:"Perhaps"`
	Parent  *Everything       `json:"parent,omitempty" cap:"Parent"`
}

// Price has a JSON form of its own, whose schema the registry is told.
type Price struct{ cents int64 }

func (p Price) MarshalJSON() ([]byte, error) { return json.Marshal(p.cents) }

func (p *Price) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &p.cents) }

// What adapters read of a field.
func TestFieldsOfEveryKind(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{Types: []cap.TypeSchema{cap.SchemaFor[Price](raw(`{"type":"integer","minimum":0}`))}})
	require.NoError(t, registry.Register(f[Everything]()))
	c, _ := registry.Lookup("everything")
	assert.True(t, c.OpenWorld())
	assert.Equal(t, "Use anything.", c.Deprecated())
	var got strings.Builder
	for _, field := range c.Input().Fields() {
		fmt.Fprintf(&got, "%s %s", field.Name(), field.Kind())
		for _, fact := range []struct {
			name string
			is   bool
		}{{"required", field.Required()}, {"nullable", field.Nullable()}, {"version", field.Version()}} {
			if fact.is {
				got.WriteString(" " + fact.name)
			}
		}
		for _, text := range []string{field.Format(), field.Encoding(), field.Deprecated(), field.GoType()} {
			if text != "" {
				got.WriteString("; " + text)
			}
		}
		if elem := field.Elem(); elem != nil {
			fmt.Fprintf(&got, "; of %s %s", elem.Kind(), elem.Enum())
		}
		fmt.Fprintf(&got, "; %s %d\n", field.Enum(), len(field.Fields()))
	}
	golden(t, "testdata/fields.golden", got.String())

	sizes := c.Input().Fields()[1]
	short, ok := sizes.Tag("cli")
	assert.True(t, ok)
	assert.Equal(t, "short=s", short)
	for _, nameless := range []*cap.Field{c.Input(), sizes.Elem()} {
		assert.Empty(t, nameless.Name()+nameless.Description()+nameless.Deprecated())
		assert.Nil(t, nameless.Example())
		assert.Nil(t, nameless.Default())
		assert.True(t, nameless.Required())
		_, ok = nameless.Tag("cli")
		assert.False(t, ok)
	}
}

type Patch struct {
	cap.Read[string] `cap:"Say what a patch changes; access=public"`

	Note cap.Maybe[string] `json:"note,omitzero" cap:"New text, null removes it"`
}

// A Maybe tells apart what JSON does, on the way in and on the way out.
func TestMaybe(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(_ context.Context, in Patch) (string, error) {
		text, ok := in.Note.Get()
		return fmt.Sprint(text, ok, in.Note.IsNull(), in.Note.IsZero()), nil
	})))
	info, err := cap.ContractOf[Patch]()
	require.NoError(t, err)
	for _, tt := range []struct {
		name string
		note cap.Maybe[string]
		json string
		want string
	}{
		{"absent", cap.Maybe[string]{}, `{}`, "false false true"},
		{"null", cap.Null[string](), `{"note":null}`, "false true false"},
		{"a value", cap.Some("x"), `{"note":"x"}`, "xtrue false false"},
		{"an empty value", cap.Some(""), `{"note":""}`, "true false false"},
	} {
		args, err := info.Encode(Patch{Note: tt.note})
		require.NoError(t, err, tt.name)
		assert.JSONEq(t, tt.json, string(args), tt.name)
		got, err := cap.Invoke(t.Context(), registry, Patch{Note: tt.note})
		require.NoError(t, err, tt.name)
		assert.Equal(t, tt.want, got, tt.name)
	}
}
