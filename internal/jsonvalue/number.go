package jsonvalue

import (
	"math"
	"math/bits"
	"strconv"
)

// A Number is a number as it is written. Its value is mantissa × 10^exponent, unless digits were left out of the mantissa.
type Number struct {
	Literal  []byte
	Negative bool
	Plain    bool // neither fraction nor exponent

	mantissa uint64
	exponent int
	cut      bool // the mantissa holds the first 19 significant digits only
}

// maxDigits is how many decimal digits always fit a uint64.
const maxDigits = 19

// maxExponent is where exponents are clamped. Together with the bound on the length it is far beyond what a double holds.
const maxExponent = 1 << 20

// Number reads the number that begins here. After NegativeZero and Digits reading goes on.
func (r *Reader) Number() (n Number, fault Fault) {
	data, i := r.Data, r.Pos
	if i < len(data) && data[i] == '-' {
		n.Negative = true
		i++
	}
	first := i
	for i < len(data) && data[i]-'0' <= 9 {
		n.digit(data[i])
		i++
	}
	switch {
	case i == first:
		if n.Negative {
			r.Pos = i
			return n, r.Fail("a digit is expected")
		}
		return n, r.Fail("a value is expected")
	case data[first] == '0' && i > first+1:
		r.Pos = first + 1
		return n, r.Fail("a number may not start with 0")
	case i < len(data) && (data[i] == '.' || data[i]|0x20 == 'e'):
		if i, fault = n.rest(r, i); fault != OK {
			return n, fault
		}
	default:
		n.Plain = true
	}
	n.Literal, r.Pos = data[r.Pos:i], i
	switch {
	case len(n.Literal) > MaxNumber:
		return n, Digits
	case n.mantissa == 0 && n.Negative:
		return n, NegativeZero
	default:
		return n, OK
	}
}

// digit takes one digit before the point.
func (n *Number) digit(c byte) {
	if n.mantissa < 1e18 {
		n.mantissa = n.mantissa*10 + uint64(c-'0')
		return
	}
	n.exponent++
	if c != '0' {
		n.cut = true
	}
}

