package capcli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError is told of the first flag that cobra does not understand. It goes on to the others, so that all are told at
// once: an unknown flag is made known, as one that takes no value of its own, and the rest is parsed again.
func (r *run) flagError(c *cobra.Command, err error) error {
	for range maxUnknown {
		p, again := r.flagProblem(c, err)
		r.unknown = append(r.unknown, p)
		if !again {
			return r.usage(c, r.unknown...)
		}
		if err = r.reparse(c); err == nil {
			break
		}
	}
	if errors.Is(err, pflag.ErrHelp) {
		return r.usage(c, r.unknown...)
	}
	return r.runAnyway(c)
}

// maxUnknown bounds how many unknown flags are told.
const maxUnknown = 20

// flagProblem words what cobra did not understand. again reports whether the rest can be looked at.
func (r *run) flagProblem(c *cobra.Command, err error) (p problem, again bool) {
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if shorts := missing.GetSpecifiedShortnames(); shorts != "" {
			return unknownShort(shorts), false
		}
		name := missing.GetSpecifiedName()
		r.swallow(c, name)
		return problem{fault: fault{"unknown flag --" + short(name), r.suggestFlag(c, name)}}, true
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return problem{where: "--" + missing.GetFlag().Name, fault: fault{"needs a value", ""}}, false
	}
	if bad, ok := errors.AsType[*pflag.InvalidSyntaxError](err); ok {
		return problem{fault: fault{"flag " + quote(bad.GetSpecifiedFlag()) + " has no name", ""}}, false
	}
	return problem{fault: fault{what: short(err.Error())}}, false
}

func unknownShort(shorts string) problem {
	p := problem{fault: fault{what: "unknown flag -" + short(shorts)}}
	switch {
	case isNumber("-" + shorts):
		p.do = "put it after -- if it is a value: -- -" + short(shorts)
	case len(shorts) > 1:
		p.do = "a long flag has two dashes: --" + short(shorts)
	}
	return p
}

// swallow makes an unknown flag known, so that the ones behind it can be seen.
func (r *run) swallow(c *cobra.Command, name string) {
	if c.Flags().Lookup(name) == nil {
		r.record(c.Flags(), new([]string), name, "", "", true).Hidden = true
	}
}

func (r *run) suggestFlag(c *cobra.Command, name string) string {
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	return didYouMean("--", kebab(name), known)
}

// reparse parses the command line of c from the start.
func (r *run) reparse(c *cobra.Command) error {
	for _, texts := range r.recorded {
		*texts = nil
	}
	return c.ParseFlags(r.rest)
}

func (r *run) runAnyway(c *cobra.Command) error {
	if c.RunE == nil || r.leaves[c] == nil {
		return r.usage(c, r.unknown...)
	}
	return c.RunE(c, nil)
}
