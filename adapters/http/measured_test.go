package caphttp_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// The inputs of this file are those on which other frameworks were seen to fail: two readings of one input, defaults that
// replace what was sent, answers that grow with the request.

// level is a named type with an enum.
type level string

// profile has the fields of all these inputs.
type profile struct {
	cap.Read[profileOut] `cap:"Look at a profile; access=public" http:"GET /profile"`

	Name   string   `json:"name,omitempty"   cap:"Name"            validate:"max=5"`
	Level  level    `json:"level,omitempty"  cap:"Level"           validate:"oneof=low high"`
	Grade  int8     `json:"grade,omitempty"  cap:"Grade"           validate:"oneof=1 2 100"`
	Active bool     `json:"active"           cap:"Whether it is active; default=true"`
	Tags   []string `json:"tags,omitempty"   cap:"Tags, each once" validate:"unique"`
	Ratio  float64  `json:"ratio,omitempty"  cap:"Ratio"           validate:"min=0,max=9007199254740992"`
}

type profileOut struct {
	Name   string         `json:"name"   cap:"Name"`
	Level  level          `json:"level"  cap:"Level"`
	Grade  int8           `json:"grade"  cap:"Grade"`
	Active bool           `json:"active" cap:"Active"`
	List   []string       `json:"l"      cap:"A nil list"`
	Map    map[string]int `json:"m"      cap:"A nil map"`
}

// mustSay needs a boolean, which may be false.
type mustSay struct {
	cap.Read[cap.None] `cap:"Say yes or no; access=public"`
	Active             *bool `json:"active" cap:"Yes or no" validate:"required"`
}

func newProfiles(t *testing.T) *caphttp.Handler {
	t.Helper()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(
		cap.Func(func(_ context.Context, in profile) (profileOut, error) {
			return profileOut{Name: in.Name, Level: in.Level, Grade: in.Grade, Active: in.Active}, nil
		}),
		cap.Func(nothing[mustSay]),
	))
	h, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(t, err)
	return h
}

func TestMeasuredInputs(t *testing.T) {
	t.Parallel()
	h := newProfiles(t)
	for _, tt := range []struct {
		name, target, body string // no body: GET
		status             int
		want               string // part of the answer
	}{
		{"a second name in another case", "/capabilities/profile", `{"name":"ok","NAME":"waytoolongvalue"}`, 422, `"pointer":"/NAME","rule":"unknown"`},
		{"a name twice", "/capabilities/profile", `{"name":"waytoolongvalue","name":"ok"}`, 400, `"pointer":"/name","rule":"duplicate"`},
		{"an enum of a named type", "/capabilities/profile", `{"level":"high"}`, 200, `"level":"high"`},
		{"an enum of a named type, in a query", "/profile?level=high", "", 200, `"level":"high"`},
		{"an enum in another case", "/capabilities/profile", `{"level":"HIGH"}`, 422, `"pointer":"/level","rule":"oneof"`},
		{"an enum of numbers", "/capabilities/profile", `{"grade":100}`, 200, `"grade":100`},
		{"an enum of numbers, in a query", "/profile?grade=100", "", 200, `"grade":100`},
		{"a number that would wrap, in a query", "/profile?grade=300", "", 422, `"pointer":"/grade","rule":"range"`},
		{"false where a value is required", "/capabilities/must_say", `{"active":false}`, 200, `{}`},
		{"nothing where a value is required", "/capabilities/must_say", `{}`, 422, `"pointer":"/active","rule":"required"`},
		{"false where true is the default", "/capabilities/profile", `{"active":false}`, 200, `"active":false`},
		{"false where true is the default, in a query", "/profile?active=false", "", 200, `"active":false`},
		{"the default", "/profile", "", 200, `"active":true`},
		{"a nil list and a nil map", "/profile", "", 200, `"l":[],"m":{}`},
		{"objects where texts are unique", "/capabilities/profile", `{"tags":[{}]}`, 422, `"pointer":"/tags/0","rule":"type"`},
		{"NaN, in a query", "/profile?ratio=NaN", "", 422, `"pointer":"/ratio","rule":"type"`},
		{"a hexadecimal number, in a query", "/profile?ratio=0x1p2", "", 422, `"pointer":"/ratio","rule":"type"`},
		{"T for true, in a query", "/profile?active=T", "", 422, `"pointer":"/active","rule":"type"`},
		{"an integer just above a limit", "/capabilities/profile", `{"ratio":9007199254740994}`, 422, `"pointer":"/ratio","rule":"max"`},
		{"half of a surrogate pair", "/capabilities/profile", `{"name":"\ud800"}`, 400, `"rule":"surrogate"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request(t, "GET", tt.target, "")
			if tt.body != "" {
				r = request(t, "POST", tt.target, tt.body, asJSON)
			}
			w := serve(h, r)
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
			assert.Contains(t, w.Body.String(), tt.want)
		})
	}
}

// An answer to a bad request may not grow faster than the request: each of these drew megabytes elsewhere.
func TestAnswersDoNotAmplify(t *testing.T) {
	t.Parallel()
	h := newProfiles(t)
	var unknown strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&unknown, `,"k%04d":1`, i)
	}
	for _, tt := range []struct{ name, body string }{
		{"a thousand equal elements", `{"tags":[` + strings.Repeat(`"a",`, 999) + `"a"]}`},
		{"a thousand unknown names", `{"name":"ok"` + unknown.String() + `}`},
		{"twenty thousand wrong elements", `{"tags":[` + strings.Repeat(`1,`, 19999) + `1]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/capabilities/profile", tt.body, asJSON))
			assert.Equal(t, 422, w.Code)
			assert.LessOrEqual(t, w.Body.Len(), 64<<10)
			t.Logf("%d bytes drew %d", len(tt.body), w.Body.Len())
		})
	}
}

