package app

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// errOtherTOML says that a configuration has the server in a form that is not changed here.
var errOtherTOML = errors.New("it names the server in another form than a table of its own (edit it by hand; --print shows what to write)")

// errNoTOML says that something in a configuration has no end, so that nothing can be written behind it.
var errNoTOML = errors.New("it is no TOML: a list or a text has no end")

// setTOML puts a server into a configuration as the table [section.name]: command and args are replaced where they are, and
// added where they are not. Everything else stays as it is.
func setTOML(text, section, name string, command string, args []string) (string, error) {
	lines, head, err := findTable(text, section, name)
	if err != nil {
		return "", err
	}
	pairs := [][2]string{{"command", tomlText(command)}, {"args", tomlList(args)}}
	if head < 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if text != "" {
			text += "\n"
		}
		text += "[" + section + "." + tomlKey(name) + "]\n"
		for _, pair := range pairs {
			text += pair[0] + " = " + pair[1] + "\n"
		}
		return text, nil
	}
	for _, pair := range pairs {
		lines = setPair(lines, head, pair[0], pair[1])
	}
	return strings.Join(lines, "\n"), nil
}

// findTable splits a configuration into lines and finds the head of a table, -1 if there is none.
func findTable(text, section, name string) (lines []string, head int, err error) {
	lines, head = strings.Split(text, "\n"), -1
	table := ""
	for i := 0; i < len(lines); i = valueEnd(lines, i) {
		if valueEnd(lines, i) > len(lines) {
			return nil, 0, errNoTOML
		}
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '[':
			table = tableName(line)
			if table != section+"."+name {
				continue
			}
			if head >= 0 {
				return nil, 0, fmt.Errorf("it has the table %s twice", table)
			}
			head = i
		case table == "" && strings.HasPrefix(squeeze(line), section), table == section && strings.HasPrefix(unquoteKey(squeeze(line)), name):
			return nil, 0, errOtherTOML
		}
	}
	return lines, head, nil
}

// squeeze takes the blanks out of the key of a line.
func squeeze(line string) string {
	key, _, _ := strings.Cut(line, "=")
	return strings.NewReplacer(" ", "", "\t", "").Replace(key)
}

func unquoteKey(key string) string { return strings.Trim(key, `"'`) }

// tableName is the name in the head of a table, without the quotes of its parts.
func tableName(line string) string {
	line = strings.TrimLeft(line, "[")
	name, _, _ := strings.Cut(line, "]")
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = unquoteKey(strings.TrimSpace(part))
	}
	return strings.Join(parts, ".")
}

// setPair replaces a pair of the table that begins at head, or adds it behind the head.
func setPair(lines []string, head int, key, value string) []string {
	for i := head + 1; i < len(lines); i = valueEnd(lines, i) {
		line := strings.TrimSpace(lines[i])
		if strings.HasPrefix(line, "[") {
			break
		}
		if squeeze(line) == key && strings.Contains(line, "=") {
			return replaceLines(lines, i, valueEnd(lines, i), key+" = "+value)
		}
	}
	return replaceLines(lines, head+1, head+1, key+" = "+value)
}

func replaceLines(lines []string, from, to int, line string) []string {
	made := append([]string{}, lines[:from]...)
	return append(append(made, line), lines[to:]...)
}

// valueEnd is the line after the pair, the head or the comment that begins in line i: lists and long texts go over several.
// For one that has no end, it is beyond the lines.
func valueEnd(lines []string, i int) int {
	depth, quote := 0, ""
	for ; i < len(lines); i++ {
		depth, quote = scanLine(lines[i], depth, quote)
		if depth <= 0 && quote == "" {
			return i + 1
		}
	}
	return i + 1
}

// scanLine follows brackets and quotes through a line.
func scanLine(line string, depth int, quote string) (newDepth int, newQuote string) {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case quote != "":
			if strings.HasPrefix(rest, quote) {
				i += len(quote) - 1
				quote = ""
			} else if rest[0] == '\\' && quote[0] == '"' {
				i++
			}
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
			quote = rest[:3]
			i += 2
		case rest[0] == '"' || rest[0] == '\'':
			quote = rest[:1]
		case rest[0] == '#':
			return depth, quote
		case rest[0] == '[' || rest[0] == '{':
			depth++
		case rest[0] == ']' || rest[0] == '}':
			depth--
		}
	}
	if len(quote) == 1 { // a text of one line ends with it
		quote = ""
	}
	return depth, quote
}

var plainTOMLKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

func tomlKey(key string) string {
	if plainTOMLKey().MatchString(key) {
		return key
	}
	return tomlText(key)
}

// tomlText writes a text in double quotes.
func tomlText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func tomlList(list []string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = tomlText(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
