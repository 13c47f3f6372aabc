package capmcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// checkPlaces reports hosts and origins that no request could name, and brings the others into the form that requests are
// compared in.
func (o *Options) checkPlaces(report reporter) {
	for i, host := range o.AllowedHosts {
		name, port, ok := splitHost(host)
		if !ok || port != "" {
			report(fmt.Sprintf("AllowedHosts: %q is no host name", host), "write a name such as mcp.example.com, without scheme and port")
		}
		o.AllowedHosts[i] = name
	}
	for i, origin := range o.AllowedOrigins {
		name, ok := parseOrigin(origin)
		if !ok {
			report(fmt.Sprintf("AllowedOrigins: %q is no origin", origin), "write scheme and host, such as https://app.example.com")
		}
		o.AllowedOrigins[i] = name
	}
}

// allowHost reports whether a request may name the host that it names. trusted means that the name is known to be ours: a
// page of another site can make a browser send requests to any address under a name of its own (DNS rebinding).
func (o *Options) allowHost(r *http.Request) (allowed, trusted bool) {
	name, _, ok := splitHost(r.Host)
	switch {
	case !ok:
		return false, false
	case len(o.AllowedHosts) > 0:
		listed := slices.Contains(o.AllowedHosts, name)
		return listed, listed
	case arrivedLocally(r):
		local := isLoopback(name)
		return local, local
	default:
		return true, false
	}
}

// allowOrigin reports whether the web page that sent a request, if one did, may do so. origin is empty when none did.
func (o *Options) allowOrigin(r *http.Request, hostTrusted bool) (origin string, allowed bool) {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return "", true
	}
	if len(values) > 1 {
		return "", false
	}
	name, ok := parseOrigin(values[0])
	if !ok {
		return "", false
	}
	if slices.Contains(o.AllowedOrigins, name) {
		return values[0], true
	}
	return values[0], hostTrusted && isSameHost(name, r.Host)
}

// isSameHost reports whether an origin is the host that the request was sent to.
func isSameHost(origin, host string) bool {
	scheme, _, _ := strings.Cut(origin, "://")
	same, ok := parseOrigin(scheme + "://" + host)
	return ok && same == origin
}

// parseOrigin brings an origin into one form: small letters, no port that the scheme implies. ok is false for anything that
// is more or less than scheme, host and port.
func parseOrigin(text string) (origin string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || strings.HasSuffix(text, "#") {
		return text, false
	}
	scheme := strings.ToLower(u.Scheme)
	name, port, ok := splitHost(u.Host)
	if !ok || (scheme != "http" && scheme != "https") {
		return text, false
	}
	if port == "" || (scheme == "http" && port == "80") || (scheme == "https" && port == "443") {
		return scheme + "://" + name, true
	}
	return scheme + "://" + name + ":" + port, true
}

// splitHost takes a Host header apart: the name in small letters, with the brackets of an IPv6 address, and the port.
func splitHost(host string) (name, port string, ok bool) {
	name, bracketed := host, strings.HasPrefix(host, "[")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && (!bracketed || strings.HasSuffix(host[:i], "]")) {
		name, port = host[:i], host[i+1:]
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return host, "", false
		}
	}
	if bracketed {
		_, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
		return strings.ToLower(name), port, err == nil && strings.HasSuffix(name, "]")
	}
	if name == "" || strings.ContainsAny(name, ":[]/@?#\\ \t%") {
		return host, "", false
	}
	return strings.ToLower(name), port, true
}

func isLoopback(name string) bool {
	if name == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && address.IsLoopback()
}

// arrivedLocally reports whether a request came in over the loopback interface.
func arrivedLocally(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || local == nil {
		return false
	}
	host, _, err := net.SplitHostPort(local.String())
	if err != nil {
		return false
	}
	return isLoopback(host)
}
