package cap

import (
	"encoding/json"
	"math"
	"slices"
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
	// ID names the caller. It is required, at most 200 characters.
	ID string `json:"id"`
	// Kind may be empty where nobody knows; then it counts as no human.
	Kind PrincipalKind `json:"kind,omitempty"`
	// OnBehalfOf is the id of the principal that an agent or a service acts for.
	OnBehalfOf string `json:"onBehalfOf,omitempty"`
	Tenant     string `json:"tenant,omitempty"`
	Session    string `json:"session,omitempty"`
	// Scopes are what the credential was issued for. A capability's scopes must all be among them.
	Scopes []string `json:"scopes,omitempty"`
	// Attributes are further claims. Values are JSON: nil, bool, string, numbers, json.Number, []any and map[string]any.
	Attributes map[string]any `json:"attributes,omitempty"`
}

// maxAttributeDepth bounds nesting, and so cycles, in attributes.
const maxAttributeDepth = 16

// snapshot returns a deep copy of p, or ok false if p is malformed.
func (p *Principal) snapshot() (copied *Principal, ok bool) {
	if nameFault(p.ID) != "" || !validTexts(p.OnBehalfOf, p.Tenant, p.Session) || !validTexts(p.Scopes...) {
		return nil, false
	}
	switch p.Kind {
	case "", KindHuman, KindAgent, KindService:
	default:
		return nil, false
	}
	c := *p
	c.Scopes = slices.Clone(p.Scopes)
	if p.Attributes != nil {
		attributes, ok := copyJSON(p.Attributes, maxAttributeDepth)
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

func validTexts(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
}

// copyJSON returns a deep copy of a JSON value, or ok false if v is none or is nested deeper than depth.
func copyJSON(v any, depth int) (copied any, ok bool) {
	if depth < 0 {
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
		return slices.Clone(v), validTexts(v...)
	case []any:
		return copyArray(v, depth)
	case map[string]any:
		return copyObject(v, depth)
	default:
		return nil, false
	}
}

func copyArray(v []any, depth int) (any, bool) {
	if v == nil {
		return []any(nil), true
	}
	c := make([]any, len(v))
	for i, elem := range v {
		copied, ok := copyJSON(elem, depth-1)
		if !ok {
			return nil, false
		}
		c[i] = copied
	}
	return c, true
}

func copyObject(v map[string]any, depth int) (any, bool) {
	if v == nil {
		return map[string]any(nil), true
	}
	c := make(map[string]any, len(v))
	for name, elem := range v {
		copied, ok := copyJSON(elem, depth-1)
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
