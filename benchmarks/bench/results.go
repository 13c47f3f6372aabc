package main

import (
	"context"
	"slices"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/measure"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

// results are everything that was measured.
type results struct {
	settings settings
	calls    []table
	pipeline []measure.Figures // a capability without fields, beside hand with the small order
	stdio    []stdioTable
	lists    []sized[measure.Figures]
	starts   []oneStart
	lines    []sized[measure.Figures] // command lines
	growth   []curve
}

// table is a group of rows with one payload.
type table struct {
	group   rows.Group
	payload job.Payload
	figures []measure.Figures
}

type stdioTable struct {
	payload job.Payload
	width   int
	figures []stdioFigures
}

// sized are figures for a number of tools or commands.
type sized[T any] struct {
	n       int
	figures []T
}

// oneStart is one registration.
type oneStart struct {
	who    string
	n      int
	spread float64
	registration
}

// sections measure one part each, in the order of the report.
var sections = []struct {
	name string
	run  func(*results) error
}{
	{"pipeline", (*results).measurePipeline},
	{"stdio", (*results).measureStdio},
	{"list", (*results).measureLists},
	{"registration", (*results).measureStarts},
	{"command line", (*results).measureLines},
	{"growth", (*results).measureGrowth},
}

func collectAll(s settings) (*results, error) {
	r := &results{settings: s}
	for _, g := range rows.Groups() {
		if s.wants(g.Name) {
			if err := r.measureCalls(g); err != nil {
				return nil, err
			}
		}
	}
	for _, section := range sections {
		if s.wants(section.name) {
			progress("%s", section.name)
			if err := section.run(r); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

func (r *results) measureCalls(g rows.Group) error {
	for _, p := range job.Payloads() {
		progress("%s %s", g.Name, p.Name)
		figures, err := calls(r.settings, g, p)
		if err != nil {
			return err
		}
		r.calls = append(r.calls, table{g, p, figures})
	}
	return nil
}

// nothing is the contract of a capability that has nothing to read or to write.
type nothing struct {
	cap.Read[cap.None] `cap:"Do nothing; name=nothing; access=public"`
}

func (r *results) measurePipeline() error {
	registry := cap.New(cap.Options{})
	if err := registry.Register(cap.Func(func(context.Context, nothing) (cap.None, error) { return cap.None{}, nil })); err != nil {
		return err
	}
	hand, err := rows.Find("engine", "hand")
	if err != nil {
		return err
	}
	caller, err := hand.New()
	if err != nil {
		return err
	}
	body, empty := payload("S").Body, []byte("{}")
	r.pipeline, err = measure.Compare(r.settings.plan(), []measure.Subject{
		{Name: "hand, S", Do: func() error { _, err := caller.Call(body); return err }},
		{Name: "cap, no fields", Do: func() error {
			_, err := registry.Invoke(context.Background(), "nothing", empty, cap.CallOptions{})
			return err
		}},
	})
	return err
}

func (r *results) measureStdio() error {
	for _, name := range []string{"S", "M", "L"} {
		for _, width := range []int{1, 64} {
			p := payload(name)
			figures, err := stdio(r.settings, p, width)
			if err != nil {
				return err
			}
			r.stdio = append(r.stdio, stdioTable{p, width, figures})
		}
	}
	return nil
}

func (r *results) measureLists() error {
	for _, n := range []int{10, 100, 1000} {
		figures, err := lists(r.settings, n)
		if err != nil {
			return err
		}
		r.lists = append(r.lists, sized[measure.Figures]{n, figures})
	}
	return nil
}

func (r *results) measureStarts() error {
	for _, n := range []int{1, 100, 1000} {
		for _, who := range []string{"huma", "cap", "cap, schemas asked", "go-sdk typed"} {
			one, spread, err := registered(who, n, max(r.settings.rounds/3, 3))
			if err != nil {
				return err
			}
			if !one.Absent {
				r.starts = append(r.starts, oneStart{who, n, spread, one})
			}
		}
	}
	return nil
}

func (r *results) measureLines() error {
	if r.settings.programs == "" {
		progress("command line: no programs were built")
		return nil
	}
	for _, n := range []int{50, 500} {
		figures, err := commandLines(r.settings, n)
		if err != nil {
			return err
		}
		r.lines = append(r.lines, sized[measure.Figures]{n, figures})
	}
	return nil
}

func (r *results) measureGrowth() (err error) {
	r.growth, err = growth(r.settings)
	return err
}

// figure finds what a row of a group cost with a payload.
func (r *results) figure(group, payload, row string) (measure.Figures, bool) {
	for _, t := range r.calls {
		if t.group.Name != group || t.payload.Name != payload {
			continue
		}
		return named(t.figures, row)
	}
	return measure.Figures{}, false
}

func named(figures []measure.Figures, name string) (measure.Figures, bool) {
	i := slices.IndexFunc(figures, func(f measure.Figures) bool { return f.Name == name })
	if i < 0 {
		return measure.Figures{}, false
	}
	return figures[i], true
}
