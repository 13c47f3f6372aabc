package rules

import (
	"reflect"
	"slices"
)

// A rule that is compiled natively means what validator bakes in. Registering another function under a baked-in name would
// be ignored in silence; validator does not tell, so a few values are judged by both.

// stricter are the rules that refuse values which validator takes.
var stricter = []string{"email", "ipv4", "ip4_addr", "iso3166_1_alpha_numeric", "iso3166_1_alpha_numeric_eu", "country_code", "eu_country_code"}

// isReplaced reports whether the user's validator judges a probe otherwise than r does.
func (c *compiler) isReplaced(r *Rule, item string, at target) bool {
	if r.Op == OpVar || r.Op == OpNow || r.Op == OpNonNull || at.wire == WireText {
		return false
	}
	for _, probe := range probes(r, at) {
		if native := r.Check(probe); native != c.engine.ask(probe, item) && (native || !slices.Contains(stricter, r.Name)) {
			return true
		}
	}
	return false
}

// probes returns values that r accepts and refuses.
func probes(r *Rule, at target) []reflect.Value {
	list := []reflect.Value{reflect.New(at.typ).Elem()}
	if at.kind() != reflect.String {
		return list
	}
	texts := append([]string{"a", "1", "é x"}, r.Texts[:min(len(r.Texts), 1)]...)
	for _, p := range patternsOf(r) {
		if text, ok := p.example(); ok {
			texts = append(texts, text)
		}
	}
	for _, text := range texts {
		v := reflect.New(at.typ).Elem()
		v.SetString(text)
		list = append(list, v)
	}
	return list
}

func patternsOf(r *Rule) []*Pattern {
	var all []*Pattern
	if r.Pattern != nil {
		all = append(all, r.Pattern)
	}
	for _, parts := range [][]Rule{r.All, r.Any} {
		for i := range parts {
			all = append(all, patternsOf(&parts[i])...)
		}
	}
	return all
}

// example returns a shortest text that matches p. It knows none for a pattern without a table.
func (p *Pattern) example() (string, bool) {
	if p.slow != nil {
		return "", false
	}
	letters := p.letters()
	from := map[int]string{initial: ""}
	for queue := []int{initial}; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		if p.accept[state] {
			return from[state], true
		}
		for class, letter := range letters {
			next := int(p.next[state*p.width+class])
			if _, seen := from[next]; !seen && next != dead {
				from[next] = from[state] + string(letter)
				queue = append(queue, next)
			}
		}
	}
	return "", false
}

// letters returns a character of each class, a readable one where there is one.
func (p *Pattern) letters() []rune {
	letters := make([]rune, p.width)
	for i, r := range p.bounds {
		letters[p.classes[i]] = r
	}
	for r := rune(0); int(r) < len(p.ascii); r++ {
		letters[p.ascii[r]] = r
	}
	for r := '~'; r > ' '; r-- {
		letters[p.ascii[r]] = r
	}
	return letters
}
