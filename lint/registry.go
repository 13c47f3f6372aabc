package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// registryRule is one thing to look for in all of a registry.
type registryRule struct {
	name  string
	about string
	check func(registry *cap.Registry, chosen []*cap.Capability) []Finding
}

func registryRules() []registryRule {
	return []registryRule{
		{"gate", "capabilities that need a gate, and none that lasts", checkGate},
	}
}

// checkGate tells of writes that nobody can agree to.
func checkGate(registry *cap.Registry, chosen []*cap.Capability) []Finding {
	var gated []string
	for _, c := range chosen {
		if c.Effect() != cap.EffectRead {
			gated = append(gated, c.Name())
		}
	}
	if len(gated) == 0 {
		return nil
	}
	gate := registry.Gate()
	if gate == nil {
		return []Finding{{
			Severity: Warning, What: "has no gate, so nobody can agree to " + list(gated),
			Do: "set Options.Gate; approval.New makes one",
		}}
	}
	if forgetful, ok := gate.(interface{ Forgets() bool }); ok && forgetful.Forgets() {
		return []Finding{{
			Severity: forgetting(chosen), What: "its gate forgets when the process ends, so nobody can decide in another about " + list(gated),
			Do: "keep approvals with a store of approval/sqlstore",
		}}
	}
	return nil
}

// forgetting says how much it matters that a gate forgets: the person who asks for a write can agree to it at once, and what
// needs another person cannot run at all.
func forgetting(chosen []*cap.Capability) Severity {
	if slices.ContainsFunc(chosen, func(c *cap.Capability) bool { return c.Effect() == cap.EffectHost }) {
		return Warning
	}
	return Note
}

// maxNamed bounds how many names a finding lists.
const maxNamed = 3

func list(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}
