package capcli_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
	"github.com/seed-369ec62e/cap/internal/adaptertest"
)

// The contracts of this file are wrong as a command line, each in the ways that its fields show.

type BadTags struct {
	cap.Read[cap.None] `cap:"Bad tags; access=public" cli:"nme=x,group=A b,name,group=one,group=two"`

	A string            `json:"a" cap:"A" cli:"arg,arg"`
	B string            `json:"b" cap:"B" cli:"shrt=x"`
	C string            `json:"c" cap:"C" cli:"short=xy"`
	D string            `json:"d" cap:"D" cli:"short=h"`
	E string            `json:"e" cap:"E" cli:"env"`
	F string            `json:"f" cap:"F" cli:"env="`
	G string            `json:"g" cap:"G" cli:"flag=No Flag"`
	H string            `json:"h" cap:"H" cli:"arg=1"`
	I string            `json:"i" cap:"I" cli:"wholly=unknown"`
	J string            `json:"j k" cap:"J" cli:""`
	K []string          `json:"k" cap:"K" cli:"env=LIST"`
	L map[string]string `json:"l" cap:"L" cli:"arg"`
	M string            `json:"m" cap:"M; secret" cli:"arg"`
	N struct {
		O string `json:"o" cap:"O"`
	} `json:"n" cap:"N" cli:"arg"`
	P string `json:"ü" cap:"P"`
}

type BadPositions struct {
	cap.Read[cap.None] `cap:"Bad arguments; access=public"`

	A []string `json:"a" cap:"A" cli:"arg"`
	B string   `json:"b" cap:"B" cli:"arg"`
	C string   `json:"c" cap:"C" cli:"arg"`
	D string   `json:"d" cap:"D" cli:"arg"`
}

type BadFlags struct {
	cap.Read[cap.None] `cap:"Flags that collide; access=public"`

	Input   string          `json:"input"    cap:"Reserved"`
	OrderNo string          `json:"order_no" cap:"One"`
	Order   string          `json:"orderNo"  cap:"The same"`
	Force   bool            `json:"force"    cap:"By force; default=false"`
	NoForce string          `json:"no_force" cap:"Its twin"`
	Place   string          `json:"place"    cap:"The program's"`
	X       string          `json:"x"        cap:"Short" cli:"short=p"`
	Y       string          `json:"y"        cap:"Short" cli:"short=q"`
	Z       string          `json:"z"        cap:"Short" cli:"short=q"`
	Maybe   cap.Maybe[int]  `json:"maybe,omitzero" cap:"Nullable"`
	Null    cap.Maybe[bool] `json:"maybe-null,omitzero" cap:"Its twin"`
}

type Help struct {
	cap.Read[cap.None] `cap:"Called like a command; access=public"`
}

type Shout struct {
	cap.Read[cap.None] `cap:"Called like the program's; access=public"`
}

type InGroup struct {
	cap.Read[cap.None] `cap:"In a group; access=public" cli:"group=shout"`
}

type Mail struct {
	cap.Read[cap.None] `cap:"Called like a group; access=public"`
}

type MailSend struct {
	cap.Read[cap.None] `cap:"In a group; access=public" cli:"group=mail"`
}

type MailSendAgain struct {
	cap.Read[cap.None] `cap:"The same command; access=public" cli:"group=mail,name=send"`
}

type Wrong struct{}

func (Wrong) BadTags(context.Context, BadTags) (cap.None, error) { return cap.None{}, nil }

func (Wrong) BadPositions(context.Context, BadPositions) (cap.None, error) { return cap.None{}, nil }

func (Wrong) BadFlags(context.Context, BadFlags) (cap.None, error) { return cap.None{}, nil }

func (Wrong) Help(context.Context, Help) (cap.None, error) { return cap.None{}, nil }

func (Wrong) Shout(context.Context, Shout) (cap.None, error) { return cap.None{}, nil }

func (Wrong) InGroup(context.Context, InGroup) (cap.None, error) { return cap.None{}, nil }

func (Wrong) Mail(context.Context, Mail) (cap.None, error) { return cap.None{}, nil }

func (Wrong) MailSend(context.Context, MailSend) (cap.None, error) { return cap.None{}, nil }

func (Wrong) MailSendAgain(context.Context, MailSendAgain) (cap.None, error) { return cap.None{}, nil }

func TestProblems(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(Wrong{}))
	options := capcli.Options{
		Flags:    []capcli.Flag{{Name: "place", Short: "p", Placeholder: "PLACE"}},
		Commands: []capcli.Command{{Name: "shout"}},
	}
	_, err := capcli.New(registry, options)
	require.Error(t, err)
	var problems *cap.RegistrationError
	require.ErrorAs(t, err, &problems)
	golden(t, "problems.txt", err.Error()+"\n")
	_, again := capcli.New(registry, options)
	assert.Equal(t, err, again, "in a fixed order")

	options.Filter = func(c *cap.Capability) bool { return c.Name() == "mail_send" }
	_, err = capcli.New(registry, options)
	require.NoError(t, err, "what is filtered out has no problems")
	_, err = capcli.New(nil, capcli.Options{})
	require.ErrorContains(t, err, "capcli.New: the registry is nil (pass cap.Default() or what cap.New returned)")
}

func TestFilter(t *testing.T) {
	t.Parallel()
	program, err := capcli.New(adaptertest.NewRegistry(t), capcli.Options{
		Filter: func(c *cap.Capability) bool { return c.Effect() == cap.EffectRead },
	})
	require.NoError(t, err)
	got := runWith(t, program, capcli.Streams{}, "rename-item", "--id", "a", "--to", "b")
	assert.Equal(t, capcli.ExitUsage, got.code)
	got = runWith(t, program, capcli.Streams{}, "rename_item")
	assert.Equal(t, capcli.ExitUsage, got.code)
	assert.NotContains(t, runWith(t, program, capcli.Streams{}, "list").out, "rename_item")
	assert.NotContains(t, runWith(t, program, capcli.Streams{}, "docs").out, "rename")
}
