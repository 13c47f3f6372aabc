package rules

import (
	"encoding/binary"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A Pattern is a regular expression of the common subset of RE2 and ECMA-262 with the u flag, compiled to a table: one look-up
// a character, where a regexp match costs hundreds. A pattern whose table would grow too large keeps its regexp.
type Pattern struct {
	Source string

	ascii   [utf8.RuneSelf]uint8 // class of each ASCII character
	bounds  []rune               // where the class of the other characters changes, ascending
	classes []uint8              // classes[i] is the class from bounds[i] on
	width   int                  // number of classes
	next    []uint16             // next[state*width+class]
	accept  []bool               // states that match when the text ends there

	slow *regexp.Regexp
}

// States with a fixed meaning.
const (
	dead    = 0 // nothing can match any more
	matched = 1 // everything matches from here
	initial = 2
)

// maxClasses is what a byte can number.
const maxClasses = 1 << 8

// maxTable bounds the table of a pattern, in entries.
const maxTable = 1 << 15

// newPattern compiles source.
func newPattern(source string) (*Pattern, error) {
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	p := &Pattern{Source: source}
	if !p.tabulate(program) {
		p.slow, err = regexp.Compile(source)
	}
	return p, err
}

// Match reports whether s matches p.
func (p *Pattern) Match(s string) bool {
	if p.slow != nil {
		return p.slow.MatchString(s)
	}
	state := initial
	for i := 0; i < len(s); {
		class := uint8(0)
		if c := s[i]; c < utf8.RuneSelf {
			class = p.ascii[c]
			i++
		} else {
			r, size := utf8.DecodeRuneInString(s[i:])
			class = p.classOf(r)
			i += size
		}
		state = int(p.next[state*p.width+int(class)])
		if state <= matched {
			return state == matched
		}
	}
	return p.accept[state]
}

// String returns the source.
func (p *Pattern) String() string { return p.Source }

func (p *Pattern) classOf(r rune) uint8 {
	i, exact := slices.BinarySearch(p.bounds, r)
	if !exact {
		i--
	}
	return p.classes[i]
}

// tabulate builds the table, and reports false when the program needs more than one can say, or more room than it is worth.
func (p *Pattern) tabulate(program *syntax.Prog) bool {
	for i := range program.Inst {
		inst := &program.Inst[i]
		if inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
			return false
		}
	}
	samples := p.classify(program)
	if len(samples) > maxClasses {
		return false
	}
	t := &tabulation{program: program, pattern: p, seen: map[string]uint16{}, visited: make([]uint32, len(program.Inst))}
	p.next = make([]uint16, initial*p.width, 64*p.width)
	for c := range p.width {
		p.next[matched*p.width+c] = matched
	}
	p.accept = []bool{false, true}
	t.after = append(t.after, uint32(program.Start))
	t.state(t.closure(syntax.EmptyBeginText), syntax.EmptyBeginText)
	for at := 0; at < len(t.sets); at++ {
		if len(t.sets)*p.width > maxTable {
			return false
		}
		for class, sample := range samples {
			p.next[(at+initial)*p.width+class] = t.step(t.sets[at], sample)
		}
	}
	return true
}

