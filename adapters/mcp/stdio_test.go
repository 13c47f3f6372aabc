package capmcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// What is no message is answered, and what follows it is served.
func TestStdioSurvives(t *testing.T) {
	t.Parallel()
	ping := request(legacy, "after", "ping", "")
	rows := []struct {
		name, line string
		codes      []int // of the errors without an id
	}{
		{"garbage", `garbage`, []int{-32700}},
		{"half a message", `{"jsonrpc":"2.0",`, []int{-32700}},
		{"two messages in one line", ping + ping, []int{-32700}},
		{"no UTF-8", "\"\xff\"", []int{-32700}},
		{"a batch", `[` + ping + `]`, []int{-32600}},
		{"a string", `"ping"`, []int{-32600}},
		{"another version", `{"jsonrpc":"1.0","id":null,"method":"ping"}`, []int{-32600}},
		{"too deep", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), []int{-32600}},
		{"too long", `{"x":"` + strings.Repeat("x", 2000) + `"}`, []int{-32600}},
		{"too long by a byte", strings.Repeat(" ", 1001), []int{-32600}},
		{"blank lines", "\n \r\n\t", nil},
		{"a byte order mark", "\xEF\xBB\xBF" + initialized, nil},
		{"an answer that nobody asked for", `{"jsonrpc":"2.0","id":99,"result":{}}`, nil},
	}
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{MaxBytes: 1000})
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			replies := talk(t, adapter, initialize(legacy), r.line, ping)
			assert.Nil(t, byID(t, replies, "after").Error)
			var codes []int
			for _, reply := range replies {
				if reply.Error != nil && string(reply.ID) == "null" {
					codes = append(codes, reply.Error.Code)
				}
			}
			assert.Equal(t, r.codes, codes)
		})
	}
	// Exactly at the limit is not too long.
	list := request(modern, 1, "tools/list", "")
	assert.Nil(t, byID(t, talk(t, adapter, list+strings.Repeat(" ", 1000-len(list))), 1).Error)
	assert.Nil(t, byID(t, talk(t, adapter, list+strings.Repeat(" ", 1000-len(list))+"\r"), 1).Error)
}

func TestStdioBadMessageWithID(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	r := byID(t, talk(t, adapter, `{"jsonrpc":"1.0","id":5,"method":"ping"}`), 5)
	assert.Equal(t, -32600, r.Error.Code)
	r = byID(t, talk(t, adapter, request(legacy, 6, "tools/list", "")), 6)
	assert.Equal(t, -32600, r.Error.Code, "before the handshake: %s", r.Error.Message)
	r = byID(t, talk(t, adapter, initialize(legacy), request(legacy, 7, "no/such/method", "")), 7)
	assert.Equal(t, -32601, r.Error.Code)
}

// The zero values of ids are ids.
func TestStdioIDs(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	replies := talk(t, adapter, callOf(modern, 0, "plan", `{"days":1}`), callOf(modern, "", "plan", `{"days":2}`), callOf(modern, "1", "plan", `{"days":3}`), callOf(modern, 1, "plan", `{"days":4}`))
	for id, days := range map[any]string{0: "1", "": "2", "1": "3", 1: "4"} {
		assert.Contains(t, string(byID(t, replies, id).tool(t).Structured), `"days":`+days)
	}
}

// An answer that is under way when the input ends is not lost, and one that does not come in time does not keep the process.
func TestStdioEndOfInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		desk := newDesk()
		adapter := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{DrainTimeout: 3 * time.Second})
		began := time.Now()
		replies := talk(t, adapter, callOf(modern, 1, "follow", `{"hang":true}`), callOf(modern, 2, "plan", `{"days":1}`))
		assert.Equal(t, 3*time.Second, time.Since(began))
		assert.Nil(t, byID(t, replies, 2).Error)
		assert.Equal(t, "follow", <-desk.ended, "the call is cancelled")
	})
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	assert.Empty(t, talk(t, adapter), "an input that has ended before it began")
}

// session talks to a server that keeps running.
type session struct {
	in    *io.PipeWriter
	out   *bufio.Scanner
	ended chan error
}

func startSession(t testing.TB, ctx context.Context, adapter *capmcp.Adapter) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{in: inW, out: bufio.NewScanner(outR), ended: make(chan error, 1)}
	go func() {
		s.ended <- adapter.ServeStdio(ctx, inR, outW)
		_ = outW.Close()
	}()
	return s
}

func (s *session) send(t testing.TB, lines ...string) {
	t.Helper()
	_, err := io.WriteString(s.in, strings.Join(lines, "\n")+"\n")
	require.NoError(t, err)
}

func (s *session) receive(t testing.TB) reply {
	t.Helper()
	require.True(t, s.out.Scan(), "the server has ended")
	var r reply
	require.NoError(t, json.Unmarshal(s.out.Bytes(), &r), "%s", s.out.Bytes())
	return r
}

func cancel(id any) string {
	quoted, err := json.Marshal(id)
	if err != nil {
		panic(err)
	}
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(quoted) + `}}`
}

