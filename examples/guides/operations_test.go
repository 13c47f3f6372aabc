package guides

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/captest"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	registry := configured(io.Discard, &failed)
	_, err := captest.Try(t, registry, captest.Person("ana", "notes"), ReadNote{ID: "n2"})
	require.Error(t, err)
	assert.Equal(t, int64(1), failed.Load())
	count, _ := registry.Lookup("count_notes")
	assert.Equal(t, time.Second, count.Timeout())
	_, found := registry.Lookup("delete_note")
	assert.False(t, found)
}

func configured(stderr io.Writer, failed *atomic.Int64) *cap.Registry {
	// docs:options
	registry := cap.New(cap.Options{
		Name: "notes", Version: "1.0.0",
		Logger: zerolog.New(stderr).With().Timestamp().Logger(),
		Limits: cap.Limits{Bytes: 256 << 10, Depth: 16, Issues: 20},
		Observers: []cap.Observer{func(_ context.Context, e cap.Event) {
			if e.Type == cap.EventFailed {
				failed.Add(1) // a counter of your metrics, by e.Capability and e.Code
			}
		}},
		// The operator's word is the last: it can take away, and never gives.
		Override: func(c *cap.Capability) cap.Override {
			switch c.Name() {
			case "delete_note":
				return cap.Override{Disable: true}
			case "count_notes":
				return cap.Override{Timeout: time.Second}
			default:
				return cap.Override{}
			}
		},
	})
	// docs:end
	if err := registry.Register(newNotes()); err != nil {
		panic(err)
	}
	return registry
}

func TestServe(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	listening, done := make(chan net.Addr, 1), make(chan error, 1)
	registry := newRegistry(t, cap.Options{})
	go func() { done <- serve(ctx, registry, listening) }()
	addr := <-listening
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr.String()+"/readyz", http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusOK, response.StatusCode)
	stop()
	require.NoError(t, <-done)
}

func serve(ctx context.Context, registry *cap.Registry, listening chan<- net.Addr) error {
	ping := func(context.Context) error { return nil }
	// docs:serve
	api, err := caphttp.New(registry, caphttp.Options{
		Authenticate: authenticateAna,
		MaxBody:      256 << 10,
		ReadTimeout:  5 * time.Second,
		Ready:        ping, // of the database, for example
	})
	if err != nil {
		return err
	}
	return caphttp.Serve(ctx, api, caphttp.ServeOptions{
		Addr:      "127.0.0.1:0",
		Grace:     10 * time.Millisecond, // longer than the load balancer takes to notice; some seconds
		Drain:     20 * time.Second,
		Listening: func(addr net.Addr) { listening <- addr },
	})
	// docs:end
}
