package capcli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// fieldTag is what the tag key cli says of a field.
type fieldTag struct {
	none  bool   // cli:"-"
	arg   bool   // also a positional argument
	flag  string // instead of the name made from the JSON name
	short string
	env   string
}

// commandTag is what the tag key cli says of a contract, on its marker.
type commandTag struct {
	name  string
	group string
}

// reporter takes a problem of one tag: what it is and what to do.
type reporter func(what, do string)

func parseFieldTag(text string, report reporter) fieldTag {
	if text == "-" {
		return fieldTag{none: true}
	}
	var tag fieldTag
	for key, value := range options(text, []string{"flag", "short", "env"}, []string{"arg"}, report) {
		switch key {
		case "arg":
			tag.arg = true
		case "flag":
			if !isFlagName(value) {
				report(fmt.Sprintf("cli option flag=%s is no name for a flag", value), "use small letters, digits, - and .")
				continue
			}
			tag.flag = value
		case "short":
			if len(value) != 1 || !isLetter(value[0]) || value == "h" {
				report(fmt.Sprintf("cli option short=%s is no short flag", value), "use one letter other than h")
				continue
			}
			tag.short = value
		case "env":
			tag.env = value
		}
	}
	return tag
}

func parseCommandTag(text string, report reporter) commandTag {
	var tag commandTag
	for key, value := range options(text, []string{"name", "group"}, nil, report) {
		if !isFlagName(value) || strings.Contains(value, ".") {
			report(fmt.Sprintf("cli option %s=%s is no name for a command", key, value), "use small letters, digits and -")
			continue
		}
		if key == "name" {
			tag.name = value
		} else {
			tag.group = value
		}
	}
	return tag
}

// options yields the options of a tag in their order. What it does not know is reported.
func options(text string, keys, words []string, report reporter) func(yield func(key, value string) bool) {
	return func(yield func(string, string) bool) {
		seen := make(map[string]bool)
		for part := range strings.SplitSeq(text, ",") {
			part = strings.TrimSpace(part)
			key, value, hasValue := strings.Cut(part, "=")
			switch {
			case hasValue && !slices.Contains(keys, key), !hasValue && !slices.Contains(words, key):
				report(unknownOption(part, key, hasValue, keys, words))
				continue
			case hasValue && value == "":
				report(fmt.Sprintf("cli option %s has no value", key), "write "+key+"=…")
				continue
			case seen[key]:
				report(fmt.Sprintf("cli option %s is there twice", key), "keep one")
				continue
			}
			seen[key] = true
			if !yield(key, value) {
				return
			}
		}
	}
}

func unknownOption(part, key string, hasValue bool, keys, words []string) (what, do string) {
	switch {
	case !hasValue && slices.Contains(keys, key):
		return fmt.Sprintf("cli option %s has no value", key), "write " + key + "=…"
	case hasValue && slices.Contains(words, key):
		return fmt.Sprintf("cli option %s takes no value", key), "write " + key
	}
	do = didYouMean("", key, slices.Concat(keys, words))
	if do == "" {
		do = "there are " + strings.Join(slices.Concat(keys, words), ", ")
	}
	return fmt.Sprintf("unknown cli option %q", part), do
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isFlagName reports whether name can be typed after two dashes: words of small letters and digits, joined by - or a dot.
func isFlagName(name string) bool {
	afterJoin := true
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			afterJoin = false
		case (c == '-' || c == '.') && !afterJoin:
			afterJoin = true
		default:
			return false
		}
	}
	return !afterJoin
}

// kebab writes a JSON name as a flag: order_number, orderNumber and order-number are order-number.
func kebab(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_' || c == ' ':
			c = '-'
		case c >= 'A' && c <= 'Z':
			if startsWord(name, i) {
				b.WriteByte('-')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// startsWord reports whether the capital at i begins a word: after a small letter or digit, or before a small letter.
func startsWord(name string, i int) bool {
	if i == 0 || name[i-1] == '_' || name[i-1] == '-' {
		return false
	}
	isSmall := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
	return isSmall(name[i-1]) || i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
}

// problems collects what is wrong with a registry as a command line.
type problems struct{ list []cap.Problem }

func (p *problems) at(where string) reporter {
	return func(what, do string) {
		p.list = append(p.list, cap.Problem{Where: where, What: what, Do: do})
	}
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return &cap.RegistrationError{Problems: p.list}
}
