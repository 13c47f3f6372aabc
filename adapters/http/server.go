package caphttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

// ServeOptions sets up [Serve]. The zero value listens on 127.0.0.1:8080.
type ServeOptions struct {
	// Addr is where to listen, such as "127.0.0.1:8080". Port 0 takes a free one; see Listening.
	Addr string

	// Exposed lets the server listen beyond this machine although the handler is not known to authenticate its callers: it is
	// a mux of yours, or everything that it serves is public. A handler of yours says that it does with a method
	// Authenticates() bool, and hears of the end with a method Drain().
	Exposed bool

	// Hosts are the names under which the server may be called; the port does not matter. Nil means all, but for a server on a
	// loopback address whose handler does not authenticate: that one answers to loopback names only, so that no page in a
	// browser reaches it under a name of its own.
	Hosts []string

	// TLS, if set, makes the server speak HTTPS, and HTTP/2. The few answers that net/http gives by itself, to requests that it
	// cannot read, are plain text then.
	TLS *tls.Config

	// Listening is told, if set, the address once the server listens.
	Listening func(net.Addr)

	// Grace is how long requests are still taken after the handler says that it is not ready.
	Grace time.Duration

	// Drain is how long calls may take to end before they are cancelled. 0 means 20 seconds.
	Drain time.Duration

	// ErrorLog gets what goes wrong with connections. Nil drops it.
	ErrorLog *log.Logger
}

const (
	defaultAddr       = "127.0.0.1:8080"
	defaultDrain      = 20 * time.Second
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	lastWords         = time.Second // for answers of calls that were cancelled
)

// ErrExposed is what [Serve] refuses: other machines could call, and nobody finds out who does.
var ErrExposed = errors.New("caphttp: the server can be reached from other machines, but the handler is not known to authenticate its callers")

// errShutdown is the cause of contexts that end because the server does.
var errShutdown = errors.New("caphttp: the server shuts down")

// Serve serves handler until ctx ends, then shuts down: the handler says that it is not ready, after a grace the listener
// closes, calls may end, and what still runs at the deadline is cancelled. It returns nil after that, and an error if it
// cannot listen.
func Serve(ctx context.Context, handler http.Handler, options ServeOptions) error {
	if options.Addr == "" {
		options.Addr = defaultAddr
	}
	if options.Drain == 0 {
		options.Drain = defaultDrain
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", options.Addr)
	if err != nil {
		return fmt.Errorf("caphttp: %w", err)
	}
	hosts, err := options.hosts(listener.Addr(), handler)
	if err != nil {
		_ = listener.Close() // nothing was served on it
		return err
	}
	if options.Listening != nil {
		options.Listening(listener.Addr())
	}
	return serveUntil(ctx, listener, handler, hosts, options)
}

// hosts judges the address, and returns the names that the server answers to; nil for all.
func (o ServeOptions) hosts(addr net.Addr, handler http.Handler) ([]string, error) {
	known, ok := handler.(interface{ Authenticates() bool })
	authenticates := ok && known.Authenticates()
	switch {
	case o.Hosts != nil:
		return o.Hosts, nil
	case isLoopback(addr):
		if authenticates {
			return nil, nil
		}
		return []string{"localhost", "127.0.0.1", "::1"}, nil
	case authenticates || o.Exposed:
		return nil, nil
	default:
		return nil, fmt.Errorf("%w (at %s; set Options.Authenticate, or ServeOptions.Exposed if that is meant)", ErrExposed, addr)
	}
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// serveUntil serves until ctx ends.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler, hosts []string, options ServeOptions) error {
	base, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	server := &http.Server{
		Handler:           guardHosts(handler, hosts),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,

		DisableGeneralOptionsHandler: true, // so that OPTIONS * is answered like everything else
		TLSConfig:                    options.TLS,
		ErrorLog:                     options.ErrorLog,
	}
	if server.ErrorLog == nil {
		server.ErrorLog = log.New(discard{}, "", 0)
	}
	served := make(chan error, 1)
	go func() {
		if options.TLS != nil {
			served <- server.ServeTLS(listener, "", "")
			return
		}
		served <- server.Serve(&problemListener{listener})
	}()
	select {
	case err := <-served:
		return fmt.Errorf("caphttp: %w", err)
	case <-ctx.Done():
	}
	if drainer, ok := handler.(interface{ Drain() }); ok {
		drainer.Drain()
	}
	time.Sleep(options.Grace)
	stop(server, cancel, options.Drain)
	return nil
}

// stop lets calls end, cancels those that do not, and gives them a moment to say so.
func stop(server *http.Server, cancel context.CancelCauseFunc, drain time.Duration) {
	deadline, done := context.WithTimeout(context.Background(), drain)
	defer done()
	if server.Shutdown(deadline) == nil {
		return
	}
	cancel(errShutdown)
	last, done := context.WithTimeout(context.Background(), lastWords)
	defer done()
	if server.Shutdown(last) != nil {
		_ = server.Close() // what is left has been told twice
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// guardHosts refuses requests for other names.
func guardHosts(handler http.Handler, hosts []string) http.Handler {
	if hosts == nil {
		return handler
	}
	s := &site{options: Options{}.withDefaults()}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.ContainsFunc(hosts, func(host string) bool { return strings.EqualFold(host, hostOf(r.Host)) }) {
			handler.ServeHTTP(w, r)
			return
		}
		s.fail(&exchange{w: w, r: r, id: requestID(r), report: s.report, patience: s.options.WriteTimeout}, &fault{status: http.StatusMisdirectedRequest, code: CodeMisdirected, message: "This host is not served here."})
	})
}

// CodeMisdirected is answered to a request for a host that is not served.
const CodeMisdirected cap.Code = "MISDIRECTED_REQUEST"

// hostOf takes the name out of a Host header, or "" if it is malformed, such as an IPv6 address without brackets.
func hostOf(hostport string) string {
	host := hostport
	if strings.HasPrefix(hostport, "[") || strings.Count(hostport, ":") == 1 {
		if h, _, err := net.SplitHostPort(hostport); err == nil {
			host = h
		} else {
			host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
		}
	} else if strings.Contains(hostport, ":") {
		return ""
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String()
	}
	return strings.TrimSuffix(host, ".")
}
