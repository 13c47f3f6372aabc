package jsonvalue

// A Reader walks over one document. It is a value that its user owns: it allocates only where a string has escapes or an
// object has many names.
type Reader struct {
	Data     []byte
	Pos      int
	MaxDepth int
	Depth    int  // how many objects and arrays are open
	Path     Path // where the reader is, as far as it was pushed

	Reason string // what was expected, after Syntax

	scratch []byte
	names   []name
}

// A Sink is told of the faults that do not end the reading.
type Sink interface {
	Fault(f Fault, offset int)
}

// Reset makes r read data from its start and keeps its buffers.
func (r *Reader) Reset(data []byte, maxDepth int) {
	*r = Reader{Data: data, MaxDepth: maxDepth, Path: r.Path[:0], scratch: r.scratch[:0], names: r.names[:0]}
}

// maxKept bounds the buffers that Release keeps.
const maxKept = 1 << 16

// Release drops the document, so that r can be kept for another without holding it in memory.
func (r *Reader) Release() {
	clear(r.names[:cap(r.names)])
	clear(r.Path[:cap(r.Path)])
	if cap(r.scratch) > maxKept {
		r.scratch = nil
	}
	if cap(r.names) > maxKept/32 {
		r.names = nil
	}
	r.Reset(nil, 0)
}

// Space passes over white space.
func (r *Reader) Space() {
	for r.Pos < len(r.Data) {
		switch r.Data[r.Pos] {
		case ' ', '\t', '\n', '\r':
			r.Pos++
		default:
			return
		}
	}
}

// Peek passes over white space and returns the byte that follows, 0 at the end.
func (r *Reader) Peek() byte {
	if r.Pos < len(r.Data) {
		if c := r.Data[r.Pos]; c > ' ' {
			return c
		}
	}
	return r.peekSlow()
}

func (r *Reader) peekSlow() byte {
	r.Space()
	if r.Pos < len(r.Data) {
		return r.Data[r.Pos]
	}
	return 0
}

// Fail notes what was expected here and returns Syntax.
func (r *Reader) Fail(reason string) Fault {
	r.Reason = reason
	if r.Pos >= len(r.Data) {
		r.Reason = "the document ends early"
	}
	return Syntax
}

// Open enters the object or array whose first byte is here.
func (r *Reader) Open() Fault {
	if r.Depth >= r.MaxDepth {
		return Depth
	}
	r.Depth++
	r.Pos++
	return OK
}

// First reports whether the object or array that was just opened has a member; else it leaves it.
func (r *Reader) First(closing byte) bool {
	if r.Peek() == closing {
		r.Pos++
		r.Depth--
		return false
	}
	return true
}

// Next passes over the comma and reports whether another member follows; else it leaves the object or array.
func (r *Reader) Next(closing byte) (more bool, fault Fault) {
	switch r.Peek() {
	case ',':
		r.Pos++
		return true, OK
	case closing:
		r.Pos++
		r.Depth--
		return false, OK
	default:
		if closing == '}' {
			return false, r.Fail("a comma or a closing brace is expected")
		}
		return false, r.Fail("a comma or a closing bracket is expected")
	}
}

// Name reads a member's name and the colon behind it. The text is valid until the next string is read. The fault may be
// UTF8 or Surrogate, after which reading goes on. start is where the name's literal begins.
func (r *Reader) Name() (text []byte, start int, fault Fault) {
	if r.Peek() != '"' {
		return nil, r.Pos, r.Fail("a name in quotes is expected")
	}
	start = r.Pos
	text, fault = r.Text()
	if fault == Syntax {
		return nil, start, fault
	}
	if r.Peek() != ':' {
		return nil, start, r.Fail("a colon is expected")
	}
	r.Pos++
	return text, start, fault
}

// Word passes over true, false or null.
func (r *Reader) Word(word string) Fault {
	if len(r.Data)-r.Pos < len(word) || string(r.Data[r.Pos:r.Pos+len(word)]) != word {
		return r.Fail("a value is expected")
	}
	r.Pos += len(word)
	return OK
}

