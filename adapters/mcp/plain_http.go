package capmcp

import (
	"net/http"

	"github.com/seed-369ec62e/cap"
)

// answerPlain answers a plain request that stands alone, and reports whether it did.
func (f *front) answerPlain(w http.ResponseWriter, r *http.Request, who *caller, body []byte) bool {
	version, ok := plainVersion(r.Header)
	if !ok || !f.adapter.isDirect() {
		return false
	}
	p, ok := f.adapter.plainIn(body)
	if !ok || p.tool != nil && !f.admitsPlainly(p.tool, who) {
		return false
	}
	f.adapter.work.hold()
	defer f.adapter.work.release()
	who.gone = r.Context()
	out := newResponse(w, &peek{ID: p.id, Method: methodCall})
	defer out.finish()
	answer, ok := f.adapter.answerPlain(withCaller(r.Context(), who), p, body, who, version)
	if ok {
		out.answer(answer)
	}
	return ok
}

// admitsPlainly reports whether nothing has to be said before a tool is called.
func (f *front) admitsPlainly(t *tool, who *caller) bool {
	asksFor := f.adapter.options.Authenticate != nil && (len(t.capability.Scopes()) > 0 || t.capability.Access() == cap.AccessAuthenticated)
	return f.adapter.visible(t, who.principal) && (!asksFor || who.principal != nil && !lacks(who.principal, t.capability.Scopes()))
}

// plainVersion gives the revision that a request of the older era follows. ok is false for all that the SDK looks at more
// closely: sessions, streams that are resumed, revisions that are not known.
func plainVersion(header http.Header) (version string, ok bool) {
	if len(header[headerSession]) > 0 || len(header["Last-Event-Id"]) > 0 {
		return "", false
	}
	switch values := header[headerVersion]; {
	case len(values) == 0:
		return versionFirst, true
	case len(values) > 1:
		return "", false
	default:
		version = values[0]
	}
	switch version {
	case versionFirst, versionLinks, versionLastLegacy:
		return version, true
	default:
		return "", false
	}
}

// versionFirst is the revision of a request that names none.
const versionFirst = "2025-03-26"

// answer sends the one message of a response: as a document, or as an event where a stream has begun meanwhile.
func (r *response) answer(message []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return
	}
	r.done = true
	if r.begun {
		message = append(append([]byte("event: message\ndata: "), message...), "\n\n"...)
	} else {
		r.begun = true
		h := r.out.Header()
		h.Set("Cache-Control", "no-cache, no-transform")
		h.Set("Content-Type", "application/json")
		r.out.WriteHeader(http.StatusOK)
	}
	// The client may be gone; there is nobody to tell.
	_, _ = r.out.Write(message)
}
