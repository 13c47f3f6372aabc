package caphttp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// etag is the entity tag of an output: the version that it states, or a digest of its bytes.
func (a *alias) etag(output []byte) string {
	if a.version != "" {
		var members map[string]json.RawMessage
		if json.Unmarshal(output, &members) == nil {
			if tag := strings.Trim(string(members[a.version]), `"`); tag != "" && isOpaque(tag) {
				return `"` + tag + `"`
			}
		}
	}
	return digestTag(output)
}

// digestTag is a strong entity tag of bytes.
func digestTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
}

// isOpaque reports whether s can stand between the quotes of an entity tag (RFC 9110 section 8.8.3).
func isOpaque(s string) bool { return isHeaderText(s) && !strings.ContainsAny(s, " \"\\") }

// opaqueTag takes the version out of an If-Match header. What is no single strong tag is given as it is, for the core to
// refuse where it does not fit.
func opaqueTag(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && text[0] == '"' && strings.IndexByte(text[1:], '"') == len(text)-2 {
		return text[1 : len(text)-1]
	}
	return text
}

// matchesTag reports whether an If-None-Match header names tag; weak and strong ones compare alike (RFC 9110 section 13.1.2).
func matchesTag(values []string, tag string) bool {
	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		item = strings.TrimSpace(item)
		if item == "*" || strings.TrimPrefix(item, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// replyTagged answers with an entity tag, or with 304 where the caller has it already.
func (x *exchange) replyTagged(tag string, body []byte) {
	header := x.w.Header()
	header.Set("ETag", tag)
	header.Set("Cache-Control", "private, no-cache")
	header.Add("Vary", "Authorization, Accept")
	if matchesTag(x.r.Header.Values("If-None-Match"), tag) {
		x.reply(304, "", nil)
		return
	}
	x.reply(200, typeJSON, body)
}

// replyTaggedJSON writes v, which is ours and always can be, under a digest of its bytes.
func (x *exchange) replyTaggedJSON(v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	x.replyTagged(digestTag(body), body)
	return nil
}
