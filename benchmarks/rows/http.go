package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// headers are those of a client that knows what it wants.
var headers = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}

// inProcess hands requests to the handler, without a server.
func inProcess(build func() (http.Handler, error), path string) func() (Caller, error) {
	return func() (Caller, error) {
		handler, err := build()
		if err != nil {
			return nil, err
		}
		return newServing(handler, path, headers), nil
	}
}

// serving is a handler and the pieces of its requests.
type serving struct {
	handler http.Handler
	request http.Request
	body    bytes.Reader
	writer  recorder
}

func newServing(handler http.Handler, path string, headers http.Header) *serving {
	s := &serving{handler: handler, writer: recorder{header: make(http.Header)}}
	s.request = http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: path}, RequestURI: path, Header: headers,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "127.0.0.1:8080", RemoteAddr: "127.0.0.1:40000",
	}
	return s
}

func (s *serving) Call(body []byte) ([]byte, error) {
	s.body.Reset(body)
	s.writer.reset()
	request := s.request
	request.Body, request.ContentLength = io.NopCloser(&s.body), int64(len(body))
	s.handler.ServeHTTP(&s.writer, &request)
	return s.writer.body.Bytes(), verdict(s.writer.status, s.writer.body.Bytes())
}

func (s *serving) Close() {}

// verdict tells a refusal from a mistake of the benchmark's.
func verdict(status int, answer []byte) error {
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusUnprocessableEntity, status == http.StatusBadRequest:
		return ErrRefused
	default:
		return fmt.Errorf("status %d: %s", status, answer)
	}
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) reset() {
	clear(r.header)
	r.status = http.StatusOK
	r.body.Reset()
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
func (r *recorder) Flush()                      {}

// SetReadDeadline lets a handler guard the body, as with a real connection.
func (r *recorder) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline likewise.
func (r *recorder) SetWriteDeadline(time.Time) error { return nil }

// overLoopback sends requests to a server over one connection.
func overLoopback(build func() (http.Handler, error), path string) func() (Caller, error) {
	return func() (Caller, error) { return dial(build, path, headers) }
}

func dial(build func() (http.Handler, error), path string, headers http.Header) (Caller, error) {
	handler, err := build()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return nil, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\n", path, listener.Addr())
	if err := headers.Write(&head); err != nil {
		return nil, err
	}
	return &connection{server: server, conn: conn, in: bufio.NewReader(conn), head: head.String()}, nil
}

// connection is a client that does no more than framing: what it costs is not what is measured.
type connection struct {
	server *http.Server
	conn   net.Conn
	in     *bufio.Reader
	head   string
	out    []byte
	answer []byte
}

func (c *connection) Call(body []byte) ([]byte, error) {
	c.out = append(c.out[:0], c.head...)
	c.out = append(c.out, "Content-Length: "...)
	c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
	c.out = append(append(c.out, "\r\n\r\n"...), body...)
	if _, err := c.conn.Write(c.out); err != nil {
		return nil, err
	}
	status, err := c.read()
	if err != nil {
		return nil, err
	}
	return c.answer, verdict(status, c.answer)
}

func (c *connection) Close() {
	_ = c.conn.Close()
	_ = c.server.Close()
}

// read takes one response: its length is in a header, or it comes in chunks.
func (c *connection) read() (status int, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, errors.New("no status line")
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length, chunked := 0, false
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(string(value)))
		}
		chunked = chunked || bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked"))
	}
	c.answer = c.answer[:0]
	if !chunked {
		return status, c.take(length)
	}
	return status, c.chunks()
}

// take appends the next n bytes to the answer.
func (c *connection) take(n int) error {
	from := len(c.answer)
	c.answer = append(c.answer, make([]byte, n)...)
	_, err := io.ReadFull(c.in, c.answer[from:])
	return err
}

func (c *connection) chunks() error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(line)), 16, 32)
		if err != nil {
			return err
		}
		if size == 0 {
			return c.trailers()
		}
		if err := c.take(int(size) + 2); err != nil {
			return err
		}
		c.answer = c.answer[:len(c.answer)-2]
	}
}

// trailers passes over what follows the last chunk.
func (c *connection) trailers() error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil || len(line) <= 2 {
			return err
		}
	}
}