// End passes over white space and reports Syntax unless the document ends.
func (r *Reader) End() Fault {
	r.Space()
	if r.Pos < len(r.Data) {
		return r.Fail("nothing may follow the value")
	}
	return OK
}

// Skip passes over the value that begins here, after white space. Only Syntax and Depth are returned. The other faults go
// to sink, with Path pointing at the value; with a nil sink nobody looks for them.
func (r *Reader) Skip(sink Sink) Fault {
	switch c := r.Peek(); c {
	case '{':
		return r.skipObject(sink)
	case '[':
		return r.skipArray(sink)
	case '"':
		return r.skipText(sink)
	case 't':
		return r.Word("true")
	case 'f':
		return r.Word("false")
	case 'n':
		return r.Word("null")
	default:
		return r.skipNumber(sink)
	}
}

func (r *Reader) skipText(sink Sink) Fault {
	start := r.Pos
	_, fault := r.Text()
	return r.pass(fault, start, sink)
}

func (r *Reader) skipNumber(sink Sink) Fault {
	start := r.Pos
	n, fault := r.Number()
	if fault == OK && sink != nil {
		fault = n.Check()
	}
	return r.pass(fault, start, sink)
}

// pass hands a fault that does not end the reading to sink, and returns the others.
func (r *Reader) pass(fault Fault, at int, sink Sink) Fault {
	if fault == OK || fault == Syntax || fault == Depth {
		return fault
	}
	if sink != nil {
		sink.Fault(fault, at)
	}
	return OK
}

func (r *Reader) skipArray(sink Sink) Fault {
	if fault := r.Open(); fault != OK {
		return fault
	}
	if !r.First(']') {
		return OK
	}
	r.Path.Push()
	for i := 0; ; i++ {
		r.Path.Index(i)
		if fault := r.Skip(sink); fault != OK {
			return fault
		}
		more, fault := r.Next(']')
		if fault != OK {
			return fault
		}
		if !more {
			r.Path.Pop()
			return OK
		}
	}
}

func (r *Reader) skipObject(sink Sink) Fault {
	if fault := r.Open(); fault != OK {
		return fault
	}
	if !r.First('}') {
		return OK
	}
	set := nameSet{base: len(r.names)}
	r.Path.Push()
	for {
		text, start, fault := r.Name()
		if fault == Syntax {
			return fault
		}
		r.Path.Literal(start)
		if fault := r.pass(fault, start, sink); fault != OK {
			return fault
		}
		if sink != nil && !set.add(r, text, start) {
			sink.Fault(Duplicate, start)
		}
		if fault := r.Skip(sink); fault != OK {
			return fault
		}
		more, fault := r.Next('}')
		if fault != OK {
			return fault
		}
		if !more {
			r.Path.Pop()
			r.names = r.names[:set.base]
			return OK
		}
	}
}

// Check reads the whole of data and returns its first fault, nil if it has none. Zero depth means DefaultDepth.
func Check(data []byte, depth int) *Error {
	r := Reader{Data: data, MaxDepth: orDefault(depth)}
	first := &firstFault{reader: &r}
	fault := r.Skip(first)
	if fault == OK {
		fault = r.End()
	}
	if fault != OK && first.err == nil {
		first.Fault(fault, r.Pos)
	}
	return first.err
}

func orDefault(depth int) int {
	if depth <= 0 {
		return DefaultDepth
	}
	return depth
}

// firstFault is a Sink that keeps the first.
type firstFault struct {
	reader *Reader
	err    *Error
}

func (s *firstFault) Fault(f Fault, offset int) {
	if s.err == nil {
		s.err = &Error{Fault: f, Offset: offset, Pointer: s.reader.Path.Pointer(s.reader.Data, 0), Reason: s.reader.Reason}
	}
}
