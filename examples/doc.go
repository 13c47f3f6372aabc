// Package examples holds programs that show how the framework is used: hello, the smallest; orders, a shop on all fronts; pulls,
// pull requests and comments that a person agrees to; existing, a service that was there before its annotations; library,
// capabilities for two programs; conformance, fixtures for the official MCP suite. Package guides holds the code of the pages in docs/.
//
// Its tests keep the README and the pages the same as the code, write the reference pages from the code, and run the commands that the
// pages show.
package examples
