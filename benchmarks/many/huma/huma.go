// Package huma registers the thousand operations with Huma. Each takes the compiler about 0.15 s, so that they are built with
// the tag peers only.
package huma

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

type registration func(api huma.API, i int)

// Register registers the first n operations and returns what holds them. It returns nil if they were not built.
func Register(n int) any {
	if len(registrations) < n {
		return nil
	}
	mux := http.NewServeMux()
	api := humago.New(mux, huma.DefaultConfig("bench", "1.0.0"))
	for i, register := range registrations[:n] {
		register(api, i)
	}
	return []any{mux, api}
}

type body[T any] struct{ Body T }

func register[In, Out any](api huma.API, i int) {
	huma.Register(api, huma.Operation{
		OperationID: fmt.Sprintf("create_order_%04d", i), Method: http.MethodPost, Path: fmt.Sprintf("/orders/%04d", i),
	}, func(context.Context, *body[In]) (*body[Out], error) { return new(body[Out]), nil })
}
