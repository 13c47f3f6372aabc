package contracts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// Class says what a change means to callers.
type Class string

const (
	// Breaking changes break callers that hold to what they were promised, or nobody can tell that they do not.
	Breaking Class = "breaking"
	// Compatible changes break nobody.
	Compatible Class = "compatible"
)

// Change is one difference between a lock and what is there now.
type Change struct {
	Class      Class  `json:"class"`
	Capability string `json:"capability"`
	// Where is the part that differs: "", "input /order", "output /lines/*", "failure OrderNotFound /order".
	Where string `json:"where,omitempty"`
	What  string `json:"what"`
	Why   string `json:"why"`
}

// String gives the change as one line.
func (c Change) String() string {
	where := c.Capability
	if c.Where != "" {
		where += ": " + c.Where
	}
	return string(c.Class) + ": " + where + ": " + c.What + " (" + c.Why + ")"
}

// Text gives changes a line each, or says that there are none.
func Text(changes []Change) string {
	if len(changes) == 0 {
		return "The contracts are as locked.\n"
	}
	var b strings.Builder
	for _, c := range changes {
		b.WriteString(c.String() + "\n")
	}
	return b.String()
}

// IsBreaking reports whether one of the changes is.
func IsBreaking(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Class == Breaking })
}

// Check compares the capabilities of a registry with what was locked. Breaking changes come first, then each class in the
// byte order of the capabilities' names.
func Check(lock *Lock, registry *cap.Registry) []Change { return Compare(lock, Of(registry)) }

// Compare is [Check] of two locks.
func Compare(before, after *Lock) []Change {
	names := make(map[string][2]*Capability)
	for i := range before.Capabilities {
		c := &before.Capabilities[i]
		names[c.Name] = [2]*Capability{c, nil}
	}
	for i := range after.Capabilities {
		c := &after.Capabilities[i]
		names[c.Name] = [2]*Capability{names[c.Name][0], c}
	}
	changes := []Change{}
	for name, pair := range names {
		changes = append(changes, compareCapability(name, pair[0], pair[1])...)
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(string(a.Class), string(b.Class)), strings.Compare(a.Capability, b.Capability))
	})
	return changes
}

func compareCapability(name string, before, after *Capability) []Change {
	c := &comparison{capability: name}
	switch {
	case after == nil:
		c.breaking("", "is gone", "callers get CAPABILITY_NOT_FOUND")
	case before == nil:
		c.compatible("", "is new", "nobody calls it yet")
	case before.Digest != after.Digest:
		c.compare(before, after)
		if len(c.changes) == 0 {
			c.breaking("", "differs in a way that is not understood", unknownWhy)
		}
	}
	return c.changes
}

// comparison collects the changes of one capability.
type comparison struct {
	capability string
	changes    []Change
}

func (c *comparison) breaking(where, what, why string) {
	c.changes = append(c.changes, Change{Breaking, c.capability, where, what, why})
}

func (c *comparison) compatible(where, what, why string) {
	c.changes = append(c.changes, Change{Compatible, c.capability, where, what, why})
}

// raised notes a change that breaks callers in one direction only.
func (c *comparison) raised(worse bool, what, whenWorse, otherwise string) {
	if worse {
		c.breaking("", what, whenWorse)
		return
	}
	c.compatible("", what, otherwise)
}

const (
	unknownWhy = "nothing shows that callers still fit, so it counts as breaking"
	wordsWhy   = "only words"
)
