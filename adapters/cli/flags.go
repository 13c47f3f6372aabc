package capcli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-369ec62e/cap"
)

// recorder is a flag that keeps every text it is given. Nothing is judged while the command line is being parsed, so that
// all that is wrong with it can be told at once.
type recorder struct {
	texts *[]string
	kind  string
}

func (r recorder) String() string { return "" }
func (r recorder) Type() string   { return r.kind }

func (r recorder) Set(text string) error {
	*r.texts = append(*r.texts, text)
	return nil
}

// record defines a flag that fills texts. A switch may stand alone and then says true.
func (r *run) record(set *pflag.FlagSet, texts *[]string, name, short, kind string, isSwitch bool) *pflag.Flag {
	r.recorded = append(r.recorded, texts)
	flag := set.VarPF(recorder{texts: texts, kind: kind}, name, short, "")
	if isSwitch {
		flag.NoOptDefVal = "true"
	}
	return flag
}

// callFlags are the flags of every capability's command.
type callFlags struct {
	input, timeout []string
	gated          gatedFlags
}

func (r *run) defineCall(set *pflag.FlagSet, c *cap.Capability) *callFlags {
	f := &callFlags{}
	r.record(set, &f.input, "input", "", "JSON", false)
	r.record(set, &f.timeout, "timeout", "", "DURATION", false)
	r.record(set, &f.gated.dryRun, "dry-run", "", "", true)
	if c.Effect() == cap.EffectRead {
		return f
	}
	r.record(set, &f.gated.yes, "yes", "", "", true)
	r.record(set, &f.gated.approval, "approval", "", "ID", false)
	r.record(set, &f.gated.confirm, "confirm", "", "DIGEST", false)
	r.record(set, &f.gated.reason, "reason", "", "TEXT", false)
	return f
}

// defineLeaves defines the flags of an input, and returns what they will be given.
func (r *run) defineLeaves(set *pflag.FlagSet, in *input) []*given {
	list := make([]*given, len(in.leaves))
	for i, l := range in.leaves {
		g := &given{leaf: l}
		list[i] = g
		r.record(set, &g.texts, l.flag, l.short, l.placeholder(), l.isSwitch()).Usage = visible(l.field.Description())
		if l.isSwitch() {
			r.record(set, &g.no, negated(l.flag), "", "", true).Hidden = true
		}
		if l.isNullable() {
			r.record(set, &g.null, l.flag+"-null", "", "", true).Hidden = true
		}
	}
	return list
}

// normalize lets people type a flag as the JSON name of its field: --order_number and --orderNumber are --order-number.
func normalize(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if strings.ContainsAny(name, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		name = kebab(name)
	}
	return pflag.NormalizedName(name)
}
