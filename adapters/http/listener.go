package caphttp

import (
	"bytes"
	"crypto/rand"
	"net"
	"strconv"
	"strings"
)

// problemListener turns the few answers that net/http gives by itself, before any handler is asked (a request that cannot
// be read, headers that are too large), into problems like all others.
type problemListener struct{ net.Listener }

// Accept implements net.Listener.
func (l *problemListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &problemConn{conn}, nil
}

type problemConn struct{ net.Conn }

// rawHeaders are what net/http writes after the status line of an answer of its own, and no handler of ours ever does.
var rawHeaders = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// maxRawHead is more than any status line with these headers takes.
const maxRawHead = 256

// Write implements net.Conn.
func (c *problemConn) Write(p []byte) (int, error) {
	line, _, found := bytes.Cut(p[:min(len(p), maxRawHead)], rawHeaders)
	if !found || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return c.Conn.Write(p)
	}
	status, err := strconv.Atoi(strings.Split(string(line)+"   ", " ")[1])
	if err != nil {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(rawProblem(string(line), status)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite lets net/http close a connection so that the answer still arrives.
func (c *problemConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}

// rawProblem is a whole answer, for a request that no handler saw.
func rawProblem(line string, status int) []byte {
	id := rand.Text()
	body, err := encode(Problem{
		Type: defaultProblemBase + string(CodeBadRequest), Title: "The request cannot be read as HTTP.",
		Status: status, Code: CodeBadRequest, RequestID: id,
	})
	if err != nil {
		return []byte(line + "\r\nConnection: close\r\n\r\n")
	}
	return []byte(line + "\r\nContent-Type: " + typeProblem + "\r\n" + headerRequestID + ": " + id +
		"\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nConnection: close\r\n\r\n" + string(body))
}
