package cap

import (
	"context"
	"fmt"
	"reflect"
	"sync"
)

// defaultRegistry is what Register fills. It is made when first asked for.
var defaultRegistry struct {
	mu       sync.Mutex
	registry *Registry
}

// Default returns the registry that [Register] fills.
func Default() *Registry {
	defaultRegistry.mu.Lock()
	defer defaultRegistry.mu.Unlock()
	if defaultRegistry.registry == nil {
		defaultRegistry.registry = New(Options{})
	}
	return defaultRegistry.registry
}

// Configure sets the default registry up. It must come before the first Register, and before anything that uses
// [Default].
func Configure(options Options) error {
	defaultRegistry.mu.Lock()
	defer defaultRegistry.mu.Unlock()
	if defaultRegistry.registry != nil {
		return fmt.Errorf("cap: the default registry is in use already (call Configure before Register and Default)")
	}
	defaultRegistry.registry = New(options)
	return nil
}

// Register adds the capabilities of services to the default registry; see [Registry.Register].
func Register(services ...any) error { return Default().Register(services...) }

// MustRegister is [Register] for a program that cannot start without. It panics with every problem.
func MustRegister(services ...any) {
	if err := Register(services...); err != nil {
		panic(err)
	}
}

// A Declaration is something that can be registered besides a service; see [Func].
type Declaration interface{ declare(*registration) }

// Func makes a capability of a function, for libraries and tests. Register what it returns. A function has no companions,
// so its contract cannot say access=rule.
func Func[In Contract[Out], Out any](function func(context.Context, In) (Out, error)) Declaration {
	return functionOf(reflect.TypeFor[In](), reflect.TypeFor[Out](), function == nil, callFunction(function))
}

// Handle registers one handler of a service through a typed closure, with its companions: a call then spends nothing on
// reflection. The service's other handlers are not registered.
//
//	err := cap.Handle(registry, orders, (*Orders).CancelOrder)
func Handle[Svc any, In Contract[Out], Out any](registry *Registry, service Svc, handler func(Svc, context.Context, In) (Out, error)) error {
	bound := func(ctx context.Context, in In) (Out, error) { return handler(service, ctx, in) }
	return registry.Register(&handlerDeclaration{
		service: service, in: reflect.TypeFor[In](), missing: handler == nil, handle: callFunction(bound),
	})
}
