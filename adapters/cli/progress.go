package capcli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progressDelay is how long a call takes before its progress is shown; progressGap is how often it is.
const (
	progressDelay = 500 * time.Millisecond
	progressGap   = 100 * time.Millisecond
)

// progress shows how far a call has come, in one line of a terminal that is taken away in the end. Handlers report from
// goroutines of their own, also after the call has ended.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	width   int
	started time.Time
	last    time.Time
	shown   bool
	ended   bool
}

func newProgress(w io.Writer, width int) *progress {
	return &progress{w: w, width: width, started: time.Now()}
}

// report is what a handler calls through cap.Progress.
func (p *progress) report(done, total float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.ended || now.Sub(p.started) < progressDelay || now.Sub(p.last) < progressGap {
		return
	}
	p.last, p.shown = now, true
	_, _ = io.WriteString(p.w, "\r"+cut(progressText(done, total, message), p.width-1)+clearLine)
}

// clearLine clears a terminal from the cursor to the end of the line.
const clearLine = "\x1b[K"

func progressText(done, total float64, message string) string {
	text := fmt.Sprintf("%.0f", done)
	if total > 0 {
		text = fmt.Sprintf("%3.0f%%", min(max(done/total, 0), 1)*100)
	}
	return strings.TrimSpace(text + " " + visible(message))
}

// end takes the line away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.shown {
		_, _ = io.WriteString(p.w, "\r"+clearLine)
	}
}
