package rows

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/go-fuego/fuego"

	"github.com/seed-369ec62e/cap/benchmarks/job"
)

type humaInput struct{ Body job.Order }

type humaOutput struct{ Body job.Receipt }

// humaHTTP leaves Huma's defaults alone, its links to schemas among them.
func humaHTTP() (http.Handler, error) {
	mux := http.NewServeMux()
	api := humago.New(mux, huma.DefaultConfig("bench", "1.0.0"))
	huma.Register(api, huma.Operation{OperationID: "create_order", Method: http.MethodPost, Path: "/orders"},
		func(_ context.Context, in *humaInput) (*humaOutput, error) {
			return &humaOutput{job.Add(&in.Body)}, nil
		})
	return mux, nil
}

// fuegoHTTP leaves the logging of every request out, which is on by default.
func fuegoHTTP() (http.Handler, error) {
	server := fuego.NewServer(
		fuego.WithoutStartupMessages(), fuego.WithoutLogger(),
		fuego.WithLoggingMiddleware(fuego.LoggingConfig{DisableRequest: true, DisableResponse: true}),
		fuego.WithEngineOptions(fuego.WithOpenAPIConfig(fuego.OpenAPIConfig{Disabled: true})),
	)
	fuego.Post(server, "/orders", func(c fuego.ContextWithBody[job.Order]) (job.Receipt, error) {
		in, err := c.Body()
		if err != nil {
			return job.Receipt{}, err
		}
		return job.Add(&in), nil
	})
	return server.Mux, nil
}
