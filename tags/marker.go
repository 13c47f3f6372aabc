package tags

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Contract is what the cap tag of a contract's marker says.
type Contract struct {
	Description  string
	Name         string // empty: derived from the type's name
	Title        string
	Access       string // "public", "authenticated" or "rule"; empty: the service's
	Scopes       []string
	Timeout      time.Duration // 0: the service's
	Idempotent   bool
	Destructive  bool
	OpenWorld    bool
	Reversible   bool
	Irreversible bool
	Deprecated   string // what to use instead, or why
}

// ParseContract reads the cap tag of a contract's marker.
func ParseContract(text string) (Contract, []Problem) {
	r := optionReader{at: onContract}
	description, settings := r.read(text)
	c := Contract{Description: description}
	for _, s := range settings {
		switch s.name {
		case "name":
			c.Name = r.name(s.value)
		case "title":
			c.Title = s.value
		case "access":
			c.Access = r.access(s.value)
		case "scope":
			c.Scopes = r.appendScope(c.Scopes, s.value)
		case "timeout":
			c.Timeout = r.duration(s)
		case "idempotent":
			c.Idempotent = true
		case "destructive":
			c.Destructive = true
		case "openworld":
			c.OpenWorld = true
		case "reversible":
			c.Reversible = true
		case "irreversible":
			c.Irreversible = true
		case "deprecated":
			c.Deprecated = s.value
		}
	}
	if c.Reversible && c.Irreversible {
		r.report(`cap options "reversible" and "irreversible" exclude each other`, "keep the one that is true")
	}
	return c, r.problems
}

// A Failure is what the cap tag of a failure's marker says.
type Failure struct {
	Description string
	Tag         string // empty: the type's name
	Fix         string
	Retry       time.Duration // 0: nothing is said about trying again
}

// ParseFailure reads the cap tag of a failure's marker.
func ParseFailure(text string) (Failure, []Problem) {
	r := optionReader{at: onFailure}
	description, settings := r.read(text)
	f := Failure{Description: description}
	for _, s := range settings {
		switch s.name {
		case "tag":
			f.Tag = s.value
		case "fix":
			f.Fix = s.value
		case "retry":
			f.Retry = r.duration(s)
		}
	}
	return f, r.problems
}

// A Service is what the cap tag of a service's marker says: defaults for its capabilities.
type Service struct {
	Description string
	Access      string // "public", "authenticated", "rule", or empty
	Scopes      []string
	Timeout     time.Duration
}

// ParseService reads the cap tag of a service's marker.
func ParseService(text string) (Service, []Problem) {
	r := optionReader{at: onService}
	description, settings := r.read(text)
	v := Service{Description: description}
	for _, s := range settings {
		switch s.name {
		case "access":
			v.Access = r.access(s.value)
		case "scope":
			v.Scopes = r.appendScope(v.Scopes, s.value)
		case "timeout":
			v.Timeout = r.duration(s)
		}
	}
	return v, r.problems
}

// maxName is the length that MCP clients and model providers accept for the name of a tool.
const maxName = 64

// name judges the name of a capability.
func (r *optionReader) name(name string) string {
	if i := strings.IndexFunc(name, func(c rune) bool { return !isNameRune(c) }); i >= 0 {
		r.report(fmt.Sprintf("capability name %q has characters that a name may not have", name), "use letters, digits, _ and -")
	}
	if len(name) > maxName {
		r.report(fmt.Sprintf("capability name %q is %d bytes long", name, len(name)), fmt.Sprintf("use at most %d", maxName))
	}
	return name
}

func isNameRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func (r *optionReader) access(access string) string {
	known := []string{"public", "authenticated", "rule"}
	if !slices.Contains(known, access) {
		r.report(fmt.Sprintf("unknown access %q", access), suggest(access, known))
	}
	return access
}

func (r *optionReader) appendScope(scopes []string, scope string) []string {
	if slices.Contains(scopes, scope) {
		r.report(fmt.Sprintf("scope %q is repeated", scope), "keep one of them")
		return scopes
	}
	if strings.IndexFunc(scope, func(c rune) bool { return !isScopeRune(c) }) >= 0 {
		r.report(fmt.Sprintf("scope %q has characters that a scope may not have", scope), `use printable ASCII without blanks, quotes and backslashes, and repeat "scope=" for each`)
	}
	return append(scopes, scope)
}

// isScopeRune reports whether c may be part of a scope-token: RFC 6749, section 3.3.
func isScopeRune(c rune) bool {
	return c == 0x21 || c >= 0x23 && c <= 0x5B || c >= 0x5D && c <= 0x7E
}
