// Package caphttp serves the capabilities of a registry over HTTP, and calls them.
//
//	api, err := caphttp.New(registry, caphttp.Options{Authenticate: authenticate})
//	…
//	err = caphttp.Serve(ctx, api, caphttp.ServeOptions{Addr: "127.0.0.1:8080"})
//
// [New] makes an [http.Handler] that any mux can mount under any prefix:
//
//	GET  /capabilities                 what the caller may call
//	GET  /capabilities/{name}          one capability, with its schemas and failures
//	POST /capabilities/{name}          call it; the body is the input
//	POST /capabilities/{name}/preview  what a person would be asked to agree to
//	GET  /approvals/{id}               where the caller's own request for agreement stands; 404 for anonymous callers
//	GET  /openapi.json                 the same for generators, in OpenAPI 3.1; /openapi-3.0.json in 3.0.3,
//	                                   and /openapi in the version that Accept names
//	GET  /docs/                        the same for people, where Options.Docs has a page
//	GET  /livez, /readyz               for load balancers
//
// A call answers 200 with {"output":{…},"cites":[…]}.
//
// # Paths of their own
//
// A tag on a contract's marker gives the capability a path of its own, which answers with the bare output:
//
//	cap.Read[Order] `cap:"Get an order; access=public" http:"GET /orders/{order}"`
//
// A wildcard is a required field, by its JSON name; http:"header=X-Region" on a field takes it from a header, and a field with
// the option version comes in If-Match. What is left comes in the query for GET and DELETE, where numbers and booleans are
// written as in JSON and lists by repeated keys, and in the body for POST, PUT and PATCH. The input is put together as one
// document and judged by the core, so that every front gives the same verdict. GET answers with an ETag: the output's field
// with the option version, or a digest. http:"status=404" on a failure gives it a status; 422 is the default.
// http:"POST /orders,idempotency=required" wants an Idempotency-Key, and http:"POST /photos,maxbody=8388608" sets a limit of its own
// for the body.
//
// # Errors
//
// Everything that goes wrong answers with problem+json (RFC 9457): a stable code, the request id and, for an input, one entry
// with a JSON Pointer for each fault; see [Problem]. What went wrong inside is never sent. The type tells the declared
// failures of one status apart.
//
// # Agreement
//
// A Write that nobody has agreed to answers 428 with the action, word for word. The person's own client sends the same request
// again with Cap-Confirm: the challenge of that answer. A Host call answers 202 and, to callers that are known, says where to
// look; both say in next what can be done. Somebody else decides
// through the handler of [NewApprovals], and the same request runs with Cap-Approval: the id. A confirmation for anything
// else answers 412. A second use answers what came of the first, with Cap-Replayed: true.
//
// # Calling
//
// [NewClient] and [Call] call a contract on a server: the output has its Go type, and so have declared failures.
//
// The package stands on the standard library and on package cap alone. Modules of their own below it bring what needs more:
// oidc takes bearer tokens of a provider, swaggerui shows the documentation.
package caphttp
