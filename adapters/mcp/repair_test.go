package capmcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func TestRepair(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	const rest = `,"budget":0,"sleep":false,"stops":[],"notes":{},"title":""}`
	rows := []struct{ name, args, want, repairs string }{
		{"nothing to do", `{"days":5,"title":"5"}`, `{"days":5,"budget":0,"sleep":false,"stops":[],"notes":{},"title":"5"}`, ""},
		{"an integer", `{"days":"5"}`, `{"days":5` + rest, `[{"pointer":"/days","from":"string","to":"integer"}]`},
		{"an integer with a fraction of zero", `{"days":"5.0"}`, `{"days":5` + rest, `[{"pointer":"/days","from":"string","to":"integer"}]`},
		{
			"a number and a boolean", `{"days":5,"budget":"1.5e2","sleep":"true"}`, `{"days":5,"budget":150,"sleep":true,"stops":[],"notes":{},"title":""}`,
			`[{"pointer":"/budget","from":"string","to":"number"},{"pointer":"/sleep","from":"string","to":"boolean"}]`,
		},
		{
			"a list in a string, and what is in it", `{"days":5,"stops":"[{\"city\":\"A\",\"nights\":\"2\"}]"}`,
			`{"days":5,"budget":0,"sleep":false,"stops":[{"city":"A","nights":2}],"notes":{},"title":""}`,
			`[{"pointer":"/stops","from":"string","to":"array"},{"pointer":"/stops/0/nights","from":"string","to":"integer"}]`,
		},
		{
			"an element in a string", `{"days":5,"stops":["{\"city\":\"A\"}"]}`, `{"days":5,"budget":0,"sleep":false,"stops":[{"city":"A"}],"notes":{},"title":""}`,
			`[{"pointer":"/stops/0","from":"string","to":"object"}]`,
		},
		{
			"values of a map", `{"days":5,"notes":{"a/b":"1"}}`, `{"days":5,"budget":0,"sleep":false,"stops":[],"notes":{"a/b":1},"title":""}`,
			`[{"pointer":"/notes/a~1b","from":"string","to":"integer"}]`,
		},
		{"null for what may be left out", `{"days":5,"budget":null,"stops":null}`, `{"days":5` + rest, `[{"pointer":"/budget","from":"null","to":"absent"},{"pointer":"/stops","from":"null","to":"absent"}]`},
		{"all of it in a string", `"{\"days\":\"5\"}"`, `{"days":5` + rest, `[{"pointer":"","from":"string","to":"object"},{"pointer":"/days","from":"string","to":"integer"}]`},
		{"strings stay", `{"days":5,"title":"true","extra":{"a":"7"}}`, `{"days":5,"budget":0,"sleep":false,"stops":[],"notes":{},"title":"true"}`, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			result := byID(t, talk(t, adapter, callOf(modern, 1, "plan", r.args)), 1).tool(t)
			require.False(t, result.IsError, "%v", result.Content)
			assert.JSONEq(t, `{"input":`+r.want+`}`, string(result.Structured))
			if r.repairs == "" {
				assert.NotContains(t, result.Meta, "cap/repairs")
				return
			}
			assert.JSONEq(t, r.repairs, string(result.Meta["cap/repairs"]))
		})
	}
}

// What is not certain stays as it is, and is refused.
func TestNoRepair(t *testing.T) {
	t.Parallel()
	rows := []struct{ name, args, want string }{
		{"words", `{"days":"five"}`, "/days type"},
		{"blanks around a number", `{"days":" 5 "}`, "/days type"},
		{"a hexadecimal number", `{"days":"0x5"}`, "/days type"},
		{"another spelling of true", `{"days":5,"sleep":"yes"}`, "/sleep type"},
		{"null for what must be there", `{"days":null}`, "/days type"},
		{"a list where an object is wanted", `{"days":5,"notes":"[1]"}`, "/notes type"},
		{"broken JSON in a string", `{"days":5,"stops":"[1,"}`, "/stops type"},
		{"a number twice", `{"days":"5","days":6}`, "/days duplicate"},
	}
	loose := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	for _, r := range rows {
		failed := byID(t, talk(t, loose, callOf(modern, 1, "plan", r.args)), 1).tool(t).failure(t)
		require.Len(t, failed.Issues, 1, r.name)
		assert.Equal(t, r.want, failed.Issues[0].Pointer+" "+failed.Issues[0].Rule, r.name)
	}
	strict := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{Strict: true})
	result := byID(t, talk(t, strict, callOf(modern, 1, "plan", `{"days":"5","budget":null}`)), 1).tool(t)
	assert.Len(t, result.failure(t).Issues, 2, "switched off")
	assert.NotContains(t, result.Meta, "cap/repairs")
}

// A report is bounded, a repair is not.
func TestRepairOfMany(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	stops := strings.TrimSuffix(strings.Repeat(`{"city":"A","nights":"1"},`, 1000), ",")
	result := byID(t, talk(t, adapter, callOf(modern, 1, "plan", `{"days":1,"stops":[`+stops+`]}`)), 1).tool(t)
	require.False(t, result.IsError)
	assert.Equal(t, 1000, strings.Count(string(result.Structured), `"nights":1`))
	var report []struct{ From string }
	require.NoError(t, json.Unmarshal(result.Meta["cap/repairs"], &report))
	assert.Len(t, report, 21)
	assert.Equal(t, "and 980 more", report[20].From)
}
