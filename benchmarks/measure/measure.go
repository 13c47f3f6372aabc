// Package measure compares ways of doing one thing, fairly on a machine that does other things too: rounds in which each way
// has its turn, CPU time instead of the clock, and ratios within a round.
package measure

import (
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Subject is one way of doing the thing.
type Subject struct {
	Name string
	Do   func() error // once
}

// Figures are what a subject cost, a call.
type Figures struct {
	Name          string
	CPU           time.Duration // median of the rounds
	Spread        float64       // half the distance between the quartiles, as a share of the median
	Ratio         float64       // to the base: median of the ratios within a round
	RatioSpread   float64
	Bytes, Allocs float64
	Instructions  float64 // 0 where they were not counted
}

// Plan says how long to measure.
type Plan struct {
	Rounds int
	Sample time.Duration // CPU time of one turn, about
}

// Compare measures subjects side by side. The first one is the base.
func Compare(p Plan, subjects []Subject) ([]Figures, error) {
	turns := make([]turn, len(subjects))
	for i, s := range subjects {
		turns[i].Subject = s
		if err := turns[i].calibrate(p.Sample); err != nil {
			return nil, err
		}
	}
	for round := range p.Rounds {
		for i := range turns {
			// Each round begins with another, so that nobody always follows the same one.
			if err := turns[(i+round)%len(turns)].take(); err != nil {
				return nil, err
			}
		}
	}
	figures := make([]Figures, len(turns))
	for i := range turns {
		figures[i] = turns[i].figures(turns[0].costs)
	}
	return figures, nil
}

type turn struct {
	Subject
	calls         int
	costs         []float64 // nanoseconds a call, by round
	bytes, allocs []float64
}

// calibrate finds how many calls take about as long as a turn should.
func (t *turn) calibrate(sample time.Duration) error {
	for t.calls = 1; ; t.calls *= 2 {
		cpu, _, _, err := t.run()
		if err != nil {
			return err
		}
		if cpu >= sample/2 || t.calls >= 1<<20 {
			return nil
		}
	}
}

func (t *turn) take() error {
	cpu, bytes, allocs, err := t.run()
	n := float64(t.calls)
	t.costs = append(t.costs, float64(cpu)/n)
	t.bytes = append(t.bytes, bytes/n)
	t.allocs = append(t.allocs, allocs/n)
	return err
}

func (t *turn) run() (cpu time.Duration, bytes, allocs float64, err error) {
	runtime.GC() // the garbage of others is not ours to clear away
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := CPU()
	for range t.calls {
		if err = t.Do(); err != nil {
			break
		}
	}
	cpu = CPU() - start
	runtime.ReadMemStats(&after)
	return cpu, float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs), err
}

func (t *turn) figures(base []float64) Figures {
	ratios := make([]float64, len(t.costs))
	for i := range ratios {
		ratios[i] = t.costs[i] / base[i]
	}
	f := Figures{Name: t.Name, Bytes: Median(t.bytes), Allocs: Median(t.allocs)}
	f.CPU, f.Spread = time.Duration(Median(t.costs)), Spread(t.costs)
	f.Ratio, f.RatioSpread = Median(ratios), Spread(ratios)
	return f
}

// CPU is the processor time that this process has taken, all threads, the collector's included.
func CPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return Spent(&usage)
}

// Spent is the processor time in usage.
func Spent(usage *syscall.Rusage) time.Duration {
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Median of values, which are left as they are.
func Median(values []float64) float64 { return quantile(values, 0.5) }

// Spread is half the distance between the quartiles, as a share of the median.
func Spread(values []float64) float64 {
	return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / quantile(values, 0.5)
}

func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (sorted[high]-sorted[low])*(at-float64(low))
}
