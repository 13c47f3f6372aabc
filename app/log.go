package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/rs/zerolog"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// withLogger gives every call of the program a logger to standard error, which the core uses where the registry has none of
// its own. Whoever starts a program is its operator and may read the causes of defects there; answers never hold them.
func withLogger(ctx context.Context, streams capcli.Streams) context.Context {
	return zerolog.New(&lines{to: streams.Err}).Level(zerolog.InfoLevel).With().Timestamp().Logger().WithContext(ctx)
}

// report logs what no caller of HTTP sees and the core is not told.
func report(r *http.Request, err error) {
	zerolog.Ctx(r.Context()).Error().Str("cause", fmt.Sprint(err)).Msg("a request could not be served")
}

// protocolLog gets what goes wrong in MCP.
func protocolLog(to io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(&lines{to: to}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// lines writes lines of JSON to a terminal, one at a time. What could steer the terminal becomes an escape of JSON: outside
// of strings there is nothing but ASCII.
type lines struct {
	mu sync.Mutex
	to io.Writer
}

func (l *lines) Write(line []byte) (int, error) {
	safe := make([]byte, 0, len(line))
	for rest := line; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == '\n' || unicode.IsPrint(r) && r != utf8.RuneError {
			safe = append(safe, rest[:size]...)
		} else {
			safe = appendEscape(safe, r)
		}
		rest = rest[size:]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.to.Write(safe); err != nil {
		return 0, err
	}
	return len(line), nil
}

// appendEscape writes a character as JSON escapes it: beyond the first 65536, as two halves.
func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}
