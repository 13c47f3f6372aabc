package caphttp

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// Tokens makes an authenticator of a function that knows tokens, such as Authenticate of approval.Gate. It takes the token
// of an Authorization header of the scheme Bearer, or the password of the scheme Basic, with any user name, so that a
// browser can ask for it. An *[cap.Error] UNAUTHENTICATED of the function says that the token is not good.
func Tokens(find func(ctx context.Context, token string) (*cap.Principal, error)) func(*http.Request) (*cap.Principal, error) {
	return func(r *http.Request) (*cap.Principal, error) {
		token, ok := tokenOf(r)
		if !ok {
			return nil, nil
		}
		principal, err := find(r.Context(), token)
		if failed, ok := errors.AsType[*cap.Error](err); ok && failed.Code == cap.CodeUnauthenticated {
			return nil, errors.Join(ErrUnauthenticated, err)
		}
		if err == nil && principal == nil {
			return nil, ErrUnauthenticated
		}
		return principal, err
	}
}

// tokenOf reads the token of a request. Credentials of another scheme are none that this package knows.
func tokenOf(r *http.Request) (token string, ok bool) {
	if _, password, basic := r.BasicAuth(); basic {
		return password, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}
