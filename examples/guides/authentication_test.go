package guides

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/captest"
)

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t, cap.Options{})
	api, key, err := apiWithKeys(registry)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, get(t, api, key))
	assert.Equal(t, http.StatusUnauthorized, get(t, api, "notes_wrong"))
	assert.Equal(t, http.StatusUnauthorized, get(t, api, ""))
}

func apiWithKeys(registry *cap.Registry) (http.Handler, string, error) {
	// docs:keys
	key, hash := caphttp.NewAPIKey("notes") // give the key to its owner, keep the hash
	authenticate, err := caphttp.APIKeys(caphttp.APIKey{
		Hash:      hash,
		Principal: cap.Principal{ID: "ana", Kind: cap.KindService, Scopes: []string{"notes"}},
	})
	if err != nil {
		return nil, "", err
	}
	api, err := caphttp.New(registry, caphttp.Options{Authenticate: authenticate})
	// docs:end
	return api, key, err
}

func get(t *testing.T, api http.Handler, key string) int {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/notes/n1", http.NoBody)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	api.ServeHTTP(w, r)
	return w.Code
}

// Sessions stands for what a service has already.
type Sessions map[string]struct{ User, Tenant string }

// docs:own
// authenticate finds out who calls from the session that the service has already. It says three different things.
func (s Sessions) authenticate(r *http.Request) (*cap.Principal, error) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return nil, nil // no credentials: an anonymous caller
	}
	session, known := s[cookie.Value]
	if !known {
		return nil, fmt.Errorf("session: %w", caphttp.ErrUnauthenticated) // credentials that are not good: 401
	}
	return &cap.Principal{ID: session.User, Kind: cap.KindHuman, Tenant: session.Tenant, Scopes: []string{"notes"}}, nil
}

// docs:end

func TestOwnSessions(t *testing.T) {
	t.Parallel()
	sessions := Sessions{"s1": {User: "ana", Tenant: "acme"}, "s2": {User: "ben", Tenant: "acme"}}
	api, err := caphttp.New(newRegistry(t, cap.Options{}), caphttp.Options{Authenticate: sessions.authenticate})
	require.NoError(t, err)
	for _, tt := range []struct {
		name, session string
		want          int
	}{
		{"the owner", "s1", http.StatusOK},
		{"somebody else", "s2", http.StatusForbidden},
		{"a session that has ended", "s3", http.StatusUnauthorized},
		{"nobody", "", http.StatusUnauthorized},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/notes/n1", http.NoBody)
		if tt.session != "" {
			r.AddCookie(&http.Cookie{Name: "session", Value: tt.session})
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		assert.Equal(t, tt.want, w.Code, tt.name)
	}
}

func TestRule(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t, cap.Options{})
	_, err := captest.Try(t, registry, captest.Person("ana"), ReadNote{ID: "n1"})
	captest.RequireCode(t, err, cap.CodeForbidden) // without the scope
	_, err = captest.Try(t, registry, captest.Person("ben", "notes"), ReadNote{ID: "n1"})
	captest.RequireCode(t, err, cap.CodeForbidden) // refused by the rule
	_, err = captest.Try(t, registry, captest.Person("ben", "notes"), ReadNote{ID: "n2"})
	_ = captest.RequireFailure[NoteNotFound](t, err) // a declared failure of the rule passes as such
}
