package capmcp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/seed-369ec62e/cap"
)

// seal keeps what a question was about in the hands of the client, which brings it back with the answer. The client can
// neither read nor change it, nor use it for another tool or another caller.
type seal struct{ box cipher.AEAD }

// asked is what is sealed.
type asked struct {
	Approval  string    `json:"approval"`
	Challenge string    `json:"challenge,omitempty"`
	Code      string    `json:"code,omitempty"`
	Mode      string    `json:"mode"`
	Expires   time.Time `json:"expires"`
}

const minStateKey = 32

func newSeal(key []byte) (*seal, error) {
	if key == nil {
		key = make([]byte, minStateKey)
		if _, err := rand.Read(key); err != nil {
			return nil, err
		}
	}
	derived := sha256.Sum256(append([]byte("cap/mcp/state/v1\x00"), key...))
	block, err := aes.NewCipher(derived[:])
	if err != nil {
		return nil, err
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	return &seal{box: box}, err
}

func (s *seal) close(a asked, t *tool, who *caller) string {
	return base64.RawURLEncoding.EncodeToString(s.box.Seal(nil, nil, marshal(a), boundTo(t, who)))
}

// errState says no more than that: how a seal broke is nothing to tell the one who broke it.
var errState = errors.New("requestState is not valid here, or no longer (call again without it)")

func (s *seal) open(state string, t *tool, who *caller) (asked, error) {
	var a asked
	data, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(data) < s.box.Overhead() {
		return a, errState
	}
	data, err = s.box.Open(nil, nil, data, boundTo(t, who))
	if err != nil || json.Unmarshal(data, &a) != nil || time.Now().After(a.Expires) {
		return asked{}, errState
	}
	return a, nil
}

// boundTo is what a seal holds for. The arguments are not among it: the gate holds an approval against the value itself.
func boundTo(t *tool, who *caller) []byte {
	return marshal(append([]string{t.name}, identityOf(who)...))
}

// identityOf is who somebody is to the gate and to a session. An agent that acts for two people is two callers.
func identityOf(who *caller) []string {
	var principal cap.Principal
	if who.principal != nil {
		principal = *who.principal
	}
	return []string{principal.ID, string(principal.Kind), principal.Tenant, principal.OnBehalfOf}
}
