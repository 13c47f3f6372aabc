package main

import (
	"fmt"
	"os"

	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

func run(s settings) error {
	for _, g := range rows.Groups() {
		if !s.wants(g.Name) {
			continue
		}
		for _, p := range job.Payloads() {
			figures, err := calls(s, g, p)
			if err != nil {
				return err
			}
			for _, f := range figures {
				fmt.Fprintf(os.Stderr, "%-12s %s %-14s %10s ±%3.0f%%  x%.2f ±%3.0f%%  %9.0f B %6.0f allocs %12.0f instr x%.3f\n", g.Name, p.Name, f.Name, f.CPU, 100*f.Spread, f.Ratio, 100*f.RatioSpread, f.Bytes, f.Allocs, f.Instructions, f.Instructions/figures[0].Instructions)
			}
		}
	}
	return nil
}
