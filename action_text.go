package cap

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
)

// Text is what a person is shown before they agree, word for word, in lines. It is made of typed values alone: everything
// that a caller wrote stands in quotes, with line breaks, control characters, bidirectional marks and other invisible
// characters as escapes; secrets are masked; a long value is cut, and its digest stands in for the rest. The same text goes
// to the one who asks and the one who agrees; its code lets them compare by voice.
func (a Action) Text() string {
	t := &textWriter{}
	t.WriteString(a.facts())
	if a.Source != "" {
		t.line("Via: %s", word(a.Source))
	}
	if a.Reason != "" {
		t.line("Reason given by the caller, not checked: %s", quoteCut(a.Reason))
	}
	if code := codeOf(a.ID); code != "" {
		t.line("Code: %s", code)
	}
	return t.String()
}

// facts is the part of the text that is bound into the action.
func (a Action) facts() string {
	t := &textWriter{}
	undo := "IRREVERSIBLE"
	if a.Reversible {
		undo = "reversible"
	}
	t.line("%s: %s, %s", word(a.Capability), a.Effect, undo)
	target := a.Pending.Target
	t.line("Action: %s %s %s of %s", word(a.Pending.Verb), word(target.Kind), quote(target.ID), word(target.Product))
	for _, name := range slices.Sorted(maps.Keys(a.Pending.Args)) {
		t.line("  %s: %s", word(name), quoteCut(a.Pending.Args[name]))
	}
	t.line("Arguments:")
	for _, argument := range a.Arguments {
		t.argument(argument)
	}
	if len(a.Arguments) == 0 {
		t.line("  none")
	}
	if len(a.Preconditions) > 0 {
		t.line("Facts:")
	}
	for _, fact := range a.Preconditions {
		t.line("  %s: %s", word(fact.Label), quoteCut(fact.Value))
	}
	t.line("Asked by: %s", whoIs(a.Requester))
	return t.String()
}

// whoIs names a requester.
func whoIs(p Principal) string {
	if p.ID == "" {
		return "nobody who signed in"
	}
	text := quote(p.ID)
	if p.Kind != "" {
		text += fmt.Sprintf(" (%s)", p.Kind)
	}
	if p.OnBehalfOf != "" {
		text += " for " + quote(p.OnBehalfOf)
	}
	if p.Tenant != "" {
		text += ", tenant " + quote(p.Tenant)
	}
	return text
}

// codeOf is a short form of an action's id, eight characters of base32.
func codeOf(id string) string {
	data, err := hex.DecodeString(id)
	if err != nil || len(data) < 5 {
		return ""
	}
	code := base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").EncodeToString(data[:5])
	return code[:4] + "-" + code[4:]
}

// textWriter writes lines.
type textWriter struct{ strings.Builder }

func (t *textWriter) line(format string, args ...any) {
	t.WriteString(fmt.Sprintf(format, args...))
	t.WriteByte('\n')
}

// argument marks a default before the value, where nothing that a caller wrote can imitate it.
func (t *textWriter) argument(a Argument) {
	name := word(a.Name)
	if a.Defaulted {
		name += " (default)"
	}
	if a.Secret {
		t.line("  %s: %s", name, secretText)
		return
	}
	t.line("  %s: %s", name, showJSON(a.JSON))
}

// secretText stands for a secret: that there is one is all that anybody sees.
const secretText = "(secret, set)"

// maxShown is how many characters of one value are shown.
const maxShown = 400

// A shower renders one value, up to a number of characters.
type shower struct {
	out   strings.Builder
	left  int
	base  bool // a letter or the like went before, on which a combining mark can stand
	marks int  // combining marks since then
}

func (s *shower) full() bool { return s.left <= 0 }

func (s *shower) put(text string) {
	s.out.WriteString(text)
	s.left -= utf8.RuneCountInString(text)
}

