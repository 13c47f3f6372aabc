package capmcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines is a connection over two streams, one message a line. The SDK's own ends with the first line that is no message and
// loses the answers to what came just before the end of the input.
type lines struct {
	in   *bufio.Reader
	max  int
	work *work

	shortcut *shortcut // nil without

	writing sync.Mutex
	out     io.Writer

	eof     chan struct{} // closed when the input has ended
	stopped chan struct{} // closed when nothing shall be read or written any more
	stops   sync.Once
	read    chan readLine

	mu       sync.Mutex
	cancels  map[jsonrpc.ID]context.CancelFunc // of pending requests that do not go through the SDK
	pending  map[jsonrpc.ID]bool               // requests without an answer; true: the client has cancelled it
	finished bool                              // the input has ended
	isIdle   chan struct{}                     // closed when finished and every answer is written
	broken   error                             // why a stream broke

	unwritten int // answers that are being written; their requests are pending no more
}

// readLine is one line of the input, or why there is none.
type readLine struct {
	data    []byte
	tooLong bool
	err     error
}

func newLines(in io.Reader, out io.Writer, maxBytes int, work *work) *lines {
	return &lines{
		in: bufio.NewReader(in), max: maxBytes, work: work, out: out,
		eof: make(chan struct{}), stopped: make(chan struct{}), read: make(chan readLine),
		pending: make(map[jsonrpc.ID]bool), cancels: make(map[jsonrpc.ID]context.CancelFunc), isIdle: make(chan struct{}),
	}
}

// Connect implements mcp.Transport.
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	go l.readAll()
	return l, nil
}

// SessionID implements mcp.Connection.
func (l *lines) SessionID() string { return "" }

// Read implements mcp.Connection. What is no message is answered and skipped. After the end of the input it waits until
// nothing is pending: the SDK would drop the answers.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.stopped:
			return nil, io.EOF
		case line := <-l.read:
			if line.err != nil {
				return nil, l.end(line.err)
			}
			if message := l.parse(line); message != nil {
				return message, nil
			}
		}
	}
}

// Write implements mcp.Connection. The answer to a request that the client has cancelled is dropped: it waits for none.
func (l *lines) Write(ctx context.Context, message jsonrpc.Message) error {
	response, isResponse := message.(*jsonrpc.Response)
	if isResponse {
		wanted, waited := l.settle(response.ID)
		if waited {
			defer l.wrote()
		}
		if !wanted {
			return nil
		}
		message = coded(response)
		l.shortcut.answered(response)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	data, _ = boundError(data)
	return l.write(data)
}

// coded gives an error that the SDK has no code for the one that fits: the request came at the wrong time.
func coded(response *jsonrpc.Response) *jsonrpc.Response {
	var failed *jsonrpc.Error
	if response.Error == nil || errors.As(response.Error, &failed) && failed.Code != 0 {
		return response
	}
	failed = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: response.Error.Error()}
	return &jsonrpc.Response{ID: response.ID, Error: failed}
}

// Close implements mcp.Connection.
func (l *lines) Close() error {
	l.stop()
	return nil
}

// stop ends reading and writing. What is pending will have no answer.
func (l *lines) stop() {
	l.stops.Do(func() {
		close(l.stopped)
		l.mu.Lock()
		defer l.mu.Unlock()
		for id := range l.pending {
			delete(l.pending, id)
			l.work.release()
		}
		for ; l.unwritten > 0; l.unwritten-- {
			l.work.release()
		}
	})
}

func (l *lines) isStopped() bool {
	select {
	case <-l.stopped:
		return true
	default:
		return false
	}
}

// idle is closed when the input has ended and every request has its answer.
func (l *lines) idle() <-chan struct{} { return l.isIdle }

// readAll reads ahead of the SDK by one line, on a goroutine of its own: a read cannot be interrupted.
func (l *lines) readAll() {
	for {
		line := l.next()
		if l.shortcut.take(line) {
			continue
		}
		select {
		case l.read <- line:
		case <-l.stopped:
			return
		}
		if line.err != nil {
			return
		}
	}
}

// next reads one line of at most max bytes. A longer one is read to its end and thrown away.
func (l *lines) next() readLine {
	var line []byte
	tooLong := false
	for {
		part, err := l.in.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if !tooLong && len(line)+len(bytes.TrimSuffix(part, []byte("\r"))) > l.max {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case ended, len(line) > 0, tooLong:
			return readLine{data: line, tooLong: tooLong}
		default:
			return readLine{err: err}
		}
	}
}

