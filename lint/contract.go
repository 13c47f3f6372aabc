package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-369ec62e/cap"
)

func checkTitle(k *checker) {
	if k.capability.Title() == "" {
		k.report(Warning, "", "has no title, which clients show to people", "add title= to its tag")
	}
}

const (
	minWords       = 3
	maxDescription = 1024 // characters, beyond which some clients refuse a tool
)

func checkDescription(k *checker) {
	text := k.capability.Description()
	switch {
	case len([]rune(text)) > maxDescription:
		k.report(Error, "", fmt.Sprintf("its description has more than %d characters", maxDescription), "move the rest to a Doc companion")
	case isVague(text, k.capability.Name()):
		k.report(Warning, "", fmt.Sprintf("its description %q says little more than its name", text), "say what it does, and what comes back")
	}
}

// isVague reports whether a description has few words, or none that its name has not.
func isVague(text, name string) bool {
	known := words(name)
	more := 0
	for _, word := range words(text) {
		if !slices.Contains(known, word) && !slices.Contains(fillers, word) {
			more++
		}
	}
	return len(words(text)) < minWords || more == 0
}

// fillers say nothing by themselves.
var fillers = []string{"a", "an", "the", "of", "for", "to", "this", "that", "these", "some", "todo", "method", "function", "endpoint"}

var letters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\pL\pN]+`) })

func words(text string) []string { return letters().FindAllString(strings.ToLower(text), -1) }

func checkExamples(k *checker) {
	for p := range places("input", k.capability.Input()) {
		isText := p.Kind() == cap.FieldString && p.Format() == "" && p.Encoding() == "" && p.GoType() != "time.Duration"
		if p.depth == 1 && p.Required() && isText && p.Enum() == nil && p.Example() == nil && !p.Secret() {
			k.report(Warning, p.path, "has no example, so its form must be guessed", "add example= to its tag")
		}
	}
}

func checkUndescribed(k *checker) {
	for p := range places("input", k.capability.Input()) {
		if p.Description() == "" {
			k.report(Warning, p.path, "has no description", "add one to its tag")
		}
	}
	for p := range places("output", k.capability.Output()) {
		if p.Description() == "" && p.depth == 1 && p.Name() != "result" {
			k.report(Note, p.path, "has no description", "add one to its tag")
		}
	}
}

func checkFixes(k *checker) {
	for _, f := range k.capability.Failures() {
		if isVague(f.Description, f.Tag) {
			k.report(Warning, "failure "+plain(f.Tag), fmt.Sprintf("its description %q says little more than its name", f.Description), "say when it happens")
		}
	}
}

// checkFlags compares what a command line would make of the names.
func checkFlags(k *checker) {
	owners := make(map[string]string)
	for p := range places("input", k.capability.Input()) {
		if p.depth != 1 {
			continue
		}
		if tag, ok := p.Tag("cli"); ok && (tag == "-" || strings.Contains(tag, "flag=")) {
			continue
		}
		flag := flagOf(p.Name())
		if slices.Contains(reservedFlags, flag) {
			k.report(Warning, p.path, "would be the flag --"+flag+", which every command line has", `name another with cli:"flag=…"`)
		}
		if owner, taken := owners[flag]; taken {
			k.report(Warning, p.path, fmt.Sprintf("would be the same flag, --%s, as %s", flag, owner), `name another with cli:"flag=…"`)
		}
		owners[flag] = p.path
	}
}

// reservedFlags are those of every command of a command line.
var reservedFlags = []string{
	"input", "output", "dry-run", "confirm", "yes", "no-input", "no-color", "no-pager", "timeout", "help", "version", "as", "approval",
	"reason",
}

var wordStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([a-z0-9])([A-Z])`) })

func flagOf(name string) string {
	return strings.ToLower(strings.ReplaceAll(wordStart().ReplaceAllString(name, "$1-$2"), "_", "-"))
}

// reservedCommands are those of every program.
var reservedCommands = []string{"help", "completion", "list", "describe", "docs", "version", "serve", "mcp", "doctor", "contracts", "approvals", "approvers"}

func checkCommand(k *checker) {
	if tag, ok := k.capability.Tag("cli"); ok && (strings.Contains(tag, "name=") || strings.Contains(tag, "group=")) {
		return
	}
	name := flagOf(k.capability.Name())
	if slices.Contains(reservedCommands, name) || slices.Contains(k.options.Reserved, name) {
		k.report(Warning, "", "would be the command "+name+", which programs have themselves", `name another with cli:"name=…"`)
	}
}

// checkRequired tells what a caller of the service as it was could leave out.
func checkRequired(k *checker) {
	for p := range places("input", k.capability.Input()) {
		if p.Name() == "" || !p.Required() {
			continue
		}
		if rules, _ := p.Tag("validate"); slices.Contains(strings.Split(rules, ","), "required") {
			continue
		}
		k.report(Note, p.path, "must be there; encoding/json takes an input without it", "add omitempty, or default=, where callers leave it out")
	}
}

func checkDurations(k *checker) {
	for what, root := range k.both() {
		for p := range places(what, root) {
			if strings.TrimLeft(p.GoType(), "*") == "time.Duration" {
				k.report(Note, p.path, "is a text such as 1h30m; encoding/json writes a number of nanoseconds", "tell its callers")
			}
		}
	}
}

func checkNulls(k *checker) {
	for p := range places("output", k.capability.Output()) {
		if p.Name() == "" || !p.Required() || p.Kind() != cap.FieldArray && p.Kind() != cap.FieldMap {
			continue
		}
		empty := "[]"
		if p.Kind() == cap.FieldMap {
			empty = "{}"
		}
		k.report(Note, p.path, "is "+empty+" when it is nil; encoding/json writes null", "tell its callers")
	}
}

// both yields input and output, in this order.
func (k *checker) both() func(yield func(string, *cap.Field) bool) {
	return func(yield func(string, *cap.Field) bool) {
		_ = yield("input", k.capability.Input()) && yield("output", k.capability.Output())
	}
}
