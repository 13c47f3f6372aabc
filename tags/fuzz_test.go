package tags_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/tags"
)

// FuzzParse holds Parse against Go's own lookup: a tag without problems means the same to both.
func FuzzParse(f *testing.F) {
	for _, raw := range []string{
		``, `json:"a" cap:"b"`, `cap:"The "best" order" json:"a"`, `json: "a"`, `json:"a`, `cap:"\d"`, "json:\"a\"\ncap:\"b\"", `a:"1"b:"2"`, `a:"\u00e9\x41"`,
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		tag, problems := tags.Parse(raw)
		checkProblems(t, problems)
		if len(problems) > 0 {
			return
		}
		keys := tag.Keys()
		for _, key := range append(keys, "cap", "json", "validate", "absent") {
			got, ok := tag.Lookup(key)
			want, wantOK := reflect.StructTag(raw).Lookup(key)
			require.Equal(t, wantOK, ok, "key %q of %q", key, raw)
			require.Equal(t, want, got, "key %q of %q", key, raw)
		}
		// Nothing is lost: what is not blank belongs to a pair.
		rest := raw
		for _, key := range keys {
			var found bool
			_, rest, found = strings.Cut(rest, key+`:"`)
			require.True(t, found, "key %q of %q", key, raw)
		}
	})
}

func FuzzContract(f *testing.F) {
	for _, text := range []string{
		``, `Find; access=public`, `a\;b; title=x=y; scope=a; scope=b; timeout=1s; reversible`, `access=public`, `;;`, `\`, `Find; timeout=99999999999h`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, problems := tags.ParseContract(text)
		checkProblems(t, problems)
		again, problemsAgain := tags.ParseContract(rejoin(text))
		assert.Equal(t, got, again, "%q and its items joined again, %q", text, rejoin(text))
		assert.Len(t, problemsAgain, len(problems))
		if len(problems) == 0 {
			assert.Equal(t, plainContract(text), got)
		}
	})
}

func FuzzField(f *testing.F) {
	for _, text := range []string{
		``, `Order number; example=SO-1; secret`, `Note; default=`, `x; default={"a":"b\;c"}`, `version`, "a\x00b", `a;b;c=d`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, problems := tags.ParseField(text)
		checkProblems(t, problems)
		again, problemsAgain := tags.ParseField(rejoin(text))
		assert.Equal(t, got, again, "%q and its items joined again, %q", text, rejoin(text))
		assert.Len(t, problemsAgain, len(problems))
		assert.Equal(t, got.HasExample, got.Example != "")
	})
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{``, `-`, `-,`, `a,omitempty`, `a, string`, `a,format:x`, `'a'`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, problems := tags.ParseJSON(text)
		checkProblems(t, problems)
		if len(problems) > 0 || got.Skip {
			return
		}
		name, _, _ := strings.Cut(text, ",")
		assert.Equal(t, name, got.Name)
	})
}

// checkProblems holds every message to its form: it says something, and it is one line that a terminal can show.
func checkProblems(t *testing.T, problems []tags.Problem) {
	t.Helper()
	for _, p := range problems {
		assert.NotEmpty(t, p.What)
		assert.NotEmpty(t, p.Do)
		assert.NotContains(t, p.String(), "\n")
	}
}

// plainItems is the slow twin of the split: escaped semicolons are hidden before cutting. It needs a text without
// control characters.
func plainItems(text string) []string {
	items := strings.Split(strings.ReplaceAll(text, `\;`, "\x00"), ";")
	for i, item := range items {
		items[i] = strings.Trim(strings.ReplaceAll(item, "\x00", ";"), " ")
	}
	return items
}

// rejoin cuts a text into its items and puts them together again. A text that uses the twin's mark is left alone.
func rejoin(text string) string {
	if strings.Contains(text, "\x00") {
		return text
	}
	items := plainItems(text)
	for i, item := range items {
		items[i] = strings.ReplaceAll(item, ";", `\;`)
	}
	return strings.Join(items, "; ")
}

// plainContract reads what a contract's tag without problems says of texts and flags.
func plainContract(text string) tags.Contract {
	got, _ := tags.ParseContract("")
	items := plainItems(text)
	got.Description = items[0]
	for _, item := range items[1:] {
		name, value, _ := strings.Cut(item, "=")
		switch name {
		case "timeout": // Go's own parser reads it; its twin is itself.
			timed, _ := tags.ParseContract("; " + item)
			got.Timeout = timed.Timeout
		case "scope":
			got.Scopes = append(got.Scopes, value)
		default:
			setField(&got, name, value)
		}
	}
	return got
}

// setField finds the field by its name, so that a mix-up of two options in the parser cannot repeat itself here.
func setField(c *tags.Contract, name, value string) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		switch {
		case !strings.EqualFold(v.Type().Field(i).Name, name):
		case v.Field(i).Kind() == reflect.Bool:
			v.Field(i).SetBool(true)
		default:
			v.Field(i).SetString(value)
		}
	}
}
