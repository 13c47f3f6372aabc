package caphttp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

const (
	typeForm = "application/x-www-form-urlencoded"

	// formLifetime is how long a page may lie before its form is sent.
	formLifetime = time.Hour
)

// formSeal makes the tokens of forms. A browser sends its password with what any site lets it send, but no other site can
// read the token of a page.
type formSeal struct{ key []byte }

func newFormSeal(key []byte) formSeal {
	if key == nil {
		key = []byte(rand.Text() + rand.Text())
	}
	return formSeal{append([]byte(nil), key...)}
}

// token is good for one person, one approval and an hour.
func (s formSeal) token(person, approval string, now time.Time) string {
	until := strconv.FormatInt(now.Add(formLifetime).Unix(), 10)
	return until + "." + s.sign(person, approval, until)
}

func (s formSeal) sign(person, approval, until string) string {
	mac := hmac.New(sha256.New, s.key)
	for _, part := range []string{"cap/form/v1", person, approval, until} {
		mac.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s formSeal) holds(token, person, approval string, now time.Time) bool {
	until, signature, _ := strings.Cut(token, ".")
	if !hmac.Equal([]byte(signature), []byte(s.sign(person, approval, until))) {
		return false
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	return err == nil && now.Unix() < seconds
}

// readForm reads the form of a page.
func (h *ApprovalsHandler) readForm(x *exchange, person *cap.Principal) (decisionInput, error) {
	if err := http.NewCrossOriginProtection().Check(x.r); err != nil {
		return decisionInput{}, &fault{status: http.StatusForbidden, code: cap.CodeForbidden, message: "The form comes from another site."}
	}
	body, err := h.readBody(x)
	if err != nil {
		return decisionInput{}, err
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return decisionInput{}, badRequest("The form cannot be read.")
	}
	if !h.seal.holds(values.Get("token"), person.ID, x.values[0], time.Now()) {
		return decisionInput{}, &fault{status: http.StatusForbidden, code: cap.CodeForbidden, message: "The page is too old, or the form is not ours. Load the page again."}
	}
	in := decisionInput{Shown: values.Get("shown"), Reason: values.Get("reason")}
	return in, checkReason(in.Reason)
}
