package capcli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

type principalKey struct{}

// principalFrom is an authenticator for tests: who calls stands in the context.
func principalFrom(ctx context.Context) (*cap.Principal, error) {
	p, _ := ctx.Value(principalKey{}).(*cap.Principal)
	return p, nil
}

// front lets the suite call through the command line: with --input alone, or with flags where there are some.
type front struct {
	program *capcli.Program
	flags   bool
}

// Leaves implements adaptertest.Limited.
func (*front) Leaves(row string) string {
	if row == "no such capability" {
		return "an unknown command is no call"
	}
	return ""
}

func (f *front) Call(t *testing.T, name string, args json.RawMessage, as *cap.Principal) adaptertest.Answer {
	t.Helper()
	return f.CallConfirmed(t, name, args, as, cap.Confirmation{})
}

func (f *front) CallConfirmed(t *testing.T, name string, args json.RawMessage, as *cap.Principal, given cap.Confirmation) adaptertest.Answer {
	t.Helper()
	line := []string{name, "--output=result"}
	if f.flags {
		var more []string
		more, args = flagsOf(t, args)
		line = append(line, more...)
	}
	line = append(line, "--input", "-")
	if given.Challenge != "" { // which the gate of the suite makes of the digest
		line = append(line, "--confirm", strings.TrimPrefix(given.Challenge, "challenge-"))
	}
	var out, errs bytes.Buffer
	code := f.program.Run(context.WithValue(t.Context(), principalKey{}, as), line, capcli.Streams{In: bytes.NewReader(args), Out: &out, Err: &errs})
	answer := adaptertest.Answer{Raw: append(out.Bytes(), errs.Bytes()...)}
	if code == capcli.ExitOK {
		var result cap.Result
		require.NoError(t, json.Unmarshal(out.Bytes(), &result))
		assert.Empty(t, errs.String(), "standard error of a call that answered")
		answer.Output, answer.Cites = result.Output, result.Cites
		return answer
	}
	if code != capcli.ExitPending {
		assert.Empty(t, out.String(), "standard output of a call that failed")
	}
	answer.Error = &cap.Error{}
	require.NoError(t, json.Unmarshal(errs.Bytes(), answer.Error), "standard error: %s", errs.String())
	return answer
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// flagsOf makes flags of the members that flags can say, and leaves the rest to --input.
func flagsOf(t *testing.T, args json.RawMessage) (flags []string, rest json.RawMessage) {
	t.Helper()
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil || strings.Count(string(args), `"id"`) > 1 {
		return nil, args
	}
	for _, name := range []string{"text", "whole", "big", "small", "level", "at", "span", "bytes", "id", "limit", "owner", "how", "to", "item", "fallback"} {
		value, ok := members[name]
		if !ok {
			continue
		}
		var text string
		switch {
		case value[0] == '"' && !bytes.Contains(value, []byte(`\ud`)):
			require.NoError(t, json.Unmarshal(value, &text))
		case decimal.Match(value) && name != "id":
			text = string(value)
		default:
			continue
		}
		flags = append(flags, "--"+name+"="+text)
		delete(members, name)
	}
	rest, err := json.Marshal(members)
	require.NoError(t, err)
	if len(flags) == 0 {
		return nil, args // as it was written
	}
	return slices.Clip(flags), rest
}

func TestSuite(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string]bool{"input": false, "flags": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, err := capcli.New(adaptertest.NewRegistry(t), capcli.Options{Authenticate: principalFrom, AllowConfirm: true})
			require.NoError(t, err)
			adaptertest.Run(t, &front{program: program, flags: flags})
		})
	}
}

// completing makes a program that completes values.
func completing(t *testing.T, values func() []string) *capcli.Program {
	t.Helper()
	program, err := capcli.New(adaptertest.NewRegistry(t), capcli.Options{
		Complete: func(_ context.Context, c *cap.Capability, field, prefix string) []string {
			assert.Equal(t, []string{"find_item", "id", ""}, []string{c.Name(), field, prefix})
			return values()
		},
	})
	require.NoError(t, err)
	return program
}
