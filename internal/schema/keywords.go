package schema

import (
	"math"
	"slices"
	"strconv"

	"github.com/seed-369ec62e/cap/internal/plan"
	"github.com/seed-369ec62e/cap/internal/rules"
)

const (
	ipv4Octet   = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
	ipv4Pattern = "^" + ipv4Octet + `\.` + ipv4Octet + `\.` + ipv4Octet + `\.` + ipv4Octet + "$"
	ipv6Shape   = "^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$"
)

// constrain adds the keywords of set's rules to n.
func (w *writer) constrain(n *node, p *plan.Plan, set *rules.Set) {
	if set == nil {
		return
	}
	rest := &node{}
	for i := range set.Rules {
		rest.and(keywords(&set.Rules[i], p))
	}
	if set.Skip == rules.SkipZero && !rest.empty() {
		if zero := zeroOf(p); zero != nil {
			rest = anyOf(zero, rest)
		} else {
			rest = &node{}
		}
	}
	n.and(rest)
}

// zeroOf admits the zero value of p alone, nil where no keyword does.
func zeroOf(p *plan.Plan) *node {
	switch p.Kind {
	case plan.Bool:
		return keyword("const", "false")
	case plan.Int, plan.Uint, plan.Float:
		return keyword("const", "0")
	case plan.String, plan.Bytes:
		return keyword("maxLength", "0")
	case plan.Slice:
		return keyword("maxItems", "0")
	case plan.Map:
		return keyword("maxProperties", "0")
	default:
		return nil
	}
}

// keywords returns what admits all that r accepts, and nothing else if r is exact. It may be nil, for nothing to say.
func keywords(r *rules.Rule, p *plan.Plan) *node {
	if r.Class != rules.Exact {
		return wide(r, p)
	}
	n := exact(r, p)
	if n == nil {
		return nil
	}
	if r.Not {
		return not(n)
	}
	if r.Format != "" {
		n.and(keyword("format", text(r.Format)))
	}
	return n
}

// wide returns keywords that admit more than r accepts.
func wide(r *rules.Rule, p *plan.Plan) *node {
	n := &node{}
	switch {
	case r.Op == rules.OpUnique && (p.Kind == plan.Slice || p.Kind == plan.Array):
		// Members that are equal in JSON are equal in Go, though not the other way round.
		return keyword("uniqueItems", "true")
	case r.Op == rules.OpAny:
		return wideAny(r, p)
	}
	for i := range r.Wide {
		n.and(keywords(&r.Wide[i], p))
	}
	if r.Format != "" {
		n.and(keyword("format", text(r.Format)))
	}
	return n
}

// wideAny returns alternatives, nil if one of them admits everything.
func wideAny(r *rules.Rule, p *plan.Plan) *node {
	alternatives := make([]*node, len(r.Any))
	for i := range r.Any {
		alternatives[i] = keywords(&r.Any[i], p)
		if alternatives[i] == nil || alternatives[i].empty() {
			return nil
		}
	}
	return anyOf(alternatives...)
}

// exact returns what admits just what the operation of r accepts, Not left aside.
func exact(r *rules.Rule, p *plan.Plan) *node {
	switch r.Op {
	case rules.OpNonNull:
		return not(typed("null"))
	case rules.OpLength:
		return lengths(r, "minLength", "maxLength")
	case rules.OpCount:
		return counts(r, p)
	case rules.OpInt:
		return comparison(r.Cmp, strconv.FormatInt(r.Int, 10))
	case rules.OpUint:
		return comparison(r.Cmp, strconv.FormatUint(r.Uint, 10))
	case rules.OpFloat:
		return comparison(r.Cmp, strconv.FormatFloat(r.Float, 'g', -1, 64))
	case rules.OpBool:
		return keyword("const", strconv.FormatBool(r.Int == 1))
	case rules.OpOneOf:
		if len(r.Choices) == 0 && len(r.Texts) == 1 {
			return keyword("const", text(r.Texts[0]))
		}
		return keyword("enum", choices(r))
	case rules.OpOneOfInt, rules.OpOneOfUint:
		return keyword("enum", choices(r))
	case rules.OpUnique:
		return keyword("uniqueItems", "true")
	case rules.OpIP:
		return anyOf(keyword("format", `"ipv4"`).set("pattern", text(ipv4Pattern)),
			keyword("format", `"ipv6"`).set("pattern", text(ipv6Shape)))
	case rules.OpAll:
		return every(r, p)
	case rules.OpAny:
		return wideAny(r, p)
	case rules.OpVar: // exact by its format
		n := &node{}
		for i := range r.Wide {
			n.and(keywords(&r.Wide[i], p))
		}
		return n
	default:
		if source := r.Source(); source != "" {
			return keyword("pattern", text(source))
		}
		return nil
	}
}

