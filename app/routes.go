package app

import (
	"net/http"
	"strings"
)

// routes chooses a front by the path as it was sent. http.ServeMux would clean paths and redirect, in HTML, so that a proxy
// in front and the fronts read one path in two ways; what no other front has is answered by the last one, in its own form.
type routes struct {
	exact    map[string]http.Handler
	prefixes map[string]http.Handler // each ends with a slash
	rest     http.Handler
}

// ServeHTTP implements http.Handler.
func (s *routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	if handler, ok := s.exact[path]; ok {
		handler.ServeHTTP(w, r)
		return
	}
	if _, ok := s.prefixes[path+"/"]; ok {
		w.Header().Set("Location", path[strings.LastIndexByte(path, '/')+1:]+"/")
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	for prefix, handler := range s.prefixes {
		if strings.HasPrefix(path, prefix) {
			handler.ServeHTTP(w, r)
			return
		}
	}
	s.rest.ServeHTTP(w, r)
}
