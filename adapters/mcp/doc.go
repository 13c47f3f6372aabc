// Package capmcp serves a registry to AI agents over the Model Context Protocol: every capability is a tool.
//
//	adapter, err := capmcp.New(registry, capmcp.Options{})
//	if err != nil { … }
//	http.Handle("/mcp", adapter.Handler())              // streamable HTTP
//	err = adapter.ServeStdio(ctx, os.Stdin, os.Stdout)  // or standard input and output
//
// One URL, and one pair of streams, speaks both eras of the protocol: the revisions up to 2025-11-25, with a handshake and
// sessions, and 2026-07-28, without either.
//
// # Answers
//
// A call that answers has the output as structured content, byte for byte as the registry wrote it, and once more as text
// for clients that read nothing else. Every error of a call is a tool result with isError set, whose text is the JSON form
// of [cap.Error], so that a model can read it and try again: all faults of the arguments at once, a declared failure with
// its tag and its fix. What went wrong inside never leaves the process; a request id leads to it in the log. Only a tool
// that does not exist, or that the caller may not see, is an error of the protocol.
//
// Arguments that a model wrote as text, such as "5" for a number, are repaired where the schema leaves no doubt, and the
// answer says so; see [Options.Strict].
//
// # Metadata
//
// What has no place in the protocol travels in _meta: cap/cites, cap/approval, cap/replayed, cap/repairs and cap/error in
// answers, cap/failures, cap/effect and cap/access in the list of tools. A program (no model can) may send cap/approval, the
// id of an approval that it was given, and cap/reason, its own words for an approver.
//
// # Tags
//
// The struct tag key mcp is held to the same strictness as the registry's own when the adapter is built:
//
//	mcp:"-"              on a contract's marker: the capability is no tool
//	mcp:"structured"     on a contract's marker: the output is sent as structured content alone
//	mcp:"header=Region"  on a field of an input: the value is repeated in the HTTP header Mcp-Param-Region
//	mcp:"image=image/png", mcp:"audio=audio/wav"  on bytes of an output: shown as a picture, heard as a sound
//	mcp:"text"           on a string of an output: read as it stands
//	mcp:"resource"       on an object of an output with uri, mimeType and text or blob: an embedded resource
//
// An output with contents of its own is not repeated as JSON text.
package capmcp
