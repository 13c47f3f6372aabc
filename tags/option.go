package tags

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A place is where a cap tag stands; it decides which options are known.
type place string

const (
	onContract place = "contract marker"
	onFailure  place = "failure marker"
	onService  place = "service marker"
	onField    place = "field"
)

// An option is one word of the grammar.
type option struct {
	name  string
	form  form
	known []place
}

// A form says how an option is written.
type form int

const (
	flag     form = iota // the bare word
	value                // word=value, once
	values               // word=value, as often as needed
	anyValue             // word=value, once; the value may be empty
)

var options = []option{
	{"access", value, []place{onContract, onService}},
	{"cite", flag, []place{onField}},
	// An empty text is a default like any other, and cannot be written in another way.
	{"default", anyValue, []place{onField}},
	{"deprecated", value, []place{onContract, onField}},
	{"destructive", flag, []place{onContract}},
	{"example", value, []place{onField}},
	{"fix", value, []place{onFailure}},
	{"format", value, []place{onField}},
	{"idempotent", flag, []place{onContract}},
	{"irreversible", flag, []place{onContract}},
	{"name", value, []place{onContract}},
	{"openworld", flag, []place{onContract}},
	{"retry", value, []place{onFailure}},
	{"reversible", flag, []place{onContract}},
	{"scope", values, []place{onContract, onService}},
	{"secret", flag, []place{onField}},
	{"tag", value, []place{onFailure}},
	{"timeout", value, []place{onContract, onService}},
	{"title", value, []place{onContract}},
	{"version", flag, []place{onField}},
}

// A setting is an option as it is used in a tag: known in its place, and with a value exactly if it takes one.
type setting struct{ name, value string }

// An optionReader reads the value of one cap tag.
type optionReader struct {
	at       place
	problems []Problem
}

// read splits text into its description and its settings.
func (r *optionReader) read(text string) (description string, settings []setting) {
	r.checkText(text)
	items := split(text)
	r.checkItems(items)
	description = items[0]
	if r.isOption(description) {
		r.report(fmt.Sprintf("cap description %q is an option", description), "put the description first, or start with a semicolon")
		// Whoever forgot the description still meant the option.
		settings = r.appendSetting(settings, description)
	}
	if name, hidden := r.hiddenOption(description); hidden {
		r.report(fmt.Sprintf("cap description %q holds the option %q", description, name), "separate the description and the options by semicolons")
	}
	for _, item := range items[1:] {
		settings = r.appendSetting(settings, item)
	}
	return description, settings
}

func (r *optionReader) report(what, do string) {
	r.problems = append(r.problems, Problem{What: what, Do: do})
}

// checkText judges the characters of a tag, whatever they say.
func (r *optionReader) checkText(text string) {
	if !utf8.ValidString(text) {
		r.report(fmt.Sprintf("cap tag %q is no UTF-8 text", text), "replace the stray bytes")
	}
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		c, _ := utf8.DecodeRuneInString(text[i:])
		r.report(fmt.Sprintf("cap tag %q has the control character %q", text, c), "remove it")
	}
}

