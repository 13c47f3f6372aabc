package rows

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func standardInput() io.ReadCloser   { return os.Stdin }
func standardOutput() io.WriteCloser { return os.Stdout }

// Handshake opens a session in the revision that all servers speak.
const Handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}` + "\n"

// Initialized ends the handshake.
const Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// AppendCall appends a call of the tool, without a line feed.
func AppendCall(dst []byte, id int, body []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, int64(id), 10)
	dst = append(dst, `,"method":"tools/call","params":{"name":"create_order","arguments":`...)
	dst = append(dst, body...)
	return append(dst, "}}"...)
}

// toolVerdict tells a refusal from a result.
func toolVerdict(answer []byte) error {
	switch {
	case bytes.Contains(answer, []byte(`"isError":true`)):
		return ErrRefused
	case bytes.Contains(answer, []byte(`"result":`)):
		return nil
	case bytes.Contains(answer, []byte(`"code":-32602`)):
		return ErrRefused
	default:
		return fmt.Errorf("no result: %s", answer)
	}
}

// overLines speaks to a server over two pipes.
func overLines(build func() (LineServer, error)) func() (Caller, error) {
	return func() (Caller, error) {
		serve, err := build()
		if err != nil {
			return nil, err
		}
		return Lines(serve)
	}
}

// Lines connects a client to a server.
func Lines(serve LineServer) (*LineClient, error) {
	client, far := net.Pipe()
	go func() { _ = serve(far, far) }()
	l := &LineClient{conn: client, in: bufio.NewReaderSize(client, 1<<16)}
	return l, l.open()
}

// LineClient does no more than framing: what it costs is not what is measured.
type LineClient struct {
	conn   net.Conn
	in     *bufio.Reader
	id     int
	out    []byte
	answer []byte
}

func (l *LineClient) open() error {
	if _, err := l.conn.Write([]byte(Handshake)); err != nil {
		return err
	}
	if err := l.readLine(); err != nil {
		return err
	}
	_, err := l.conn.Write([]byte(Initialized))
	return err
}

// Call implements Caller.
func (l *LineClient) Call(body []byte) ([]byte, error) {
	l.id++
	l.out = append(AppendCall(l.out[:0], l.id, body), '\n')
	return l.exchange()
}

// Raw sends one line and returns the answer.
func (l *LineClient) Raw(line string) ([]byte, error) {
	l.out = append(l.out[:0], line...)
	return l.exchange()
}

func (l *LineClient) exchange() ([]byte, error) {
	if _, err := l.conn.Write(l.out); err != nil {
		return nil, err
	}
	if err := l.readLine(); err != nil {
		return nil, err
	}
	return l.answer, toolVerdict(l.answer)
}

func (l *LineClient) readLine() error {
	l.answer = l.answer[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		l.answer = append(l.answer, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// Close implements Caller.
func (l *LineClient) Close() { _ = l.conn.Close() }

// inMemory calls through the SDK's own client.
func inMemory(serve func(sdk.Transport) error) func() (Caller, error) {
	return func() (Caller, error) {
		near, far := sdk.NewInMemoryTransports()
		if err := serve(far); err != nil {
			return nil, err
		}
		client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1.0.0"}, nil)
		session, err := client.Connect(context.Background(), near, nil)
		return &sdkClient{session}, err
	}
}

func capMemory(transport sdk.Transport) error {
	adapter, err := newMCP()
	if err != nil {
		return err
	}
	_, err = adapter.Connect(context.Background(), transport)
	return err
}

func sdkMemory(build func() (*sdk.Server, error)) func(sdk.Transport) error {
	return func(transport sdk.Transport) error {
		s, err := build()
		if err != nil {
			return err
		}
		_, err = s.Connect(context.Background(), transport, nil)
		return err
	}
}

type sdkClient struct{ session *sdk.ClientSession }

func (c *sdkClient) Call(body []byte) ([]byte, error) {
	result, err := c.session.CallTool(context.Background(), &sdk.CallToolParams{Name: "create_order", Arguments: json.RawMessage(body)})
	if err != nil {
		return nil, err
	}
	text, _ := result.Content[0].(*sdk.TextContent)
	if result.IsError {
		return []byte(text.Text), ErrRefused
	}
	return []byte(text.Text), nil
}

func (c *sdkClient) Close() { _ = c.session.Close() }

// mcpHeaders are those of a client of the older era, whose requests may stand alone on a stateless server.
var mcpHeaders = http.Header{
	"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-06-18"},
}

// posted wraps a caller of HTTP: each body becomes a call of the tool.
type posted struct {
	Caller
	id  int
	out []byte
}

func (p *posted) Call(body []byte) ([]byte, error) {
	p.id++
	p.out = AppendCall(p.out[:0], p.id, body)
	answer, err := p.Caller.Call(p.out)
	if err != nil {
		return answer, err
	}
	return answer, toolVerdict(answer)
}

func mcpInProcess(build func() (http.Handler, error)) func() (Caller, error) {
	return func() (Caller, error) {
		handler, err := build()
		if err != nil {
			return nil, err
		}
		return &posted{Caller: newServing(handler, "/mcp", mcpHeaders)}, nil
	}
}

func mcpLoopback(build func() (http.Handler, error)) func() (Caller, error) {
	return func() (Caller, error) {
		c, err := dial(build, "/mcp", mcpHeaders)
		if err != nil {
			return nil, err
		}
		return &posted{Caller: c}, nil
	}
}
