package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/measure"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

const defaultSample = 20 * time.Millisecond

type settings struct {
	rounds       int
	sample       time.Duration
	only         string
	instructions bool
	out          string
	programs     string
}

func (s settings) plan() measure.Plan { return measure.Plan{Rounds: s.rounds, Sample: s.sample} }

// calls measures the rows of a group with a payload.
func calls(s settings, group rows.Group, p job.Payload) ([]measure.Figures, error) {
	var subjects []measure.Subject
	for _, row := range group.Rows {
		caller, err := row.New()
		if err != nil {
			return nil, err
		}
		defer caller.Close()
		subjects = append(subjects, measure.Subject{Name: row.Name, Do: func() error {
			_, err := caller.Call(p.Body)
			if p.Refused && errors.Is(err, rows.ErrRefused) {
				return nil
			}
			return err
		}})
	}
	figures, err := measure.Compare(s.plan(), subjects)
	if err != nil {
		return nil, err
	}
	if s.instructions && countable(group.Name) {
		for i := range figures {
			if figures[i].Instructions, err = instructions(group.Name, figures[i].Name, p.Name); err != nil {
				return nil, err
			}
		}
	}
	return figures, nil
}

// countable reports whether instructions say what a row costs: not where the kernel does the work, or the client does most.
func countable(group string) bool {
	return group != "loopback" && group != "mcp loopback" && group != "mcp memory"
}

// collected is what callgrind says at its end.
var collected = regexp.MustCompile(`Collected : ([0-9]+)`)

// instructions counts what one call takes: the difference between two runs, so that the start does not count.
func instructions(group, row, payload string) (float64, error) {
	few, many := 20, 120
	switch {
	case payload == "L":
		few, many = 1, 4
	case strings.HasPrefix(group, "mcp"):
		few, many = 10, 40
	}
	a, err := collect(group, row, payload, few)
	if err != nil {
		return 0, err
	}
	b, err := collect(group, row, payload, many)
	return (b - a) / float64(many-few), err
}

// collect runs the loop with the collector off, whose work would depend on the speed of the machine.
func collect(group, row, payload string, n int) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	command := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
		self, "loop", group, row, payload, strconv.Itoa(n))
	// Callgrind stumbles over the signals with which the scheduler interrupts a goroutine.
	command.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	text, err := command.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("callgrind: %w\n%s", err, text)
	}
	found := collected.FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("callgrind said nothing of what it collected:\n%s", text)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
