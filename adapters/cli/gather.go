package capcli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

// given is what a command line says of one leaf.
type given struct {
	leaf  *leaf
	texts []string // of the flag
	args  []string // as positional arguments
	no    []string // of the twin that says false
	null  []string // of the twin that says null
}

// isGiven reports whether the command line says anything of the leaf.
func (g *given) isGiven() bool { return len(g.texts)+len(g.args)+len(g.no)+len(g.null) > 0 }

// origin says where the value of a leaf came from.
type origin uint8

const (
	originNone  origin = iota
	originLine         // the command line
	originEnv          // the environment
	originInput        // --input
)

// gathered is the input of a call as the command line makes it.
type gathered struct {
	args     json.RawMessage
	origins  map[*leaf]origin
	texts    map[*leaf][]string // what was typed, to guess what was meant
	problems []problem
	broken   map[string]bool // pointers of leaves that have a problem already
}

// gatherer puts the sources of an input together.
type gatherer struct {
	sources   *sources
	lookupEnv func(string) (string, bool)
	in        *input
	gathered
}

// gather builds the JSON of an input from --input, flags, arguments and the environment. The same place from two of the
// first three is a problem: silently preferring one hides mistakes. The error is that of reading standard input.
func (g *gatherer) gather(ctx context.Context, document *string, list []*given) error {
	g.origins, g.texts = make(map[*leaf]origin), make(map[*leaf][]string)
	base := &object{}
	if document != nil {
		raw, wrong, err := g.sources.document(ctx, *document)
		switch {
		case err != nil:
			return err
		case wrong != (fault{}):
			g.problems = append(g.problems, problem{where: "--input", fault: wrong})
		default:
			g.args = raw
			parsed, isObject := parseObject(raw)
			if !isObject {
				return nil // no object, as the call will say
			}
			base = parsed
			if !pointsAway(*document) {
				g.refuseSecrets(base)
			}
		}
	}
	untouched := true
	for _, item := range list {
		changed, err := g.add(ctx, base, item)
		if err != nil {
			return err
		}
		untouched = untouched && !changed
	}
	if g.args == nil || !untouched {
		g.args = base.appendTo(nil)
	}
	return nil
}

// refuseSecrets reports secrets in a document that stands on the command line itself.
func (g *gatherer) refuseSecrets(document *object) {
	for _, l := range g.in.leaves {
		if l.secret && document.has(l.path) {
			wrong := fault{"holds the secret " + pointerOf(l.path) + ", which must not stand on the command line", "put it into a file: --input @file"}
			g.problems = append(g.problems, problem{where: "--input", fault: wrong})
		}
	}
}

// add puts one leaf into base, and reports whether it did.
func (g *gatherer) add(ctx context.Context, base *object, item *given) (bool, error) {
	l := item.leaf
	if !item.isGiven() {
		if base.has(l.path) {
			g.origins[l] = originInput
			return false, nil
		}
		return g.addEnv(base, l), nil
	}
	g.origins[l] = originLine
	if !l.secret {
		g.texts[l] = slices.Concat(item.texts, item.args)
	}
	if base.has(l.path) {
		g.report(l, fault{"is set by --input as well", "say it once"})
		return false, nil
	}
	raw, err := g.valueOf(ctx, item)
	if err != nil || raw == nil {
		return false, err
	}
	if !base.set(l.path, raw) {
		g.report(l, fault{"--input sets " + pointerOf(l.path[:len(l.path)-1]) + " to something else", "say it once"})
		return false, nil
	}
	return true, nil
}

func (g *gatherer) addEnv(base *object, l *leaf) bool {
	if l.env == "" {
		return false
	}
	text, ok := g.lookupEnv(l.env)
	if !ok {
		return false
	}
	g.origins[l] = originEnv
	if !l.secret {
		g.texts[l] = []string{text}
	}
	raw, wrong := l.form.convert(text)
	if l.secret {
		wrong = wrong.withoutValue()
	}
	if wrong != (fault{}) {
		g.problems = append(g.problems, problem{where: "$" + l.env, fault: wrong})
		g.ignore([]*leaf{l})
		return false
	}
	return base.set(l.path, raw)
}

func (g *gatherer) report(l *leaf, wrong fault) {
	g.problems = append(g.problems, problem{where: "--" + l.flag, fault: wrong})
	g.ignore([]*leaf{l})
}

// ignore keeps the call's own issues with leaves from being told: what is wrong with them is known better here.
func (g *gatherer) ignore(leaves []*leaf) {
	if g.broken == nil {
		g.broken = make(map[string]bool)
	}
	for _, l := range leaves {
		g.broken[pointerOf(l.path)] = true
	}
}

