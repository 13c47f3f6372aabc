package cap

import (
	"context"
	"fmt"
	"reflect"

	"github.com/seed-369ec62e/cap/internal/method"
)

// functionDeclaration is a capability made by Func.
type functionDeclaration struct {
	in, out reflect.Type
	missing bool
	handle  func(context.Context, reflect.Value) (reflect.Value, error)
}

func functionOf(in, out reflect.Type, missing bool, handle func(context.Context, reflect.Value) (reflect.Value, error)) Declaration {
	return &functionDeclaration{in: in, out: out, missing: missing, handle: handle}
}

func (d *functionDeclaration) declare(g *registration) {
	where := "Func of " + typeName(deref(d.in))
	if d.missing {
		g.report(Problem{Where: where, What: "the function is nil", Do: "pass the function that handles the contract"})
		return
	}
	if _, ok := isContract(deref(d.in)); !ok {
		g.report(noContract(d.in))
		return
	}
	g.bind(binding{where: where, in: deref(d.in), out: d.out, isFunc: true, handle: d.handle})
}

// handlerDeclaration is one handler of a service, made by Handle.
type handlerDeclaration struct {
	service any
	in      reflect.Type
	missing bool
	handle  func(context.Context, reflect.Value) (reflect.Value, error)
}

func (d *handlerDeclaration) declare(g *registration) {
	value := reflect.ValueOf(d.service)
	if !g.isUsable(value) {
		return
	}
	where := "Handle of " + typeName(deref(d.in))
	if d.missing {
		g.report(Problem{Where: where, What: "the handler is nil", Do: "pass a method expression, such as (*Orders).CancelOrder"})
		return
	}
	handlers, problems := method.Scan(value.Type(), methodHooks())
	for _, p := range problems {
		g.report(Problem(p))
	}
	defaults := g.readService(deref(value.Type()))
	for _, h := range handlers {
		if h.In == deref(d.in) {
			g.checkEmbedded(value, []method.Handler{h})
			b := bindingOf(value, h, defaults, problems)
			b.handle = d.handle
			g.bind(b)
			return
		}
	}
	if len(problems) == 0 {
		g.report(Problem{Where: where, What: fmt.Sprintf("%s has no handler of that name", value.Type()), Do: "pass the method that bears the contract's name"})
	}
}
