// Package capoidc finds out who calls from the bearer tokens of an OpenID Connect or OAuth 2.0 provider, for the HTTP
// adapter:
//
//	authenticate, err := capoidc.New(capoidc.Options{Issuer: "https://login.example", Audience: "https://shop.example"})
//	api, err := caphttp.New(registry, caphttp.Options{Authenticate: authenticate})
//
// A token must be a signed JWT of that issuer, for that audience, within its time, by an algorithm of the list. The keys are
// fetched when the first token comes, and again when a token names one that is not known, but not more often than every 30
// seconds, whatever strangers send.
package capoidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// Options sets up the authenticator.
type Options struct {
	// Issuer is the provider, exactly as its tokens name it. It must be https, but on this machine.
	Issuer string

	// Audience is what tokens must be issued for, such as the URL of this service.
	Audience string

	// Keys is the URL of the provider's key set. Empty asks the provider for it (OpenID Connect Discovery).
	Keys string

	// Algorithms are those that signatures may have. Nil means RS256, PS256, ES256 and EdDSA. None with a shared secret can be
	// among them.
	Algorithms []string

	// Kind is what the subject of a token is who acts for themselves, such as cap.KindHuman where the provider issues tokens to
	// people only. Empty says that nobody knows, which counts as no human.
	Kind cap.PrincipalKind

	// Tenant names the claim that holds the caller's tenant, if any.
	Tenant string

	// Principal makes a principal of verified claims; an error refuses the token. Nil takes sub, scope or scp, sid and the
	// claim of Tenant; with an act claim (RFC 8693) the actor calls, as an agent, on behalf of the subject.
	Principal func(claims map[string]any) (*cap.Principal, error)

	// HTTP fetches the keys. Nil means a client that waits at most 10 seconds.
	HTTP *http.Client
}

var (
	defaultAlgorithms = []string{oidc.RS256, oidc.PS256, oidc.ES256, oidc.EdDSA}
	knownAlgorithms   = []string{
		oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
	}
)

// maxToken is how many bytes a token may have.
const maxToken = 16 << 10

// New returns an authenticator for caphttp.Options. It reports every problem of the options in a *[cap.RegistrationError].
// The provider is not asked yet.
func New(options Options) (func(*http.Request) (*cap.Principal, error), error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	if options.Algorithms == nil {
		options.Algorithms = defaultAlgorithms
	}
	if options.HTTP == nil {
		options.HTTP = &http.Client{Timeout: 10 * time.Second}
	}
	if options.Principal == nil {
		options.Principal = options.principal
	}
	keys := &keySet{issuer: options.Issuer, url: options.Keys, client: options.HTTP}
	verifier := oidc.NewVerifier(options.Issuer, keys, &oidc.Config{
		ClientID: options.Audience, SupportedSigningAlgs: slices.Clone(options.Algorithms),
	})
	return func(r *http.Request) (*cap.Principal, error) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, nil
		}
		return verify(r.Context(), verifier, strings.TrimSpace(token), options.Principal)
	}, nil
}

func (o Options) check() error {
	var problems []cap.Problem
	report := func(what, do string) {
		problems = append(problems, cap.Problem{Where: "capoidc.Options", What: what, Do: do})
	}
	if !isSafeURL(o.Issuer) {
		report(fmt.Sprintf("Issuer %q is no https URL", o.Issuer), "write it exactly as the provider's tokens name it")
	}
	if o.Keys != "" && !isSafeURL(o.Keys) {
		report(fmt.Sprintf("Keys %q is no https URL", o.Keys), "leave it out to ask the provider")
	}
	if o.Audience == "" {
		report("Audience is empty, so tokens for other services would be taken", "say what tokens must be issued for")
	}
	if o.Algorithms != nil && len(o.Algorithms) == 0 {
		report("Algorithms is an empty list", "leave it out for RS256, PS256, ES256 and EdDSA")
	}
	for _, algorithm := range o.Algorithms {
		if !slices.Contains(knownAlgorithms, algorithm) {
			report(fmt.Sprintf("algorithm %q may not sign tokens here", algorithm), "use some of "+strings.Join(knownAlgorithms, ", "))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &cap.RegistrationError{Problems: problems}
}

// isSafeURL reports whether nobody on the way can change what a URL answers.
func isSafeURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	host := u.Hostname()
	return u.Scheme == "https" || u.Scheme == "http" && (host == "127.0.0.1" || host == "::1" || host == "localhost")
}

// verify judges a token. What is wrong with it is not told to its bearer.
func verify(ctx context.Context, verifier *oidc.IDTokenVerifier, token string, principal func(map[string]any) (*cap.Principal, error)) (*cap.Principal, error) {
	if len(token) > maxToken {
		return nil, fmt.Errorf("%w: the token is too long", caphttp.ErrUnauthenticated)
	}
	trouble := &fetchTrouble{}
	verified, err := verifier.Verify(context.WithValue(ctx, troubleKey{}, trouble), token)
	switch {
	case trouble.err != nil:
		return nil, fmt.Errorf("capoidc: the provider's keys cannot be had: %w", trouble.err)
	case err != nil:
		return nil, errors.Join(caphttp.ErrUnauthenticated, err)
	}
	var claims map[string]any
	if err := verified.Claims(&claims); err != nil {
		return nil, errors.Join(caphttp.ErrUnauthenticated, err)
	}
	found, err := principal(claims)
	if err != nil {
		return nil, errors.Join(caphttp.ErrUnauthenticated, err)
	}
	return found, nil
}

// principal reads the usual claims.
func (o Options) principal(claims map[string]any) (*cap.Principal, error) {
	subject := text(claims["sub"])
	if subject == "" {
		return nil, errors.New("capoidc: the token has no subject")
	}
	p := &cap.Principal{ID: subject, Kind: o.Kind, Session: text(claims["sid"]), Scopes: scopes(claims)}
	if o.Tenant != "" {
		if p.Tenant = text(claims[o.Tenant]); p.Tenant == "" {
			return nil, fmt.Errorf("capoidc: the token has no claim %s", o.Tenant)
		}
	}
	if act, delegated := claims["act"]; delegated {
		actor, ok := act.(map[string]any)
		if !ok || text(actor["sub"]) == "" {
			return nil, errors.New("capoidc: the token does not say who acts")
		}
		p.ID, p.Kind, p.OnBehalfOf = text(actor["sub"]), cap.KindAgent, subject
	}
	return p, nil
}

func text(claim any) string {
	s, _ := claim.(string)
	return s
}

// scopes reads scope (RFC 9068) or scp, which some providers write as a list.
func scopes(claims map[string]any) []string {
	for _, name := range []string{"scope", "scp"} {
		switch claim := claims[name].(type) {
		case string:
			return strings.Fields(claim)
		case []any:
			var list []string
			for _, scope := range claim {
				if s := text(scope); s != "" {
					list = append(list, s)
				}
			}
			return list
		}
	}
	return nil
}
