package browsertest_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/adapters/http/swaggerui"
	"github.com/seed-369ec62e/cap/approval"
)

// findBrowser returns the path of a browser, or skips the test.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROME"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	if os.Getenv("CAP_BROWSER") == "required" {
		t.Fatal("there is no browser: install chromium, or name one with CHROME")
	}
	t.Skip("there is no browser: install chromium, or name one with CHROME")
	return ""
}

// browser is one tab, and what it complained of.
type browser struct {
	context.Context
	t  *testing.T
	mu sync.Mutex

	complaints []string
}

// open starts a browser.
func open(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(findBrowser(t)), chromedp.NoSandbox)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	tab, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	limited, cancel := context.WithTimeout(tab, 30*time.Second)
	t.Cleanup(cancel)
	b := &browser{Context: limited, t: t}
	require.NoError(t, chromedp.Listen(limited, b.listen))
	_, err := chromedp.Call(limited, cdplog.Enable, cdp.Empty{})
	require.NoError(t, err)
	b.do(chromedp.EmulateViewport(1200, 900))
	return b
}

// listen notes what the browser blocks, what it does not find and what scripts throw.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event := event.(type) {
	case *cdplog.EventEntryAdded:
		if event.Entry.Level == cdplog.EntryLevelError {
			b.complaints = append(b.complaints, event.Entry.Text+" "+event.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, event.ExceptionDetails.Text)
	}
}

func (b *browser) complaintsSoFar() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.complaints)
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b, steps...), "complaints: %q", b.complaintsSoFar())
}

func (b *browser) text(selector string) string {
	b.t.Helper()
	text, err := chromedp.Run(b, chromedp.Text(selector))
	require.NoError(b.t, err)
	return text
}

func (b *browser) picture(name string) []byte {
	b.t.Helper()
	picture, err := chromedp.Run(b, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	if dir := os.Getenv("PICTURES"); dir != "" { // for people to look at
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	}
	return picture
}

// listen serves on a free port.
func listen(t *testing.T, handler http.Handler) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	addresses, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- caphttp.Serve(ctx, handler, caphttp.ServeOptions{Addr: "127.0.0.1:0", Drain: time.Second, Listening: func(a net.Addr) { addresses <- a }})
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	return "http://" + (<-addresses).String()
}

type getOrder struct {
	cap.Read[order] `cap:"Get an order; access=public" http:"GET /orders/{order}"`
	Order           string `json:"order" cap:"Number of the order" validate:"required"`
}

type order struct {
	Order string `json:"order" cap:"Number of the order"`
}

type dropOrder struct {
	cap.Host[cap.None] `cap:"Drop an order; access=authenticated; irreversible; name=drop_order"`
	Order              string `json:"order" cap:"Number of the order" validate:"required"`
}

// Describe implements cap.Describer.
func (in dropOrder) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "drop", Target: cap.ObjectRef{Product: "shop", Kind: "order", ID: in.Order}}
}

// newShop makes a registry with a gate.
func newShop(t *testing.T) (*cap.Registry, *approval.Gate) {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	registry := cap.New(cap.Options{Name: "shop", Version: "1.0.0", Gate: gate})
	require.NoError(t, registry.Register(
		cap.Func(func(_ context.Context, in getOrder) (order, error) {
			return order{Order: in.Order}, nil
		}),
		cap.Func(func(context.Context, dropOrder) (cap.None, error) { return cap.None{}, nil }),
	))
	return registry, gate
}

// looksLikeSomething reports whether a picture has more than a few colours.
func looksLikeSomething(t *testing.T, picture []byte) bool {
	t.Helper()
	decoded, _, err := image.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	colours := map[any]bool{}
	bounds := decoded.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y += 4 {
		for x := bounds.Min.X; x < bounds.Max.X; x += 4 {
			colours[decoded.At(x, y)] = true
		}
	}
	return len(colours) > 10
}

