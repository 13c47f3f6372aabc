package captest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/captest"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	registry := registryOf(t, cap.Options{}, newDesk(nil))
	bad := failing(t, func(t testing.TB) { captest.Check(t, registry) })
	assert.True(t, bad.failed)
	assert.Contains(t, bad.text.String(), "warning: my_books: has no title, which clients show to people (add title= to its tag) [title]\n")
	assert.NotContains(t, bad.text.String(), "note:")

	fewer := failing(t, func(t testing.TB) { captest.Check(t, registry, "title") })
	assert.NotContains(t, fewer.text.String(), "[title]")
}
