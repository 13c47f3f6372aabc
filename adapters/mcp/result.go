package capmcp

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rawResult is the result of a request, written as it goes over the wire. The server's own result types would escape what is
// in them for HTML.
type rawResult struct {
	mcp.ResultBase        // the server adds its name to the metadata
	body           []byte // an object without its closing brace and without _meta
}

// newRawResult completes a body for a revision of the protocol.
func newRawResult(body []byte, version string) *rawResult {
	if version >= versionModern {
		body = appendMember(body, "resultType", []byte(`"complete"`))
	}
	return &rawResult{body: body}
}

// MarshalJSON implements json.Marshaler.
func (r *rawResult) MarshalJSON() ([]byte, error) {
	return r.appendTo(make([]byte, 0, len(r.body)+256)), nil
}

func (r *rawResult) appendTo(dst []byte) []byte {
	dst = append(dst, r.body...)
	if len(r.Meta) > 0 {
		dst = appendMember(dst, "_meta", marshal(r.Meta))
	}
	return append(dst, '}')
}

// protocolVersion tells which revision of the protocol a request follows.
func protocolVersion(req mcp.Request) string {
	if versioned, ok := req.(interface{ ProtocolVersion() string }); ok {
		return versioned.ProtocolVersion()
	}
	return ""
}

// isModern reports whether a request belongs to the era without sessions.
func isModern(req mcp.Request) bool { return protocolVersion(req) >= versionModern }

// Revisions of the protocol.
const (
	versionModern     = "2026-07-28" // the first without sessions
	versionLastLegacy = "2025-11-25" // the last with them
	versionLinks      = "2025-06-18" // the first with links to resources in results
)
