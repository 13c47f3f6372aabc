package plan

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
)

// parse reads a text form into v and reports whether the text is of the form.
func (p *Plan) parse(text []byte, v reflect.Value) bool {
	switch p.Kind {
	case Time:
		t, ok := parseTime(text)
		return ok && assign(v, t)
	case Duration:
		d, ok := parseDuration(string(text))
		if ok {
			v.SetInt(int64(d))
		}
		return ok
	case UUID:
		id, ok := parseUUID(text)
		return ok && assign(v, id)
	case Addr:
		addr, err := netip.ParseAddr(string(text))
		return err == nil && addr.Zone() == "" && assign(v, addr)
	case Prefix:
		prefix, err := netip.ParsePrefix(string(text))
		return err == nil && assign(v, prefix)
	case AddrPort:
		return parseAddrPort(string(text), v)
	case URL:
		return parseURL(string(text), v)
	default:
		return p.read(append([]byte(nil), text...), v)
	}
}

// assign stores x in v without making an interface of x, which would allocate.
func assign[T any](v reflect.Value, x T) bool {
	to, ok := v.Addr().Interface().(*T)
	if ok {
		*to = x
	}
	return ok
}

func parseAddrPort(text string, v reflect.Value) bool {
	at, err := netip.ParseAddrPort(text)
	if err != nil || at.Addr().Zone() != "" {
		return false
	}
	port := text[strings.LastIndexByte(text, ':')+1:]
	if len(port) > 1 && port[0] == '0' {
		return false
	}
	return assign(v, at)
}

// parseURL takes what net/url reads and writes again without changing its meaning. It keeps what the written text reads as:
// a URL remembers more of its spelling than it writes.
func parseURL(text string, v reflect.Value) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	written := u.String()
	again, err := url.Parse(written)
	return err == nil && again.String() == written && assign(v, *again)
}

// decodeBase64 takes the one text that stands for the bytes: padded, without line breaks, no stray bits.
func decodeBase64(text []byte) ([]byte, bool) {
	for _, c := range text {
		if c == '\n' || c == '\r' {
			return nil, false
		}
	}
	b := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Strict().Decode(b, text)
	return b[:n], err == nil
}

func parseUUID(text []byte) (id uuid.UUID, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	i := 0
	for at := 0; at < len(text); at += 2 {
		if at == 8 || at == 13 || at == 18 || at == 23 {
			at++
		}
		high, low := hexDigit(text[at]), hexDigit(text[at+1])
		if high > 15 || low > 15 {
			return id, false
		}
		id[i] = high<<4 | low
		i++
	}
	return id, true
}

// hexDigit returns the value of a hexadecimal digit, or more than 15.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	default:
		return 0xFF
	}
}

const hexDigits = "0123456789abcdef"

func appendUUID(dst []byte, id uuid.UUID) []byte {
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

// parseDuration takes what time.ParseDuration takes, but no fraction that a nanosecond cannot hold: it would be dropped.
func parseDuration(text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, false
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '.' {
			continue
		}
		first := i + 1
		for i++; i < len(text) && text[i]-'0' <= 9; i++ {
		}
		if i-first == 0 || first < 2 || text[first-2]-'0' > 9 || i-first > fractionDigits(text[i:]) {
			return 0, false
		}
	}
	return d, true
}

// fractionDigits is how many digits a fraction of the unit at the start of text may have. All products are exact then.
func fractionDigits(text string) int {
	switch {
	case strings.HasPrefix(text, "ns"):
		return 0
	case strings.HasPrefix(text, "us"), strings.HasPrefix(text, "µs"), strings.HasPrefix(text, "μs"):
		return 3
	case strings.HasPrefix(text, "ms"):
		return 6
	default:
		return 9
	}
}

// parseTime reads RFC 3339 with upper-case letters: four digits of a year, two of everything else, at most nine behind a
// point, offsets up to 23:59, no leap second.
func parseTime(b []byte) (t time.Time, ok bool) {
	if len(b) < len("2006-01-02T15:04:05Z") || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return t, false
	}
	year, ok1 := digits(b[0:4])
	month, ok2 := digits(b[5:7])
	day, ok3 := digits(b[8:10])
	hour, ok4 := digits(b[11:13])
	minute, ok5 := digits(b[14:16])
	second, ok6 := digits(b[17:19])
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || hour > 23 || minute > 59 || second > 59 || !isDay(year, month, day) {
		return t, false
	}
	nanos, rest, ok := parseFraction(b[19:])
	if !ok {
		return t, false
	}
	zone, ok := parseZone(rest)
	if !ok {
		return t, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nanos, zone), true
}

func digits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

func isDay(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return day <= 29
		}
		return day <= 28
	case 4, 6, 9, 11:
		return day <= 30
	default:
		return day <= 31
	}
}

func parseFraction(b []byte) (nanos int, rest []byte, ok bool) {
	if b[0] != '.' {
		return 0, b, true
	}
	n := 1
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	if n == 1 || n > 10 {
		return 0, nil, false
	}
	nanos, _ = digits(b[1:n])
	for range 10 - n {
		nanos *= 10
	}
	return nanos, b[n:], true
}

func parseZone(b []byte) (*time.Location, bool) {
	if len(b) == 1 && b[0] == 'Z' {
		return time.UTC, true
	}
	if len(b) != len("+00:00") || b[0] != '+' && b[0] != '-' || b[3] != ':' {
		return nil, false
	}
	hours, ok1 := digits(b[1:3])
	minutes, ok2 := digits(b[4:6])
	if !ok1 || !ok2 || hours > 23 || minutes > 59 {
		return nil, false
	}
	seconds := (hours*60 + minutes) * 60
	switch {
	case seconds == 0:
		return time.UTC, true
	case b[0] == '-':
		seconds = -seconds
	}
	return time.FixedZone("", seconds), true
}
