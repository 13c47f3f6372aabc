package capmcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// messages are requests that are answered from their bytes, and those that look almost like them.
func messages() map[string]string {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`
	}
	id := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"plan","arguments":{"days":3}}}`
	}
	return map[string]string{
		"good":                   call(`{"name":"plan","arguments":{"days":3,"title":"<b> \u00e9 \"x\""}}`),
		"params first":           `{"params":{"arguments":{"days":3},"name":"plan"},"method":"tools/call","id":7,"jsonrpc":"2.0"}`,
		"blanks":                 " {\t\"jsonrpc\" : \"2.0\" , \"id\" : 7 , \"method\" : \"tools/call\" , \"params\" : { \"name\" : \"plan\" , \"arguments\" : { \"days\" : 3 } } } \r",
		"structured only":        call(`{"name":"measure","arguments":{"bytes":"AA==","span":"1s","nothing":null}}`),
		"no arguments":           call(`{"name":"follow"}`),
		"empty arguments":        call(`{"name":"follow","arguments":{}}`),
		"null arguments":         call(`{"name":"follow","arguments":null}`),
		"arguments are a list":   call(`{"name":"follow","arguments":[]}`),
		"repaired":               call(`{"name":"plan","arguments":{"days":"3","stops":"[{\"city\":\"Rome\"}]"}}`),
		"faults":                 call(`{"name":"plan","arguments":{"days":99,"class":"third","nope":1}}`),
		"named twice in it":      call(`{"name":"plan","arguments":{"days":3,"days":4}}`),
		"no JSON in it":          call(`{"name":"plan","arguments":{"days":tru}}`),
		"no JSON in a string":    call(`{"name":"plan","arguments":{"days":3,"title":"\q"}}`),
		"no UTF-8 in it":         call("{\"name\":\"plan\",\"arguments\":{\"days\":3,\"title\":\"\xff\"}}"),
		"no JSON behind it":      call(`{"name":"plan","arguments":{"days":3}}`) + "}",
		"brace is missing":       strings.TrimSuffix(call(`{"name":"plan","arguments":{"days":3}}`), "}"),
		"comma is missing":       call(`{"name":"plan" "arguments":{"days":3}}`),
		"deep":                   call(`{"name":"measure","arguments":{"raw":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `,"bytes":"","span":"0s","nothing":1}}`),
		"too deep":               call(`{"name":"measure","arguments":{"raw":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`),
		"metadata":               call(`{"name":"plan","arguments":{"days":3},"_meta":{}}`),
		"metadata that is wrong": call(`{"name":"plan","arguments":{"days":3},"_meta":7}`),
		"progress":               call(`{"name":"follow","arguments":{"steps":2},"_meta":{"progressToken":"t"}}`),
		"another member":         call(`{"name":"plan","arguments":{"days":3},"more":1}`),
		"name twice":             call(`{"name":"plan","name":"follow","arguments":{"days":3}}`),
		"arguments twice":        call(`{"name":"plan","arguments":{"days":3},"arguments":{"days":4}}`),
		"name with an escape":    call(`{"name":"pl\u0061n","arguments":{"days":3}}`),
		"name is a number":       call(`{"name":7,"arguments":{"days":3}}`),
		"no name":                call(`{"arguments":{"days":3}}`),
		"unknown tool":           call(`{"name":"plam","arguments":{"days":3}}`),
		"a tool that writes":     call(`{"name":"burn","arguments":{"parcel":"p1"}}`),
		"a tool with headers":    call(`{"name":"route","arguments":{"region":"north"}}`),
		"no principal":           call(`{"name":"store","arguments":{"parcel":"p1"}}`),
		"no params":              `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`,
		"params are a list":      call(`[]`),
		"params are empty":       call(`{}`),
		"params twice":           `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"follow"},"params":{"name":"plan"}}`,
		"method twice":           `{"jsonrpc":"2.0","id":7,"method":"tools/call","method":"ping","params":{"name":"follow"}}`,
		"another version":        `{"jsonrpc":"1.0","id":7,"method":"tools/call","params":{"name":"follow"}}`,
		"no version":             `{"id":7,"method":"tools/call","params":{"name":"follow"}}`,
		"member in capitals":     `{"jsonrpc":"2.0","id":7,"METHOD":"tools/call","params":{"name":"follow"}}`,
		"id: 0":                  id(`0`),
		"id: letters":            id(`"request-1"`),
		"id: nothing":            id(`""`),
		"id: 15 digits":          id(`123456789012345`),
		"id: 16 digits":          id(`9007199254740993`),
		"id: negative":           id(`-7`),
		"id: fraction":           id(`7.5`),
		"id: exponent":           id(`7e0`),
		"id: zero in front":      id(`07`),
		"id: not ASCII":          id(`"é"`),
		"id: escape":             id(`"a\"b"`),
		"id: long":               id(`"` + strings.Repeat("x", 300) + `"`),
		"id: null":               id(`null`),
		"id: object":             id(`{}`),
		"id: open string":        id(`"`),
		"list":                   `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
		"list, empty params":     `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`,
		"list, cursor":           `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}`,
		"list, null params":      `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}`,
		"ping":                   `{"jsonrpc":"2.0","id":7,"method":"ping"}`,
	}
}

// random are ids that no two answers have in common.
var random = regexp.MustCompile(`(requestId\\?":\\?")[0-9A-Za-z-]+`)

func steady(answer string) string { return random.ReplaceAllString(answer, "${1}…") }

// sharedAdapter is an adapter whose server is shared, so that everything goes through the SDK.
func sharedAdapter(t testing.TB, registry *cap.Registry, options capmcp.Options) *capmcp.Adapter {
	adapter := newAdapter(t, registry, options)
	adapter.Server()
	return adapter
}

func TestPlainRequestsOverStdio(t *testing.T) {
	t.Parallel()
	registry := newDeskRegistry(t, newDesk(), cap.Options{})
	for _, version := range []string{"2025-03-26", "2025-06-18", legacy} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			direct, through := dialogueWith(t, newAdapter(t, registry, capmcp.Options{}), version), dialogueWith(t, sharedAdapter(t, registry, capmcp.Options{}), version)
			for name, message := range messages() {
				want, got := through.ask(t, message), direct.ask(t, message)
				assert.Equal(t, want, got, "%s: %s", name, message)
			}
		})
	}
}

// dialogue is a connection whose handshake has ended.
type dialogue struct {
	in  io.Writer
	out *bufio.Reader
}

func dialogueWith(t *testing.T, adapter *capmcp.Adapter, version string) *dialogue {
	t.Helper()
	in, input := io.Pipe()
	output, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- adapter.ServeStdio(context.WithoutCancel(t.Context()), in, out) }()
	t.Cleanup(func() {
		_ = input.Close()
		assert.NoError(t, <-done)
	})
	d := &dialogue{in: input, out: bufio.NewReader(output)}
	_, err := io.WriteString(d.in, initialize(version)+"\n")
	require.NoError(t, err)
	_, err = d.out.ReadString('\n')
	require.NoError(t, err)
	_, err = io.WriteString(d.in, initialized+"\n")
	require.NoError(t, err)
	d.ask(t, `{"jsonrpc":"2.0","id":"first","method":"tools/list"}`)
	return d
}

// ask sends a message and gives what comes back, up to its answer.
func (d *dialogue) ask(t *testing.T, message string) string {
	t.Helper()
	_, err := io.WriteString(d.in, message+"\n")
	require.NoError(t, err)
	var answers []string
	for {
		line, err := d.out.ReadString('\n')
		require.NoError(t, err)
		answers = append(answers, steady(line))
		if !strings.Contains(line, "notifications/progress") {
			break
		}
	}
	return strings.Join(answers, "")
}

func TestPlainRequestsOverHTTP(t *testing.T) {
	t.Parallel()
	registry := newDeskRegistry(t, newDesk(), cap.Options{})
	direct := newAdapter(t, registry, capmcp.Options{}).Handler()
	through := sharedAdapter(t, registry, capmcp.Options{}).Handler()
	post(t, direct, legacy, messages()["list"])
	for _, headers := range [][]string{
		nil,
		{"Mcp-Protocol-Version", "2025-03-26"},
		{"Mcp-Protocol-Version", "2025-06-18"},
		{"Mcp-Protocol-Version", legacy},
		{"Mcp-Protocol-Version", "2024-11-05"},
		{"Mcp-Protocol-Version", "2025-07-07"},
		{"Mcp-Protocol-Version", modern},
		{"Mcp-Session-Id", "x"},
		{"Last-Event-Id", "x"},
		{"Origin", "http://mcp.example.com"},
	} {
		for name, message := range messages() {
			want, got := post(t, through, "", message, headers...), post(t, direct, "", message, headers...)
			assert.Equal(t, seen(want), seen(got), "%s, %v: %s", name, headers, message)
		}
	}
}

// seen is what a client sees of an answer.
func seen(w *httptest.ResponseRecorder) []any {
	return []any{w.Code, w.Header(), steady(w.Body.String())}
}

func TestPlainCallsEndWhenTheyAreCancelled(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	d := dialogueWith(t, newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{}), legacy)
	_, err := io.WriteString(d.in, callOf(legacy, 1, "follow", `{"hang":true}`)+"\n")
	require.NoError(t, err)
	require.Equal(t, "follow", <-desk.began)
	_, err = io.WriteString(d.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	require.NoError(t, err)
	require.Equal(t, "follow", <-desk.ended)
	// The one answer is the one to the ping.
	assert.Contains(t, d.ask(t, messages()["ping"]), `"id":7`)
}

func TestPlainCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	d := dialogueWith(t, newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{DrainTimeout: time.Millisecond}), legacy)
	for id := range 5 {
		_, err := io.WriteString(d.in, callOf(legacy, id, "follow", `{"hang":true}`)+"\n")
		require.NoError(t, err)
	}
	for range 5 {
		<-desk.began
	}
	assert.Contains(t, d.ask(t, messages()["good"]), `"id":7`, "another call")
}

func TestPlainCallsAnswerAfterTheEndOfTheInput(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	adapter := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{DrainTimeout: time.Millisecond})
	in, input := io.Pipe()
	output, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- adapter.ServeStdio(t.Context(), in, out) }()
	d := &dialogue{in: input, out: bufio.NewReader(output)}
	_, err := io.WriteString(d.in, initialize(legacy)+"\n")
	require.NoError(t, err)
	_, err = d.out.ReadString('\n')
	require.NoError(t, err)
	_, err = io.WriteString(d.in, callOf(legacy, 1, "follow", `{"hang":true}`)+"\n")
	require.NoError(t, err)
	<-desk.began
	require.NoError(t, input.Close())
	require.NoError(t, <-done)
	require.Equal(t, "follow", <-desk.ended, "the call ends with the connection")
}
