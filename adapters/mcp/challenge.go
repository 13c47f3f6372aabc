package capmcp

import (
	"net/http"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// challenge answers a request whose credentials are bad, or that needed some and had none.
func (f *front) challenge(w http.ResponseWriter, r *http.Request) {
	var params []string
	if r.Header.Get("Authorization") != "" {
		// RFC 6750 §3.1: no error where no credentials came.
		params = append(params, `error="invalid_token"`)
	}
	f.demand(w, params, f.adapter.oauthScopes())
	refuse(w, http.StatusUnauthorized, codeUnauthorized, "authentication is required")
}

// admitTool refuses a call that the registry would refuse for want of an identity or of scopes, in the way that makes a
// client get them. The registry decides all the same: this only looks ahead.
func (f *front) admitTool(w http.ResponseWriter, who *caller, p *peek) bool {
	if p.Method != methodCall || f.adapter.options.Authenticate == nil {
		return true
	}
	t, ours := f.adapter.byName[p.Tool]
	if !ours || !f.adapter.visible(t, who.principal) {
		return true
	}
	scopes := t.capability.Scopes()
	switch {
	case who.principal == nil && (t.capability.Access() == cap.AccessAuthenticated || len(scopes) > 0):
		f.demand(w, nil, slices.Concat(f.adapter.oauthScopes(), scopes))
		writeError(w, http.StatusUnauthorized, codeUnauthorized, "authentication is required", p.ID)
	case who.principal != nil && lacks(who.principal, scopes):
		// What the caller has is asked for again: a new token would else be without it.
		f.demand(w, []string{`error="insufficient_scope"`}, slices.Concat(who.principal.Scopes, scopes))
		writeError(w, http.StatusForbidden, codeUnauthorized, "the credentials lack a scope: "+strings.Join(scopes, " "), p.ID)
	default:
		return true
	}
	return false
}

func lacks(principal *cap.Principal, scopes []string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(principal.Scopes, scope) })
}

// demand says how to get credentials: RFC 6750 §3, with what RFC 9728 adds.
func (f *front) demand(w http.ResponseWriter, params, scopes []string) {
	if oauth := f.adapter.options.OAuth; oauth != nil {
		params = append(params, `resource_metadata="`+oauth.metadataURL()+`"`)
	}
	if list := scopeList(scopes); list != "" {
		params = append(params, `scope="`+list+`"`)
	}
	value := "Bearer"
	if len(params) > 0 {
		value += " " + strings.Join(params, ", ")
	}
	w.Header().Set("WWW-Authenticate", value)
}

// scopeList joins scopes, each once. What could break out of the header's quotes is no scope.
func scopeList(scopes []string) string {
	var list []string
	for _, scope := range scopes {
		if isScope(scope) && !slices.Contains(list, scope) {
			list = append(list, scope)
		}
	}
	return strings.Join(list, " ")
}

// isScope reports whether a text is a scope token of RFC 6749 §3.3.
func isScope(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return text != ""
}
