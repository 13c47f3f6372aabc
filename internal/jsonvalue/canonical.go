package jsonvalue

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Compact appends data without white space, strings and numbers as they are written. It reports the first fault of data.
func Compact(dst, data []byte) ([]byte, error) {
	if err := Check(data, maxMemberDepth); err != nil {
		return dst, err
	}
	return AppendCompact(dst, data), nil
}

// AppendCompact appends JSON that was checked, without white space.
func AppendCompact(dst, data []byte) []byte {
	from := 0
	for i := 0; i < len(data); {
		switch data[i] {
		case ' ', '\t', '\n', '\r':
			dst = append(dst, data[from:i]...)
			i++
			from = i
		case '"':
			i = literalEnd(data, i)
		default:
			i++
		}
	}
	return append(dst, data[from:]...)
}

// literalEnd returns where the string that begins at i ends.
func literalEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// Canonical appends the form of RFC 8785 (JCS): no white space, names in the order of their UTF-16 code units, the shortest
// escapes, numbers as ECMAScript writes them. It departs from it in one point: integers keep every digit. Equal values have
// equal forms. It reports the first fault of data.
func Canonical(dst, data []byte) ([]byte, error) {
	if err := Check(data, maxMemberDepth); err != nil {
		return dst, err
	}
	c := canonicalizer{Reader{Data: data, MaxDepth: maxMemberDepth}}
	return c.value(dst), nil
}

// canonicalizer rewrites a document that was checked.
type canonicalizer struct{ Reader }

func (c *canonicalizer) value(dst []byte) []byte {
	switch c.Peek() {
	case '{':
		return c.object(dst)
	case '[':
		return c.array(dst)
	case '"':
		text, _ := c.Text()
		dst, _ = AppendText(dst, string(text))
		return dst
	case 't', 'f', 'n':
		start := c.Pos
		_ = c.Skip(nil)
		return append(dst, c.Data[start:c.Pos]...)
	default:
		n, _ := c.Number()
		return appendCanonicalNumber(dst, n)
	}
}

func (c *canonicalizer) array(dst []byte) []byte {
	dst = append(dst, '[')
	_ = c.Open()
	for i, more := 0, c.First(']'); more; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.value(dst)
		more, _ = c.Next(']')
	}
	return append(dst, ']')
}

// canonicalMember is a member of an object that is being sorted; its value lies in the buffer that all members share.
type canonicalMember struct {
	name     string
	from, to int
}

func (c *canonicalizer) object(dst []byte) []byte {
	var members []canonicalMember
	start := len(dst)
	_ = c.Open()
	for more := c.First('}'); more; {
		text, _, _ := c.Name()
		m := canonicalMember{name: string(text), from: len(dst)}
		dst, _ = AppendText(dst, m.name)
		dst = append(dst, ':')
		dst = c.value(dst)
		m.to = len(dst)
		members = append(members, m)
		more, _ = c.Next('}')
	}
	slices.SortFunc(members, func(a, b canonicalMember) int { return compareUTF16(a.name, b.name) })
	sorted := append(make([]byte, 0, len(dst)-start+len(members)+2), '{')
	for i, m := range members {
		if i > 0 {
			sorted = append(sorted, ',')
		}
		sorted = append(sorted, dst[m.from:m.to]...)
	}
	return append(append(dst[:start], sorted...), '}')
}

// compareUTF16 orders texts by their UTF-16 code units. It differs from the order of their bytes only where one has a
// surrogate pair and the other a character from U+E000 on.
func compareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && i < len(a) && !utf8.RuneStart(a[i]) || i > 0 && i < len(b) && !utf8.RuneStart(b[i]) {
		i--
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if i == len(a) || i == len(b) || (x >= 0x10000) == (y >= 0x10000) {
		return bytes.Compare([]byte(a[i:]), []byte(b[i:]))
	}
	return int(firstUnit(x)) - int(firstUnit(y))
}

func firstUnit(r rune) rune {
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		return high
	}
	return r
}

// appendCanonicalNumber writes integers with all their digits as long as ECMAScript writes no exponent, and beyond that
// where a double would change them. What is written depends on the value alone, not on its spelling.
func appendCanonicalNumber(dst []byte, n Number) []byte {
	digits, exponent := n.Decimal()
	if len(digits) == 0 {
		return append(dst, '0')
	}
	if exponent < 0 || len(digits)+exponent > 21 {
		f, fault := n.Float64()
		if fault == OK && (exponent < 0 || sameDecimal(f, 'e', -1, digits, exponent)) {
			return AppendFloat(dst, f, 64)
		}
	}
	if n.Negative {
		dst = append(dst, '-')
	}
	// Check has refused what a double cannot reach, so that there are at most 309 digits.
	dst = append(dst, digits...)
	return append(dst, bytes.Repeat([]byte{'0'}, exponent)...)
}