// A cancellation reaches its own call alone, and nobody is answered who does not wait.
func TestStdioCancel(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	adapter := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{})
	s := startSession(t, t.Context(), adapter)
	ids := []any{0, "", 1, "control"}
	for _, id := range ids {
		s.send(t, callOf(modern, id, "follow", `{"hang":true}`))
		require.Equal(t, "follow", <-desk.began)
	}
	for _, id := range ids {
		s.send(t, cancel(id))
		require.Equal(t, "follow", <-desk.ended)
		select {
		case other := <-desk.ended:
			require.Fail(t, "another call has ended", other)
		default:
		}
	}
	s.send(t, cancel("unknown"), callOf(modern, 2, "plan", `{"days":1}`))
	assert.Equal(t, "2", string(s.receive(t).ID), "the cancelled calls have no answer")
	require.NoError(t, s.in.Close())
	require.NoError(t, <-s.ended)
}

func TestStdioStop(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	adapter := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{})
	ctx, stop := context.WithCancel(t.Context())
	s := startSession(t, ctx, adapter)
	s.send(t, callOf(modern, 1, "follow", `{"hang":true}`))
	require.Equal(t, "follow", <-desk.began)
	stop()
	require.ErrorIs(t, <-s.ended, context.Canceled)
	assert.Equal(t, "follow", <-desk.ended)
}

// Closing waits for calls in progress, refuses others, and then ends the connection.
func TestClose(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	began, finish := make(chan struct{}), make(chan struct{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Follow) (Followed, error) {
		close(began)
		<-finish
		return Followed{Steps: 1}, nil
	})))
	adapter := newAdapter(t, registry, capmcp.Options{})
	s := startSession(t, t.Context(), adapter)
	s.send(t, callOf(modern, 1, "follow", `{}`))
	<-began
	closed := make(chan error, 1)
	go func() { closed <- adapter.Close(t.Context()) }()
	require.Eventually(t, func() bool {
		return post(t, adapter.Handler(), modern, request(modern, 1, "tools/list", "")).Code == 503
	}, 5*time.Second, time.Millisecond)
	s.send(t, callOf(modern, 2, "follow", `{}`))
	refused := s.receive(t)
	assert.Equal(t, "2", string(refused.ID))
	assert.Equal(t, -32004, refused.Error.Code, "no new work")
	close(finish)
	assert.JSONEq(t, `{"steps":1}`, string(s.receive(t).tool(t).Structured), "the call in progress answers")
	require.NoError(t, <-closed)
	require.NoError(t, <-s.ended)
	require.NoError(t, adapter.Close(t.Context()), "again")
	require.Error(t, adapter.ServeStdio(t.Context(), strings.NewReader(""), io.Discard))
}

func TestCloseRunsOutOfPatience(t *testing.T) {
	t.Parallel()
	desk := newDesk()
	adapter := newAdapter(t, newDeskRegistry(t, desk, cap.Options{}), capmcp.Options{})
	s := startSession(t, t.Context(), adapter)
	s.send(t, callOf(modern, 1, "follow", `{"hang":true}`))
	require.Equal(t, "follow", <-desk.began)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, adapter.Close(ctx), context.Canceled)
	assert.Equal(t, "follow", <-desk.ended, "the call is cancelled")
}

// failingWriter breaks after some bytes.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestStdioBrokenOutput(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	line := callOf(modern, 1, "plan", `{"days":1}`) + "\n"
	require.NoError(t, adapter.ServeStdio(t.Context(), strings.NewReader(line), failingWriter{io.ErrClosedPipe}), "the client has gone")
	broken := errors.New("disk full")
	require.ErrorIs(t, adapter.ServeStdio(t.Context(), strings.NewReader(line), failingWriter{broken}), broken)
}

// A client that does not read cannot keep the process alive.
func TestStdioClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{DrainTimeout: 50 * time.Millisecond})
	_, out := io.Pipe()
	t.Cleanup(func() { assert.NoError(t, out.Close()) })
	require.NoError(t, adapter.ServeStdio(t.Context(), strings.NewReader(callOf(modern, 1, "plan", `{"days":1}`)+"\n"), out))
}

// Stray prints go where they do no harm. Not parallel: the standard streams belong to the process.
func TestStdioStrayPrints(t *testing.T) { //nolint:paralleltest // it changes os.Stdout
	standard := os.Stdout
	r, w, err := os.Pipe()
	require.NoError(t, err)
	os.Stdout = w
	t.Cleanup(func() { os.Stdout = standard })

	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(context.Context, Follow) (Followed, error) {
		_, err := os.Stdout.WriteString("stray\n")
		return Followed{}, err
	})))
	adapter := newAdapter(t, registry, capmcp.Options{})
	require.NoError(t, adapter.ServeStdio(t.Context(), strings.NewReader(callOf(modern, 1, "follow", `{}`)+"\n"), nil))
	assert.Same(t, w, os.Stdout, "afterwards it is as it was")
	require.NoError(t, w.Close())
	var out bytes.Buffer
	_, err = out.ReadFrom(r)
	require.NoError(t, err)
	assert.NotContains(t, out.String(), "stray")
	assert.JSONEq(t, `{"steps":0}`, string(byID(t, repliesIn(t, out.Bytes()), 1).tool(t).Structured))
}