// parse makes a message of a line. It returns nil for blank lines, and for what is no message after it has said so.
func (l *lines) parse(line readLine) jsonrpc.Message {
	if line.tooLong {
		l.complain(jsonrpc.CodeInvalidRequest, "the message is longer than "+strconv.Itoa(l.max)+" bytes", nil)
		return nil
	}
	data := trimLine(line.data)
	if len(data) == 0 {
		return nil
	}
	seen, fault := readEnvelope(data)
	if fault != nil {
		l.complain(fault.code, fault.message, fault.id)
		return nil
	}
	message, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		if seen.answers {
			return nil // an error that answers an error would have an answer in its turn
		}
		l.complain(jsonrpc.CodeInvalidRequest, "the message is no JSON-RPC 2.0 message", seen.answerID())
		return nil
	}
	if request, ok := message.(*jsonrpc.Request); ok {
		if !l.track(request) {
			l.complain(jsonrpc.CodeInvalidRequest, "the id of a request that has no answer yet was used again", nil)
			return nil
		}
		l.shortcut.begins(request)
	}
	return message
}

// complain answers what is no message.
func (l *lines) complain(code int, message string, id []byte) {
	// A stream that is broken shows with the next message as well.
	_ = l.write(errorBody(code, message, id))
}

func (l *lines) write(data []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.isStopped() {
		return io.ErrClosedPipe
	}
	if _, err := l.out.Write(append(data, '\n')); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.broken = err
		return err
	}
	return nil
}

// track remembers which requests wait for an answer, and which of them nobody waits for any more. ok is false when the id of a
// request is taken.
func (l *lines) track(request *jsonrpc.Request) (ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case request.Method == methodListen:
		// It has no answer until the client goes away.
	case request.IsCall():
		if _, taken := l.pending[request.ID]; taken {
			return false
		}
		if !l.isStopped() {
			l.pending[request.ID] = false
			l.work.hold()
		}
	case request.Method == "notifications/cancelled":
		l.giveUp(request.Params)
	}
	return true
}

// giveUp notes a cancellation. Callers hold mu.
func (l *lines) giveUp(params json.RawMessage) {
	id, ok := cancelledID(params)
	if !ok {
		return
	}
	if _, waits := l.pending[id]; waits {
		l.pending[id] = true
	}
	if cancel := l.cancels[id]; cancel != nil {
		cancel()
	}
}

// admit notes a request that does not go through the SDK. Its context ends when the client cancels it. ok is false when the id is
// taken, or nothing is read any more.
func (l *lines) admit(ctx context.Context, id jsonrpc.ID) (_ context.Context, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.pending[id]; taken || l.isStopped() {
		return nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	l.pending[id], l.cancels[id] = false, cancel
	l.work.hold()
	return ctx, true
}

// settle frees the id of a request whose answer is about to be written: the client may use it again as soon as it reads the
// answer. wanted is false when the client has cancelled the request and waits for none. If something waited for the answer, wrote
// must be called afterwards.
func (l *lines) settle(id jsonrpc.ID) (wanted, waited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cancel := l.cancels[id]; cancel != nil {
		cancel()
		delete(l.cancels, id)
	}
	cancelled, waits := l.pending[id]
	if !waits {
		return true, false
	}
	delete(l.pending, id)
	l.unwritten++
	return !cancelled, true
}

// wrote ends what settle has begun.
func (l *lines) wrote() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unwritten > 0 { // stop has released the others
		l.unwritten--
		l.work.release()
	}
	l.rest()
}

// end notes that there is nothing more to read, and waits until nothing is pending.
func (l *lines) end(err error) error {
	l.mu.Lock()
	if !isClosed(err) {
		l.broken = err
	}
	if !l.finished {
		l.finished = true
		close(l.eof)
	}
	l.rest()
	l.mu.Unlock()
	select {
	case <-l.isIdle:
	case <-l.stopped:
	}
	return io.EOF
}

// rest closes isIdle when it is time. Callers hold mu.
func (l *lines) rest() {
	if !l.finished || len(l.pending) > 0 || l.unwritten > 0 {
		return
	}
	select {
	case <-l.isIdle:
	default:
		close(l.isIdle)
	}
}

// verdict says whether a connection ended as it should.
func (l *lines) verdict(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !isClosed(l.broken):
		return l.broken
	case isClosed(err):
		return nil
	default:
		return err
	}
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// cancelledID reads the id of a request from the parameters of a cancellation. The SDK reads numbers as it does here.
func cancelledID(params json.RawMessage) (id jsonrpc.ID, ok bool) {
	var cancelled struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &cancelled) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(cancelled.RequestID)
	return id, err == nil && id.IsValid()
}
