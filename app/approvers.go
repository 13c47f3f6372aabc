package app

import (
	"context"
	"errors"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// approverCommands are those of the operator, who says who may decide.
func (p *program) approverCommands() []capcli.Command {
	commands := []capcli.Command{
		{
			Name: "approvers add", Summary: "Let somebody decide, and print their token, once", Args: []string{"ID"},
			Doc:   "Whoever can run this can decide anything: it is for the operator, on the machine that keeps the approvals.",
			Flags: []capcli.Flag{{Name: "tenant", Placeholder: "TENANT", Help: "For the actions of this tenant"}},
			Run: func(ctx context.Context, call capcli.Invocation) error {
				person := cap.Principal{ID: call.Args[0], Kind: cap.KindHuman, Tenant: call.Text("tenant")}
				token, err := p.gate().AddApprover(ctx, person, "")
				if err != nil {
					return err
				}
				return call.Write(map[string]string{"token": token})
			},
		},
		{
			Name: "approvers revoke", Summary: "Let somebody decide no more", Args: []string{"ID"},
			Run: func(ctx context.Context, call capcli.Invocation) error {
				return p.gate().RevokeApprover(ctx, call.Args[0])
			},
		},
		{
			Name: "approvals verify", Summary: "Check that nobody has changed the record of approvals",
			Run: func(ctx context.Context, call capcli.Invocation) error {
				head, err := p.gate().Verify(ctx)
				if err != nil {
					return err
				}
				return call.Write(head)
			},
		},
	}
	if p.forgets() {
		for i := range commands {
			commands[i].Run = func(context.Context, capcli.Invocation) error { return errForgets }
		}
	}
	return commands
}

// errForgets refuses to write what no other process would find.
var errForgets = errors.New("this program's gate forgets when the process ends (keep approvals with a store of approval/sqlstore, or add approvers in the program, with AddApprover of the gate)")
