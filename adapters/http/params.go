package caphttp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// readInput puts the input of an alias together as one JSON document, which the core then judges like any other: text that
// fits no number stays a text, a parameter that comes twice becomes a member that comes twice, an unknown one an unknown
// member. So there is one reader, and one answer that names every fault.
func (h *Handler) readInput(x *exchange, a *alias) ([]byte, error) {
	doc := document{'{'}
	for i, p := range a.path {
		if !isCleanText(x.values[i]) {
			return nil, badParameter(p, "must have no control characters")
		}
		doc.add(p.field.Name(), p.field, x.values[i])
	}
	for _, p := range a.headers {
		values := x.r.Header.Values(p.key)
		if len(values) == 0 && p.key == headerIfMatch && p.field.Required() {
			return nil, versionRequired(p)
		}
		for _, text := range values {
			if p.key == headerIfMatch {
				text = opaqueTag(text)
			}
			doc.add(p.field.Name(), p.field, text)
		}
	}
	if !a.hasBody() {
		if err := a.addQuery(&doc, x.r.URL.RawQuery); err != nil {
			return nil, err
		}
		return append(doc, '}'), nil
	}
	if x.r.URL.RawQuery != "" {
		return nil, badRequest("This path takes no query: the input is in the body.")
	}
	body, err := h.readJSON(x)
	if err != nil {
		return nil, err
	}
	if err := a.checkBody(body); err != nil {
		return nil, err
	}
	return doc.join(body), nil
}

// addQuery adds the parameters of a query in their order. Those of a list are gathered where the first one stands.
func (a *alias) addQuery(doc *document, rawQuery string) error {
	lists := make(map[string][]string)
	var order []string
	for pair := range strings.SplitSeq(rawQuery, "&") {
		if pair == "" {
			continue
		}
		rawKey, rawValue, _ := strings.Cut(pair, "=")
		key, err := url.QueryUnescape(rawKey)
		if err != nil {
			return badRequest("The query cannot be read: a percent sign must be followed by two hexadecimal digits.")
		}
		value, err := url.QueryUnescape(rawValue)
		if err != nil {
			return badRequest("The query cannot be read: a percent sign must be followed by two hexadecimal digits.")
		}
		if _, seen := lists[key]; !seen {
			order = append(order, key)
		}
		lists[key] = append(lists[key], value)
	}
	for _, key := range order {
		if err := a.addQueryKey(doc, key, lists[key]); err != nil {
			return err
		}
	}
	return nil
}

func (a *alias) addQueryKey(doc *document, key string, values []string) error {
	if a.place(key) == inHeader {
		return misplaced(inQuery, key)
	}
	for _, p := range a.query {
		if p.key != key {
			continue
		}
		if p.field.Kind() == cap.FieldArray {
			doc.addList(key, p.field.Elem(), values)
			return nil
		}
		for _, value := range values {
			doc.add(key, p.field, value)
		}
		return nil
	}
	doc.add(key, nil, values[0])
	return nil
}

// checkBody refuses a member that comes in a header. One that comes in the path is there twice then, which the core sees.
func (a *alias) checkBody(body []byte) error {
	if len(a.headers) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil // the core says what is wrong with it
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil
		}
		if name, ok := token.(string); ok && a.place(name) == inHeader {
			return misplaced(inBody, name)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil
		}
	}
	return nil
}

// misplaced refuses a field that comes in a header and was sent elsewhere.
func misplaced(in, name string) *fault {
	return &fault{
		status: http.StatusUnprocessableEntity, code: cap.CodeInputInvalid, message: "Capability input is invalid.",
		issues: []ProblemIssue{{In: in, Issue: cap.Issue{Pointer: "/" + name, Rule: "unknown", Message: "comes in a header"}}},
	}
}

// versionRequired asks for the version of what is to be changed (RFC 6585 section 3).
func versionRequired(p param) *fault {
	return &fault{
		status: http.StatusPreconditionRequired, code: CodePreconditionRequired,
		message: "The header If-Match must say which version is to be changed.",
		issues:  []ProblemIssue{{In: inHeader, Issue: cap.Issue{Pointer: "/" + p.field.Name(), Rule: "required", Message: "is required"}}},
	}
}

func badParameter(p param, message string) *fault {
	return &fault{
		status: http.StatusBadRequest, code: cap.CodeInputInvalid, message: "Capability input is invalid.",
		issues: []ProblemIssue{{In: p.in, Issue: cap.Issue{Pointer: "/" + p.field.Name(), Rule: "format", Message: message}}},
	}
}

// isCleanText reports whether s has no control characters, which no name has and which split lines elsewhere.
func isCleanText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// document is a JSON object while it is written; the brace at its end is left out.
type document []byte

// add writes a member from the text of a parameter. A nil field is one that the input does not have.
func (d *document) add(name string, f *cap.Field, text string) {
	d.name(name)
	d.value(f, text)
}

func (d *document) addList(name string, elem *cap.Field, texts []string) {
	d.name(name)
	*d = append(*d, '[')
	for i, text := range texts {
		if i > 0 {
			*d = append(*d, ',')
		}
		d.value(elem, text)
	}
	*d = append(*d, ']')
}

func (d *document) name(name string) {
	if len(*d) > 1 {
		*d = append(*d, ',')
	}
	d.text(name)
	*d = append(*d, ':')
}

// value writes text as the JSON that the field takes, in JSON's own grammar: true and false, and numbers without plus sign,
// leading zeros, hexadecimal digits or names. What is none of them is written as a text, for the core to refuse.
func (d *document) value(f *cap.Field, text string) {
	if f == nil {
		d.text(text)
		return
	}
	switch f.Kind() {
	case cap.FieldBoolean:
		if text == "true" || text == "false" {
			*d = append(*d, text...)
			return
		}
	case cap.FieldInteger, cap.FieldNumber:
		if isNumber(text) {
			*d = append(*d, text...)
			return
		}
	default:
	}
	d.text(text)
}

// text writes a JSON string. Bytes that are no UTF-8 are left as they are, for the core to refuse.
func (d *document) text(s string) {
	const hex = "0123456789abcdef"
	*d = append(*d, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			*d = append(*d, '\\', c)
		case c < ' ':
			*d = append(*d, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		default:
			*d = append(*d, c)
		}
	}
	*d = append(*d, '"')
}

// join adds the members of body, if it is an object; anything else is given as it is, for the core to refuse.
func (d document) join(body []byte) []byte {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
	if !ok {
		return body
	}
	if len(d) > 1 && !bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("}")) {
		d = append(d, ',')
	}
	return append(d, rest...)
}

// isNumber reports whether s is a number as JSON writes one.
func isNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && digits[0] >= '0' && digits[0] <= '9' && strings.IndexByte("0123456789", s[len(s)-1]) >= 0 && json.Valid([]byte(s))
}
