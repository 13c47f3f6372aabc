package capoidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// minRefresh is how much time lies between two fetches: strangers can name keys that do not exist as often as they like.
	minRefresh = 30 * time.Second

	maxKeySet = 1 << 20
)

// keySet is the provider's keys. Those that were fetched serve on while the provider cannot be reached.
type keySet struct {
	issuer, url string
	client      *http.Client

	fetching sync.Mutex // held while keys are fetched, so that all who wait share one fetch

	mu      sync.Mutex // guards what follows, and is never held for long: known keys do not wait for a fetch
	keys    []jose.JSONWebKey
	fetched time.Time // when it was last tried
	failed  error     // what came of it
}

// fetchTrouble tells the caller of the verifier that the token could not be judged at all.
type fetchTrouble struct{ err error }

type troubleKey struct{}

// VerifySignature implements oidc.KeySet. The verifier has judged the algorithm.
func (s *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(token, signatureAlgorithms())
	if err != nil {
		return nil, err
	}
	if len(signed.Signatures) != 1 {
		return nil, errors.New("capoidc: the token has not one signature")
	}
	id := signed.Signatures[0].Header.KeyID
	keys, err := s.find(ctx, id)
	if err != nil {
		if trouble, ok := ctx.Value(troubleKey{}).(*fetchTrouble); ok {
			trouble.err = err
		}
		return nil, err
	}
	for i := range keys {
		if payload, err := signed.Verify(&keys[i]); err == nil {
			return payload, nil
		}
	}
	return nil, errors.New("capoidc: no key of the provider fits the signature")
}

func signatureAlgorithms() []jose.SignatureAlgorithm {
	algorithms := make([]jose.SignatureAlgorithm, len(knownAlgorithms))
	for i, name := range knownAlgorithms {
		algorithms[i] = jose.SignatureAlgorithm(name)
	}
	return algorithms
}

// find returns the keys of an id, or all for a token that names none. It fails only where no key was ever had.
func (s *keySet) find(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	if found, _, _ := s.known(id); len(found) > 0 {
		return found, nil
	}
	s.fetching.Lock()
	defer s.fetching.Unlock()
	if found, due, err := s.known(id); len(found) > 0 || !due {
		return found, err
	}
	keys, err := s.fetch(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err() // the caller went away, which says nothing of the provider
	}
	s.keep(keys, err)
	found, _, err := s.known(id)
	return found, err
}

// known returns the keys of an id that were fetched, whether it is time to fetch again, and why there are none at all.
func (s *keySet) known(id string) (found []jose.JSONWebKey, due bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.keys {
		if (id == "" || key.KeyID == id) && key.Use != "enc" {
			found = append(found, key)
		}
	}
	if s.keys == nil {
		err = s.failed
	}
	return found, time.Since(s.fetched) >= minRefresh, err
}

func (s *keySet) keep(keys []jose.JSONWebKey, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched, s.failed = time.Now(), err
	if err == nil {
		s.keys = keys
	}
}

// fetch asks the provider for its keys, and first where they are.
func (s *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	where := s.url
	if where == "" {
		var provider struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if err := s.get(ctx, strings.TrimSuffix(s.issuer, "/")+"/.well-known/openid-configuration", &provider); err != nil {
			return nil, err
		}
		if provider.Issuer != s.issuer || !isSafeURL(provider.Keys) {
			return nil, fmt.Errorf("capoidc: %s says that it is %q, with keys at %q", s.issuer, provider.Issuer, provider.Keys)
		}
		where = provider.Keys
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := s.get(ctx, where, &set); err != nil {
		return nil, err
	}
	keys := []jose.JSONWebKey{}
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		// A key of a kind that is not known here is nobody's fault. A key that is secret or shared verifies nothing here.
		if key.UnmarshalJSON(raw) == nil && key.IsPublic() {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func (s *keySet) get(ctx context.Context, url string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was read, or is given up
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("capoidc: %s answered %s", url, response.Status)
	}
	return json.NewDecoder(io.LimitReader(response.Body, maxKeySet)).Decode(into)
}
