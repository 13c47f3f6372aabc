// Package ordersclient is a client that a public generator makes of the document that the program of examples/orders serves.
package ordersclient

//go:generate go tool oapi-codegen -config config.yaml ../testdata/orders.openapi-3.0.json