// rest reads fraction and exponent.
func (n *Number) rest(r *Reader, i int) (end int, fault Fault) {
	data := r.Data
	if data[i] == '.' {
		first := i + 1
		for i++; i < len(data) && data[i]-'0' <= 9; i++ {
			n.decimal(data[i])
		}
		if i == first {
			r.Pos = i
			return i, r.Fail("a digit is expected")
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		return n.scale(r, i+1)
	}
	return i, OK
}

// decimal takes one digit behind the point.
func (n *Number) decimal(c byte) {
	if n.mantissa < 1e18 {
		n.mantissa = n.mantissa*10 + uint64(c-'0')
		n.exponent--
		return
	}
	if c != '0' {
		n.cut = true
	}
}

// scale reads the exponent behind the letter.
func (n *Number) scale(r *Reader, i int) (end int, fault Fault) {
	data := r.Data
	negative := false
	if i < len(data) && (data[i] == '+' || data[i] == '-') {
		negative = data[i] == '-'
		i++
	}
	first, e := i, 0
	for ; i < len(data) && data[i]-'0' <= 9; i++ {
		e = min(e*10+int(data[i]-'0'), maxExponent)
	}
	if i == first {
		r.Pos = i
		return i, r.Fail("a digit is expected")
	}
	if negative {
		e = -e
	}
	n.exponent += e
	return i, OK
}

// Check reports Overflow or Underflow if a double cannot hold the number, not even rounded.
func (n *Number) Check() Fault {
	if n.mantissa == 0 || -280 < n.exponent && n.exponent < 280 {
		return OK
	}
	_, fault := n.Float64()
	return fault
}

var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// Float64 returns the nearest double.
func (n *Number) Float64() (float64, Fault) {
	if n.mantissa == 0 {
		return 0, OK
	}
	// Both operands are exact, so that one rounding gives the nearest double.
	if n.mantissa < 1<<53 && !n.cut && -22 <= n.exponent && n.exponent <= 22 {
		f := float64(n.mantissa)
		if n.exponent < 0 {
			f /= powersOfTen[-n.exponent]
		} else {
			f *= powersOfTen[n.exponent]
		}
		if n.Negative {
			f = -f
		}
		return f, OK
	}
	f, err := strconv.ParseFloat(string(n.Literal), 64)
	switch {
	case err != nil:
		return 0, Overflow
	case f == 0:
		return 0, Underflow
	default:
		return f, OK
	}
}

// Float32 returns the nearest float32. What rounds to a finite one is none too large: the shortest text of the largest
// float32 is beyond it.
func (n *Number) Float32() (float32, Fault) {
	if n.mantissa == 0 {
		return 0, OK
	}
	// Not by way of a double: rounding twice may miss the nearest.
	g, err := strconv.ParseFloat(string(n.Literal), 32)
	switch {
	case err != nil:
		return 0, Overflow
	case g == 0:
		return 0, Underflow
	default:
		return float32(g), OK
	}
}

// Int64 returns the number if it is an integer of that many bits, however it is spelled.
func (n *Number) Int64(size int) (int64, Fault) {
	u, fault := n.magnitude()
	if fault != OK {
		return 0, fault
	}
	limit := uint64(1) << (size - 1)
	switch {
	case n.Negative && u <= limit:
		return -int64(u), OK
	case !n.Negative && u < limit:
		return int64(u), OK
	default:
		return 0, Range
	}
}

// Uint64 returns the number if it is an unsigned integer of that many bits, however it is spelled.
func (n *Number) Uint64(size int) (uint64, Fault) {
	u, fault := n.magnitude()
	switch {
	case fault != OK:
		return 0, fault
	case n.Negative || bits.Len64(u) > size:
		return 0, Range
	default:
		return u, OK
	}
}

// magnitude returns the number without its sign.
func (n *Number) magnitude() (uint64, Fault) {
	if n.cut {
		digits, exponent := n.Decimal()
		return composed(digits, exponent)
	}
	u, e := n.mantissa, n.exponent
	if u == 0 || e == 0 {
		return u, OK
	}
	for ; e < 0; e++ {
		if u%10 != 0 {
			return 0, Fraction
		}
		u /= 10
	}
	for ; e > 0; e-- {
		high, low := bits.Mul64(u, 10)
		if high != 0 {
			return 0, Range
		}
		u = low
	}
	return u, OK
}

func composed(digits []byte, exponent int) (uint64, Fault) {
	switch {
	case exponent < 0:
		return 0, Fraction
	case len(digits)+exponent > maxDigits+1:
		return 0, Range
	}
	var u uint64
	for i := range len(digits) + exponent {
		high, low := bits.Mul64(u, 10)
		var d uint64
		if i < len(digits) {
			d = uint64(digits[i] - '0')
		}
		sum, carry := bits.Add64(low, d, 0)
		if high != 0 || carry != 0 {
			return 0, Range
		}
		u = sum
	}
	return u, OK
}

// Decimal returns the number, without its sign, as significant digits × 10^exponent: no zeros at either end, no digits at
// all for zero. Equal numbers have equal decimals, however they are spelled.
func (n *Number) Decimal() (digits []byte, exponent int) {
	exponent = n.exponentText()
	behind := false
	for _, c := range n.Literal {
		switch {
		case c == '.':
			behind = true
			continue
		case c|0x20 == 'e':
			return trimDigits(digits, exponent)
		case c == '-':
			continue
		}
		if behind {
			exponent--
		}
		if c != '0' || len(digits) > 0 {
			digits = append(digits, c)
		}
	}
	return trimDigits(digits, exponent)
}

func trimDigits(digits []byte, exponent int) ([]byte, int) {
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	if len(digits) == 0 {
		return nil, 0
	}
	return digits, exponent
}

// exponentText reads the exponent as it is written.
func (n *Number) exponentText() int {
	for i, c := range n.Literal {
		if c|0x20 == 'e' {
			r := Reader{Data: n.Literal}
			var e Number
			_, _ = e.scale(&r, i+1)
			return e.exponent
		}
	}
	return 0
}

// IsInteger reports whether the number has no fraction, however it is spelled.
func (n *Number) IsInteger() bool {
	if n.Plain || n.mantissa == 0 {
		return true
	}
	_, exponent := n.Decimal()
	return exponent >= 0
}

// HeldBy reports whether f is the number exactly, or at least is written as the same number.
func (n *Number) HeldBy(f float64) bool {
	if n.mantissa <= 1<<53 && !n.cut && n.exponent == 0 {
		return true
	}
	digits, exponent := n.Decimal()
	return sameDecimal(f, 'e', -1, digits, exponent) || math.Abs(f) >= 1<<53 && sameDecimal(f, 'f', 0, digits, exponent)
}

func sameDecimal(f float64, format byte, precision int, digits []byte, exponent int) bool {
	var buffer [400]byte
	n := Number{Literal: strconv.AppendFloat(buffer[:0], math.Abs(f), format, precision, 64)}
	other, e := n.Decimal()
	return e == exponent && string(other) == string(digits)
}
