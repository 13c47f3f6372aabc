package rows_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/benchmarks/job"
	"github.com/seed-369ec62e/cap/benchmarks/rows"
)

// total stands in the answer as JSON, or escaped in a text.
var total = regexp.MustCompile(`total\\?": ?([0-9]+)`)

func TestEveryRowDoesTheJob(t *testing.T) {
	t.Parallel()
	for _, group := range rows.Groups() {
		for _, row := range group.Rows {
			t.Run(group.Name+"/"+row.Name, func(t *testing.T) {
				t.Parallel()
				caller, err := row.New()
				require.NoError(t, err)
				t.Cleanup(caller.Close)
				for range 2 { // callers are used again and again
					for _, p := range job.Payloads() {
						check(t, caller, p)
					}
				}
			})
		}
	}
}

func check(t *testing.T, caller rows.Caller, p job.Payload) {
	t.Helper()
	answer, err := caller.Call(p.Body)
	if p.Refused {
		require.ErrorIs(t, err, rows.ErrRefused, "payload %s: %s", p.Name, answer)
		return
	}
	require.NoError(t, err, "payload %s", p.Name)
	found := total.FindSubmatch(answer)
	require.NotNil(t, found, "payload %s: no total in %s", p.Name, answer)
	assert.Equal(t, strconv.FormatInt(p.Total, 10), string(found[1]), "payload %s", p.Name)
}