func TestDocumentation(t *testing.T) {
	t.Parallel()
	registry, _ := newShop(t)
	api, err := caphttp.New(registry, caphttp.Options{Prefix: "/api", Docs: swaggerui.New(swaggerui.Options{Title: "Shop"})})
	require.NoError(t, err)
	b := open(t)
	b.do(chromedp.Navigate(listen(t, api)+"/api/docs"), chromedp.WaitVisible(".opblock"))
	operations := b.text("#ui")
	assert.Contains(t, operations, "/orders/{order}")
	assert.Contains(t, operations, "/capabilities/get_order")
	assert.True(t, looksLikeSomething(t, b.picture("docs")))

	const operation = "#operations-default-get_order_rest "
	b.do(
		chromedp.Click(operation+".opblock-summary-control"),
		chromedp.Click(operation+".try-out__btn"),
		chromedp.SendKeys(operation+`input[placeholder="order"]`, "SO-1"),
		chromedp.Click(operation+".execute"),
		chromedp.WaitVisible(operation+".live-responses-table pre"),
	)
	assert.Contains(t, b.text(operation+".live-responses-table"), `"order": "SO-1"`, "a call that was tried out")
	assert.Empty(t, b.complaintsSoFar(), "the policy lets everything through that the page needs")
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, button, state string }{
		{"approve", `button[formaction$="/approve"]`, "approved"},
		{"deny", `button[formaction$="/deny"]`, "denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry, gate := newShop(t)
			token, err := gate.AddApprover(t.Context(), cap.Principal{ID: "eva", Kind: cap.KindHuman}, "")
			require.NoError(t, err)
			_, err = cap.Invoke(t.Context(), registry, dropOrder{Order: "<b>SO-1"}, cap.CallOptions{Principal: &cap.Principal{ID: "bot", Kind: cap.KindAgent}})
			required, ok := asRequired(err)
			require.True(t, ok, "%v", err)
			desk, err := caphttp.NewApprovals(gate, caphttp.ApprovalsOptions{Authenticate: caphttp.Tokens(gate.Authenticate)})
			require.NoError(t, err)

			b := open(t)
			b.signIn("eva", token)
			b.do(chromedp.Navigate(listen(t, desk)+"/approvals"), chromedp.Click("td a"), chromedp.WaitVisible("main > pre"))
			waiting, err := gate.Show(t.Context(), required.Approval)
			require.NoError(t, err)
			assert.Equal(t, waiting.Text, b.text("main > pre"), "word for word")
			b.do(chromedp.SendKeys("form textarea", "seen & understood"))
			assert.True(t, looksLikeSomething(t, b.picture("approvals-"+tt.name)))
			b.do(chromedp.Click(tt.button), chromedp.WaitNotPresent("main > form"))
			page := b.text("body > main")
			assert.Contains(t, page, "State: "+tt.state)
			assert.Contains(t, page, "seen & understood")
			assert.Empty(t, b.complaintsSoFar())
			decided, err := gate.Show(t.Context(), required.Approval)
			require.NoError(t, err)
			assert.Equal(t, tt.state, string(decided.State))
		})
	}
}

// signIn gives the browser a password. That the pages do without scripts is held by their policy, which lets none run.
func (b *browser) signIn(name, password string) {
	b.t.Helper()
	r := &http.Request{Header: http.Header{}}
	r.SetBasicAuth(name, password)
	_, err := chromedp.Call(b, network.Enable, network.EnableParams{})
	require.NoError(b.t, err)
	headers := network.Headers{"Authorization": r.Header.Get("Authorization")}
	_, err = chromedp.Call(b, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: headers})
	require.NoError(b.t, err)
}

func asRequired(err error) (*cap.ConfirmationRequired, bool) {
	failed, ok := errors.AsType[*cap.Error](err)
	if !ok || failed.Confirmation == nil {
		return nil, false
	}
	return failed.Confirmation, true
}
