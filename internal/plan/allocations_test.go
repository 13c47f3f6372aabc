//go:build !race

// The race detector makes pools forget, which allocates more.

package plan_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// TestAllocations pins what one call allocates: decoding the value itself, its slices and one copy of its texts; encoding
// nothing.
func TestAllocations(t *testing.T) { //nolint:paralleltest // it counts allocations
	p := compile[order](t)
	data := sampleOrder(t, 1)
	v := reflect.New(p.Type).Elem()
	require.Nil(t, p.Decode(data, v, plan.Limits{}))
	dst, issues := p.Encode(nil, v, plan.Limits{})
	require.Nil(t, issues)
	decoding := testing.AllocsPerRun(100, func() { p.Decode(data, reflect.New(p.Type).Elem(), plan.Limits{}) })
	encoding := testing.AllocsPerRun(100, func() { dst, _ = p.Encode(dst[:0], v, plan.Limits{}) })
	assert.LessOrEqual(t, decoding, 6.0)
	assert.LessOrEqual(t, encoding, 0.0)
}
