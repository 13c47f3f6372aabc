package caphttp

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CORS says which pages of other sites may call. Nothing of it is on by default.
type CORS struct {
	// Origins are scheme, host and port of the pages, such as "https://shop.example". There is no wildcard.
	Origins []string
	// Credentials lets browsers send cookies and passwords along.
	Credentials bool
	// MaxAge is how long browsers may remember the answer to a preflight. 0 leaves it to them.
	MaxAge time.Duration
}

const headerOrigin = "Origin"

// exposedHeaders are those of an answer that a page may read.
const exposedHeaders = "Cap-Approval, Cap-Cites-Total, Cap-Replayed, ETag, Idempotent-Replayed, Link, Location, Retry-After, WWW-Authenticate, X-Request-Id"

// allowedHeaders are those that a page may send, besides those of parameters.
var allowedHeaders = []string{
	"authorization", "cap-approval", "cap-confirm", "cap-reason", "cap-timeout-ms", "content-type", "idempotency-key", "if-match", "if-none-match",
	"traceparent", "tracestate", "x-api-key", "x-request-id",
}

// check reports origins that no browser sends.
func (c *CORS) check(report func(what, do string)) {
	for _, origin := range c.Origins {
		if normalOrigin(origin) == "" {
			report("CORS origin "+quote(origin)+" is none", `write it like "https://shop.example"; there is no wildcard`)
		}
	}
}

// allows reports whether pages of an origin may call.
func (c *CORS) allows(origin string) bool {
	normal := normalOrigin(origin)
	return normal != "" && slices.ContainsFunc(c.Origins, func(o string) bool { return normalOrigin(o) == normal })
}

// normalOrigin writes an origin as browsers do: in lower case, without the scheme's own port. It returns "" for what is no
// origin, null among them.
func normalOrigin(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	default:
		return ""
	}
	return scheme + "://" + host
}

// cors adds the headers for a page of another site, and answers its preflight. It reports whether that was the answer.
func (s *site) cors(x *exchange, allow []string) (answered bool) {
	c := s.options.CORS
	if c == nil {
		return false
	}
	header := x.w.Header()
	header.Add("Vary", headerOrigin)
	origins := x.r.Header.Values(headerOrigin)
	if len(origins) != 1 || !c.allows(origins[0]) {
		return false
	}
	header.Set("Access-Control-Allow-Origin", origins[0])
	header.Set("Access-Control-Expose-Headers", exposedHeaders)
	if c.Credentials {
		header.Set("Access-Control-Allow-Credentials", "true")
	}
	if x.r.Method != http.MethodOptions || x.r.Header.Get("Access-Control-Request-Method") == "" || len(allow) == 0 {
		return false
	}
	header.Set("Access-Control-Allow-Methods", strings.Join(allow, ", "))
	header.Set("Access-Control-Allow-Headers", strings.Join(slices.Concat(allowedHeaders, s.parameterHeaders), ", "))
	if c.MaxAge > 0 {
		header.Set("Access-Control-Max-Age", strconv.Itoa(int(c.MaxAge.Seconds())))
	}
	x.reply(http.StatusNoContent, "", nil)
	return true
}
