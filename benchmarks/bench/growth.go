package main

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/many"
	"github.com/seed-369ec62e/cap/benchmarks/measure"
	"github.com/seed-369ec62e/cap/internal/plan"
)

// grow is a contract that grows in every direction.
type grow struct {
	cap.Read[grown] `cap:"Grow; name=grow; access=public"`

	Items []job.Item     `json:"items,omitempty" cap:"Items"`
	Keys  map[string]int `json:"keys,omitempty" cap:"Keys"`
	Node  *node          `json:"node,omitempty" cap:"Depth"`
}

type node struct {
	Node *node `json:"node,omitempty" cap:"Depth"`
}

// grown answers with as much as came in.
type grown struct {
	Items []job.Item     `json:"items" cap:"Items"`
	Keys  map[string]int `json:"keys" cap:"Keys"`
	Node  *node          `json:"node,omitempty" cap:"Depth"`
}

// curve is how the cost of something grows.
type curve struct {
	Name   string
	Points []measure.Point
}

// growth measures all curves.
func growth(s settings) ([]curve, error) {
	registry := cap.New(cap.Options{Limits: cap.Limits{Bytes: 64 << 20}})
	err := registry.Register(cap.Func(func(_ context.Context, in grow) (grown, error) {
		return grown{in.Items, in.Keys, in.Node}, nil
	}))
	if err != nil {
		return nil, err
	}
	curves := []curve{
		{Name: "Invoke by items, 70 B to 28 MB"}, {Name: "Invoke by keys, 26 B to 32 MB"}, {Name: "Invoke by depth, 2 to 62"},
	}
	for i, body := range []struct {
		sizes []int
		of    func(n int) string
	}{
		{[]int{1, 10, 100, 1000, 10_000, 100_000, 330_000}, items},
		{[]int{1, 10, 100, 1000, 10_000, 100_000, 1_500_000}, keys},
		{[]int{1, 4, 16, 61}, depth},
	} {
		for _, n := range body.sizes {
			text := []byte(body.of(n))
			cost, err := cheapest(s, func() error {
				_, err := registry.Invoke(context.Background(), "grow", text, cap.CallOptions{})
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("%s, %d: %w", curves[i].Name, n, err)
			}
			curves[i].Points = append(curves[i].Points, measure.Point{Size: float64(len(text)), Cost: cost})
		}
	}
	more, err := registrationGrowth(s)
	return append(curves, more...), err
}

func items(n int) string {
	body := string(job.Sized(n).Body)
	return "{" + body[strings.Index(body, `"items"`):]
}

func keys(n int) string {
	var b strings.Builder
	b.WriteString(`{"keys":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key-%07d":%d`, i, i)
	}
	return b.String() + "}}"
}

func depth(n int) string {
	return `{"node":` + strings.Repeat(`{"node":`, n-1) + "{}" + strings.Repeat("}", n-1) + "}"
}

// cheapest is the least that f takes, a call: what grows with the load of the machine is no part of the curve.
func cheapest(s settings, f func() error) (float64, error) {
	least := math.Inf(1)
	for range max(s.rounds/3, 3) {
		figures, err := measure.Compare(measure.Plan{Rounds: 1, Sample: s.sample}, []measure.Subject{{Do: f}})
		if err != nil {
			return 0, err
		}
		least = min(least, float64(figures[0].CPU))
	}
	return least, nil
}

// registrationGrowth registers up to 10,000 capabilities, and compiles up to 10,000 distinct rules.
func registrationGrowth(s settings) ([]curve, error) {
	own := curve{Name: "Register by capabilities with types of their own, 10 to 1,000"}
	for _, n := range []int{10, 30, 100, 300, 1000} {
		cost, err := cheapest(s, func() error { return cap.New(cap.Options{}).Register(many.Services(n)...) })
		if err != nil {
			return nil, err
		}
		own.Points = append(own.Points, measure.Point{Size: float64(n), Cost: cost})
	}
	mounted := curve{Name: "Compose by capabilities, 1,000 types mounted under 1,000 to 10,000 names"}
	for _, times := range []int{1, 3, 10} {
		declarations := mounts(times)
		cost, err := cheapest(s, func() error {
			_, err := cap.Compose(cap.Options{}, declarations...)
			return err
		})
		if err != nil {
			return nil, err
		}
		mounted.Points = append(mounted.Points, measure.Point{Size: float64(times * many.Count), Cost: cost})
	}
	rules := curve{Name: "Compile by distinct rules, 100 to 10,000"}
	for _, n := range []int{100, 300, 1000, 3000, 10_000} {
		types := distinctRules(n)
		cost, err := cheapest(s, func() error {
			compiler := plan.New(plan.Config{})
			for _, t := range types {
				if _, problems := compiler.Compile(t); len(problems) > 0 {
					return fmt.Errorf("%v", problems)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		rules.Points = append(rules.Points, measure.Point{Size: float64(n), Cost: cost})
	}
	return []curve{own, mounted, rules}, nil
}

// mounts declares the thousand capabilities so many times, each time under other names.
func mounts(times int) []cap.Declaration {
	var declarations []cap.Declaration
	for i := range times {
		library := cap.NewLibrary(fmt.Sprintf("bench/%d", i), "1.0.0", many.Services(many.Count)...)
		var names []string
		for k := range many.Count {
			names = append(names, fmt.Sprintf("create_order%04d", k))
		}
		selection := library.Select(names...)
		for _, name := range names {
			selection = selection.Rename(name, fmt.Sprintf("%s_%d", name, i))
		}
		declarations = append(declarations, selection)
	}
	return declarations
}

// distinctRules are types of ten fields with n rules in all, no two alike.
func distinctRules(n int) []reflect.Type {
	var types []reflect.Type
	var fields []reflect.StructField
	for i := range n {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[string](),
			Tag: reflect.StructTag(fmt.Sprintf(`json:"f%d" validate:"startswith=p%d"`, i, i)),
		})
		if len(fields) == 10 {
			types = append(types, reflect.StructOf(fields))
			fields = nil
		}
	}
	return types
}
