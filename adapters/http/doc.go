// Package caphttp serves the capabilities of a registry over HTTP, and calls them.
//
// [New] makes an [http.Handler] that any mux can mount under any prefix:
//
//	GET  /capabilities          what the caller may call
//	GET  /capabilities/{name}   one capability, with its schemas and failures
//	POST /capabilities/{name}   call it; the body is the input
//
// A call answers 200 with {"output":{…},"cites":[…]}. Everything that goes wrong, in the pipeline or before it, answers with
// problem+json (RFC 9457): a stable code, the request id and, for an input, one entry with a JSON Pointer for each fault.
// What went wrong inside a handler is never sent.
//
// The package stands on the standard library and on package cap alone.
package caphttp
