package approval

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"

	"github.com/seed-369ec62e/cap"
)

// key is one secret, and what is derived from it: each use has a key of its own.
type key struct {
	id         [4]byte
	challenges []byte
	secrets    []byte
}

func newKey(secret []byte) key {
	k := key{challenges: seal(secret, "challenges"), secrets: seal(secret, "secrets")}
	copy(k.id[:], seal(secret, "id"))
	return k
}

// seal is HMAC-SHA-256 over a label and parts of fixed or self-delimiting length.
func seal(secret []byte, label string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("cap/approval/" + label + "/v1\x00"))
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// MAC digests what must not be guessed from its digest. The core asks it about inputs that hold secrets.
func (g *Gate) MAC(ctx context.Context, message []byte) ([]byte, error) {
	keys := g.known()
	if keys == nil {
		err := g.update(ctx, func(t *tx) error {
			keys = t.keys
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return seal(keys[0].secrets, "secret", message), nil
}

// A challenge is format, key id, approval id and seal, in strict base64. It says that this gate described the action; who
// may agree by it is judged when it comes back.
const (
	challengeFormat = 1
	challengeBody   = 1 + 4 + sha256.Size
	challengeLength = challengeBody + sha256.Size
)

var challengeText = base64.RawURLEncoding.Strict()

// challengeFor makes the challenge of an approval.
func (t *tx) challengeFor(r *Record) (string, error) {
	id, err := hex.DecodeString(r.ID)
	if err != nil {
		return "", err
	}
	k := t.keys[0]
	body := append([]byte{challengeFormat}, k.id[:]...)
	body = append(body, id...)
	return challengeText.EncodeToString(append(body, seal(k.challenges, "challenge", body)...)), nil
}

// challenged returns the id of the approval that a challenge is for. A challenge that this gate did not make is for none.
func (t *tx) challenged(challenge string) (id string, ok bool) {
	if len(challenge) != challengeText.EncodedLen(challengeLength) {
		return "", false
	}
	data, err := challengeText.DecodeString(challenge)
	if err != nil || len(data) != challengeLength || data[0] != challengeFormat {
		return "", false
	}
	body := data[:challengeBody]
	for _, k := range t.keys {
		if [4]byte(body[1:5]) == k.id && hmac.Equal(data[challengeBody:], seal(k.challenges, "challenge", body)) {
			return hex.EncodeToString(body[5:]), true
		}
	}
	return "", false
}

// maySelfConfirm reports whether the requester of an action may agree to it by a challenge.
func (g *Gate) maySelfConfirm(action cap.Action) bool {
	who := action.Requester
	if action.Effect != cap.EffectWrite || who.ID == "" || who.Kind != cap.KindHuman || who.OnBehalfOf != "" {
		return false
	}
	if g.options.SelfConfirm != nil {
		return g.options.SelfConfirm(action)
	}
	return !throughMCP(action.Source)
}
