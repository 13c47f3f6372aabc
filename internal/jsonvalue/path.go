package jsonvalue

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// A Path says where in a document a reader is. It is kept cheap: a pointer is written only when somebody asks.
type Path []Step

// A Step is a name or an index.
type Step struct {
	name string
	at   int // an index; isName for a name; below that, where in the document the literal of a name begins
}

const isName = -1

// Push goes one level down. Index, Name or Literal says where to.
func (p *Path) Push() { *p = append(*p, Step{}) }

// Pop goes one level up.
func (p *Path) Pop() { *p = (*p)[:len(*p)-1] }

// Forget is Pop for a name that is no part of a type: it is not kept alive by a path that is used again.
func (p *Path) Forget() {
	(*p)[len(*p)-1] = Step{}
	p.Pop()
}

// Index says that the last step is an element of an array.
func (p Path) Index(i int) { p[len(p)-1].at = i }

// Name says that the last step is a member of an object.
func (p Path) Name(name string) {
	last := &p[len(p)-1]
	last.name, last.at = name, isName
}

// Literal says that the last step is the member whose name is written at an offset of the document.
func (p Path) Literal(offset int) { p[len(p)-1].at = isName - 1 - offset }

// Pointer writes p as a JSON Pointer (RFC 6901). data is the document. Names longer than maxName bytes are cut, so that a
// pointer cannot grow large; 0 means never.
func (p Path) Pointer(data []byte, maxName int) string {
	if len(p) == 0 {
		return ""
	}
	var room [64]byte // for most pointers
	dst := room[:0]
	for _, step := range p {
		dst = append(dst, '/')
		switch {
		case step.at >= 0:
			dst = strconv.AppendInt(dst, int64(step.at), 10)
		case step.at == isName:
			dst = appendToken(dst, step.name, maxName)
		default:
			dst = appendToken(dst, nameAt(data, isName-1-step.at, maxName), maxName)
		}
	}
	return string(dst)
}

// nameAt reads the name whose literal begins at an offset of the document, but not much more of it than maxName bytes: a
// long name may have many faults below it.
func nameAt(data []byte, start, maxName int) string {
	r := Reader{Data: data, Pos: start}
	if end := literalPart(data, start, maxName); maxName > 0 && end < len(data) {
		r = Reader{Data: append(slices.Clone(data[start:end]), '"')}
	}
	text, _ := r.Text()
	return string(text)
}

// literalPart returns where the text of a literal has grown beyond n bytes, or has ended.
func literalPart(data []byte, start, n int) (end int) {
	const escaped = len(`\u0000`) // stands for one byte at least
	for end = start + 1; end < len(data) && end <= start+escaped*(n+1); {
		switch {
		case data[end] == '"':
			return end
		case data[end] != '\\':
			end++
		case end+1 < len(data) && data[end+1] == 'u':
			end += escaped
		default:
			end += 2
		}
	}
	return min(end, len(data))
}

func appendToken(dst []byte, name string, maxName int) []byte {
	cut := maxName > 0 && len(name) > maxName
	if cut {
		end := maxName
		for end > 0 && !utf8.RuneStart(name[end]) {
			end--
		}
		name = name[:end]
	}
	for _, c := range name { // invalid UTF-8 becomes U+FFFD: a pointer is text
		switch c {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	if cut {
		dst = append(dst, "…"...)
	}
	return dst
}
