package capmcp

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress passes on what a handler reports, if the caller asked to be told. Handlers never wait for the caller to read: what
// does not fit into the queue pushes the oldest report out.
type progress struct {
	mu     sync.Mutex
	last   float64
	count  int
	passed time.Time // when the last report was passed on
	ended  bool
	queue  chan *mcp.ProgressNotificationParams
	token  any
	sender sync.WaitGroup
}

const (
	// progressQueue is how many reports wait for a slow reader.
	progressQueue = 32
	// progressBurst is how many reports pass at once. A handler that reports more often than people look is slowed down to
	// progressPace; the report that all is done always passes.
	progressBurst = 32
	progressPace  = 100 * time.Millisecond
)

// newProgress starts sending for one call. Without a token it returns nil, which listens to nothing.
func newProgress(ctx context.Context, req *mcp.CallToolRequest) *progress {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return nil
	}
	p := &progress{token: token, queue: make(chan *mcp.ProgressNotificationParams, progressQueue)}
	p.sender.Go(func() {
		for report := range p.queue {
			// A caller that is gone, or a session that has ended, is no fault of the call.
			_ = req.Session.NotifyProgress(ctx, report)
		}
	})
	return p
}

// listener is what a call reports to, or nil.
func (p *progress) listener() func(done, total float64, message string) {
	if p == nil {
		return nil
	}
	return p.report
}

// report queues one report. Progress only grows, as the protocol asks: what falls behind is left out.
func (p *progress) report(done, total float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || !isFinite(done) || !isFinite(total) || p.count > 0 && done <= p.last {
		return
	}
	now := time.Now()
	if p.count >= progressBurst && now.Sub(p.passed) < progressPace && done != total {
		return
	}
	p.count, p.last, p.passed = p.count+1, done, now
	report := &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: done, Total: total, Message: message}
	for {
		select {
		case p.queue <- report:
			return
		default:
		}
		select {
		case <-p.queue:
		default:
		}
	}
}

// stop sends what waits, so that no report comes after the answer, and ends.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.ended = true
	close(p.queue)
	p.mu.Unlock()
	p.sender.Wait()
}

// isFinite reports whether JSON has a number for f.
func isFinite(f float64) bool { return f-f == 0 }
