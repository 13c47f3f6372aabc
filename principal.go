package cap

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PrincipalKind says what sort of caller a principal is.
type PrincipalKind string

const (
	// KindHuman is a person, and only where the authenticator knows it.
	KindHuman PrincipalKind = "human"
	// KindAgent is an AI agent. An agent can never decide an approval.
	KindAgent PrincipalKind = "agent"
	// KindService is another program.
	KindService PrincipalKind = "service"
)

// Principal is who calls, as the adapter's authenticator found out; nothing in an input can set it. It is copied at every
// border, so that neither a caller, an access rule nor a handler changes what another stage sees.
type Principal struct {
	// ID names the caller. It is required, at most 200 characters. Neither it nor another text here has control characters.
	ID string `json:"id"`
	// Kind may be empty where nobody knows; then it counts as no human.
	Kind PrincipalKind `json:"kind,omitempty"`
	// OnBehalfOf is the id of the principal that an agent or a service acts for.
	OnBehalfOf string `json:"onBehalfOf,omitempty"`
	Tenant     string `json:"tenant,omitempty"`
	Session    string `json:"session,omitempty"`
	// Scopes are what the credential was issued for. A capability's scopes must all be among them.
	Scopes []string `json:"scopes,omitempty"`
	// Attributes are further claims, at most 10,000 values in all. They are JSON: nil, bool, string, numbers, json.Number,
	// []string, []any and map[string]any.
	Attributes map[string]any `json:"attributes,omitempty"`
}

// maxAttributeDepth bounds nesting, and so cycles, in attributes; maxAttributes how many values they hold in all.
const (
	maxAttributeDepth = 16
	maxAttributes     = 10_000
)

// snapshot returns a deep copy of p, or ok false if p is malformed. It judges the copy, not what the owner may change.
func (p *Principal) snapshot() (copied *Principal, ok bool) {
	c := *p
	c.Scopes = slices.Clone(c.Scopes)
	if nameFault(c.ID) != "" || !plainTexts(c.ID, c.OnBehalfOf, c.Tenant, c.Session) || !plainTexts(c.Scopes...) {
		return nil, false
	}
	switch c.Kind {
	case "", KindHuman, KindAgent, KindService:
	default:
		return nil, false
	}
	if c.Attributes != nil {
		copier := attributeCopier{left: maxAttributes}
		attributes, ok := copier.value(c.Attributes, maxAttributeDepth)
		if !ok {
			return nil, false
		}
		c.Attributes, _ = attributes.(map[string]any)
	}
	return &c, true
}

// clone copies a principal that snapshot has accepted.
func (p *Principal) clone() *Principal {
	if p == nil {
		return nil
	}
	c, _ := p.snapshot()
	return c
}

func (p *Principal) hasScopes(scopes []string) bool {
	for _, scope := range scopes {
		if !slices.Contains(p.Scopes, scope) {
			return false
		}
	}
	return true
}

// plainTexts reports whether texts are UTF-8 without control characters: they go into logs, headers and databases.
func plainTexts(texts ...string) bool {
	return validTexts(texts...) && !slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) })
}

func validTexts(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
}

// attributeCopier copies JSON values. A value may be met many times: a few small maps that hold each other would otherwise
// make a copy without end.
type attributeCopier struct{ left int }

// value returns a deep copy of v, or ok false if v is no JSON value, is nested deeper than depth or holds too much.
func (a *attributeCopier) value(v any, depth int) (copied any, ok bool) {
	if a.left--; depth < 0 || a.left < 0 {
		return nil, false
	}
	switch v := v.(type) {
	case nil, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return v, true
	case float32:
		return v, isFinite(float64(v))
	case float64:
		return v, isFinite(v)
	case string:
		return v, utf8.ValidString(v)
	case json.Number:
		return v, isNumber(string(v))
	case []string:
		a.left -= len(v)
		c := slices.Clone(v)
		return c, a.left >= 0 && validTexts(c...)
	case []any:
		return a.array(v, depth)
	case map[string]any:
		return a.object(v, depth)
	default:
		return nil, false
	}
}

func (a *attributeCopier) array(v []any, depth int) (any, bool) {
	if v == nil || len(v) > a.left {
		return []any(nil), v == nil
	}
	c := make([]any, len(v))
	for i, elem := range v {
		copied, ok := a.value(elem, depth-1)
		if !ok {
			return nil, false
		}
		c[i] = copied
	}
	return c, true
}

func (a *attributeCopier) object(v map[string]any, depth int) (any, bool) {
	if v == nil || len(v) > a.left {
		return map[string]any(nil), v == nil
	}
	c := make(map[string]any, len(v))
	for name, elem := range v {
		copied, ok := a.value(elem, depth-1)
		if !ok || !utf8.ValidString(name) {
			return nil, false
		}
		c[name] = copied
	}
	return c, true
}

// isNumber reports whether s is a JSON number: it is JSON, and begins as only a number does.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s))
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
