package rows

import (
	"context"
	"errors"
	"net/http"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
	"github.com/seed-369ec62e/cap/benchmarks/job"
)

// invoke calls the registry itself.
type invoke struct{ registry *cap.Registry }

// newInvoke finds the handler by reflection, as Register does.
func newInvoke() (Caller, error) {
	registry, err := newRegistry()
	return invoke{registry}, err
}

// newHandle registers it through a typed closure.
func newHandle() (Caller, error) {
	registry := cap.New(cap.Options{})
	err := cap.Handle(registry, &job.Shop{}, (*job.Shop).CreateOrder)
	return invoke{registry}, err
}

func newRegistry() (*cap.Registry, error) {
	registry := cap.New(cap.Options{Name: "bench", Version: "1.0.0"})
	return registry, registry.Register(&job.Shop{})
}

func (i invoke) Call(body []byte) ([]byte, error) {
	result, err := i.registry.Invoke(context.Background(), "create_order", body, cap.CallOptions{})
	if err != nil {
		if failed, ok := errors.AsType[*cap.Error](err); ok && failed.Code == cap.CodeInputInvalid {
			return nil, ErrRefused
		}
		return nil, err
	}
	return result.Output, nil
}

func (i invoke) Close() {}

func capHTTP() (http.Handler, error) {
	registry, err := newRegistry()
	if err != nil {
		return nil, err
	}
	return caphttp.New(registry, caphttp.Options{})
}

func newMCP() (*capmcp.Adapter, error) {
	registry, err := newRegistry()
	if err != nil {
		return nil, err
	}
	return capmcp.New(registry, capmcp.Options{})
}

func capMCP() (http.Handler, error) {
	adapter, err := newMCP()
	if err != nil {
		return nil, err
	}
	return adapter.Handler(), nil
}
