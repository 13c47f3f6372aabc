package plan

import (
	"net/netip"
	"net/url"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// appendForm appends a text form that needs no escapes. It reports false for a value that has no such form, and for the
// kinds whose text may need escapes.
func (p *Plan) appendForm(dst []byte, v reflect.Value) ([]byte, bool) {
	switch p.Kind {
	case Time:
		t, ok := get[time.Time](v)
		return appendTime(dst, t, ok)
	case Duration:
		return append(dst, time.Duration(v.Int()).String()...), true
	case UUID:
		id, ok := get[uuid.UUID](v)
		return appendUUID(dst, id), ok
	case Addr:
		addr, ok := get[netip.Addr](v)
		return addr.AppendTo(dst), ok && addr.IsValid() && addr.Zone() == ""
	case Prefix:
		prefix, ok := get[netip.Prefix](v)
		return prefix.AppendTo(dst), ok && prefix.IsValid()
	case AddrPort:
		at, ok := get[netip.AddrPort](v)
		return at.AppendTo(dst), ok && at.IsValid() && at.Addr().Zone() == ""
	default:
		return dst, false
	}
}

// get returns the value of v, without making an interface of it where that can be avoided.
func get[T any](v reflect.Value) (x T, ok bool) {
	if v.CanAddr() {
		p, ok := v.Addr().Interface().(*T)
		if ok {
			x = *p
		}
		return x, ok
	}
	x, ok = v.Interface().(T)
	return x, ok
}

// appendTime writes what parseTime reads: a year of four digits, and no offset with seconds, which would be lost.
func appendTime(dst []byte, t time.Time, ok bool) ([]byte, bool) {
	year := t.Year()
	_, offset := t.Zone()
	if !ok || year < 0 || year > 9999 || offset%60 != 0 || offset <= -24*3600 || offset >= 24*3600 {
		return dst, false
	}
	return t.AppendFormat(dst, time.RFC3339Nano), true
}

// textOf returns the text form of v.
func (p *Plan) textOf(v reflect.Value) (string, bool) {
	switch p.Kind {
	case URL:
		return urlText(v)
	case Text:
		raw, ok := p.written(v)
		return string(raw), ok && utf8.Valid(raw)
	default:
		text, ok := p.appendForm(nil, v)
		return string(text), ok
	}
}

func urlText(v reflect.Value) (string, bool) {
	u, ok := get[url.URL](v)
	if !ok {
		return "", false
	}
	text := u.String()
	again, err := url.Parse(text)
	return text, err == nil && again.String() == text
}
