package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/seed-369ec62e/cap/benchmarks/measure"
)

const (
	oneItem = `{"sku":"A0000","name":"Bolt","quantity":1,"unit_price":1250}`
	anyone  = "7d444840-9dc0-11d1-b245-5ffdce74fad2"
)

// programs are the command lines, and what is typed. The first one is the base.
var programs = []struct {
	name string
	args []string
}{
	{"cobra", order("create-order-0007", "["+oneItem+"]")},
	{"cap", order("create-order0007", oneItem)},
	{"kong", order("create-order-0007", "["+oneItem+"]")},
	{"bare", nil},
	{"libs", nil},
}

func order(command, items string) []string {
	return []string{
		command, "--customer", anyone, "--email", "ana@example.com", "--currency", "EUR",
		"--channel", "web", "--priority", "2", "--express", "--items", items,
	}
}

// commandLines measures whole processes with n commands.
func commandLines(s settings, n int) ([]measure.Figures, error) {
	costs := make([][]float64, len(programs))
	for round := range 2 * s.rounds {
		for i := range programs {
			at := (i + round) % len(programs)
			cpu, err := runProgram(s.programs, programs[at].name, programs[at].args, n)
			if err != nil {
				return nil, err
			}
			costs[at] = append(costs[at], float64(cpu))
		}
	}
	figures := make([]measure.Figures, len(programs))
	for i, p := range programs {
		figures[i] = measure.Figures{
			Name: p.name, CPU: time.Duration(measure.Median(costs[i])), Spread: measure.Spread(costs[i]),
			Ratio: ratio(costs[i], costs[0]),
		}
	}
	return figures, nil
}

func runProgram(folder, name string, args []string, n int) (time.Duration, error) {
	command := exec.Command(filepath.Join(folder, name), args...)
	command.Env = append(os.Environ(), "BENCH_COMMANDS="+strconv.Itoa(n))
	if text, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, fmt.Errorf("%s: the system does not say what it used", name)
	}
	return measure.Spent(usage), nil
}
