package examples

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/lint"
	"github.com/seed-369ec62e/cap/tags"
)

// docs/tags.md and docs/errors.md are written by these tests, from the code, from its golden files and from calls, when they
// are told to: go test . -update.

const writtenBy = "<!-- Written by a test from the code and its golden files: cd examples && go test . -update -->\n"

func TestReferencePages(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"tags.md": tagsPage(t), "errors.md": errorsPage(t)} {
		page := filepath.Join(docsFolder, name)
		if *update {
			require.NoError(t, os.WriteFile(page, []byte(text), 0o600))
			continue
		}
		want, got := strings.Split(text, "\n"), strings.Split(read(t, page), "\n")
		for i := range min(len(want), len(got)) {
			if !assert.Equal(t, want[i], got[i], "%s:%d is out of date; run: make docs", page, i+1) {
				break
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d lines, want %d; run: make docs", page, len(got), len(want))
		}
	}
}

// A place is where a cap tag stands.
type place struct {
	title, example string
	problems       func(text string) []tags.Problem
	means          map[string]string
}

var places = []place{
	{
		"On a contract's marker", "cap.Write[Out] `cap:\"Cancel an order; access=authenticated; irreversible\"`",
		func(text string) []tags.Problem { _, p := tags.ParseContract(text); return p },
		map[string]string{
			"access":       "`public`, `authenticated` or `rule`: who may call. Required, here or on the service",
			"deprecated":   "what to use instead, or why; callers are told",
			"destructive":  "what is there is lost. For Write and Host",
			"idempotent":   "a second equal call changes nothing more",
			"irreversible": "it cannot be undone. Write and Host: this or `reversible` is required",
			"name":         "the capability's name; 1 to 64 letters, digits, `_` and `-`. Without it: the type's name in snake_case, without a suffix Input, Request, Params or Args",
			"openworld":    "it reaches systems beyond the service",
			"reversible":   "it can be undone. Write and Host: this or `irreversible` is required",
			"scope":        "a scope that the credential must have. Repeatable; all are needed",
			"timeout":      "how long the handler may take, such as `10s`",
			"title":        "a name for people",
		},
	},
	{
		"On a failure's marker", "_ cap.Failure `cap:\"The order has left the warehouse; fix=Open a return instead.\"`",
		func(text string) []tags.Problem { _, p := tags.ParseFailure(text); return p },
		map[string]string{
			"fix":   "what the caller can do about it. Required, here or as a `Fix() string` companion",
			"retry": "after how long trying again may help, such as `30s`",
			"tag":   "the failure's name for callers. Without it: the type's name",
		},
	},
	{
		"On a service's marker", "_ cap.Service `cap:\"Orders of the shop; access=authenticated\"`",
		func(text string) []tags.Problem { _, p := tags.ParseService(text); return p },
		map[string]string{
			"access":  "the default of its capabilities",
			"scope":   "scopes of the capabilities that name none. Repeatable",
			"timeout": "the default of its capabilities",
		},
	},
	{
		"On a field", "Order string `json:\"order\" cap:\"Order number; example=SO-1042\" validate:\"required\"`",
		func(text string) []tags.Problem { _, p := tags.ParseField(text); return p },
		map[string]string{
			"cite":       "the field, a `cap.ObjectRef` or several, names an object that the output speaks of",
			"default":    "the value of a field that is left out: text for strings, JSON for the rest. Makes the field optional",
			"deprecated": "what to use instead, or why",
			"example":    "a value as callers may write it",
			"format":     "the format of a text marshaller, such as `uri`",
			"secret":     "never shown, logged or echoed",
			"version":    "the object's version: bound into an action; If-Match over HTTP",
		},
	},
}

var known = regexp.MustCompile(`known here: ([^)]*)`)

// options are the names that a place knows, as its own problem lists them.
func (p place) options(t *testing.T) []string {
	t.Helper()
	problems := p.problems("; qqqqqqqq=1")
	require.Len(t, problems, 1)
	list := known.FindStringSubmatch(problems[0].String())
	require.NotNil(t, list, "%s", problems[0])
	return strings.Split(list[1], ", ")
}

// form says how an option is written, by trying.
func (p place) form(option string) string {
	refused := func(text, what string) bool {
		return slices.ContainsFunc(p.problems("A text; "+text), func(problem tags.Problem) bool {
			return strings.Contains(problem.String(), what)
		})
	}
	if len(p.problems("A text; "+option)) == 0 {
		return "`" + option + "`"
	}
	if refused(option+"=1s; "+option+"=2s", "is repeated") {
		return "`" + option + "=`"
	}
	return "`" + option + "=` …"
}

func tagsPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Tags\n\n" + writtenBy + "\n" + tagsIntroduction)
	for _, p := range places {
		fmt.Fprintf(&b, "\n## %s\n\n    %s\n\n| option | means |\n|---|---|\n", p.title, p.example)
		options := p.options(t)
		require.Len(t, p.means, len(options), "%s: %v", p.title, options)
		for _, option := range options {
			require.Contains(t, p.means, option, p.title)
			fmt.Fprintf(&b, "| %s | %s |\n", p.form(option), p.means[option])
		}
	}
	b.WriteString(tagsOfFronts)
	b.WriteString("\n## What is refused\n\nUnknown, repeated, misplaced and malformed options, all at once. These are the words, with the text of an example:\n\n```text\n")
	b.WriteString(strings.Join(tagProblems(t), "\n"))
	b.WriteString("\n```\n\n## Rules of validate tags\n\n" + rulesIntroduction + "\n| rule | on | what callers are told | schema |\n|---|---|---|---|\n")
	for _, line := range ruleLine.FindAllStringSubmatch(read(t, "../internal/rules/testdata/messages.golden"), -1) {
		escape := strings.NewReplacer("|", "\\|", "<", "&lt;").Replace
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", strings.ReplaceAll(line[1], "|", "\\|"), escape(line[2]), escape(line[3]), line[4])
	}
	return b.String()
}

