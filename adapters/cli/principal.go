package capcli

import (
	"context"
	"os/user"

	"github.com/seed-369ec62e/cap"
)

// SystemUser is the user of the operating system that runs the program. It is no human to the gate: whoever has a shell as
// this user, an agent or a script too, is the same. A program that knows better says so in its own [Options.Authenticate].
func SystemUser(context.Context) (*cap.Principal, error) {
	current, err := user.Current()
	if err != nil {
		return nil, err
	}
	name := current.Username
	if name == "" {
		name = current.Uid
	}
	return &cap.Principal{ID: "os:" + name}, nil
}

// Person is [SystemUser], taken for a human: for programs that people run at a terminal. It is a statement of the program's
// author. On a command line a confirmation guards against accidents; whoever has a shell as the same user can give it.
func Person(ctx context.Context) (*cap.Principal, error) {
	person, err := SystemUser(ctx)
	if err == nil {
		person.Kind = cap.KindHuman
	}
	return person, err
}
