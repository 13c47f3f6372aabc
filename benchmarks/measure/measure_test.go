package measure_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/benchmarks/measure"
)

func TestMedianAndSpread(t *testing.T) {
	t.Parallel()
	values := []float64{9, 1, 5, 3, 7}
	assert.InDelta(t, 5, measure.Median(values), 1e-9)
	assert.InDelta(t, 0.4, measure.Spread(values), 1e-9)
	assert.Equal(t, []float64{9, 1, 5, 3, 7}, values)
}

func TestExponent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{"linear": 1, "square": 2, "root": 0.5} {
		var points []measure.Point
		for size := 10.0; size < 1e6; size *= 3 {
			points = append(points, measure.Point{Size: size, Cost: 7 * math.Pow(size, want)})
		}
		assert.InDelta(t, want, measure.Exponent(points), 1e-9, name)
	}
}

func TestCompareCountsAllocations(t *testing.T) {
	t.Parallel()
	var kept []byte
	figures, err := measure.Compare(measure.Plan{Rounds: 3, Sample: time.Millisecond}, []measure.Subject{
		{Name: "small", Do: func() error { kept = make([]byte, 1<<10); return nil }},
		{Name: "large", Do: func() error { kept = make([]byte, 1<<16); return nil }},
	})
	require.NoError(t, err)
	require.Len(t, figures, 2)
	assert.InDelta(t, 1, figures[0].Ratio, 1e-9)
	assert.GreaterOrEqual(t, figures[1].Bytes, float64(len(kept)))
}

func TestCompareStopsAtAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := measure.Compare(measure.Plan{Rounds: 1, Sample: time.Millisecond}, []measure.Subject{
		{Name: "bad", Do: func() error { return broken }},
	})
	assert.ErrorIs(t, err, broken)
}
