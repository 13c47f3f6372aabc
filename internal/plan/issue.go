package plan

import (
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap/internal/jsonvalue"
	"github.com/seed-369ec62e/cap/internal/rules"
	"github.com/seed-369ec62e/cap/tags"
)

const (
	defaultBytes  = 10 << 20
	defaultIssues = 100

	// maxDepth bounds recursion whatever the caller asks for.
	maxDepth = 10_000

	// maxNameShown and maxIssueBytes keep the answer to a small document small, however long its names are.
	maxNameShown  = 64
	maxIssueBytes = 16 << 10
)

func (l Limits) orDefault() Limits {
	if l.Depth <= 0 {
		l.Depth = jsonvalue.DefaultDepth
	}
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	if l.Issues <= 0 {
		l.Issues = defaultIssues
	}
	l.Depth = min(l.Depth, maxDepth)
	return l
}

// collector gathers issues within the limits.
type collector struct {
	issues *Issues
	limit  int
	room   int // bytes left for pointers, parameters and messages

	// broken counts the issues that are not of a rule. Rules are not judged on a value that could not be read.
	broken int
}

// full reports whether another issue would only be counted.
func (c *collector) full() bool {
	return c.issues != nil && (len(c.issues.List) >= c.limit || c.room <= 0 || c.issues.Omitted > 0)
}

// add takes an issue. path is asked for a pointer only if it is listed.
func (c *collector) add(path jsonvalue.Path, data []byte, issue Issue) {
	if c.issues == nil {
		c.issues = &Issues{}
	}
	if c.full() {
		c.issues.Omitted++
		return
	}
	issue.Pointer = path.Pointer(data, maxNameShown)
	c.room -= len(issue.Pointer) + len(issue.Param) + len(issue.Message)
	if c.room < 0 && len(c.issues.List) > 0 {
		c.issues.Omitted++
		return
	}
	c.issues.List = append(c.issues.List, issue)
}

// faultIssue words a fault of the reader.
func faultIssue(fault jsonvalue.Fault) Issue {
	switch fault {
	case jsonvalue.Depth:
		return Issue{Rule: RuleDepth, Message: "is nested too deep"}
	case jsonvalue.UTF8:
		return Issue{Rule: RuleUTF8, Message: "must be valid UTF-8"}
	case jsonvalue.Surrogate:
		return Issue{Rule: RuleSurrogate, Message: "must not hold half of a surrogate pair"}
	case jsonvalue.NegativeZero:
		return Issue{Rule: RuleNegativeZero, Message: "must not be a negative zero"}
	case jsonvalue.Overflow:
		return Issue{Rule: RuleOverflow, Message: "is too large a number"}
	case jsonvalue.Underflow:
		return Issue{Rule: RuleUnderflow, Message: "is too small a number to tell from 0"}
	case jsonvalue.Digits:
		return Issue{Rule: RuleDigits, Param: strconv.Itoa(jsonvalue.MaxNumber), Message: "is a number of too many digits"}
	case jsonvalue.Duplicate:
		return Issue{Rule: RuleDuplicate, Message: "must not appear twice"}
	case jsonvalue.Fraction:
		return Issue{Rule: RuleInteger, Param: "integer", Message: "must be an integer"}
	default:
		return Issue{Rule: RuleSyntax, Message: "is not JSON"}
	}
}

// rangeIssue words an integer that does not fit.
func rangeIssue(p *Plan) Issue {
	low, high := p.bounds()
	return Issue{Rule: RuleRange, Param: low + ".." + high, Message: "must be between " + low + " and " + high}
}

// bounds returns the least and the greatest integer of p, in decimal.
func (p *Plan) bounds() (low, high string) {
	if p.Kind == Uint {
		return "0", strconv.FormatUint(1<<p.Bits-1, 10)
	}
	return strconv.FormatInt(-1<<(p.Bits-1), 10), strconv.FormatInt(1<<(p.Bits-1)-1, 10)
}

// typeIssue says what was expected. null tells that null was given.
func typeIssue(p *Plan, asString, null bool) Issue {
	param, message := p.jsonType()
	if asString {
		param, message = "string", message+" in quotes"
	}
	message = "must be " + message
	if null {
		message += ", not null"
	}
	return Issue{Rule: RuleType, Param: param, Message: message}
}

// jsonType returns the JSON type of p, bare and with its article.
func (p *Plan) jsonType() (name, phrase string) {
	switch p.Kind {
	case Bool:
		return "boolean", "true or false"
	case Int, Uint, BigInt:
		return "integer", "an integer"
	case Float, Number:
		return "number", "a number"
	case Struct, Map:
		return "object", "an object"
	case Slice, Array:
		return "array", "an array"
	case Custom:
		roots := p.roots.String()
		return roots, "of type " + roots
	case Any, Raw:
		return "value", "a JSON value"
	case Pointer, Maybe:
		return p.Elem.jsonType()
	default:
		return "string", "a string"
	}
}

func formatIssue(p *Plan) Issue {
	param := p.Format
	if param == "" {
		param = p.Wider
	}
	wants := p.wants
	if wants == "" {
		wants = "padded base64 of the standard alphabet"
	}
	return Issue{Rule: RuleFormat, Param: param, Message: "must be " + wants}
}

func ruleIssue(r *rules.Rule) Issue {
	return Issue{Rule: r.Name, Param: r.Param, Message: r.Message()}
}

// unknownIssue suggests the member that was meant.
func unknownIssue(p *Plan, name string) Issue {
	issue := Issue{Rule: RuleUnknown, Message: "unknown field"}
	if len(name) > maxNameShown {
		return issue
	}
	names := make([]string, len(p.Fields))
	for i := range p.Fields {
		names[i] = p.Fields[i].Name
		if strings.EqualFold(names[i], name) {
			issue.Message = "unknown field; names are case-sensitive: did you mean " + strconv.Quote(names[i]) + "?"
			return issue
		}
	}
	if nearest, ok := tags.Nearest(name, names); ok {
		issue.Message = "unknown field; did you mean " + strconv.Quote(nearest) + "?"
	}
	return issue
}
