package caphttp

import (
	"net/url"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// router finds the route of a request. It is stricter than [http.ServeMux]: a path is matched as it was sent, nothing is
// cleaned, redirected or decoded before, so that a proxy in front and this handler never read one path in two ways.
type router struct{ root node }

// node is one place in the tree of paths.
type node struct {
	literals map[string]*node
	wildcard *node
	routes   []*route // by method
}

// route is what serves one method and pattern.
type route struct {
	method     string
	pattern    string
	capability *cap.Capability // of an alias
	serve      func(*exchange) error
	open       bool // nobody needs to say who they are
}

// add files a route under its pattern. It returns the route that is there already, if any.
func (t *router) add(r *route) (taken *route) {
	n := &t.root
	for segment := range strings.SplitSeq(r.pattern[1:], "/") {
		n = n.child(segment)
	}
	for _, other := range n.routes {
		if other.method == r.method {
			return other
		}
	}
	n.routes = append(n.routes, r)
	return nil
}

func (n *node) child(segment string) *node {
	if isWildcard(segment) {
		if n.wildcard == nil {
			n.wildcard = &node{}
		}
		return n.wildcard
	}
	next, ok := n.literals[segment]
	if !ok {
		if n.literals == nil {
			n.literals = make(map[string]*node)
		}
		next = &node{}
		n.literals[segment] = next
	}
	return next
}

func isWildcard(segment string) bool { return strings.HasPrefix(segment, "{") }

// match is what the router found: a route with the values of its wildcards in order, or the methods that the path has.
type match struct {
	route  *route
	values []string
	allow  []string
}

// find looks a path up as it is escaped in the request. A literal segment goes before a wildcard. GET serves HEAD.
func (t *router) find(method, escapedPath string) match {
	path, ok := strings.CutPrefix(escapedPath, "/")
	if !ok {
		return match{}
	}
	if method == "HEAD" {
		method = "GET"
	}
	var m match
	segments := strings.Split(path, "/")
	t.root.each(segments, nil, func(n *node, values []string) (found bool) {
		for _, r := range n.routes {
			if r.method == method {
				m.route, m.values = r, values
				return true
			}
		}
		return false
	})
	if m.route == nil {
		m.allow = t.methods(segments)
	}
	return m
}

// methods are those that a path has.
func (t *router) methods(segments []string) []string {
	var methods []string
	t.root.each(segments, nil, func(n *node, _ []string) bool {
		for _, r := range n.routes {
			methods = append(methods, r.method)
			if r.method == "GET" {
				methods = append(methods, "HEAD")
			}
		}
		return false
	})
	slices.Sort(methods)
	return slices.Compact(methods)
}

// each visits the nodes that fit the segments, with what the wildcards stand for, until visit is content.
func (n *node) each(segments, values []string, visit func(*node, []string) bool) bool {
	if len(segments) == 0 {
		return visit(n, values)
	}
	if next, ok := n.literals[segments[0]]; ok && next.each(segments[1:], values, visit) {
		return true
	}
	if n.wildcard == nil || segments[0] == "" {
		return false
	}
	value, err := url.PathUnescape(segments[0])
	return err == nil && n.wildcard.each(segments[1:], append(slices.Clip(values), value), visit)
}
