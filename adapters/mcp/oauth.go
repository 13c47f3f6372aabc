package capmcp

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// OAuth describes the server as a protected resource (RFC 9728), so that clients find out where to get a token.
type OAuth struct {
	// Resource is the URL that clients reach [Adapter.Handler] at, such as https://orders.example.com/mcp. Challenges are
	// made from it, never from what a request says.
	Resource string
	// Servers are the authorization servers whose tokens are taken.
	Servers []string
	// Scopes are what every caller is told to ask for. Those of single capabilities are asked for when they are needed.
	Scopes []string
}

const wellKnown = "/.well-known/oauth-protected-resource"

// Metadata serves the description of the protected resource and returns the path to mount it at. Without [Options.OAuth] it
// serves 404.
func (a *Adapter) Metadata() (path string, handler http.Handler) {
	oauth := a.options.OAuth
	if oauth == nil {
		return wellKnown, http.NotFoundHandler()
	}
	body := a.metadata()
	return oauth.metadataPath(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		// It is public, and clients in a browser read it before they have any credentials.
		h.Set("Access-Control-Allow-Origin", "*")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(body)
	})
}

func (a *Adapter) metadata() []byte {
	oauth := a.options.OAuth
	scopes := slices.Clone(oauth.Scopes)
	for _, t := range a.tools {
		for _, scope := range t.capability.Scopes() {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	body := appendMember([]byte("{"), "resource", appendString(nil, oauth.Resource))
	body = appendMember(body, "authorization_servers", marshal(oauth.Servers))
	if len(scopes) > 0 {
		body = appendMember(body, "scopes_supported", marshal(scopes))
	}
	return append(appendMember(body, "bearer_methods_supported", []byte(`["header"]`)), '}')
}

func (a *Adapter) oauthScopes() []string {
	if a.options.OAuth == nil {
		return nil
	}
	return a.options.OAuth.Scopes
}

// metadataPath puts the well-known part before the path of the resource (RFC 9728 §3.1).
func (o *OAuth) metadataPath() string {
	u, err := url.Parse(o.Resource)
	if err != nil || u.Path == "/" {
		return wellKnown
	}
	return wellKnown + u.EscapedPath()
}

func (o *OAuth) metadataURL() string {
	u, err := url.Parse(o.Resource)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + o.metadataPath()
}

// maxScopeBytes keeps the challenge within what servers and proxies take as a header.
const maxScopeBytes = 4096

// check reports what would make challenges that no client can follow.
func (o *Options) checkOAuth(report reporter) {
	if o.OAuth == nil {
		return
	}
	oauth := *o.OAuth
	oauth.Servers, oauth.Scopes = slices.Clone(oauth.Servers), slices.Clone(oauth.Scopes)
	o.OAuth = &oauth
	if o.Authenticate == nil {
		report("OAuth is set and Authenticate is not", "set both: nobody would look at the tokens")
	}
	if fault := resourceFault(oauth.Resource); fault != "" {
		report(fmt.Sprintf("OAuth.Resource: %q %s", oauth.Resource, fault), "write a URL such as https://orders.example.com/mcp")
	}
	if len(oauth.Servers) == 0 {
		report("OAuth.Servers is empty", "name an authorization server")
	}
	for _, server := range oauth.Servers {
		if fault := resourceFault(server); fault != "" {
			report(fmt.Sprintf("OAuth.Servers: %q %s", server, fault), "write a URL such as https://login.example.com")
		}
	}
	for i, scope := range oauth.Scopes {
		switch {
		case !isScope(scope):
			report(fmt.Sprintf("OAuth.Scopes: %q is no scope", scope), "leave out blanks, quotes, backslashes and what is not ASCII")
		case slices.Contains(oauth.Scopes[:i], scope):
			report(fmt.Sprintf("OAuth.Scopes: %q is there twice", scope), "keep one")
		}
	}
	if len(strings.Join(oauth.Scopes, " ")) > maxScopeBytes {
		report(fmt.Sprintf("OAuth.Scopes is longer than %d bytes", maxScopeBytes), "ask for fewer")
	}
}

// resourceFault says what is wrong with the URL of a resource or a server, or "".
func resourceFault(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "is no URL"
	}
	name, _, ok := splitHost(u.Host)
	_, notAddress := netip.ParseAddr(strings.Trim(name, "[]"))
	switch {
	case !ok:
		return "has no host"
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return "has more than scheme, host and path"
	case strings.ContainsAny(text, "\"\\<> ") || !isScope(text):
		return "has characters that a header cannot carry"
	case u.Scheme == "https":
		return ""
	case u.Scheme == "http" && notAddress == nil && isLoopback(name):
		return "" // for development: nothing leaves the machine
	default:
		return "is not https"
	}
}