// classify divides all characters into classes that no instruction tells apart, and returns a character of each.
func (p *Pattern) classify(program *syntax.Prog) []rune {
	edges := []rune{0, utf8.RuneSelf}
	for i := range program.Inst {
		inst := &program.Inst[i]
		switch inst.Op {
		case syntax.InstRune1:
			edges = append(edges, inst.Rune[0], inst.Rune[0]+1)
		case syntax.InstRune:
			edges = appendEdges(edges, inst)
		case syntax.InstRuneAnyNotNL:
			edges = append(edges, '\n', '\n'+1)
		default: // reads any character, or none
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	known := map[string]uint8{}
	var samples []rune
	for i, r := range edges {
		key := signature(program, r)
		class, ok := known[key]
		if !ok {
			class = uint8(len(samples))
			known[key] = class
			samples = append(samples, r)
		}
		end := rune(utf8.RuneSelf)
		if i+1 < len(edges) {
			end = edges[i+1]
		}
		for a := r; a < end && a < utf8.RuneSelf; a++ {
			p.ascii[a] = class
		}
		if r >= utf8.RuneSelf && (len(p.classes) == 0 || p.classes[len(p.classes)-1] != class) {
			p.bounds, p.classes = append(p.bounds, r), append(p.classes, class)
		}
	}
	p.width = len(samples)
	return samples
}

func appendEdges(edges []rune, inst *syntax.Inst) []rune {
	if len(inst.Rune) == 1 { // one character, with its case folds
		for r := inst.Rune[0]; ; {
			edges = append(edges, r, r+1)
			if r = unicode.SimpleFold(r); r == inst.Rune[0] {
				return edges
			}
		}
	}
	for i := 0; i+1 < len(inst.Rune); i += 2 {
		edges = append(edges, inst.Rune[i], inst.Rune[i+1]+1)
	}
	return edges
}

// signature tells which instructions take r.
func signature(program *syntax.Prog, r rune) string {
	bits := make([]byte, len(program.Inst)/8+1)
	for i := range program.Inst {
		if reads(&program.Inst[i], r) {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return string(bits)
}

func reads(inst *syntax.Inst, r rune) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return inst.MatchRune(r)
	default:
		return false
	}
}

// tabulation turns sets of instructions into states.
type tabulation struct {
	program *syntax.Prog
	pattern *Pattern
	sets    [][]uint32
	seen    map[string]uint16

	// Room that is used again and again.
	after, set []uint32
	key        []byte
	visited    []uint32 // by instruction: the round that came by last
	round      uint32
}

// step returns the state after set has read r.
func (t *tabulation) step(set []uint32, r rune) uint16 {
	t.after = t.after[:0]
	for _, pc := range set {
		if inst := &t.program.Inst[pc]; reads(inst, r) {
			t.after = append(t.after, inst.Out)
		}
	}
	// A pattern that is not anchored may also start here; an anchored one dies at its first instruction.
	t.after = append(t.after, uint32(t.program.Start))
	return t.state(t.closure(0), 0)
}

// state returns the number of set, making it when it is new.
func (t *tabulation) state(set []uint32, flags syntax.EmptyOp) uint16 {
	for _, pc := range set {
		if t.program.Inst[pc].Op == syntax.InstMatch {
			if flags == 0 {
				return matched
			}
		}
	}
	if len(set) == 0 && flags == 0 {
		return dead
	}
	t.key = t.key[:0]
	for _, pc := range set {
		t.key = binary.LittleEndian.AppendUint32(t.key, pc)
	}
	if number, ok := t.seen[string(t.key)]; ok && flags == 0 {
		return number
	}
	number := uint16(len(t.sets) + initial)
	if flags == 0 {
		t.seen[string(t.key)] = number
	}
	t.sets = append(t.sets, slices.Clone(set))
	t.pattern.next = append(t.pattern.next, make([]uint16, t.pattern.width)...)
	t.pattern.accept = append(t.pattern.accept, t.accepts(t.sets[len(t.sets)-1], flags))
	return number
}

func (t *tabulation) accepts(set []uint32, flags syntax.EmptyOp) bool {
	t.after = append(t.after[:0], set...)
	for _, pc := range t.closure(flags | syntax.EmptyEndText) {
		if t.program.Inst[pc].Op == syntax.InstMatch {
			return true
		}
	}
	return false
}

// closure follows, from the instructions in after, what needs no character. It returns what is left: instructions that read
// one, a match, and waits for the end of the text. The result is good until the next call.
func (t *tabulation) closure(flags syntax.EmptyOp) []uint32 {
	t.round++
	t.set = t.set[:0]
	for len(t.after) > 0 {
		pc := t.after[len(t.after)-1]
		t.after = t.after[:len(t.after)-1]
		if t.visited[pc] == t.round {
			continue
		}
		t.visited[pc] = t.round
		inst := &t.program.Inst[pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			t.after = append(t.after, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			t.after = append(t.after, inst.Out)
		case syntax.InstEmptyWidth:
			switch need := syntax.EmptyOp(inst.Arg); {
			case need&^flags == 0:
				t.after = append(t.after, inst.Out)
			case need&syntax.EmptyBeginText == 0 || flags&syntax.EmptyBeginText != 0:
				t.set = append(t.set, pc)
			}
		case syntax.InstFail:
		default:
			t.set = append(t.set, pc)
		}
	}
	slices.Sort(t.set)
	return t.set
}
