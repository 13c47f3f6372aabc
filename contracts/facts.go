package contracts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

// compare finds what differs between two states of one capability.
func (c *comparison) compare(before, after *Capability) {
	c.words("", "title", before.Title, after.Title)
	c.words("", "description", before.Description, after.Description)
	c.words("", "deprecation", before.Deprecated, after.Deprecated)
	c.effect(before, after)
	c.access(before, after)
	c.promises(before, after)
	c.timeout(before.Timeout, after.Timeout)
	c.tags("", before.Tags, after.Tags)
	c.schemas("input", sideInput, before.Input, after.Input)
	c.schemas("output", sideOutput, before.Output, after.Output)
	c.failures(before.Failures, after.Failures)
}

func (c *comparison) words(where, what, before, after string) {
	switch {
	case before == after:
	case before == "":
		c.compatible(where, what+" is new", wordsWhy)
	case after == "":
		c.compatible(where, what+" is gone", wordsWhy)
	default:
		c.compatible(where, what+" differs", wordsWhy)
	}
}

func (c *comparison) effect(before, after *Capability) {
	if before.Effect != after.Effect {
		why := "what ran when it was asked for now waits for a person"
		switch {
		case after.Effect == cap.EffectRead:
			why = "what a person was asked for first now runs at once"
		case before.Effect != cap.EffectRead:
			why = "somebody else has to agree than before"
		}
		c.breaking("", fmt.Sprintf("effect %s became %s", before.Effect, after.Effect), why)
		return
	}
	if before.Effect == cap.EffectRead || before.Reversible == after.Reversible {
		return
	}
	c.raised(before.Reversible, "was "+undone(before)+", is "+undone(after),
		"callers that count on undoing it cannot", "callers treated it with more care than it needs")
}

func undone(c *Capability) string {
	if c.Reversible {
		return "reversible"
	}
	return "irreversible"
}

// accessRank orders access from the most open; what is not known is the least.
func accessRank(a cap.Access) int {
	known := []cap.Access{cap.AccessPublic, cap.AccessAuthenticated, cap.AccessRule}
	if at := slices.Index(known, a); at >= 0 {
		return at
	}
	return len(known)
}

func (c *comparison) access(before, after *Capability) {
	if before.Access != after.Access {
		c.raised(accessRank(after.Access) > accessRank(before.Access), fmt.Sprintf("access %s became %s", before.Access, after.Access),
			"callers that were let in may be refused", "whoever was let in still is")
	}
	for _, scope := range missing(after.Scopes, before.Scopes) {
		c.breaking("", fmt.Sprintf("scope %q is needed now", scope), "callers without it are refused")
	}
	for _, scope := range missing(before.Scopes, after.Scopes) {
		c.compatible("", fmt.Sprintf("scope %q is no longer needed", scope), "whoever was let in still is")
	}
}

// missing are the texts of a that b has not.
func missing(a, b []string) []string {
	var list []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			list = append(list, s)
		}
	}
	return list
}

// promises compares what callers may count on when they decide to call, or to call again.
func (c *comparison) promises(before, after *Capability) {
	if before.Idempotent != after.Idempotent {
		c.raised(before.Idempotent, flag("idempotent", after.Idempotent),
			"callers that repeat a call do it twice", "callers never repeated it")
	}
	if before.Destructive != after.Destructive {
		c.raised(after.Destructive, flag("destructive", after.Destructive),
			"callers that let it run unseen may lose data", "callers treated it with more care than it needs")
	}
	if before.OpenWorld != after.OpenWorld {
		c.raised(after.OpenWorld, flag("openworld", after.OpenWorld),
			"what callers send now leaves the service", "callers treated it with more care than it needs")
	}
}

func flag(name string, set bool) string {
	if set {
		return "is now " + name
	}
	return "is no longer " + name
}

func (c *comparison) timeout(before, after string) {
	was, is := limit(before), limit(after)
	if was == is {
		return
	}
	c.raised(is < was, fmt.Sprintf("timeout %s became %s", orNone(before), orNone(after)),
		"calls that were waited for are cancelled", "calls get more time than before")
}

// limit reads a timeout; none is longer than any.
func limit(timeout string) time.Duration {
	d, err := time.ParseDuration(timeout)
	if err != nil {
		return 1<<63 - 1
	}
	return d
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// tags compares what adapters were told. What a tag means is the adapter's own, so a difference is breaking; only a path
// of its own comes on top of the path that every capability has.
func (c *comparison) tags(where string, before, after []Tag) {
	for _, tag := range before {
		now, ok := sameTag(after, tag)
		if !ok {
			c.breaking(place(where, tag.Field), fmt.Sprintf("tag %s %q is gone", tag.Key, tag.Value), elsewhere(tag.Key))
		} else if now.Value != tag.Value {
			c.breaking(place(where, tag.Field), fmt.Sprintf("tag %s %q became %q", tag.Key, tag.Value, now.Value), elsewhere(tag.Key))
		}
	}
	for _, tag := range after {
		if _, ok := sameTag(before, tag); ok {
			continue
		}
		what := fmt.Sprintf("tag %s %q is new", tag.Key, tag.Value)
		if where == "" && tag.Field == "" && tag.Key == "http" {
			c.compatible("", what, "the path that it had before stays")
			continue
		}
		c.breaking(place(where, tag.Field), what, elsewhere(tag.Key))
	}
	if was, is := positions(before, after), positions(after, before); !slices.Equal(was, is) {
		c.breaking(where, "the arguments "+strings.Join(was, ", ")+" stand in the order "+strings.Join(is, ", "),
			"callers on the command line give them by their place")
	}
}

func sameTag(list []Tag, tag Tag) (Tag, bool) {
	at := slices.IndexFunc(list, func(t Tag) bool { return t.Field == tag.Field && t.Key == tag.Key })
	if at < 0 {
		return Tag{}, false
	}
	return list[at], true
}

func elsewhere(key string) string {
	return "callers over " + strings.ToUpper(key) + " may not meet it as they did"
}

// place joins the parts of a where.
func place(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// positions are the fields of a that the command line takes by their place, those apart that b does not have.
func positions(a, b []Tag) []string {
	var names []string
	for _, tag := range a {
		if _, kept := sameTag(b, tag); kept && tag.Key == "cli" && slices.Contains(strings.Split(tag.Value, ","), "arg") {
			names = append(names, strings.TrimPrefix(tag.Field, "input /"))
		}
	}
	return names
}

func (c *comparison) failures(before, after []Failure) {
	for _, was := range before {
		where := "failure " + was.Tag
		at := slices.IndexFunc(after, func(f Failure) bool { return f.Tag == was.Tag })
		if at < 0 {
			c.compatible(where, "is gone", "callers wait for it in vain, which hurts nobody")
			continue
		}
		is := after[at]
		c.words(where, "description", was.Description, is.Description)
		c.words(where, "fix", was.Fix, is.Fix)
		if was.Retry != is.Retry {
			c.compatible(where, "retry "+orNone(was.Retry)+" became "+orNone(is.Retry), "a hint, which every answer carries")
		}
		c.tags(where, was.Tags, is.Tags)
		c.schemas(where, sideOutput, was.Schema, is.Schema)
	}
	for _, is := range after {
		if !slices.ContainsFunc(before, func(f Failure) bool { return f.Tag == is.Tag }) {
			c.breaking("failure "+is.Tag, "is new", "callers that handle each failure do not know it")
		}
	}
}