// checkItems judges the ends of items: a backslash there could be meant for the semicolon behind it.
func (r *optionReader) checkItems(items []string) {
	for _, item := range items {
		if strings.HasSuffix(item, `\`) {
			r.report(fmt.Sprintf("cap tag item %q ends with a backslash", item), `a backslash before a semicolon makes it literal; remove this one`)
		}
	}
}

// split cuts text at its semicolons and trims the blanks around the items. There is always one item.
func split(text string) []string {
	if !strings.Contains(text, `\;`) {
		items := strings.Split(text, ";")
		for i := range items {
			items[i] = strings.Trim(items[i], " ")
		}
		return items
	}
	var items []string
	var item strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], `\;`):
			item.WriteByte(';')
			i++
		case text[i] == ';':
			items = append(items, strings.Trim(item.String(), " "))
			item.Reset()
		default:
			item.WriteByte(text[i])
		}
	}
	return append(items, strings.Trim(item.String(), " "))
}

// isOption reports whether a description is written like an option, one wrong letter included. A bare word that takes a
// value elsewhere only, such as name on a field, is good prose.
func (r *optionReader) isOption(description string) bool {
	name, _, assigned := strings.Cut(description, "=")
	name = strings.TrimRight(name, " ")
	o, known := findOption(name)
	if known {
		return assigned || o.form == flag || slices.Contains(o.known, r.at)
	}
	if !assigned {
		return false
	}
	meant, near := Nearest(name, r.names())
	return near && distance(strings.ToLower(name), meant) <= 1
}

// hiddenOption finds an option of this place behind a comma: the separator of other tags, and never that of this one.
func (r *optionReader) hiddenOption(description string) (name string, found bool) {
	parts := strings.Split(description, ",")
	for _, part := range parts[1:] {
		name, _, assigned := strings.Cut(strings.TrimLeft(part, " "), "=")
		if assigned && slices.Contains(r.names(), name) {
			return name, true
		}
	}
	return "", false
}

// appendSetting reads one item behind the description.
func (r *optionReader) appendSetting(settings []setting, item string) []setting {
	name, text, assigned := strings.Cut(item, "=")
	o, known := findOption(strings.TrimRight(name, " "))
	switch {
	case item == "":
		r.report("cap tag has an empty item", "remove the extra semicolon")
	case !known:
		r.reportUnknown(name, assigned)
	case !slices.Contains(o.known, r.at):
		r.report(fmt.Sprintf("cap option %q is not for a %s", o.name, r.at), "it belongs on "+o.belongs())
	case o.form == flag && assigned:
		r.report(fmt.Sprintf("cap option %q takes no value, not %q", o.name, text), fmt.Sprintf("write %q", o.name))
	case o.form != flag && !assigned, o.form != flag && o.form != anyValue && text == "":
		r.report(fmt.Sprintf("cap option %q has no value", o.name), fmt.Sprintf("write %q and a value", o.name+"="))
	case name != o.name || strings.HasPrefix(text, " "):
		r.report(fmt.Sprintf("blank beside the equals sign of %q", item), "remove the blank")
	case o.form != values && slices.ContainsFunc(settings, func(s setting) bool { return s.name == o.name }):
		r.report(fmt.Sprintf("cap option %q is repeated", o.name), "keep one of them")
	default:
		return append(settings, setting{o.name, text})
	}
	return settings
}

func (r *optionReader) reportUnknown(name string, assigned bool) {
	do := suggest(name, r.names())
	if strings.Contains(strings.TrimSpace(name), " ") || name == "" {
		do = `write a semicolon inside a text as \\;`
		if assigned {
			do += `, an option as key=value`
		}
	}
	r.report(fmt.Sprintf("unknown cap option %q", name), do)
}

// names lists the options that are known here.
func (r *optionReader) names() []string {
	var names []string
	for _, o := range options {
		if slices.Contains(o.known, r.at) {
			names = append(names, o.name)
		}
	}
	return names
}

func findOption(name string) (option, bool) {
	i := slices.IndexFunc(options, func(o option) bool { return o.name == name })
	if i < 0 {
		return option{}, false
	}
	return options[i], true
}

// belongs says where an option may stand.
func (o option) belongs() string {
	var places []string
	for _, p := range o.known {
		places = append(places, "a "+string(p))
	}
	return strings.Join(places, " or ")
}

// duration reads a time span over nothing, such as 10s.
func (r *optionReader) duration(s setting) time.Duration {
	d, err := time.ParseDuration(s.value)
	switch {
	case strings.HasPrefix(s.value, "-") || err == nil && d <= 0:
		r.report(fmt.Sprintf("cap option %q is not over 0: %q", s.name, s.value), "leave it out where there is no limit")
	case err != nil && isNumber(s.value):
		r.report(fmt.Sprintf("cap option %q has no unit in %q", s.name, s.value), fmt.Sprintf("write %q for seconds", s.value+"s"))
	case err != nil:
		r.report(fmt.Sprintf("cap option %q is no duration: %q", s.name, s.value), `write one such as "10s" or "1h30m"`)
	default:
		return d
	}
	return 0
}

// isNumber reports whether text is digits, with a sign or a point at most.
func isNumber(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.Trim(text, "+-.0123456789") == ""
}
