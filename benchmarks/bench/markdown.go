package main

import (
	"debug/buildinfo"
	_ "embed"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap/benchmarks/measure"
)

// notes say where the time goes. They are written by hand, after looking.
//
//go:embed notes.md
var notes string

// peers are the modules whose versions the report names.
var peers = []string{
	"github.com/danielgtaylor/huma/v2", "github.com/go-fuego/fuego", "github.com/modelcontextprotocol/go-sdk",
	"github.com/mark3labs/mcp-go", "github.com/go-playground/validator/v10", "github.com/spf13/cobra", "github.com/alecthomas/kong",
}

// page is Markdown while it is written.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// row writes one row of a table.
func (p *page) row(cells ...string) { p.line("| %s |", strings.Join(cells, " | ")) }

// head begins a table.
func (p *page) head(title string, cells ...string) {
	p.line("\n%s\n", title)
	p.row(cells...)
	p.line("|%s", strings.Repeat("---|", len(cells)))
}

func (r *results) markdown() string {
	p := &page{}
	p.line("# Results\n\nWritten by `make bench`; do not edit. One job, `create_order`: the same bytes in, the same receipt out.\n")
	r.writeSetting(p)
	r.writeTargets(p)
	p.line("\n%s", strings.TrimSpace(notes))
	for _, t := range r.calls {
		writeCalls(p, t)
	}
	r.writePipeline(p)
	r.writeStdio(p)
	r.writeLists(p)
	r.writeStarts(p)
	r.writeLines(p)
	r.writeGrowth(p)
	return p.String()
}

func (r *results) writeSetting(p *page) {
	p.line("Machine: %d cores, %s/%s, %s. Medians of %d rounds; in a round every row has its turn of about %s of CPU time.",
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), r.settings.rounds, r.settings.sample)
	p.line("CPU time is of all threads, the collector's included; ± is half the distance between the quartiles. Ratios are taken within a round.")
	p.line("Instructions are counted by callgrind with the collector off, on one thread; 0 where they were not counted.")
	p.line("S, M and L are bodies of %d, %s and %s bytes, E is S with three faults.",
		len(payload("S").Body), thousands(float64(len(payload("M").Body))), thousands(float64(len(payload("L").Body))))
	p.head("## Versions", "module", "version")
	linked := r.versions()
	for _, peer := range peers {
		if version := linked[peer]; version != "" {
			p.row(peer, version)
		}
	}
}

// versions are those of the modules that this program and the command lines are built with.
func (r *results) versions() map[string]string {
	var built []*debug.BuildInfo
	if info, ok := debug.ReadBuildInfo(); ok {
		built = append(built, info)
	}
	for _, program := range programs {
		if info, err := buildinfo.ReadFile(filepath.Join(r.settings.programs, program.name)); err == nil {
			built = append(built, info)
		}
	}
	versions := map[string]string{}
	for _, info := range built {
		for _, module := range info.Deps {
			versions[module.Path] = module.Version
		}
	}
	return versions
}

func (r *results) writeTargets(p *page) {
	p.head("## Targets", "work", "target", "CPU", "instructions", "")
	for _, t := range r.targets() {
		verdict := "met"
		if !t.met() {
			verdict = fmt.Sprintf("**missed by %.0f %%**", 100*t.missedBy())
		}
		bound := "at most"
		if t.atLeast {
			bound = "at least"
		}
		counted := ""
		if t.counted > 0 {
			counted = number(t.counted)
		}
		p.row(t.work, fmt.Sprintf("%s %s %s", bound, number(t.want), t.unit), number(t.got), counted, verdict)
	}
}

func writeCalls(p *page, t table) {
	p.head(fmt.Sprintf("## %s: %s", t.group.Title, t.payload.Name),
		"row", "CPU", "±", "× "+t.group.Base, "±", "instructions", "× "+t.group.Base, "bytes", "allocations")
	for _, f := range t.figures {
		counted, ratio := "", ""
		if f.Instructions > 0 {
			counted, ratio = thousands(f.Instructions), number(f.Instructions/t.figures[0].Instructions)
		}
		p.row(f.Name, span(f.CPU), percent(f.Spread), number(f.Ratio), percent(f.RatioSpread), counted, ratio, thousands(f.Bytes), thousands(f.Allocs))
	}
}

func (r *results) writePipeline(p *page) {
	if len(r.pipeline) > 0 {
		writeFigures(p, "## The pipeline by itself: a capability that reads and writes nothing", "hand, S", r.pipeline)
	}
}

func writeFigures(p *page, title, base string, figures []measure.Figures) {
	p.head(title, "row", "CPU", "±", "× "+base, "±", "bytes", "allocations")
	for _, f := range figures {
		p.row(f.Name, span(f.CPU), percent(f.Spread), number(f.Ratio), percent(f.RatioSpread), thousands(f.Bytes), thousands(f.Allocs))
	}
}

func (r *results) writeStdio(p *page) {
	for _, t := range r.stdio {
		p.head(fmt.Sprintf("## MCP over stdio, processes of their own: %s, %d in flight", t.payload.Name, t.width),
			"server", "clock, a call", "±", "calls/s", "× mcp-go", "server's CPU", "× mcp-go")
		for _, f := range t.figures {
			p.row(f.Name, span(f.Wall), percent(f.Spread), thousands(float64(time.Second)/float64(f.Wall)), number(f.WallRatio), span(f.CPU), number(f.CPURat))
		}
	}
}

func (r *results) writeLists(p *page) {
	for _, l := range r.lists {
		writeFigures(p, fmt.Sprintf("## tools/list with %s tools", thousands(float64(l.n))), "go-sdk raw", l.figures)
	}
}

func (r *results) writeStarts(p *page) {
	if len(r.starts) == 0 {
		return
	}
	p.head("## Registration, a process of its own each time", "row", "capabilities", "CPU", "±", "× huma", "bytes allocated", "bytes kept", "kept, each")
	for _, s := range r.starts {
		ratio := ""
		if base := r.startOf("huma", s.n); base.CPU > 0 {
			ratio = number(float64(s.CPU) / float64(base.CPU))
		}
		p.row(s.who, thousands(float64(s.n)), span(s.CPU), percent(s.spread), ratio, thousands(s.Allocated), thousands(s.Kept), thousands(s.Kept/float64(s.n)))
	}
}

func (r *results) writeLines(p *page) {
	for _, l := range r.lines {
		p.head(fmt.Sprintf("## Command line, one of %d commands, a whole process", l.n), "program", "CPU", "±", "× cobra")
		for _, f := range l.figures {
			p.row(f.Name, span(f.CPU), percent(f.Spread), number(f.Ratio))
		}
	}
}

func (r *results) writeGrowth(p *page) {
	if len(r.growth) == 0 {
		return
	}
	p.head("## Growth", "what", "exponent", "size: cost")
	for _, c := range r.growth {
		var points []string
		for _, point := range c.Points {
			points = append(points, fmt.Sprintf("%s: %s", thousands(point.Size), span(time.Duration(point.Cost))))
		}
		p.row(c.Name, number(measure.Exponent(c.Points)), strings.Join(points, ", "))
	}
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// number shows three digits.
func number(f float64) string {
	switch {
	case f >= 100:
		return thousands(f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	default:
		return fmt.Sprintf("%.2f", f)
	}
}

// span shows three digits of a time.
func span(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= unit.of {
			return number(float64(d)/float64(unit.of)) + " " + unit.name
		}
	}
	return fmt.Sprintf("%d ns", d.Nanoseconds())
}

// thousands groups digits.
func thousands(f float64) string {
	text := fmt.Sprintf("%.0f", f)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
