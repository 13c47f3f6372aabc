package capmcp

import "github.com/seed-369ec62e/cap"

// problems collects what is wrong with a registry, or with the options, as an MCP server.
type problems struct{ list []cap.Problem }

// reporter takes one problem of a place: what it is and what to do.
type reporter func(what, do string)

func (p *problems) at(where string) reporter {
	return func(what, do string) {
		p.list = append(p.list, cap.Problem{Where: where, What: what, Do: do})
	}
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return &cap.RegistrationError{Problems: p.list}
}
