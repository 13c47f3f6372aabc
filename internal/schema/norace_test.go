//go:build !race

package schema_test

const defaultDocuments = 200_000
