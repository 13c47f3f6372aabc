package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/benchmarks/many"
	"github.com/seed-369ec62e/cap/benchmarks/many/huma"
	"github.com/seed-369ec62e/cap/benchmarks/many/sdk"
	"github.com/seed-369ec62e/cap/benchmarks/measure"
)

// registrars register the first n capabilities, each with types of its own, and return what holds them: nil where they were
// not built.
var registrars = map[string]func(n int) any{
	"cap": func(n int) any {
		registry := cap.New(cap.Options{})
		if err := registry.Register(many.Services(n)...); err != nil {
			return nil
		}
		return registry
	},
	// Schemas are made when first asked for; a front of HTTP or MCP asks for all.
	"cap, schemas asked": func(n int) any {
		registry := cap.New(cap.Options{})
		if err := registry.Register(many.Services(n)...); err != nil {
			return nil
		}
		for c := range registry.All() {
			_, _ = c.InputSchema(), c.OutputSchema()
		}
		return registry
	},
	"huma":         huma.Register,
	"go-sdk typed": sdk.Register,
}

// registration is what one process measured.
type registration struct {
	CPU             time.Duration
	Allocated, Kept float64
	Absent          bool
}

// registerOnce registers in a fresh process: register <who> <n>.
func registerOnce(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	var before, after, kept runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := measure.CPU()
	held := registrars[args[0]](n)
	r := registration{CPU: measure.CPU() - start, Absent: held == nil}
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&kept)
	runtime.KeepAlive(held)
	r.Allocated = float64(after.TotalAlloc - before.TotalAlloc)
	r.Kept = float64(kept.HeapAlloc) - float64(before.HeapAlloc)
	return json.NewEncoder(os.Stdout).Encode(r)
}

// registered runs registerOnce some times and gives the medians.
func registered(who string, n, rounds int) (r registration, spread float64, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, 0, err
	}
	var cpu, allocated, kept []float64
	for range rounds {
		text, err := exec.Command(self, "register", who, strconv.Itoa(n)).Output()
		if err != nil {
			return r, 0, fmt.Errorf("register %s: %w", who, err)
		}
		if err := json.Unmarshal(text, &r); err != nil || r.Absent {
			return r, 0, err
		}
		cpu, allocated, kept = append(cpu, float64(r.CPU)), append(allocated, r.Allocated), append(kept, r.Kept)
	}
	return registration{CPU: time.Duration(measure.Median(cpu)), Allocated: measure.Median(allocated), Kept: measure.Median(kept)}, measure.Spread(cpu), nil
}
