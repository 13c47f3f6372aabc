package caphttp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// relay is a capability that calls another one over HTTP.
type relay struct {
	cap.Read[traced] `cap:"Pass a call on; access=public; name=relay"`
	URL              string `json:"url,omitempty" cap:"Where to"`
}

// traced tells the trace context of a call.
type traced struct {
	Parent string `json:"parent" cap:"Parent"`
	State  string `json:"state"  cap:"State"`
}

func newRelay(t *testing.T) http.Handler {
	t.Helper()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(func(ctx context.Context, in relay) (traced, error) {
		if in.URL == "" {
			return traced(caphttp.TraceFrom(ctx)), nil
		}
		client, err := caphttp.NewClient(in.URL)
		if err != nil {
			return traced{}, err
		}
		return caphttp.Call(ctx, client, relay{})
	})))
	h, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(t, err)
	return h
}

func TestTraceContext(t *testing.T) {
	t.Parallel()
	h := newRelay(t)
	address := listen(t, h, caphttp.ServeOptions{})
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, tt := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"none", nil, `{"parent":"","state":""}`},
		{"one", []string{"Traceparent: " + parent, "Tracestate: a=1,b=2"}, `{"parent":"` + parent + `","state":"a=1,b=2"}`},
		{"a later version", []string{"Traceparent: 01" + parent[2:] + "-more"}, `{"parent":"01` + parent[2:] + `-more","state":""}`},
		{"more than the version has", []string{"Traceparent: " + parent + "-more"}, `{"parent":"","state":""}`},
		{"zeros", []string{"Traceparent: 00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01"}, `{"parent":"","state":""}`},
		{"capitals", []string{"Traceparent: " + strings.ToUpper(parent)}, `{"parent":"","state":""}`},
		{"the version that is none", []string{"Traceparent: ff" + parent[2:]}, `{"parent":"","state":""}`},
		{"too short", []string{"Traceparent: 00-1-2-3"}, `{"parent":"","state":""}`},
		{"two", []string{"Traceparent: " + parent, "Traceparent: " + parent}, `{"parent":"","state":""}`},
		{"a long state", []string{"Traceparent: " + parent, "Tracestate: " + strings.Repeat("x", 513)}, `{"parent":"` + parent + `","state":""}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, body := range []string{`{}`, `{"url":"http://` + address + `"}`} {
				w := serve(h, request(t, "POST", "/capabilities/relay", body, append(tt.headers, asJSON)...))
				assert.JSONEq(t, `{"output":`+tt.want+`,"cites":[]}`, w.Body.String())
			}
		})
	}
}

func TestCallersTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, _, ended := newWaiting(t)
		w := serve(h, request(t, "POST", "/capabilities/wait", "{}", asJSON, "Cap-Timeout-Ms: 5"))
		assert.Equal(t, 504, w.Code)
		assert.Equal(t, cap.ReasonTimeout, problemOf(t, w).Reason)
		require.Error(t, <-ended)
	})
	h, _, _ := newWaiting(t)
	for _, bad := range []string{"0", "-1", "x", "1.5", "86400001"} {
		w := serve(h, request(t, "POST", "/capabilities/wait", "{}", asJSON, "Cap-Timeout-Ms: "+bad))
		assert.Equal(t, 400, w.Code, bad)
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	docs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("docs of " + r.URL.Path)) })
	for prefix, h := range map[string]*caphttp.Handler{
		"":     newHandler(t, caphttp.Options{Docs: docs}),
		"/api": newHandler(t, caphttp.Options{Docs: docs, Prefix: "/api"}),
	} {
		w := serve(h, request(t, "GET", prefix+"/docs", ""))
		assert.Equal(t, 308, w.Code)
		assert.Equal(t, "docs/", w.Header().Get("Location"))
		assert.Equal(t, "docs of /", serve(h, request(t, "GET", prefix+"/docs/", "")).Body.String())
		assert.Equal(t, "docs of /a.js", serve(h, request(t, "GET", prefix+"/docs/a.js", "")).Body.String())
		assert.Equal(t, 404, serve(h, request(t, "GET", prefix+"/docsx", "")).Code)
	}
	assert.Equal(t, 404, serve(newHandler(t, caphttp.Options{}), request(t, "GET", "/docs/", "")).Code)
}
