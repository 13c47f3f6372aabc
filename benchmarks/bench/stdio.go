package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/measure"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

// stdioServers are measured as processes of their own. The first one is the base.
var stdioServers = []string{"mcp-go typed", "cap", "go-sdk typed", "go-sdk raw"}

// stdioFigures are what one server does with so many calls outstanding.
type stdioFigures struct {
	Name              string
	Wall, CPU         time.Duration // a call; CPU is the server's alone
	Spread            float64       // of Wall
	WallRatio, CPURat float64       // to the base
}

// stdio measures every server with width calls outstanding.
func stdio(s settings, p job.Payload, width int) ([]stdioFigures, error) {
	var servers []*process
	for _, name := range stdioServers {
		server, err := start(name)
		if err != nil {
			return nil, err
		}
		defer server.stop()
		servers = append(servers, server)
	}
	wall, cpu := make([][]float64, len(servers)), make([][]float64, len(servers))
	for round := range s.rounds {
		for i := range servers {
			at := (i + round) % len(servers)
			w, c, err := servers[at].burst(p.Body, width, s.burst(p))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", stdioServers[at], err)
			}
			wall[at], cpu[at] = append(wall[at], w), append(cpu[at], c)
		}
	}
	figures := make([]stdioFigures, len(servers))
	for i := range figures {
		f := stdioFigures{Name: stdioServers[i], Spread: measure.Spread(wall[i])}
		f.Wall, f.CPU = time.Duration(measure.Median(wall[i])), time.Duration(measure.Median(cpu[i]))
		f.WallRatio, f.CPURat = ratio(wall[i], wall[0]), ratio(cpu[i], cpu[0])
		figures[i] = f
	}
	return figures, nil
}

// burst is how many calls one turn has.
func (s settings) burst(p job.Payload) int {
	if len(p.Body) > 10_000 {
		return 20
	}
	return 400
}

// ratio is the median of the ratios within a round.
func ratio(values, base []float64) float64 {
	ratios := make([]float64, len(values))
	for i := range ratios {
		ratios[i] = values[i] / base[i]
	}
	return measure.Median(ratios)
}

// process is a server and the client's end of its streams.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	id      int
}

func start(name string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(self, "serve", name)
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &process{command: command, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if _, err := io.WriteString(in, rows.Handshake); err != nil {
		return nil, err
	}
	if _, err := p.out.ReadSlice('\n'); err != nil {
		return nil, err
	}
	_, err = io.WriteString(in, rows.Initialized)
	return p, err
}

func (p *process) stop() {
	_ = p.in.Close()
	_ = p.command.Wait()
}

// burst makes n calls with width of them outstanding, and gives what each took.
func (p *process) burst(body []byte, width, n int) (wall, cpu float64, err error) {
	written := make(chan error, 1)
	slots := make(chan struct{}, width)
	before, began := p.cpu(), time.Now()
	go func() { written <- p.write(body, n, slots) }()
	for range n {
		line, err := p.out.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		if !bytes.Contains(line, []byte(`"result":`)) {
			return 0, 0, fmt.Errorf("no result: %s", line)
		}
		<-slots
	}
	if err := <-written; err != nil {
		return 0, 0, err
	}
	return float64(time.Since(began)) / float64(n), float64(p.cpu()-before) / float64(n), nil
}

func (p *process) write(body []byte, n int, slots chan<- struct{}) error {
	var line []byte
	for range n {
		slots <- struct{}{}
		p.id++
		line = append(rows.AppendCall(line[:0], p.id, body), '\n')
		if _, err := p.in.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// cpu is the processor time of all threads of the server, to the nanosecond.
func (p *process) cpu() time.Duration {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.command.Process.Pid))
	var sum int64
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has just ended
		}
		first, _, _ := strings.Cut(string(text), " ")
		ran, _ := strconv.ParseInt(first, 10, 64)
		sum += ran
	}
	return time.Duration(sum)
}
