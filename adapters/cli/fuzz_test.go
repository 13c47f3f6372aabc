package capcli_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// FuzzRun holds that no command line panics, and that each ends in one of the documented ways: an answer that is JSON on
// standard output and nothing on standard error, or the reverse.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		"counted\x00--count\x005", "wide\x00--input\x00{\"name\":\"x\"}\x00--color\x00red", "filled\x00--cells\x00{\"x\":1}", "moved\x00--\x00-5",
		"--place\x00x\x00wide\x00-c=red", "wide\x00--label\x00a=b\x00--address.geo.lat\x001", "forced\x00--no-force", "mail\x00send\x00you\x00--yes",
		"mail\x00send\x00you\x00--dry-run", "wide\x00--\x00--x", "wide\x00---x", "wide\x00-", "describe\x00wide", "help\x00wide", "--help", "shout\x00x",
		"wide\x00--maybe-null", "wide\x00--input\x00{}\x00--input\x00{}", "__complete\x00wide\x00--color\x00", "completion\x00fish", "wide\x00--any\x00[1e999]",
		"wide\x00--output=yaml\x00--name=x", "version\x00--output\x00json", "list\x00--output=text", "approvals\x00show\x00x",
	} {
		f.Add(seed)
	}
	program, err := newDemo(adaptertest.NewGate(), noEnv)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		for _, arg := range args {
			if strings.Contains(arg, "@") || strings.HasPrefix(arg, "wait") || arg == "completion" {
				return // files of this machine, calls that wait, and very long answers
			}
		}
		got := runWith(t, program, capcli.Streams{}, args...)
		assert.Contains(t, []int{0, 1, 2, 4, 5, 6, 70, 124}, got.code)
		assert.NotEqual(t, "error: the program failed\n", got.err, "a panic")
		if got.code == 0 || got.code == capcli.ExitPending {
			return
		}
		assert.Empty(t, got.out, "standard output beside an error")
		assert.NotEmpty(t, got.err)
		if !strings.Contains(line, "json") && !strings.Contains(line, "result") {
			assert.True(t, utf8.ValidString(got.err), "%q", got.err)
			assert.NotContains(t, got.err, "\x1b")
		}
	})
}

// FuzzMerge holds that --input and a flag together make the document that a plain merge of parsed values makes.
func FuzzMerge(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"big":1}`, "x"},
		{`{}`, ""},
		{`{"address":{"geo":{"lat":1}}}`, "Bern"},
		{`{"name":"a"}`, "b"},
		{` {"any" : [1, {"a":"\u00e9"}]} `, "é"},
		{`[]`, "x"},
		{`{"address":{"city":"x"}}`, "y"},
		{`{"address":null}`, "y"},
		{`{"\u006eame":"x"}`, "y"},
	} {
		f.Add(seed[0], seed[1])
	}
	program, err := newDemo(adaptertest.NewGate(), noEnv)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, document, city string) {
		if strings.HasPrefix(document, "@") || document == "-" || strings.Contains(document+city, "\x00") {
			return
		}
		plain := runWith(t, program, capcli.Streams{}, "wide", "--input", document)
		var members map[string]any
		decoder := json.NewDecoder(strings.NewReader(document))
		decoder.UseNumber()
		if plain.code != 0 || decoder.Decode(&members) != nil {
			merged := runWith(t, program, capcli.Streams{}, "wide", "--input", document, "--address.city", city)
			assert.Equal(t, plain.code != 0, merged.code != 0, "a document that is refused is refused beside a flag: %s", merged.err)
			return
		}
		address, isObject := members["address"].(map[string]any)
		_, hasAddress := members["address"]
		if hasAddress && !isObject || address["city"] != nil || !utf8.ValidString(city) {
			merged := runWith(t, program, capcli.Streams{}, "wide", "--input", document, "--address.city", city)
			assert.Equal(t, capcli.ExitUsage, merged.code)
			return
		}
		if !hasAddress {
			address = map[string]any{}
			members["address"] = address
		}
		address["city"] = city
		want, err := json.Marshal(members)
		require.NoError(t, err)
		merged := runWith(t, program, capcli.Streams{}, "wide", "--input", document, "--address.city", city, "--output", "json")
		twin := runWith(t, program, capcli.Streams{}, "wide", "--input", string(want), "--output", "json")
		assert.Equal(t, twin.code, merged.code, "%s: %s", want, merged.err)
		assert.Equal(t, twin.out, merged.out, "%s", want)
	})
}