// word shows a name: as it is if it is one plain word, in quotes otherwise.
func word(name string) string {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && r != '-' && r != '.' && (r < '0' || r > '9')) {
			return quoteCut(name)
		}
	}
	if name == "" || len(name) > maxNameLength {
		return quoteCut(name)
	}
	return name
}

// quote shows a text in quotes, whole.
func quote(text string) string {
	s := &shower{left: len(text)*maxEscape + 1}
	s.text(text)
	return s.out.String()
}

// maxEscape is the most characters that one byte of a text may take: \u{10FFFF} for a single byte is not possible, but
// this is safe.
const maxEscape = 10

// quoteCut shows a text in quotes, cut where it is long.
func quoteCut(text string) string {
	s := &shower{left: maxShown}
	rest := s.text(text)
	if rest == 0 {
		return s.out.String()
	}
	return s.out.String() + cutNote(rest, []byte(text))
}

func cutNote(rest int, all []byte) string {
	sum := sha256.Sum256(all)
	return fmt.Sprintf(" … +%s bytes, sha256 %x", thousands(rest), sum)
}

// thousands writes a number in groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// text shows a text in quotes, and returns how many bytes of it were left out.
func (s *shower) text(text string) (rest int) {
	s.put(`"`)
	s.base = false
	for i := 0; i < len(text); {
		if s.full() {
			rest = len(text) - i
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		s.char(r, size, text[i])
		i += size
	}
	s.out.WriteByte('"')
	return rest
}

// maxMarks is how many combining marks one character may carry: more would run over the lines around it.
const maxMarks = 3

// char shows one character so that it is seen.
func (s *shower) char(r rune, size int, first byte) {
	if unicode.In(r, unicode.Mn, unicode.Me) && !isHidden(r) {
		s.mark(r)
		return
	}
	s.base = false
	switch {
	case r == utf8.RuneError && size == 1:
		s.put(fmt.Sprintf(`\x{%02X}`, first))
	case r == '"' || r == '\\':
		s.put(`\` + string(r))
	case r == '\n':
		s.put(`\n`)
	case r == '\r':
		s.put(`\r`)
	case r == '\t':
		s.put(`\t`)
	case isHidden(r):
		s.put(fmt.Sprintf(`\u{%04X}`, r))
	default:
		s.put(string(r))
		s.base, s.marks = r != ' ', 0
	}
}

// mark shows a combining mark as itself only where it stands on a character of the same text.
func (s *shower) mark(r rune) {
	s.marks++
	if !s.base || s.marks > maxMarks {
		s.put(fmt.Sprintf(`\u{%04X}`, r))
		return
	}
	s.put(string(r))
}

// isHidden reports whether nothing, or nothing but a gap, is seen of a character, or whether it changes how others are seen.
func isHidden(r rune) bool {
	if r < unicode.MaxASCII {
		return r < ' ' || r == unicode.MaxASCII
	}
	const brailleBlank, nullNotehead = '\u2800', '\U0001D159'
	return !unicode.IsPrint(r) || r == brailleBlank || r == nullNotehead ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// showJSON shows a JSON value on one line, cut where it is long. Numbers stand as they are written.
func showJSON(raw json.RawMessage) string {
	s := &shower{left: maxShown}
	r := jsonvalue.Reader{Data: raw, MaxDepth: jsonvalue.DefaultDepth}
	for r.Space(); r.Pos < len(raw); r.Space() {
		if s.full() {
			return s.out.String() + cutNote(len(raw)-r.Pos, raw)
		}
		switch c := raw[r.Pos]; c {
		case '"':
			text, fault := r.Text()
			if fault == jsonvalue.Syntax {
				return s.out.String() + cutNote(len(raw)-r.Pos, raw)
			}
			if rest := s.text(string(text)); rest > 0 {
				return s.out.String() + cutNote(rest+len(raw)-r.Pos, raw)
			}
		case ',', ':':
			s.put(string(c) + " ")
			r.Pos++
		default:
			s.char(rune(c), 1, c)
			r.Pos++
		}
	}
	return s.out.String()
}
