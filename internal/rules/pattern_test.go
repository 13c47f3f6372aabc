package rules

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sources returns every pattern of the dictionary: those that are matched, those of the schema alone, those of parameters.
func sources(t testing.TB) []string {
	t.Helper()
	d := New(nil)
	var list []string
	var collect func(r *Rule)
	collect = func(r *Rule) {
		if source := r.Source(); source != "" {
			list = append(list, source)
		}
		for _, parts := range [][]Rule{r.All, r.Any, r.Wide} {
			for i := range parts {
				collect(&parts[i])
			}
		}
	}
	for _, one := range sampledTags() {
		set, _ := d.Compile(one.tag, typeOf(one), WireKind, nil)
		for i := range set.Rules {
			collect(&set.Rules[i])
		}
	}
	for _, e := range allEntries() {
		if e.sure != "" {
			list = append(list, e.sure)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestPatternAgreesWithRegexp(t *testing.T) {
	t.Parallel()
	list := append(sources(t), "", "a*", "^$", "a|^b$", "x$|^y", "(ab)+$", "[^a]", "^[^\n]*$", "(^a|b)c$", `^\PL+$`, "\u212a")
	matched := 0
	for _, source := range list {
		p, err := newPattern(source)
		require.NoError(t, err, "%s", source)
		assert.Nil(t, p.slow, "%s has no table", source)
		twin := regexp.MustCompile(source)
		example, ok := p.example()
		require.True(t, ok, "%s matches nothing", source)
		random := rand.New(rand.NewPCG(seed(source), 2))
		for range *valuesPerTag {
			text := mutatedText(random, example, "a.b-c@d")
			if got, want := p.Match(text), twin.MatchString(text); got != want {
				t.Errorf("%s: Match(%q) = %t, want %t", source, text, got, want)
				break
			} else if want {
				matched++
			}
		}
		assert.True(t, twin.MatchString(example), "%s: example %q does not match", source, example)
	}
	t.Logf("%d patterns, %d texts matched", len(list), matched)
}

// A pattern that a table cannot say keeps its regexp.
func TestPatternWithoutTable(t *testing.T) {
	t.Parallel()
	for _, source := range []string{`\bword\b`, "(?m)^a$", "^([ab]*a[ab]{14}c)+$"} {
		p, err := newPattern(source)
		require.NoError(t, err)
		require.NotNil(t, p.slow, "%s", source)
		for _, text := range []string{"a word", "sword", "b\na\nb", "", strings.Repeat("ab", 9)} {
			assert.Equal(t, regexp.MustCompile(source).MatchString(text), p.Match(text), "%s on %q", source, text)
		}
	}
}

func TestPatternsArePortable(t *testing.T) {
	t.Parallel()
	for _, source := range sources(t) {
		require.NoError(t, portable(source))
	}
	for _, source := range []string{`\d`, `[\w]`, "a.b", "(?i)a", `\x{41}`, "a{", "]", "}", "[]a]", "[[a]", `\-`, `a\`} {
		assert.Error(t, portable(source), "%s", source)
	}
}

// portable reports what in a pattern RE2 and ECMA-262 (u flag) do not read alike: shorthand classes, the dot, flags,
// look-around, and escapes that only one of them has.
func portable(source string) error {
	if !utf8.ValidString(source) {
		return fmt.Errorf("%q is not UTF-8", source)
	}
	quantifier := regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)
	for i, inClass := 0, false; i < len(source); i++ {
		rest := source[i:]
		switch c := source[i]; {
		case c == '\\':
			n := escapeLength(rest, inClass)
			if n == 0 {
				return fmt.Errorf("%s: escape at %q", source, rest)
			}
			i += n - 1
		case inClass && c == '[':
			return fmt.Errorf("%s: bare [ in a class", source)
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
			i += len(rest[1:]) - len(strings.TrimPrefix(rest[1:], "^"))
			if strings.HasPrefix(source[i+1:], "]") {
				return fmt.Errorf("%s: class that begins with ]", source)
			}
		case c == '{':
			n := len(quantifier.FindString(rest))
			if n == 0 {
				return fmt.Errorf("%s: bare {", source)
			}
			i += n - 1
		case c == '.', c == '}', c == ']', strings.HasPrefix(rest, "(?"):
			return fmt.Errorf("%s: %q", source, rest)
		}
	}
	_, err := regexp.Compile(source)
	return err
}

func escapeLength(text string, inClass bool) int {
	switch {
	case regexp.MustCompile(`^\\[\^$\\.*+?()\[\]{}|/tnfrv]`).MatchString(text), inClass && strings.HasPrefix(text, `\-`):
		return 2
	case regexp.MustCompile(`^\\x[0-9A-F]{2}`).MatchString(text):
		return 4
	default:
		return len(regexp.MustCompile(`^\\p\{[A-Z][a-z]?\}`).FindString(text))
	}
}

func TestQuotedParametersMatchThemselves(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		text := mutatedText(random, `a.b*c[d]{e}(f)|^$\/-`, "é世")
		if text == "" {
			continue
		}
		for source, want := range map[string]func(string) bool{
			(&Rule{Op: OpContains, Texts: []string{text}}).Source():    func(s string) bool { return strings.Contains(s, text) },
			(&Rule{Op: OpContainsAny, Texts: []string{text}}).Source(): func(s string) bool { return strings.ContainsAny(s, text) },
			(&Rule{Op: OpPrefix, Texts: []string{text}}).Source():      func(s string) bool { return strings.HasPrefix(s, text) },
			(&Rule{Op: OpSuffix, Texts: []string{text}}).Source():      func(s string) bool { return strings.HasSuffix(s, text) },
			(&Rule{Op: OpFold, Texts: []string{text}}).Source():        func(s string) bool { return strings.EqualFold(s, text) },
		} {
			require.NoError(t, portable(source))
			for _, s := range []string{text, "x" + text, text + "y", strings.ToUpper(text), mutatedText(random, text, "z")} {
				require.Equal(t, want(s), regexp.MustCompile(source).MatchString(s), "%s of %q on %q", source, text, s)
			}
		}
	}
}

func BenchmarkPattern(b *testing.B) {
	p, err := newPattern(allEntries()["uuid"].source)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if !p.Match("f47ac10b-58cc-4372-a567-0e02b2c3d479") {
			b.Fatal("no match")
		}
	}
}
