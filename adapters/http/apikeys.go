package caphttp

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

const headerAPIKey = "X-Api-Key"

// APIKey lets a program call. Of the key itself only a digest is kept.
type APIKey struct {
	// Hash is what [HashAPIKey] makes of the key.
	Hash string
	// Principal is who calls with it. An empty Kind means a service.
	Principal cap.Principal
	// Expires is when it ends; zero means never.
	Expires time.Time
}

// NewAPIKey makes a key with 256 random bits, and its digest. The prefix tells people, and tools that look for leaked
// secrets, what it is for.
func NewAPIKey(prefix string) (key, hash string) {
	key = prefix + rand.Text() + rand.Text()
	return key, HashAPIKey(key)
}

// HashAPIKey digests a key. The digest is not salted and not slow: it protects keys of a random source, such as those of
// [NewAPIKey], and no passwords.
func HashAPIKey(key string) string {
	sum := sha256.Sum256([]byte("cap/apikey/v1\x00" + key))
	return hex.EncodeToString(sum[:])
}

// APIKeys makes an authenticator of keys, which callers send as X-Api-Key or as Authorization: Bearer. Every key is compared
// on every request, in constant time.
func APIKeys(keys ...APIKey) (func(*http.Request) (*cap.Principal, error), error) {
	var problems []cap.Problem
	keys = slices.Clone(keys)
	for i := range keys {
		where := fmt.Sprintf("caphttp.APIKeys: key %d", i+1)
		if digest, err := hex.DecodeString(keys[i].Hash); err != nil || len(digest) != sha256.Size {
			problems = append(problems, cap.Problem{Where: where, What: "its Hash is no digest", Do: "store what HashAPIKey makes of the key, not the key"})
		}
		if keys[i].Principal.ID == "" {
			problems = append(problems, cap.Problem{Where: where, What: "its Principal has no ID", Do: "say who calls with it"})
		}
		if slices.ContainsFunc(keys[:i], func(other APIKey) bool { return other.Hash == keys[i].Hash }) {
			problems = append(problems, cap.Problem{Where: where, What: "it is there twice", Do: "give each principal a key of its own"})
		}
		keys[i].Hash = strings.ToLower(keys[i].Hash)
		if keys[i].Principal.Kind == "" {
			keys[i].Principal.Kind = cap.KindService
		}
	}
	if len(problems) > 0 {
		return nil, &cap.RegistrationError{Problems: problems}
	}
	return func(r *http.Request) (*cap.Principal, error) { return findKey(keys, r) }, nil
}

func findKey(keys []APIKey, r *http.Request) (*cap.Principal, error) {
	given := r.Header.Values(headerAPIKey)
	if token, ok := tokenOf(r); ok {
		given = append(slices.Clone(given), token)
	}
	switch len(given) {
	case 0:
		return nil, nil
	case 1:
	default:
		return nil, fmt.Errorf("%w: there is more than one key", ErrUnauthenticated)
	}
	hash := []byte(HashAPIKey(given[0]))
	var found *APIKey
	for i := range keys {
		if subtle.ConstantTimeCompare(hash, []byte(keys[i].Hash)) == 1 {
			found = &keys[i]
		}
	}
	if found == nil || !found.Expires.IsZero() && !time.Now().Before(found.Expires) {
		return nil, ErrUnauthenticated
	}
	principal := found.Principal
	principal.Scopes = slices.Clone(principal.Scopes)
	return &principal, nil
}
