package caphttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// ErrUnauthenticated is what [Options.Authenticate] wraps to say that a request has credentials and that they are not good.
var ErrUnauthenticated = errors.New("caphttp: the credentials are not good")

// authenticate finds out who calls, before anything of the body is read.
func (s *site) authenticate(x *exchange) error {
	if len(x.r.Header.Values("Authorization")) > 1 {
		return badRequest("There is more than one Authorization header.")
	}
	if s.options.Authenticate == nil {
		return nil
	}
	principal, err := s.askAuthenticator(x.r)
	switch {
	case err == nil:
		x.principal = copyPrincipal(principal)
		return nil
	case errors.Is(err, ErrUnauthenticated):
		x.badLogin = true
		return &cap.Error{Code: cap.CodeUnauthenticated, Message: "Authentication is required."}
	default:
		return fmt.Errorf("caphttp: authenticate: %w", err)
	}
}

func (s *site) askAuthenticator(r *http.Request) (principal *cap.Principal, err error) {
	defer func() {
		if value := recover(); value != nil {
			principal, err = nil, fmt.Errorf("panic: %v", value)
		}
	}()
	// A caller who goes away is not noticed before the body is read, so an authenticator that waits must end by itself.
	ctx, cancel := context.WithTimeout(r.Context(), s.options.ReadTimeout)
	defer cancel()
	return s.options.Authenticate(r.WithContext(ctx))
}

// copyPrincipal keeps what the hook may change after it has returned. The core copies what lies deeper.
func copyPrincipal(p *cap.Principal) *cap.Principal {
	if p == nil {
		return nil
	}
	copied := *p
	copied.Scopes = slices.Clone(p.Scopes)
	return &copied
}

// mayCall reports whether the principal may call c, as far as can be said without an input.
func mayCall(p *cap.Principal, c *cap.Capability) bool {
	if p == nil {
		return c.Access() != cap.AccessAuthenticated && len(c.Scopes()) == 0
	}
	return len(missingScopes(p, c)) == 0
}

// missingScopes are the scopes of c that the principal's credential was not issued for.
func missingScopes(p *cap.Principal, c *cap.Capability) []string {
	return slices.DeleteFunc(c.Scopes(), func(scope string) bool { return slices.Contains(p.Scopes, scope) })
}

// challenge is the WWW-Authenticate header of a 401. It names an error only to those who sent credentials (RFC 6750
// section 3.1), and says where to get some.
func (s *site) challenge(x *exchange) string {
	var parameters []string
	if x.badLogin || x.principal != nil {
		parameters = append(parameters, "error", "invalid_token")
	}
	if s.options.OAuth != nil {
		parameters = append(parameters, s.options.OAuth.challenge()...)
	}
	return s.withParameters(parameters...)
}

// scopeChallenge is the WWW-Authenticate header of a 403, where a scope is what is missing.
func (s *site) scopeChallenge(x *exchange) string {
	if x.called == nil || x.principal == nil || !s.isBearer() {
		return ""
	}
	if len(missingScopes(x.principal, x.called)) == 0 {
		return ""
	}
	return s.withParameters("error", "insufficient_scope", "scope", strings.Join(x.called.Scopes(), " "))
}

func (s *site) isBearer() bool {
	scheme, _, _ := strings.Cut(s.options.Challenge, " ")
	return strings.EqualFold(scheme, "Bearer")
}

// withParameters adds parameters to the challenge, if its scheme has them.
func (s *site) withParameters(pairs ...string) string {
	challenge := s.options.Challenge
	if !s.isBearer() {
		return challenge
	}
	separator := " "
	if strings.Contains(challenge, " ") {
		separator = ", "
	}
	for i := 0; i < len(pairs); i += 2 {
		if !isHeaderText(pairs[i+1]) || strings.ContainsAny(pairs[i+1], `"\\`) {
			continue
		}
		challenge += separator + pairs[i] + `="` + pairs[i+1] + `"`
		separator = ", "
	}
	return challenge
}
