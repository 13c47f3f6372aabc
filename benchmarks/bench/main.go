// Command bench runs all comparisons and writes RESULTS.md.
//
// It also is what it starts: a server that is measured from outside, one registration in a process of its own, and a loop
// that callgrind counts the instructions of.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) > 1 {
		if inner, ok := innerCommands[os.Args[1]]; ok {
			if err := inner(os.Args[2:]); err != nil {
				log.Fatal(err)
			}
			return
		}
	}
	s := settings{}
	flag.IntVar(&s.rounds, "rounds", 15, "rounds of each comparison")
	flag.DurationVar(&s.sample, "sample", defaultSample, "CPU time of one turn in a round")
	flag.StringVar(&s.only, "only", "", "sections to run, separated by commas; empty means all")
	flag.BoolVar(&s.instructions, "instructions", true, "count instructions with callgrind, where valgrind is installed")
	flag.StringVar(&s.out, "out", "RESULTS.md", "where to write; - is standard output")
	flag.StringVar(&s.programs, "programs", "", "folder with the built command lines")
	flag.Parse()
	if err := run(s); err != nil {
		log.Fatal(err)
	}
}

// innerCommands are the processes that bench starts.
var innerCommands = map[string]func(args []string) error{
	"loop":     loop,
	"serve":    serve,
	"register": registerOnce,
}

// loop does the job n times: loop <group> <row> <payload> <n>.
func loop(args []string) error {
	row, err := rows.Find(args[0], args[1])
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	caller, err := row.New()
	if err != nil {
		return err
	}
	defer caller.Close()
	body := payload(args[2]).Body
	for range n {
		if _, err := caller.Call(body); err != nil && !errors.Is(err, rows.ErrRefused) {
			return err
		}
	}
	return nil
}

func payload(name string) job.Payload {
	for _, p := range job.Payloads() {
		if p.Name == name {
			return p
		}
	}
	return job.Payload{}
}

// serve answers on standard input and output: serve <server>.
func serve(args []string) error {
	server, ok := rows.LineServers()[args[0]]
	if !ok {
		return fmt.Errorf("no server %q", args[0])
	}
	return server()
}

// wants reports whether a section is to be run.
func (s settings) wants(section string) bool {
	if s.only == "" {
		return true
	}
	for name := range strings.SplitSeq(s.only, ",") {
		if name == section {
			return true
		}
	}
	return false
}