var (
	ruleLine    = regexp.MustCompile(`(?m)^(.+?) on (\S+): (.*) \((exact|wider|opaque)\)$`)
	problemLine = regexp.MustCompile(`(?m)^  ! (.*)$`)
)

// tagProblems are the messages of the golden files of package tags, each once.
func tagProblems(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range []string{"structtag", "contract", "failure", "service", "field", "json"} {
		for _, line := range problemLine.FindAllStringSubmatch(read(t, "../tags/testdata/"+name+".golden"), -1) {
			found = append(found, line[1])
		}
	}
	require.NotEmpty(t, found)
	slices.Sort(found)
	return slices.Compact(found)
}

func errorsPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Errors\n\n" + writtenBy + "\n" + errorsIntroduction)
	b.WriteString("\n## Codes\n\n| code | message | HTTP | exit code | MCP | when |\n|---|---|---|---|---|---|\n")
	for _, row := range codeRows(t) {
		b.WriteString(row)
	}
	b.WriteString(afterCodes)
	b.WriteString("\n## Issues of an input\n\nAn issue has a JSON Pointer, a rule and a message; it never has the value. These rules are the model's own; the others are those of\n[validate tags](tags.md#rules-of-validate-tags).\n\n| rule | what it says |\n|---|---|\n")
	for _, rule := range modelRule.FindAllStringSubmatch(read(t, "../internal/plan/plan.go"), -1) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", rule[1], rule[2])
	}
	b.WriteString("\n## Codes of the HTTP front alone\n\nThese say what went wrong before a call began, or around it.\n\n| code | status | message |\n|---|---|---|\n")
	for _, row := range frontRows(t) {
		b.WriteString(row)
	}
	b.WriteString("\n## Exit codes\n\n| code | means |\n|---|---|\n")
	for _, exit := range exitCode.FindAllStringSubmatch(read(t, "../adapters/cli/exit.go"), -1) {
		fmt.Fprintf(&b, "| %s | %s |\n", exit[1], exit[2])
	}
	b.WriteString("\n## Findings of the doctor\n\n| rule | what it looks for |\n|---|---|\n")
	rules := lint.Rules()
	for _, name := range sortedKeys(rules) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, rules[name])
	}
	b.WriteString("\n## Composition\n\nAll issues of a composition come in one `*cap.CompositionError`:\n\n```text\n" + goldenTexts(t, "composition.txtar") + "```\n")
	b.WriteString("\n## Problems at registration\n\nAll problems of a program are reported at once, as where: what (what to do). Each part of this list is one test; its title says what was done.\n\n```text\n" + goldenTexts(t, "problems.txtar") + "```\n")
	return b.String()
}

var (
	modelRule = regexp.MustCompile(`(?m)^\tRule\w+\s+= "(\w+)"\s+// (.*)$`)
	exitCode  = regexp.MustCompile(`(?m)^\tExit\w+\s+= (\d+)\s+// (.*)$`)
	frontCode = regexp.MustCompile(`status:\s*http\.Status(\w+), code: (Code\w+),\s*message:\s*([^\n]*)`)
	codeValue = regexp.MustCompile(`(?m)^\s*(?:const )?(Code\w+)\s+cap\.Code = "(\w+)"`)
	firstText = regexp.MustCompile(`^"((?:[^"\\]|\\.)*)"( \+)?`)
)

// frontRows reads the codes of the HTTP front and where they are answered from its source.
func frontRows(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../adapters/http/*.go")
	require.NoError(t, err)
	var source strings.Builder
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			source.WriteString(read(t, file))
		}
	}
	values := map[string]string{}
	for _, value := range codeValue.FindAllStringSubmatch(source.String(), -1) {
		values[value[1]] = value[2]
	}
	statuses := map[string]int{}
	for status := 400; status < 600; status++ {
		statuses[strings.NewReplacer(" ", "", "-", "").Replace(http.StatusText(status))] = status
	}
	rows := map[string]string{}
	for _, answer := range frontCode.FindAllStringSubmatch(source.String(), -1) {
		message := "says what is wrong with the request"
		if text := firstText.FindStringSubmatch(answer[3]); text != nil {
			message = text[1]
			if text[2] != "" {
				message += "…"
			}
		}
		rows[answer[2]] = fmt.Sprintf("| %s | %d | %s |\n", values[answer[2]], statuses[answer[1]], message)
	}
	for code := range values {
		require.Contains(t, rows, code, "a code that is never answered, or not in the form that this test reads")
	}
	written := make([]string, 0, len(rows))
	for _, row := range rows {
		written = append(written, row)
	}
	slices.Sort(written)
	return written
}

// goldenTexts is a golden file, with its titles as comments.
func goldenTexts(t *testing.T, name string) string {
	t.Helper()
	return regexp.MustCompile(`(?m)^-- (.*) --$`).ReplaceAllString(read(t, "../testdata/"+name), "# $1")
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
