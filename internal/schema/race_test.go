//go:build race

package schema_test

// The race detector makes a document ten times as dear and finds nothing more in the ten thousandth.
const defaultDocuments = 20_000