// valueOf makes the JSON of one leaf. It is nil if a problem was reported.
func (g *gatherer) valueOf(ctx context.Context, item *given) (json.RawMessage, error) {
	l := item.leaf
	kinds := 0
	for _, texts := range [][]string{item.texts, item.args, item.no, item.null} {
		kinds += min(len(texts), 1)
	}
	switch {
	case kinds > 1:
		g.report(l, fault{"is said in two ways at once: " + waysOf(item), "say it once"})
		return nil, nil
	case len(item.no) > 0:
		return g.twin(l, item.no, "false", "true"), nil
	case len(item.null) > 0:
		return g.twin(l, item.null, "null", ""), nil
	}
	texts := slices.Concat(item.texts, item.args)
	switch l.shape {
	case shapeList:
		return g.list(ctx, l, texts)
	case shapeMap:
		return g.pairs(ctx, l, texts)
	default:
	}
	if len(texts) > 1 {
		g.report(l, fault{"is given twice", "say it once"})
		return nil, nil
	}
	return g.one(ctx, l, texts[0])
}

// waysOf names the ways in which a leaf was given.
func waysOf(item *given) string {
	var ways []string
	if len(item.texts) > 0 {
		ways = append(ways, "--"+item.leaf.flag)
	}
	if len(item.args) > 0 {
		ways = append(ways, "an argument")
	}
	if len(item.no) > 0 {
		ways = append(ways, "--"+negated(item.leaf.flag))
	}
	if len(item.null) > 0 {
		ways = append(ways, "--"+item.leaf.flag+"-null")
	}
	return strings.Join(ways, " and ")
}

// twin is the value of --no-x and --x-null, which may be written with =true or, where off says what that is, =false.
func (g *gatherer) twin(l *leaf, texts []string, on, off string) json.RawMessage {
	switch {
	case len(texts) > 1:
		g.report(l, fault{"is given twice", "say it once"})
	case texts[0] == "true":
		return json.RawMessage(on)
	case texts[0] == "false" && off != "":
		return json.RawMessage(off)
	default:
		g.report(l, fault{"takes no value " + quote(texts[0]) + " in this form", ""})
	}
	return nil
}

func (g *gatherer) one(ctx context.Context, l *leaf, text string) (json.RawMessage, error) {
	raw, wrong, err := g.sources.value(ctx, l, "--"+l.flag, text)
	if err != nil {
		return nil, err
	}
	if wrong != (fault{}) {
		g.report(l, wrong)
		return nil, nil
	}
	return raw, nil
}

// list makes an array of the occurrences of a flag, or takes the one that is an array itself.
func (g *gatherer) list(ctx context.Context, l *leaf, texts []string) (json.RawMessage, error) {
	if len(texts) == 1 && l.takesArray() && !l.secret {
		if raw, ok, err := g.wholeArray(ctx, l, texts[0]); ok || err != nil {
			return raw, err
		}
	}
	array := []byte{'['}
	failed := false
	for i, text := range texts {
		raw, err := g.one(ctx, l, text)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, raw...)
		failed = failed || raw == nil
	}
	if failed {
		return nil, nil
	}
	return append(array, ']'), nil
}

// wholeArray reads text that begins as an array does, or the file that it names.
func (g *gatherer) wholeArray(ctx context.Context, l *leaf, text string) (raw json.RawMessage, ok bool, err error) {
	data := []byte(text)
	if pointsAway(text) && l.form == formJSON {
		var wrong fault
		if data, wrong, err = g.sources.read(ctx, "--"+l.flag, text); err != nil {
			return nil, false, err
		}
		if wrong != (fault{}) {
			g.report(l, wrong)
			return nil, true, nil
		}
	} else if !strings.HasPrefix(text, "[") {
		return nil, false, nil
	}
	raw, wrong := jsonValue(data)
	if wrong != (fault{}) {
		g.report(l, wrong)
		return nil, true, nil
	}
	if raw[0] != '[' { // one element, from a file
		raw = slices.Concat(json.RawMessage("["), raw, json.RawMessage("]"))
	}
	return raw, true, nil
}

// pairs makes an object of k=v texts.
func (g *gatherer) pairs(ctx context.Context, l *leaf, texts []string) (json.RawMessage, error) {
	made, failed := &object{}, false
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			wrong := fault{"has no =: " + quote(text), "write NAME=VALUE"}
			if l.secret {
				wrong = fault{"has no =", "write NAME=@file"}
			}
			g.report(l, wrong)
			failed = true
			continue
		}
		raw, err := g.one(ctx, l, value)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			failed = true
			continue
		}
		if !made.set([]string{key}, raw) {
			g.report(l, fault{"names " + quote(key) + " twice", "say it once"})
			failed = true
		}
	}
	if failed {
		return nil, nil
	}
	return made.appendTo(nil), nil
}

func jsonBytes(data []byte) json.RawMessage {
	return jsonText(base64.StdEncoding.EncodeToString(data))
}

// pointerOf is the JSON Pointer of a path; "" is the whole input.
func pointerOf(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}
