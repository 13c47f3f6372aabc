package capcli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap"
)

// form says how text becomes one JSON value. Only the shape is judged here; the rest is up to the call's own validation.
type form uint8

const (
	formText    form = iota // kept as a string, to the letter
	formBytes               // base64, or the bytes of a file
	formInteger             // plain decimal
	formNumber              // a JSON number
	formBool                // true or false
	formJSON                // JSON, or JSON from a file
)

func (f form) placeholder(field *cap.Field) string {
	switch f {
	case formBytes:
		return "BASE64"
	case formInteger:
		return "INT"
	case formNumber:
		return "NUMBER"
	case formBool:
		return "BOOL"
	case formJSON:
		return "JSON"
	default:
		return textPlaceholder(field)
	}
}

func textPlaceholder(field *cap.Field) string {
	if strings.TrimLeft(field.GoType(), "*") == "time.Duration" {
		return "DURATION"
	}
	switch format := field.Format(); format {
	case "date-time":
		return "TIME"
	case "":
		return "TEXT"
	default:
		return strings.ToUpper(format)
	}
}

// fault is what is wrong with a value, and what to do. The zero fault is none.
type fault struct{ what, do string }

// convert makes JSON of the text of one value. It never repeats a secret.
func (f form) convert(text string) (json.RawMessage, fault) {
	switch f {
	case formInteger:
		return plain(isDecimal(text), text, fault{"is no plain decimal number: " + quote(text), "write it as 10 or -3"})
	case formNumber:
		return plain(isNumber(text), text, fault{"is no number: " + quote(text), "write it as 10, -3.5 or 1e9"})
	case formBool:
		return plain(text == "true" || text == "false", text, fault{"is neither true nor false: " + quote(text), ""})
	case formBytes:
		return plainText(text, isBase64(text), fault{"is no base64: " + quote(text), "encode it, or name a file as @file"})
	case formJSON:
		return jsonValue([]byte(text))
	default:
		return plainText(text, utf8.ValidString(text), fault{"is not valid UTF-8", ""})
	}
}

func plain(ok bool, text string, wrong fault) (json.RawMessage, fault) {
	if !ok {
		return nil, wrong
	}
	return json.RawMessage(text), fault{}
}

func plainText(text string, ok bool, wrong fault) (json.RawMessage, fault) {
	if !ok {
		return nil, wrong
	}
	return jsonText(text), fault{}
}

// jsonValue takes text that is JSON as it is.
func jsonValue(text []byte) (json.RawMessage, fault) {
	if !utf8.Valid(text) {
		return nil, fault{"is not valid UTF-8", ""}
	}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return nil, fault{"begins with a byte order mark", "save it as UTF-8 without one"}
	}
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fault{"is no JSON: " + syntaxText(err), jsonHint(text)}
	}
	return bytes.TrimSpace(text), fault{}
}

func syntaxText(err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%s, at byte %d", syntax.Error(), syntax.Offset)
	}
	return err.Error()
}

// jsonHint knows the commonest reason of JSON that is none: shells that take the quotes away.
func jsonHint(text []byte) string {
	if bytes.ContainsAny(text, "{[") && !bytes.ContainsRune(text, '"') {
		return "the shell may have taken its quotes; put it into a file and name that as @file"
	}
	return ""
}

// isDecimal reports whether text is a whole number as people write it: no sign but -, no leading zero.
func isDecimal(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] == '0' && len(digits) > 1 {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

// isNumber reports whether text is a JSON number: it is JSON, and begins as only a number does.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') &&
		text == strings.TrimSpace(text) && json.Valid([]byte(text))
}

func isBase64(text string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && !strings.ContainsAny(text, "\r\n")
}

// jsonText writes a string as JSON, with no more escapes than JSON asks for.
func jsonText(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return json.RawMessage(`""`) // a string cannot fail to encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// textOf is how a JSON value is typed on the command line: strings without their quotes, the rest as it is.
func textOf(value json.RawMessage) string {
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// maxQuoted bounds how much of a wrong value is repeated.
const maxQuoted = 60

// quote repeats a wrong value so that nothing in it reaches a terminal as it is.
func quote(text string) string {
	if head := short(text); head != text {
		return fmt.Sprintf("%+q…", strings.TrimSuffix(head, "…"))
	}
	return fmt.Sprintf("%q", text)
}

// short cuts text that is too long to be repeated.
func short(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
