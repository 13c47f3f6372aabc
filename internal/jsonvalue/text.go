package jsonvalue

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Every byte of a word, for tests of eight bytes at a time.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// special marks the bytes of x that are not plain ASCII: quotes, backslashes, control characters and all beyond. Only the
// lowest mark is exact; those above it may be carries.
func special(x uint64) uint64 {
	quote := x ^ (ones * '"')
	slash := x ^ (ones * '\\')
	return (x | (quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x) & tops
}

// plain returns the first position from i on whose byte is not plain ASCII, or len(data).
func plain(data []byte, i int) int {
	for len(data)-i >= 8 {
		if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(data) && !isSpecial(data[i]) {
		i++
	}
	return i
}

func isSpecial(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf }

// Text reads the string whose opening quote is here and returns what it says: a part of Data if it has no escapes, else a
// buffer that the next Text overwrites. After UTF8 and Surrogate the text is worthless but reading goes on.
func (r *Reader) Text() (text []byte, fault Fault) {
	start := r.Pos + 1
	i := plain(r.Data, start)
	if i < len(r.Data) && r.Data[i] == '"' {
		r.Pos = i + 1
		return r.Data[start:i], OK
	}
	return r.textSlow(start, i)
}

// textSlow goes on at i, where something else than plain ASCII stands.
func (r *Reader) textSlow(start, i int) (text []byte, fault Fault) {
	var buffer []byte // what was read, once an escape was met
	escaped, from := false, start
	for i < len(r.Data) {
		switch c := r.Data[i]; {
		case c == '"':
			r.Pos = i + 1
			if !escaped {
				return r.Data[start:i], fault
			}
			r.scratch = append(buffer, r.Data[from:i]...)
			return r.scratch, fault
		case c == '\\':
			if !escaped {
				escaped, buffer = true, r.scratch[:0]
			}
			buffer = append(buffer, r.Data[from:i]...)
			var f Fault
			if buffer, i, f = r.escape(buffer, i); f == Syntax {
				return nil, f
			}
			fault = max(fault, f)
			from = i
		case c < ' ':
			r.Pos = i
			return nil, r.Fail("a control character must be escaped")
		case c < utf8.RuneSelf:
			i = plain(r.Data, i)
		default:
			rune, size := utf8.DecodeRune(r.Data[i:])
			if rune == utf8.RuneError && size == 1 {
				fault = UTF8
			}
			i += size
		}
	}
	r.Pos = len(r.Data)
	return nil, r.Fail("")
}

// escape reads the escape sequence at i and appends what it stands for.
func (r *Reader) escape(dst []byte, i int) (_ []byte, next int, fault Fault) {
	r.Pos = i
	if i+1 >= len(r.Data) {
		r.Pos = len(r.Data)
		return dst, i, r.Fail("")
	}
	switch c := r.Data[i+1]; c {
	case '"', '\\', '/':
		return append(dst, c), i + 2, OK
	case 'b':
		return append(dst, '\b'), i + 2, OK
	case 'f':
		return append(dst, '\f'), i + 2, OK
	case 'n':
		return append(dst, '\n'), i + 2, OK
	case 'r':
		return append(dst, '\r'), i + 2, OK
	case 't':
		return append(dst, '\t'), i + 2, OK
	case 'u':
		return r.escapeUnicode(dst, i)
	default:
		return dst, i, r.Fail("no such escape sequence")
	}
}

func (r *Reader) escapeUnicode(dst []byte, i int) (_ []byte, next int, fault Fault) {
	high, ok := hex4(r.Data, i+2)
	if !ok {
		return dst, i, r.Fail("four hexadecimal digits are expected")
	}
	i += 6
	if !utf16.IsSurrogate(high) {
		return utf8.AppendRune(dst, high), i, OK
	}
	if i+1 < len(r.Data) && r.Data[i] == '\\' && r.Data[i+1] == 'u' {
		low, ok := hex4(r.Data, i+2)
		if !ok {
			r.Pos = i
			return dst, i, r.Fail("four hexadecimal digits are expected")
		}
		if pair := utf16.DecodeRune(high, low); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), i + 6, OK
		}
	}
	return utf8.AppendRune(dst, utf8.RuneError), i, Surrogate
}

func hex4(data []byte, i int) (rune, bool) {
	if i+4 > len(data) {
		return 0, false
	}
	var v rune
	for _, c := range data[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return v, true
}
