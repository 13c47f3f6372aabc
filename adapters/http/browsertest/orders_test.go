package browsertest_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveOrders builds the example, lets it serve until the test ends, and returns its address.
func serveOrders(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "orders")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./orders")
	build.Dir = filepath.Join("..", "..", "..", "examples")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	server := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0")
	server.Dir = dir
	told, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Wait() }) // the end of the test's context has killed it
	lines := bufio.NewScanner(told)
	require.True(t, lines.Scan(), "the server says where it listens")
	address := regexp.MustCompile(`http://\S+`).FindString(lines.Text())
	require.NotEmpty(t, address, lines.Text())
	return address
}

// What the program of the example serves at /docs shows its capabilities, and calls one.
func TestDocumentationOfTheExample(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.do(chromedp.Navigate(serveOrders(t)+"/docs"), chromedp.WaitVisible(".opblock"))
	operations := b.text("#ui")
	assert.Contains(t, operations, "/orders/{order}")
	assert.Contains(t, operations, "/capabilities/list_orders")
	assert.True(t, looksLikeSomething(t, b.picture("docs-orders")))

	const operation = "#operations-default-get_order_rest "
	b.do(
		chromedp.Click(operation+".opblock-summary-control"),
		chromedp.Click(operation+".try-out__btn"),
		chromedp.SendKeys(operation+`input[placeholder="order"]`, "SO-1001"),
		chromedp.Click(operation+".execute"),
		chromedp.WaitVisible(operation+".live-responses-table pre"),
	)
	assert.Contains(t, b.text(operation+".live-responses-table"), `"customer": "ana"`, "a call that was tried out")
	assert.Empty(t, b.complaintsSoFar())
}
