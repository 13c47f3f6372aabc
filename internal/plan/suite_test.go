package plan_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/internal/plan"
)

// refusedByModel are the cases that RFC 8259 accepts or leaves open and the model refuses, with the rule.
var refusedByModel = map[string]string{
	"y_object_duplicated_key":           plan.RuleDuplicate,
	"y_object_duplicated_key_and_value": plan.RuleDuplicate,
	"y_number_minus_zero":               plan.RuleNegativeZero,
	"y_number_negative_zero":            plan.RuleNegativeZero,

	"i_number_double_huge_neg_exp":                   plan.RuleUnderflow,
	"i_number_huge_exp":                              plan.RuleOverflow,
	"i_number_neg_int_huge_exp":                      plan.RuleOverflow,
	"i_number_pos_double_huge_exp":                   plan.RuleOverflow,
	"i_number_real_neg_overflow":                     plan.RuleOverflow,
	"i_number_real_pos_overflow":                     plan.RuleOverflow,
	"i_number_real_underflow":                        plan.RuleUnderflow,
	"i_number_too_big_neg_int":                       plan.RulePrecision,
	"i_number_very_big_negative_int":                 plan.RulePrecision,
	"i_object_key_lone_2nd_surrogate":                plan.RuleSurrogate,
	"i_string_1st_surrogate_but_2nd_missing":         plan.RuleSurrogate,
	"i_string_1st_valid_surrogate_2nd_invalid":       plan.RuleSurrogate,
	"i_string_UTF-16LE_with_BOM":                     plan.RuleSyntax,
	"i_string_UTF-8_invalid_sequence":                plan.RuleUTF8,
	"i_string_UTF8_surrogate_U+D800":                 plan.RuleUTF8,
	"i_string_incomplete_surrogate_and_escape_valid": plan.RuleSurrogate,
	"i_string_incomplete_surrogate_pair":             plan.RuleSurrogate,
	"i_string_incomplete_surrogates_escape_valid":    plan.RuleSurrogate,
	"i_string_invalid_lonely_surrogate":              plan.RuleSurrogate,
	"i_string_invalid_surrogate":                     plan.RuleSurrogate,
	"i_string_invalid_utf-8":                         plan.RuleUTF8,
	"i_string_inverted_surrogates_U+1D11E":           plan.RuleSurrogate,
	"i_string_iso_latin_1":                           plan.RuleUTF8,
	"i_string_lone_second_surrogate":                 plan.RuleSurrogate,
	"i_string_lone_utf8_continuation_byte":           plan.RuleUTF8,
	"i_string_not_in_unicode_range":                  plan.RuleUTF8,
	"i_string_overlong_sequence_2_bytes":             plan.RuleUTF8,
	"i_string_overlong_sequence_6_bytes":             plan.RuleUTF8,
	"i_string_overlong_sequence_6_bytes_null":        plan.RuleUTF8,
	"i_string_truncated-utf-8":                       plan.RuleUTF8,
	"i_string_utf16BE_no_BOM":                        plan.RuleSyntax,
	"i_string_utf16LE_no_BOM":                        plan.RuleSyntax,
	"i_structure_500_nested_arrays":                  plan.RuleDepth,
	"i_structure_UTF-8_BOM_empty_object":             plan.RuleSyntax,
}

// TestSuite runs JSONTestSuite through plans of any and of RawMessage.
func TestSuite(t *testing.T) {
	t.Parallel()
	c := plan.New(plan.Config{})
	counts := map[string]int{}
	for _, s := range suiteCases(t) {
		for _, target := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage]()} {
			p, problems := c.Compile(target)
			require.Empty(t, problems)
			v := reflect.New(target).Elem()
			issues := p.Decode(s.data, v, plan.Limits{})
			want, refused := refusedByModel[s.name]
			if want == plan.RulePrecision && p.Kind == plan.Raw {
				refused = false // kept as it is written
			}
			switch {
			case strings.HasPrefix(s.name, "n_"):
				require.NotNilf(t, issues, "%s is accepted", s.name)
				counts["n refused"]++
			case refused:
				require.NotNilf(t, issues, "%s is accepted", s.name)
				assert.Equal(t, want, issues.List[0].Rule, s.name)
				counts[s.name[:1]+" refused by the model"]++
			default:
				require.Nilf(t, issues, "%s is refused: %+v", s.name, issues)
				counts[s.name[:1]+" accepted"]++
				assertReadAsStandard(t, s, v)
			}
		}
	}
	t.Logf("%v", counts)
	assert.Equal(t, map[string]int{
		"n refused": 382, "y accepted": 182, "y refused by the model": 8, "i accepted": 4, "i refused by the model": 66,
	}, counts)
}

// assertReadAsStandard compares what was read with what encoding/json reads.
func assertReadAsStandard(t *testing.T, s suiteCase, v reflect.Value) {
	t.Helper()
	if v.Type() != reflect.TypeFor[any]() {
		assert.JSONEq(t, string(s.data), string(v.Bytes()), s.name)
		return
	}
	var want any
	require.NoError(t, json.Unmarshal(s.data, &want), s.name)
	assert.Equal(t, want, v.Interface(), s.name)
}

type suiteCase struct {
	name string
	data []byte
}

var repeated = regexp.MustCompile(`\{([0-9]+)\*([^}]+)\}`)

func suiteCases(tb testing.TB) []suiteCase {
	tb.Helper()
	text, err := os.ReadFile("testdata/jsontestsuite/cases.txt")
	require.NoError(tb, err)
	var cases []suiteCase
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		name, content, ok := strings.Cut(line, " ")
		require.True(tb, ok, line)
		if name == "#" {
			continue
		}
		cases = append(cases, suiteCase{name, []byte(unquoteCase(tb, content))})
	}
	return cases
}

// unquoteCase undoes what the first line of cases.txt says.
func unquoteCase(tb testing.TB, content string) string {
	tb.Helper()
	var b strings.Builder
	for rest := content; rest != ""; {
		r, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
		require.NoError(tb, err, content)
		if r < 0x80 || !multibyte {
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(r)
		}
		rest = tail
	}
	return repeated.ReplaceAllStringFunc(b.String(), func(m string) string {
		parts := repeated.FindStringSubmatch(m)
		n, err := strconv.Atoi(parts[1])
		require.NoError(tb, err, content)
		return strings.Repeat(parts[2], n)
	})
}
