package caphttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// OAuth describes the service as a protected resource (RFC 9728), so that clients find out where to get a token.
type OAuth struct {
	// Resource is the URL under which the handler is mounted, such as https://shop.example/api. Challenges are made from it,
	// never from what a request says.
	Resource string
	// Servers are the authorization servers whose tokens are taken.
	Servers []string
	// Scopes are what every caller is told to ask for. Those of single capabilities are asked for when they are needed.
	Scopes []string
}

const (
	wellKnown = "/.well-known/oauth-protected-resource"

	// maxScopeBytes keeps the challenge within what servers and proxies take as a header.
	maxScopeBytes = 4096
)

// Metadata serves the description of the protected resource, and returns the path to mount it at: at the root of the host,
// before any prefix. Without [Options.OAuth] it serves 404.
func (h *Handler) Metadata() (path string, handler http.Handler) {
	oauth := h.options.OAuth
	s := &site{options: Options{}.withDefaults()}
	if oauth == nil {
		return wellKnown, http.HandlerFunc(s.serveHTTP)
	}
	scopes := slices.Clone(oauth.Scopes)
	for _, c := range h.capabilities {
		for _, scope := range c.Scopes() {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	metadata := struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
	}{oauth.Resource, oauth.Servers, scopes, []string{"header"}}
	s.router.add(&route{method: "GET", pattern: oauth.path(), open: true, serve: func(x *exchange) error {
		// It is public, and pages of other sites read it before they have any credentials.
		x.w.Header().Set("Access-Control-Allow-Origin", "*")
		x.w.Header().Set("Cache-Control", "public, max-age=300")
		return x.replyJSON(metadata)
	}})
	return oauth.path(), http.HandlerFunc(s.serveHTTP)
}

// path puts the well-known part before the path of the resource (RFC 9728 section 3.1).
func (o *OAuth) path() string {
	u, err := url.Parse(o.Resource)
	if err != nil || u.Path == "/" {
		return wellKnown
	}
	return wellKnown + u.EscapedPath()
}

// challenge gives the parameters that lead a caller without a token to one.
func (o *OAuth) challenge() []string {
	u, err := url.Parse(o.Resource)
	if err != nil {
		return nil
	}
	parameters := []string{"resource_metadata", u.Scheme + "://" + u.Host + o.path()}
	if len(o.Scopes) > 0 {
		parameters = append(parameters, "scope", strings.Join(o.Scopes, " "))
	}
	return parameters
}

// check reports what would make challenges that no client can follow.
func (o *OAuth) check(report func(what, do string)) {
	if fault := resourceFault(o.Resource); fault != "" {
		report("OAuth.Resource "+quote(o.Resource)+" "+fault, "write a URL such as https://shop.example/api")
	}
	if len(o.Servers) == 0 {
		report("OAuth.Servers is empty", "name an authorization server")
	}
	for _, server := range o.Servers {
		if fault := resourceFault(server); fault != "" {
			report("OAuth.Servers "+quote(server)+" "+fault, "write a URL such as https://login.example")
		}
	}
	for i, scope := range o.Scopes {
		switch {
		case !isVisible(scope) || strings.ContainsAny(scope, `"\`):
			report("OAuth.Scopes "+quote(scope)+" is no scope", "leave out blanks, quotes, backslashes and what is not ASCII")
		case slices.Contains(o.Scopes[:i], scope):
			report("OAuth.Scopes "+quote(scope)+" is there twice", "keep one")
		}
	}
	if len(strings.Join(o.Scopes, " ")) > maxScopeBytes {
		report("OAuth.Scopes is longer than 4096 bytes", "ask for fewer")
	}
}

// resourceFault says what is wrong with the URL of a resource or a server, or "".
func resourceFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return "is no URL of a host"
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return "has more than scheme, host and path"
	case !isVisible(text) || strings.ContainsAny(text, `"\<>{}`):
		return "has characters that a header cannot carry"
	case u.Path != "" && u.Path != "/" && !isPlainPath(u.EscapedPath()):
		return "has no plain path"
	case u.Scheme == "https", u.Scheme == "http" && slices.Contains([]string{"127.0.0.1", "::1"}, u.Hostname()):
		return "" // plain http is for development: nothing leaves the machine
	default:
		return "is not https"
	}
}
