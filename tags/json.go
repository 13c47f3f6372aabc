package tags

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A JSON is what the json tag of a field says.
type JSON struct {
	Name      string // empty: the name of the Go field
	OmitEmpty bool
	OmitZero  bool
	String    bool // numbers and booleans travel as strings
	Skip      bool // the field is not in the JSON
}

// ParseJSON reads the json tag of a field: a name and options, separated by commas. The text "-" alone skips the field;
// "-," gives it the name "-". What encoding/json would ignore or only its second version understands is a problem.
func ParseJSON(text string) (JSON, []Problem) {
	if text == "-" {
		return JSON{Skip: true}, nil
	}
	r := jsonReader{}
	name, list, hasOptions := strings.Cut(text, ",")
	r.readName(name)
	if !hasOptions || name == "-" && list == "" {
		return r.json, r.problems
	}
	for o := range strings.SplitSeq(list, ",") {
		r.readOption(o)
	}
	return r.json, r.problems
}

type jsonReader struct {
	json     JSON
	seen     []string
	problems []Problem
}

func (r *jsonReader) report(what, do string) {
	r.problems = append(r.problems, Problem{What: what, Do: do})
}

func (r *jsonReader) readName(name string) {
	r.json.Name = name
	if strings.Trim(name, " ") != name {
		r.report(fmt.Sprintf("blank around the json name %q", name), "remove the blank")
	}
	i := strings.IndexFunc(name, func(c rune) bool { return !isJSONNameRune(c) })
	if i < 0 {
		return
	}
	c, _ := utf8.DecodeRuneInString(name[i:])
	r.report(fmt.Sprintf("json name %q has %q, for which encoding/json ignores it", name, c), "use letters, digits, _ and -")
}

// isJSONNameRune reports whether encoding/json takes c in a name; a name with any other is dropped for the Go field's.
func isJSONNameRune(c rune) bool {
	if c == utf8.RuneError {
		return false
	}
	return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c)
}

func (r *jsonReader) readOption(o string) {
	bare := strings.TrimSpace(o)
	switch {
	case bare == "":
		r.report("json tag has an empty option", "remove the extra comma")
		return
	case bare != o:
		r.report(fmt.Sprintf("blank around the json option %q", o), "remove the blank")
	case slices.Contains(r.seen, bare):
		r.report(fmt.Sprintf("json option %q is repeated", bare), "keep one of them")
		return
	}
	r.seen = append(r.seen, bare)
	r.setOption(bare)
}

func (r *jsonReader) setOption(o string) {
	switch {
	case o == "omitempty":
		r.json.OmitEmpty = true
	case o == "omitzero":
		r.json.OmitZero = true
	case o == "string":
		r.json.String = true
	case isSecondVersion(o):
		r.report(fmt.Sprintf("json option %q is not of encoding/json but of its second version", o), "remove it")
	default:
		r.report(fmt.Sprintf("unknown json option %q", o), suggest(o, []string{"omitempty", "omitzero", "string"}))
	}
}

// isSecondVersion reports whether o is an option of encoding/json/v2 at any stage of its development. Left in a tag, some
// of them make the first version fail at run time where it is built on the second.
func isSecondVersion(o string) bool {
	word, _, _ := strings.Cut(o, ":")
	return slices.Contains([]string{"format", "inline", "embed", "unknown", "case", "strict", "nocase", "strictcase"}, word)
}
