package jsonvalue_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

func read(tb testing.TB, literal string) (jsonvalue.Number, jsonvalue.Fault) {
	tb.Helper()
	r := jsonvalue.Reader{Data: []byte(literal)}
	n, fault := r.Number()
	if fault == jsonvalue.OK {
		require.Equal(tb, len(literal), r.Pos, literal)
	}
	return n, fault
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]jsonvalue.Fault{
		"0": jsonvalue.OK, "-1": jsonvalue.OK, "0e0": jsonvalue.OK, "0.0": jsonvalue.OK, "1E+2": jsonvalue.OK,
		"-0": jsonvalue.NegativeZero, "-0.000": jsonvalue.NegativeZero, "-0e9": jsonvalue.NegativeZero,
		"-": jsonvalue.Syntax, "": jsonvalue.Syntax, "+1": jsonvalue.Syntax, "01": jsonvalue.Syntax, "-01": jsonvalue.Syntax, ".5": jsonvalue.Syntax,
		"1.": jsonvalue.Syntax, "1.e5": jsonvalue.Syntax, "1e": jsonvalue.Syntax, "1e+": jsonvalue.Syntax, "x": jsonvalue.Syntax,
		strings.Repeat("1", 1100): jsonvalue.OK, strings.Repeat("1", 1101): jsonvalue.Digits,
	} {
		_, got := read(t, literal)
		assert.Equal(t, want, got, literal)
	}
}

// literals are numbers of every shape, around every edge.
func literals(random *rand.Rand) string {
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "00123456789"[random.IntN(11)]
		}
		return string(b)
	}
	edges := []string{"9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "9007199254740993", "127", "128", "255", "256"}
	whole := edges[random.IntN(len(edges))]
	if random.IntN(3) > 0 {
		whole = strings.TrimLeft(digits(1+random.IntN(30)), "0")
	}
	if whole == "" {
		whole = "0"
	}
	literal := whole
	if random.IntN(2) == 0 {
		literal += "." + digits(1+random.IntN(25))
	}
	if random.IntN(2) == 0 {
		literal += "e" + strconv.Itoa(random.IntN(60)-30)
	}
	if random.IntN(4) == 0 {
		literal = "-" + literal
	}
	return literal
}

// TestNumberAgainstRationals compares integers, doubles and decimals with exact arithmetic.
func TestNumberAgainstRationals(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		literal := literals(random)
		n, fault := read(t, literal)
		if fault == jsonvalue.NegativeZero {
			continue
		}
		require.Equal(t, jsonvalue.OK, fault, literal)
		exact, ok := new(big.Rat).SetString(literal)
		require.True(t, ok, literal)
		requireInteger(t, literal, &n, exact)
		require.Equal(t, exact.IsInt(), n.IsInteger(), literal)

		want, err := strconv.ParseFloat(literal, 64)
		got, fault := n.Float64()
		require.NoError(t, err)
		require.Equal(t, jsonvalue.OK, fault, literal)
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), literal)
		want32, err := strconv.ParseFloat(literal, 32)
		got32, fault := n.Float32()
		if err == nil && (want32 != 0 || want == 0) {
			require.Equal(t, jsonvalue.OK, fault, literal)
			require.Equal(t, math.Float32bits(float32(want32)), math.Float32bits(got32), literal)
		} else {
			require.NotEqual(t, jsonvalue.OK, fault, literal)
		}
		if exact.IsInt() {
			back, ok := new(big.Rat).SetString(strconv.FormatFloat(want, 'g', -1, 64))
			require.True(t, ok)
			held := back.Cmp(exact) == 0 || new(big.Rat).SetFloat64(want).Cmp(exact) == 0
			require.Equal(t, held, n.HeldBy(got), literal)
		}
	}
}

func requireInteger(t *testing.T, literal string, n *jsonvalue.Number, exact *big.Rat) {
	t.Helper()
	for _, size := range []int{8, 16, 32, 64} {
		i, fault := n.Int64(size)
		switch {
		case !exact.IsInt():
			require.Contains(t, []jsonvalue.Fault{jsonvalue.Fraction, jsonvalue.Range}, fault, literal)
		case exact.Num().IsInt64() && i == exact.Num().Int64() && fault == jsonvalue.OK:
			require.Equal(t, i, i<<(64-size)>>(64-size), literal)
		default:
			require.Equal(t, jsonvalue.Range, fault, literal)
			require.False(t, exact.Num().IsInt64() && exact.Num().Int64()<<(64-size)>>(64-size) == exact.Num().Int64(), literal)
		}
		u, fault := n.Uint64(size)
		switch {
		case !exact.IsInt():
			require.Contains(t, []jsonvalue.Fault{jsonvalue.Fraction, jsonvalue.Range}, fault, literal)
		case fault == jsonvalue.OK:
			require.True(t, exact.Num().IsUint64() && exact.Num().Uint64() == u, literal)
			require.Equal(t, u, u<<(64-size)>>(64-size), literal)
		default:
			require.Equal(t, jsonvalue.Range, fault, literal)
			require.False(t, exact.Num().IsUint64() && exact.Num().Uint64()<<(64-size)>>(64-size) == exact.Num().Uint64(), literal)
		}
	}
}

func TestNumberExtremes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		literal string
		check   jsonvalue.Fault
		integer bool
	}{
		{"1e308", jsonvalue.OK, true},
		{"1.7976931348623157e308", jsonvalue.OK, true},
		{"1.7976931348623159e308", jsonvalue.Overflow, true},
		{"1e1000000000000000000000", jsonvalue.Overflow, true},
		{"5e-324", jsonvalue.OK, false},
		{"2e-324", jsonvalue.Underflow, false},
		{"1e-1000000000000000000000", jsonvalue.Underflow, false},
		{"0e-1000000000000000000000", jsonvalue.OK, true},
		{"1" + strings.Repeat("0", 400), jsonvalue.Overflow, true},
		{"1" + strings.Repeat("0", 400) + "e-400", jsonvalue.OK, true},
		{"0." + strings.Repeat("0", 400) + "1e401", jsonvalue.OK, true},
		{"0." + strings.Repeat("0", 400) + "1", jsonvalue.Underflow, false},
	}
	for _, tt := range tests {
		n, fault := read(t, tt.literal)
		require.Equal(t, jsonvalue.OK, fault, tt.literal)
		assert.Equal(t, tt.check, n.Check(), tt.literal)
		assert.Equal(t, tt.integer, n.IsInteger(), tt.literal)
	}
	one, fault := read(t, "1"+strings.Repeat("0", 400)+"e-400")
	require.Equal(t, jsonvalue.OK, fault)
	i, fault := one.Int64(8)
	assert.Equal(t, jsonvalue.OK, fault)
	assert.Equal(t, int64(1), i)
}
