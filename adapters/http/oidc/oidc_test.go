package capoidc_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capoidc "github.com/seed-369ec62e/cap/adapters/http/oidc"
)

// provider issues tokens, and counts how often it is asked for its keys.
type provider struct {
	*httptest.Server
	asked atomic.Int64

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	broken  bool
	issuer  string // what it says of itself
	private *ecdsa.PrivateKey
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	p.private = newKey(t)
	p.keys = []jose.JSONWebKey{{Key: p.private.Public(), KeyID: "one", Use: "sig"}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	p.issuer = p.URL
	t.Cleanup(p.Close)
	return p
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if r.URL.Path == "/.well-known/openid-configuration" {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": p.issuer, "jwks_uri": p.URL + "/keys"})
		return
	}
	p.asked.Add(1)
	_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: p.keys})
}

func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// sign makes a token.
func sign(t *testing.T, key any, algorithm jose.SignatureAlgorithm, id string, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	require.NoError(t, err)
	data, err := json.Marshal(claims)
	require.NoError(t, err)
	signed, err := signer.Sign(data)
	require.NoError(t, err)
	token, err := signed.CompactSerialize()
	require.NoError(t, err)
	return token
}

// claims are those of a good token, with changes; a nil value takes one away.
func (p *provider) claims(changes map[string]any) map[string]any {
	claims := map[string]any{
		"iss": p.URL, "aud": []string{"other", "shop"}, "sub": "ana", "exp": time.Now().Add(time.Hour).Unix(), "scope": "read audit",
	}
	for name, value := range changes {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return claims
}

func bearer(t *testing.T, token string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

func TestPrincipals(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	authenticate, err := capoidc.New(capoidc.Options{Issuer: p.URL, Audience: "shop", Kind: cap.KindHuman, Tenant: "org"})
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		claims map[string]any
		want   cap.Principal
	}{
		{"a person", nil, cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme", Scopes: []string{"read", "audit"}}},
		{"one audience", map[string]any{"aud": "shop"}, cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme", Scopes: []string{"read", "audit"}}},
		{"a session", map[string]any{"sid": "s"}, cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme", Session: "s", Scopes: []string{"read", "audit"}}},
		{"scp as a list", map[string]any{"scope": nil, "scp": []string{"a"}}, cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme", Scopes: []string{"a"}}},
		{"no scopes", map[string]any{"scope": nil}, cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme"}},
		{"an agent for a person", map[string]any{"act": map[string]any{"sub": "bot"}}, cap.Principal{ID: "bot", Kind: cap.KindAgent, OnBehalfOf: "ana", Tenant: "acme", Scopes: []string{"read", "audit"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			claims := p.claims(tt.claims)
			claims["org"] = "acme"
			got, err := authenticate(bearer(t, sign(t, p.private, jose.ES256, "one", claims)))
			require.NoError(t, err)
			assert.Equal(t, tt.want, *got)
		})
	}
}

func TestTokensThatAreNotGood(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	authenticate, err := capoidc.New(capoidc.Options{Issuer: p.URL, Audience: "shop", Tenant: "org"})
	require.NoError(t, err)
	good := func(changes map[string]any) string {
		claims := p.claims(map[string]any{"org": "acme"})
		for name, value := range changes {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
		return sign(t, p.private, jose.ES256, "one", claims)
	}
	parts := strings.Split(good(nil), ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"one"}`))
	secret, err := jose.JSONWebKey{Key: p.private.Public(), KeyID: "one"}.MarshalJSON()
	require.NoError(t, err)
	for _, tt := range []struct{ name, token string }{
		{"no token", ""},
		{"no JWT", "a.b.c"},
		{"too long", strings.Repeat("a", 17<<10)},
		{"expired", good(map[string]any{"exp": time.Now().Add(-time.Minute).Unix()})},
		{"without an end", good(map[string]any{"exp": nil})},
		{"not yet", good(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()})},
		{"another audience", good(map[string]any{"aud": "other"})},
		{"no audience", good(map[string]any{"aud": nil})},
		{"another issuer", good(map[string]any{"iss": "https://evil.example"})},
		{"no subject", good(map[string]any{"sub": nil})},
		{"no tenant", good(map[string]any{"org": nil})},
		{"nobody acts", good(map[string]any{"act": map[string]any{}})},
		{"an act that is none", good(map[string]any{"act": "bot"})},
		{"no signature", parts[0] + "." + parts[1] + "."},
		{"the algorithm none", none + "." + parts[1] + "."},
		{"a shared secret made of the public key", sign(t, secret, jose.HS256, "one", p.claims(map[string]any{"org": "acme"}))},
		{"an algorithm that is not on the list", sign(t, newP384(t), jose.ES384, "one", p.claims(map[string]any{"org": "acme"}))},
		{"another key of that name", sign(t, newKey(t), jose.ES256, "one", p.claims(map[string]any{"org": "acme"}))},
		{"changed claims", parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"root"}`)) + "." + parts[2]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := authenticate(bearer(t, tt.token))
			require.ErrorIs(t, err, caphttp.ErrUnauthenticated)
			assert.Nil(t, got)
		})
	}
	got, err := authenticate(httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	require.NoError(t, err)
	assert.Nil(t, got, "no token at all is nobody, not an error")
}

func newP384(t *testing.T) crypto.Signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	return key
}

// Strangers cannot make the provider work: a key that is not known is looked for once in a while.
func TestKeysAreFetchedRarely(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	authenticate, err := capoidc.New(capoidc.Options{Issuer: p.URL, Audience: "shop", Keys: p.URL + "/keys"})
	require.NoError(t, err)
	for range 50 {
		_, err := authenticate(bearer(t, sign(t, newKey(t), jose.ES256, "unknown", p.claims(nil))))
		require.ErrorIs(t, err, caphttp.ErrUnauthenticated)
	}
	_, err = authenticate(bearer(t, sign(t, p.private, jose.ES256, "one", p.claims(nil))))
	require.NoError(t, err)
	assert.Equal(t, int64(1), p.asked.Load())

	p.set(func() { p.broken = true })
	_, err = authenticate(bearer(t, sign(t, p.private, jose.ES256, "one", p.claims(nil))))
	require.NoError(t, err, "keys serve on while the provider cannot be reached")
}

// A provider that cannot be reached is no fault of the token's bearer: that is no 401.
func TestProviderThatFails(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*provider){
		"broken":         func(p *provider) { p.broken = true },
		"another issuer": func(p *provider) { p.issuer = "https://evil.example" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t)
			change(p)
			authenticate, err := capoidc.New(capoidc.Options{Issuer: p.URL, Audience: "shop"})
			require.NoError(t, err)
			_, err = authenticate(bearer(t, sign(t, p.private, jose.ES256, "one", p.claims(nil))))
			require.Error(t, err)
			require.NotErrorIs(t, err, caphttp.ErrUnauthenticated)
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	_, err := capoidc.New(capoidc.Options{Issuer: "http://login.example", Keys: "x", Algorithms: []string{"HS256", "none", "RS256"}})
	require.EqualError(t, err, strings.Join([]string{
		`cap: 5 problems`,
		`  capoidc.Options: Issuer "http://login.example" is no https URL (write it exactly as the provider's tokens name it)`,
		`  capoidc.Options: Keys "x" is no https URL (leave it out to ask the provider)`,
		`  capoidc.Options: Audience is empty, so tokens for other services would be taken (say what tokens must be issued for)`,
		`  capoidc.Options: algorithm "HS256" may not sign tokens here (use some of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512, EdDSA)`,
		`  capoidc.Options: algorithm "none" may not sign tokens here (use some of RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512, EdDSA)`,
	}, "\n"))
}
