package plan

import (
	"encoding"
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"time"

	"github.com/google/uuid"
)

var (
	jsonMarshalerType   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// Patterns of the text forms. Each admits all that the decoder does.
const (
	PatternTime     = `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`
	PatternDuration = `^[+-]?(0|([0-9]+(\.[0-9]{1,9})?[hms]|[0-9]+(\.[0-9]{1,6})?ms|[0-9]+(\.[0-9]{1,3})?(us|µs|μs)|[0-9]+ns)+)$`
	PatternUUID     = `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`
	PatternBase64   = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`
	PatternPrefix   = `^[0-9a-fA-F:.]+/(0|[1-9][0-9]{0,2})$`
	PatternAddrPort = `^([0-9.]+|\[[0-9a-fA-F:.]+\]):(0|[1-9][0-9]{0,4})$`

	patternIntKey  = `^(0|-?[1-9][0-9]*)$`
	patternUintKey = `^(0|[1-9][0-9]*)$`
)

// knownForms returns the plans of the types whose JSON form is built in. There is no package-level table, so that nothing
// is made before it is needed.
func knownForm(t reflect.Type) (Plan, bool) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return Plan{Kind: Time, Format: "date-time", Pattern: PatternTime, wants: "an RFC 3339 date and time such as 2024-05-31T14:30:00Z"}, true
	case reflect.TypeFor[time.Duration]():
		return Plan{Kind: Duration, Pattern: PatternDuration, Wider: "duration", wants: "a duration such as 1h30m"}, true
	case reflect.TypeFor[uuid.UUID]():
		return Plan{Kind: UUID, Format: "uuid", Pattern: PatternUUID, wants: "a UUID"}, true
	case reflect.TypeFor[netip.Addr]():
		return Plan{Kind: Addr, Format: "ip", wants: "an IP address without a zone"}, true
	case reflect.TypeFor[netip.Prefix]():
		return Plan{Kind: Prefix, Pattern: PatternPrefix, Wider: "cidr", wants: "a network such as 10.0.0.0/8"}, true
	case reflect.TypeFor[netip.AddrPort]():
		return Plan{Kind: AddrPort, Pattern: PatternAddrPort, Wider: "ip_port", wants: "an IP address and port such as 10.0.0.1:80"}, true
	case reflect.TypeFor[url.URL]():
		return Plan{Kind: URL, Wider: "url", wants: "a URL"}, true
	case reflect.TypeFor[big.Int]():
		return Plan{Kind: BigInt}, true
	case reflect.TypeFor[json.Number]():
		return Plan{Kind: Number}, true
	case reflect.TypeFor[json.RawMessage]():
		return Plan{Kind: Raw}, true
	default:
		return Plan{}, false
	}
}

func isKnown(t reflect.Type) bool {
	_, ok := knownForm(t)
	return ok
}

// hasForm reports whether t has methods for a JSON or text form of its own, in either direction.
func hasForm(t reflect.Type) bool { return hasJSON(t) || hasText(t) }

func hasJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonMarshalerType) || p.Implements(jsonUnmarshalerType)
}

func hasText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(textMarshalerType) || p.Implements(textUnmarshalerType)
}

// isWhole reports whether p, a pointer type, both writes and reads the form.
func isWhole(p reflect.Type, form customForm) bool {
	if form == formJSON {
		return p.Implements(jsonMarshalerType) && p.Implements(jsonUnmarshalerType)
	}
	return p.Implements(textMarshalerType) && p.Implements(textUnmarshalerType)
}

// compileKnown compiles types whose form does not follow from their kind. done reports whether p is one.
func (w *walk) compileKnown(p *Plan, format string) (done, ok bool) {
	t := p.Type
	if w.hooks.Maybe != nil {
		if elem, is := w.hooks.Maybe(t); is {
			return true, w.compileMaybe(p, elem, format)
		}
	}
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return false, false // what it points to is judged
	}
	if schema, is := w.custom[t]; is {
		return true, w.compileCustom(p, schema)
	}
	if known, is := knownForm(t); is {
		known.Type, known.size = t, p.size
		*p = known
		return true, true
	}
	if w.reportPromoted(t) {
		return true, false
	}
	if method, is := reflect.PointerTo(t).MethodByName("JSONSchema"); is && method.Type.NumIn() == 1 && method.Type.NumOut() == 1 {
		return true, w.compileDeclared(p)
	}
	switch {
	case hasJSON(t):
		w.report("give it a JSONSchema method or state its schema in Options.Types", "type %s has a JSON form of its own, and nothing says which", t)
		return true, false
	case hasText(t):
		return true, w.compileText(p, format)
	default:
		return false, false
	}
}

func (w *walk) compileMaybe(p *Plan, elem reflect.Type, format string) bool {
	p.Kind, p.hooks = Maybe, &w.hooks
	if w.hooks.SetMaybe == nil || w.hooks.GetMaybe == nil {
		w.report("set the hooks SetMaybe and GetMaybe", "type %s cannot be read or written", p.Type)
		return false
	}
	p.Elem = w.plan(elem, format)
	switch p.Elem.Kind {
	case Pointer, Any, Raw, Maybe:
		w.report("let the Maybe hold the value itself", "type %s has two ways to say null", p.Type)
		return false
	default:
		return true
	}
}

func (w *walk) compileText(p *Plan, format string) bool {
	switch {
	case !isWhole(reflect.PointerTo(p.Type), formText):
		w.report("give it both MarshalText and UnmarshalText", "type %s has only one half of a text form", p.Type)
		return false
	case format == "":
		w.report("say format= in the cap tag of the field, or give the type a JSONSchema method", "type %s has a text form of its own, and nothing says which", p.Type)
		return false
	}
	p.Kind, p.Format, p.Wider, p.custom = Text, format, format, formText
	p.wants = "text of the form " + format
	return true
}
