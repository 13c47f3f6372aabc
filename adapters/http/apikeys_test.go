package caphttp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	key, hash := caphttp.NewAPIKey("shop_")
	old, oldHash := caphttp.NewAPIKey("shop_")
	assert.True(t, strings.HasPrefix(key, "shop_"))
	assert.NotEqual(t, key, old)
	assert.NotContains(t, hash, key)
	authenticate, err := caphttp.APIKeys(
		caphttp.APIKey{Hash: strings.ToUpper(hash), Principal: cap.Principal{ID: "till", Scopes: []string{"audit"}}},
		caphttp.APIKey{Hash: oldHash, Principal: cap.Principal{ID: "old"}, Expires: time.Unix(1, 0)},
	)
	require.NoError(t, err)
	h := newHandler(t, caphttp.Options{Authenticate: authenticate})
	for _, tt := range []struct {
		name      string
		headers   []string
		status    int
		challenge string
	}{
		{"as X-Api-Key", []string{"X-Api-Key: " + key}, 200, ""},
		{"as bearer", []string{"Authorization: Bearer " + key}, 200, ""},
		{"none", nil, 401, "Bearer"},
		{"a wrong one", []string{"X-Api-Key: " + key + "x"}, 401, `Bearer error="invalid_token"`},
		{"the digest", []string{"X-Api-Key: " + hash}, 401, `Bearer error="invalid_token"`},
		{"one that has expired", []string{"X-Api-Key: " + old}, 401, `Bearer error="invalid_token"`},
		{"two", []string{"X-Api-Key: " + key, "Authorization: Bearer " + key}, 401, `Bearer error="invalid_token"`},
		{"empty", []string{"X-Api-Key: "}, 401, `Bearer error="invalid_token"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(h, request(t, "POST", "/capabilities/audit_items", "{}", append(tt.headers, asJSON)...))
			assert.Equal(t, tt.status, w.Code, "body: %s", w.Body)
			assert.Equal(t, tt.challenge, w.Header().Get("WWW-Authenticate"))
			assert.NotContains(t, w.Body.String(), key)
		})
	}
	principal, err := authenticate(request(t, "GET", "/", "", "X-Api-Key: "+key))
	require.NoError(t, err)
	assert.Equal(t, cap.KindService, principal.Kind)
	principal.Scopes[0] = "changed"
	principal, err = authenticate(request(t, "GET", "/", "", "X-Api-Key: "+key))
	require.NoError(t, err)
	assert.Equal(t, []string{"audit"}, principal.Scopes)
}

func TestAPIKeyProblems(t *testing.T) {
	t.Parallel()
	_, hash := caphttp.NewAPIKey("")
	_, err := caphttp.APIKeys(
		caphttp.APIKey{Hash: "secret", Principal: cap.Principal{ID: "a"}},
		caphttp.APIKey{Hash: hash},
		caphttp.APIKey{Hash: hash, Principal: cap.Principal{ID: "b"}},
	)
	require.EqualError(t, err, strings.Join([]string{
		`cap: 3 problems`,
		`  caphttp.APIKeys: key 1: its Hash is no digest (store what HashAPIKey makes of the key, not the key)`,
		`  caphttp.APIKeys: key 2: its Principal has no ID (say who calls with it)`,
		`  caphttp.APIKeys: key 3: it is there twice (give each principal a key of its own)`,
	}, "\n"))
}
