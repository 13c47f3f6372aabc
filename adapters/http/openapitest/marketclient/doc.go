// Package marketclient is a client that a public generator makes of an OpenAPI document of the adapter: proof that the
// document is good for more than reading.
package marketclient

//go:generate go tool oapi-codegen -config config.yaml ../testdata/market.openapi-3.0.json
