package main

import (
	"math"

	"github.com/seed-369ec62e/cap/benchmarks/measure"
)

// target is a promise and what came of it. At most unless AtLeast.
type target struct {
	work    string
	want    float64
	atLeast bool
	got     float64 // by CPU time, or what the target counts
	counted float64 // the same by instructions, 0 if they were not counted
	unit    string  // of what: "of hand"
}

func (t target) met() bool {
	if t.atLeast {
		return t.got >= t.want
	}
	return t.got <= t.want
}

// missedBy is how far beyond the target it is, as a share of it.
func (t target) missedBy() float64 {
	if t.atLeast {
		return t.want/t.got - 1
	}
	return t.got/t.want - 1
}

var sizes = []string{"S", "M", "L"}

func (r *results) targets() []target {
	var list []target
	list = append(list, r.compared("Invoke, by reflection", "engine", "cap invoke", "hand", 0.40, 0.32, 0.32)...)
	list = append(list, r.compared("Invoke, as good as it may get", "engine", "cap invoke", "hand", 0.30, 0.25, 0.20)...)
	list = append(list, r.compared("Invoke, typed closure", "engine", "cap handle", "hand", 0.40, 0.32, 0.32)...)
	list = append(list, r.engine()...)
	list = append(list, r.compared("HTTP in process", "http", "cap http", "huma", 0.30, 0.22, 0.22)...)
	list = append(list, r.compared("HTTP in process", "http", "cap http", "hand http", 0.45, 0.33, 0.33)...)
	for _, group := range []string{"mcp lines", "mcp http"} {
		list = append(list, r.compared(group, group, "cap", "mcp-go typed", 0.5, 0.5, 0.5)...)
		list = append(list, r.compared(group, group, "cap", "go-sdk typed", 0.3, 0.3, 0.3)...)
	}
	list = append(list, r.wide()...)
	list = append(list, r.starting()...)
	return append(list, r.linear()...)
}

// compared holds a row against another at the three sizes.
func (r *results) compared(work, group, row, base string, want ...float64) []target {
	var list []target
	for i, size := range sizes {
		if t, ok := r.against(work+", "+size, group, size, row, base, want[i]); ok {
			list = append(list, t)
		}
	}
	return list
}

func (r *results) against(work, group, size, row, base string, want float64) (target, bool) {
	ours, ok := r.figure(group, size, row)
	theirs, also := r.figure(group, size, base)
	if !ok || !also {
		return target{}, false
	}
	t := target{work: work, want: want, got: ours.Ratio / theirs.Ratio, unit: "of " + base}
	if theirs.Instructions > 0 {
		t.counted = ours.Instructions / theirs.Instructions
	}
	return t, true
}

// engine holds what is said of the engine alone.
func (r *results) engine() []target {
	var list []target
	if t, ok := r.against("error path, 3 faults", "engine", "E", "cap invoke", "hand", 0.6); ok {
		list = append(list, t)
	}
	if f, ok := r.figure("engine", "S", "cap invoke"); ok {
		list = append(list, target{work: "Invoke, allocations, S", want: 10, got: math.Round(f.Allocs), unit: "allocations"})
	}
	if f, ok := named(r.pipeline, "cap, no fields"); ok {
		list = append(list, target{work: "the pipeline by itself", want: 2.5 / 20, got: f.Ratio, unit: "of hand, S"})
	}
	return list
}

// wide holds what is said of many calls and many tools at once.
func (r *results) wide() []target {
	var list []target
	for _, t := range r.stdio {
		if t.width != 64 {
			continue
		}
		for _, f := range t.figures {
			if f.Name == "cap" {
				list = append(list, target{
					work: "stdio, 64 in flight, " + t.payload.Name, want: 3, atLeast: true, got: 1 / f.WallRatio, unit: "times mcp-go's rate",
				})
			}
		}
	}
	for _, l := range r.lists {
		if f, ok := named(l.figures, "cap"); ok && l.n == 1000 {
			list = append(list, target{work: "tools/list of 1,000", want: 0.05, got: f.Ratio, unit: "of go-sdk raw"})
		}
	}
	return list
}

// starting holds what is said of starting a program.
func (r *results) starting() []target {
	var list []target
	ours, theirs := r.startOf("cap", 1000), r.startOf("huma", 1000)
	if ours.CPU > 0 && theirs.CPU > 0 {
		list = append(
			list,
			target{work: "registration of 1,000, CPU", want: 0.5, got: float64(ours.CPU) / float64(theirs.CPU), unit: "of huma"},
			target{work: "registration of 1,000, bytes kept", want: 0.5, got: ours.Kept / theirs.Kept, unit: "of huma"},
		)
	}
	for _, l := range r.lines {
		if f, ok := named(l.figures, "cap"); ok {
			list = append(list, target{work: "command line, one of " + thousands(float64(l.n)), want: 1.3, got: f.Ratio, unit: "of cobra"})
		}
	}
	return list
}

func (r *results) startOf(who string, n int) oneStart {
	for _, s := range r.starts {
		if s.who == who && s.n == n {
			return s
		}
	}
	return oneStart{}
}

func (r *results) linear() []target {
	var list []target
	for _, c := range r.growth {
		list = append(list, target{work: "growth: " + c.Name, want: 1.1, got: measure.Exponent(c.Points), unit: "as exponent"})
	}
	return list
}
