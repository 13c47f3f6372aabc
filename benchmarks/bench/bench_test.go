package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/measure"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

func TestTargetsAreHeldAgainstTheRightRows(t *testing.T) {
	t.Parallel()
	group := rows.Groups()[0]
	r := &results{calls: []table{{group, job.Payload{Name: "S"}, []measure.Figures{
		{Name: "hand", Ratio: 1, Instructions: 1000},
		{Name: "cap invoke", Ratio: 0.5, Instructions: 250, Allocs: 9},
	}}}}
	targets := r.targets()
	require.Len(t, targets, 3)
	assert.False(t, targets[0].met())
	assert.InDelta(t, 0.25, targets[0].missedBy(), 1e-9)
	assert.InDelta(t, 0.25, targets[0].counted, 1e-9)
	assert.True(t, targets[2].met(), "allocations")
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	slow := target{want: 3, got: 2, atLeast: true}
	assert.False(t, slow.met())
	assert.InDelta(t, 0.5, slow.missedBy(), 1e-9)
}

func TestNumbersAreReadable(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "1,234,567", thousands(1_234_567))
	assert.Equal(t, "-1,234", thousands(-1234))
	assert.Equal(t, "12.3 µs", span(12_345*time.Nanosecond))
	assert.Equal(t, "0.25", number(0.25))
}

func TestListsOfAllServersHoldEveryTool(t *testing.T) {
	t.Parallel()
	figures, err := lists(settings{rounds: 1, sample: time.Millisecond}, 10)
	require.NoError(t, err)
	assert.Len(t, figures, 4)
}