func every(r *rules.Rule, p *plan.Plan) *node {
	n := &node{}
	for i := range r.All {
		n.and(keywords(&r.All[i], p))
	}
	return n
}

func choices(r *rules.Rule) string {
	var list []string
	switch r.Op {
	case rules.OpOneOf:
		seen := r.Choices
		if len(seen) == 0 {
			seen = r.Texts
		}
		for _, choice := range seen {
			if !slices.Contains(list, text(choice)) {
				list = append(list, text(choice))
			}
		}
	case rules.OpOneOfInt:
		for _, n := range slices.Compact(slices.Clone(r.Ints)) {
			list = append(list, strconv.FormatInt(n, 10))
		}
	default:
		for _, n := range slices.Compact(slices.Clone(r.Uints)) {
			list = append(list, strconv.FormatUint(n, 10))
		}
	}
	return "[" + join(list) + "]"
}

func join(parts []string) string {
	all := ""
	for i, part := range parts {
		if i > 0 {
			all += ","
		}
		all += part
	}
	return all
}

func comparison(by rules.Cmp, operand string) *node {
	switch by {
	case rules.Less:
		return keyword("exclusiveMaximum", operand)
	case rules.LessEqual:
		return keyword("maximum", operand)
	case rules.Greater:
		return keyword("exclusiveMinimum", operand)
	case rules.GreaterEqual:
		return keyword("minimum", operand)
	default:
		return keyword("const", operand)
	}
}

func lengths(r *rules.Rule, low, high string) *node {
	n := &node{}
	if r.Lo > 0 {
		n.set(low, strconv.FormatInt(r.Lo, 10))
	}
	if r.Hi < math.MaxInt64 {
		n.set(high, strconv.FormatInt(r.Hi, 10))
	}
	return n
}

func counts(r *rules.Rule, p *plan.Plan) *node {
	switch p.Kind {
	case plan.Map:
		return lengths(r, "minProperties", "maxProperties")
	case plan.Bytes:
		n := &node{}
		if r.Lo > 0 {
			n.and(atLeastBytes(r.Lo))
		}
		if r.Hi < math.MaxInt64 {
			n.and(atMostBytes(r.Hi))
		}
		return n
	default:
		return lengths(r, "minItems", "maxItems")
	}
}

// maxBytes is more than any document holds.
const maxBytes = 1 << 50

// atLeastBytes bounds the length of base64 text: n bytes take 4 characters for each 3, and the padding tells how many of
// the last three there are.
func atLeastBytes(n int64) *node {
	if n > maxBytes {
		n = maxBytes
	}
	groups := (n + 2) / 3
	full := keyword("minLength", strconv.FormatInt(4*groups, 10))
	spare := 3*groups - n
	if spare == 2 {
		return full
	}
	padding := "=$"
	if spare == 1 {
		padding = "==$"
	}
	return anyOf(keyword("minLength", strconv.FormatInt(4*groups+1, 10)),
		full.set("not", keyword("pattern", text(padding)).String()))
}

func atMostBytes(n int64) *node {
	if n > maxBytes {
		return &node{}
	}
	groups := (n + 2) / 3
	full := keyword("maxLength", strconv.FormatInt(4*groups, 10))
	spare := 3*groups - n
	if spare == 0 {
		return full
	}
	padding := "=$"
	if spare == 2 {
		padding = "==$"
	}
	return anyOf(keyword("maxLength", strconv.FormatInt(4*groups-1, 10)),
		full.set("pattern", text(padding)))
}
