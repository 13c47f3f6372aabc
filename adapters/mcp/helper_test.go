package capmcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// reply is a JSON-RPC message that came back.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// toolResult is the result of tools/call.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
		URI  string `json:"uri"`
		Name string `json:"name"`
		Data string `json:"data"`
		MIME string `json:"mimeType"`
	} `json:"content"`
	Structured    json.RawMessage            `json:"structuredContent"`
	IsError       bool                       `json:"isError"`
	ResultType    string                     `json:"resultType"`
	Meta          map[string]json.RawMessage `json:"_meta"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
	RequestState  string                     `json:"requestState"`
}

func (r reply) tool(t *testing.T) toolResult {
	t.Helper()
	require.Nil(t, r.Error, "error of the protocol")
	var result toolResult
	require.NoError(t, json.Unmarshal(r.Result, &result), "%s", r.Result)
	return result
}

// failure reads the error that a tool's text holds.
func (r toolResult) failure(t *testing.T) *cap.Error {
	t.Helper()
	require.True(t, r.IsError, "isError of %+v", r)
	require.Len(t, r.Content, 1)
	assert.Nil(t, r.Structured, "structured content beside an error")
	failed := new(cap.Error)
	require.NoError(t, json.Unmarshal([]byte(r.Content[0].Text), failed), "%s", r.Content[0].Text)
	return failed
}

func newAdapter(t testing.TB, registry *cap.Registry, options capmcp.Options) *capmcp.Adapter {
	t.Helper()
	adapter, err := capmcp.New(registry, options)
	require.NoError(t, err)
	return adapter
}

// request writes a request. For the modern era it adds what every one must have.
func request(version string, id any, method, params string) string {
	if params == "" {
		params = "{}"
	}
	if version >= modern {
		meta := `"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{}`
		switch {
		case strings.Contains(params, `"_meta":{`):
			params = strings.Replace(params, `"_meta":{`, `"_meta":{`+meta+`,`, 1)
		case params == "{}":
			params = `{"_meta":{` + meta + `}}`
		default:
			params = `{"_meta":{` + meta + `},` + params[1:]
		}
	}
	quoted, err := json.Marshal(id)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, quoted, method, params)
}

func callOf(version string, id any, name, args string) string {
	params := fmt.Sprintf(`{"name":%q}`, name)
	if args != "" {
		params = fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args)
	}
	return request(version, id, "tools/call", params)
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func initialize(version string) string {
	return request(legacy, "init", "initialize", `{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
}

// talk sends lines over stdio, ends the input and gives everything that came back.
func talk(t testing.TB, adapter *capmcp.Adapter, lines ...string) []reply {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, adapter.ServeStdio(context.Background(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out))
	return repliesIn(t, out.Bytes())
}

func repliesIn(t testing.TB, out []byte) []reply {
	t.Helper()
	var replies []reply
	for line := range bytes.Lines(out) {
		var r reply
		require.NoError(t, json.Unmarshal(line, &r), "a line that is no message: %s", line)
		replies = append(replies, r)
	}
	return replies
}

// byID finds the reply to a request.
func byID(t testing.TB, replies []reply, id any) reply {
	t.Helper()
	want, err := json.Marshal(id)
	require.NoError(t, err)
	for _, r := range replies {
		if string(r.ID) == string(want) && r.Method == "" {
			return r
		}
	}
	require.Fail(t, "no reply", "to the request %s among %d", want, len(replies))
	return reply{}
}

// post sends one request to a handler. Headers are pairs of name and value; a value of "" takes the header out.
func post(t testing.TB, handler http.Handler, version, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://mcp.example.com/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
	}
	if version >= modern {
		var p struct {
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal([]byte(body), &p) == nil {
			r.Header.Set("Mcp-Method", p.Method)
			if p.Params.Name != "" {
				r.Header.Set("Mcp-Name", p.Params.Name)
			}
		}
	}
	setHeaders(r, headers)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func setHeaders(r *http.Request, headers []string) {
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
}

// replyIn reads the one message of a JSON answer.
func replyIn(t testing.TB, w *httptest.ResponseRecorder) reply {
	t.Helper()
	require.Equal(t, "application/json", w.Header().Get("Content-Type"), "body: %s", w.Body)
	var r reply
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &r), "%s", w.Body)
	return r
}

// eventsIn reads the messages of a stream of events.
func eventsIn(t testing.TB, body io.Reader) []reply {
	t.Helper()
	data, err := io.ReadAll(body)
	require.NoError(t, err)
	var replies []reply
	for line := range strings.Lines(string(data)) {
		if payload, ok := strings.CutPrefix(line, "data: "); ok {
			var r reply
			require.NoError(t, json.Unmarshal([]byte(payload), &r), payload)
			replies = append(replies, r)
		}
	}
	return replies
}