type (
	findWord struct {
		cap.Read[cap.None] `cap:"Find a word; access=public"`
		_                  cap.Fails[noWord]

		Word string `json:"word" cap:"The word"`
	}
	noWord struct {
		_    cap.Failure `cap:"There is no such word; fix=Try another."`
		Word string      `json:"word"`
	}
)

func (f noWord) Error() string { return "There is no word " + f.Word + "." }
func (f noWord) Fix() string   { return "Try another than " + f.Word + "." }

// A failure that speaks of what was sent in all of its texts says it once in full, in its value.
func TestFailuresDoNotAmplify(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(_ context.Context, in findWord) (cap.None, error) { return cap.None{}, noWord{Word: in.Word} })))
	h, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(t, err)
	word := strings.Repeat("é", 20_000)
	w := serve(h, request(t, "POST", "/capabilities/find_word", `{"word":"`+word+`"}`, asJSON))
	p := problemOf(t, w)
	assert.Equal(t, 422, p.Status)
	assert.JSONEq(t, `{"word":"`+word+`"}`, string(p.Failure))
	assert.LessOrEqual(t, w.Body.Len(), len(word)+8<<10)
	for _, text := range []string{p.Title, p.Reason, p.Fix, p.Detail} {
		assert.True(t, strings.HasSuffix(text, "é…"), "cut between characters: %q", text[max(0, len(text)-10):])
	}
}

// Nothing that is secret, and nothing of a defect, may come out; the log holds defects, but no secret.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	registry := adaptertest.NewRegistryWith(t, cap.Options{Logger: zerolog.New(&log)})
	h, err := caphttp.New(registry, caphttp.Options{
		Authenticate: authenticateTest,
		Report:       func(_ *http.Request, err error) { _, _ = log.Write([]byte(err.Error())) },
	})
	require.NoError(t, err)
	const secret = `"` + adaptertest.Canary + `"`
	for _, tt := range []struct{ target, body string }{
		{"/capabilities/echo", `{"secret":` + secret + `}`},
		{"/capabilities/echo", `{"secret":[` + secret + `]}`},
		{"/capabilities/echo", `{"secret":` + secret},
		{"/capabilities/rename_item", `{"id":"a","to":"b","pin":` + secret + `}`},
		{"/capabilities/rename_item/preview", `{"id":"a","to":"b","pin":` + secret + `}`},
		{"/capabilities/rename_item", `{"id":"a","to":7,"pin":` + secret + `}`},
	} {
		w := serve(h, request(t, "POST", tt.target, tt.body, asJSON, asAna))
		assert.NotContains(t, w.Body.String(), adaptertest.Canary, "%s %s", tt.target, tt.body)
	}
	assert.NotContains(t, log.String(), adaptertest.Canary)
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Calls at the same time must not see each other: each gets its own values back, under its own principal. The detector of
// races watches.
func TestCallsAtTheSameTime(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for n := range 8 {
		h := newHandler(t, caphttp.Options{}) // handlers are made while others serve
		for i := range 25 {
			group.Go(func() {
				id := fmt.Sprintf("caller-%d-%d", n, i)
				as := principalHeader + `: {"id":"` + id + `","tenant":"` + id + `"}`
				w := serve(h, request(t, "POST", "/capabilities/whoami", "{}", asJSON, as))
				assert.JSONEq(t, `{"output":{"id":"`+id+`","tenant":"`+id+`","scopes":[]},"cites":[]}`, w.Body.String())
				w = serve(h, request(t, "POST", "/capabilities/echo", `{"text":"`+id+`"}`, asJSON))
				assert.Contains(t, w.Body.String(), `"text":"`+id+`"`)
				w = serve(h, request(t, "GET", "/openapi.json", "", as))
				assert.Equal(t, 200, w.Code)
			})
		}
	}
	group.Wait()
}
