package caphttp

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap"
)

const (
	headerIfMatch = "If-Match"

	// headerCites says how many objects an answer cites, where not all fit into Link headers.
	headerCites = "Cap-Cites-Total"

	// Many proxies take no more than 8 KiB of headers.
	maxCiteLinks = 32
	maxCiteBytes = 4 << 10
)

// addAliases adds the routes of all aliases, and reports those that two capabilities want.
func (b *builder) addAliases() {
	for _, c := range b.capabilities {
		a := b.readAlias(c)
		if a == nil {
			continue
		}
		r := &route{method: a.method, pattern: a.pattern, capability: c, serve: func(x *exchange) error { return b.serveAlias(x, a) }}
		if taken := b.router.add(r); taken != nil {
			b.problem(c.ContractType(), "path "+quote(a.method+" "+a.pattern)+" is taken by "+taken.capability.ContractType(), "give one of them another path")
			continue
		}
		b.aliases[c.Name()] = a
	}
}

// serveAlias calls a capability under the path of its own. The answer is the bare output.
func (h *Handler) serveAlias(x *exchange, a *alias) error {
	x.alias = a
	if err := checkAccept(x.r.Header, typeJSON); err != nil {
		return err
	}
	result, err := h.call(x, a.capability, func() ([]byte, error) { return h.readInput(x, a) })
	if err != nil {
		return err
	}
	x.linkCites(result.Cites)
	if a.method == "GET" {
		x.replyTagged(a.etag(result.Output), withNewline(result.Output))
		return nil
	}
	x.reply(200, typeJSON, withNewline(result.Output))
	return nil
}

// withNewline ends a body as a line.
func withNewline(output []byte) []byte { return append(output[:len(output):len(output)], '\n') }

// linkCites gives what an answer cites as Link headers.
func (x *exchange) linkCites(cites []cap.ObjectRef) {
	size := 0
	for i, ref := range cites {
		link := "<" + refURI(ref) + `>; rel="cite"`
		if size += len(link); i == maxCiteLinks || size > maxCiteBytes {
			x.w.Header().Set(headerCites, strconv.Itoa(len(cites)))
			return
		}
		x.w.Header().Add("Link", link)
	}
}

// refURI writes a reference as a URI.
func refURI(ref cap.ObjectRef) string {
	return "urn:cap:ref:" + strings.Join([]string{url.PathEscape(ref.Product), url.PathEscape(ref.Kind), url.PathEscape(ref.ID)}, ":")
}
