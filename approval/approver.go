package approval

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-369ec62e/cap"
)

// Approver is somebody with the right to decide. Of the token, only a digest is kept.
type Approver struct {
	ID      string    `json:"id"`
	Tenant  string    `json:"tenant,omitempty"`
	Token   string    `json:"token"` // SHA-256, in hex
	Added   time.Time `json:"added"`
	Revoked time.Time `json:"revoked,omitzero"`
}

func (a Approver) isActive() bool { return a.Revoked.IsZero() }

// tokenPrefix lets tools that look for leaked secrets know a token of an approver.
const tokenPrefix = "capa_"

// minToken is how long a token that is not made here must be: nobody may guess it, and its digest is not salted.
const minToken = 32

// AddApprover gives a person the right to decide, and returns the token by which they sign in: the one given, or with ""
// a new one. It is shown this once. Adding somebody again replaces their token and undoes a revocation.
func (g *Gate) AddApprover(ctx context.Context, person cap.Principal, token string) (string, error) {
	switch {
	case person.ID == "" || strings.TrimSpace(person.ID) != person.ID || !isText(person.ID) || !utf8.ValidString(person.Tenant):
		return "", fmt.Errorf("approval: %q is no id of an approver", person.ID)
	case person.Kind != cap.KindHuman || person.OnBehalfOf != "":
		return "", fmt.Errorf("approval: %s is no person who acts for themselves, so they cannot be an approver", person.ID)
	case token == "":
		secret := make([]byte, 32)
		if _, err := rand.Read(secret); err != nil {
			return "", err
		}
		token = tokenPrefix + base64.RawURLEncoding.EncodeToString(secret)
	case len(token) < minToken:
		return "", fmt.Errorf("approval: the token has %d characters (want at least %d, from a random source)", len(token), minToken)
	}
	err := g.update(ctx, func(t *tx) error {
		known, err := t.Approvers()
		if err != nil {
			return err
		}
		for _, other := range known {
			switch {
			case other.ID != person.ID && other.Token == tokenDigest(token):
				return errors.New("approval: this token belongs to another approver")
			case other.ID == person.ID && other.Tenant != person.Tenant && other.isActive():
				// Approvers are kept by their ids: the other one would lose the right without a word in the log.
				return fmt.Errorf("approval: %s is an approver of another tenant (revoke them first, or give each tenant ids of its own)", person.ID)
			}
		}
		added := Approver{ID: person.ID, Tenant: person.Tenant, Token: tokenDigest(token), Added: t.now}
		if err := t.PutApprover(added); err != nil {
			return err
		}
		return t.log(nil, Entry{Event: EventApprover, Approver: person.ID, Tenant: person.Tenant, Note: "added"})
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// RevokeApprover takes the right to decide away. What they approved and has not begun falls.
func (g *Gate) RevokeApprover(ctx context.Context, id string) error {
	return g.update(ctx, func(t *tx) error {
		known, err := t.Approvers()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(known, func(a Approver) bool { return a.ID == id })
		if i < 0 {
			return fmt.Errorf("approval: %q is no approver", id)
		}
		if !known[i].isActive() {
			return nil
		}
		known[i].Revoked = t.now
		if err := t.PutApprover(known[i]); err != nil {
			return err
		}
		return t.log(nil, Entry{Event: EventApprover, Approver: id, Tenant: known[i].Tenant, Note: "revoked"})
	})
}

// Authenticate returns the approver who signs in with a token: what an adapter puts into [cap.Decision]. Every other token
// is an *[cap.Error] UNAUTHENTICATED.
func (g *Gate) Authenticate(ctx context.Context, token string) (*cap.Principal, error) {
	var found *cap.Principal
	err := g.store.View(ctx, func(t Tx) error {
		known, err := t.Approvers()
		if err != nil {
			return err
		}
		given := []byte(tokenDigest(token))
		for _, a := range known {
			if subtle.ConstantTimeCompare(given, []byte(a.Token)) == 1 && a.isActive() {
				found = &cap.Principal{ID: a.ID, Kind: cap.KindHuman, Tenant: a.Tenant}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, &cap.Error{Code: cap.CodeUnauthenticated, Message: "Authentication is required."}
	}
	return found, nil
}

func tokenDigest(token string) string {
	sum := sha256.Sum256([]byte("cap/approval/token/v1\x00" + token))
	return hex.EncodeToString(sum[:])
}
