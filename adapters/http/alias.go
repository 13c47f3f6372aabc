package caphttp

import (
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// alias is a capability under a path of its own, from the http tag of its marker, such as http:"GET /orders/{order}". Each
// field of the input has exactly one place: the path, a header, or what is left: the query for GET and DELETE, the body for
// the others.
type alias struct {
	capability *cap.Capability
	method     string
	pattern    string
	path       []param // in the order of the pattern's wildcards
	headers    []param
	query      []param
	version    string // the JSON name of the output's version, for the ETag
}

// param is one field of the input that comes as text.
type param struct {
	field *cap.Field
	in    string // path, query or header
	key   string // what the caller calls it
}

// places of an issue, and of a param.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
	inBody   = "body"
)

// hasBody reports whether what is left of the input comes as JSON in the body.
func (a *alias) hasBody() bool {
	return a.method == http.MethodPost || a.method == http.MethodPut || a.method == http.MethodPatch
}

// needsVersion reports whether a request must say which version it is about.
func (a *alias) needsVersion() bool {
	return slices.ContainsFunc(a.headers, func(p param) bool { return p.key == headerIfMatch && p.field.Required() })
}

// template is the path as a URI template (RFC 6570), relative to where the handler is mounted.
func (a *alias) template() string {
	t := a.pattern[1:]
	for i, p := range a.query {
		if i == 0 {
			t += "{?" + p.key
		} else {
			t += "," + p.key
		}
		if p.field.Kind() == cap.FieldArray {
			t += "*"
		}
	}
	if len(a.query) > 0 {
		t += "}"
	}
	return t
}

// place says where in a request the member of that name is.
func (a *alias) place(name string) string {
	for _, p := range slices.Concat(a.path, a.headers) {
		if p.field.Name() == name {
			return p.in
		}
	}
	if a.hasBody() {
		return inBody
	}
	return inQuery
}

var aliasMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// reservedSegments begin paths that the handler serves itself.
var reservedSegments = []string{"capabilities", "approvals", "openapi", "openapi.json", "openapi-3.0.json", "docs", "livez", "readyz"}

// reservedHeaders mean something to HTTP or to this package.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Cap-Approval", "Cap-Confirm", "Cap-Reason", "Cap-Timeout-Ms", "Connection", "Content-Encoding",
	"Content-Length", "Content-Type", "Cookie", "Expect", "Host", "Idempotency-Key", "If-None-Match", "Origin", "Range", "Te",
	"Traceparent", "Tracestate", "Trailer", "Transfer-Encoding", "Upgrade", "X-Api-Key", "X-Request-Id",
}

// readAlias reads the http tags of a capability's marker and fields. It returns nil if it has no path of its own.
func (b *builder) readAlias(c *cap.Capability) *alias {
	text, _ := c.Tag("http")
	text, options := b.splitMarker(text)
	b.readMarkerOptions(c, options)
	fields := c.Input().Fields()
	if text == "" {
		for _, f := range fields {
			if _, tagged := f.Tag("http"); tagged {
				b.problem(c.ContractType()+": field "+f.Name(), "has an http tag, but the contract has no path", `give its marker a tag such as http:"GET /orders/{order}"`)
			}
		}
		return nil
	}
	before := len(b.problems)
	a := &alias{capability: c}
	b.readPattern(a, text)
	if len(b.problems) > before {
		return nil
	}
	b.placeWildcards(a, fields)
	for _, f := range fields {
		b.placeField(a, f)
	}
	for _, f := range c.Output().Fields() {
		if f.Version() {
			a.version = f.Name()
		}
	}
	return a
}

// splitMarker parts a marker's tag into the method with its path, and the options.
func (b *builder) splitMarker(text string) (pattern string, options []tagOption) {
	if text == "" {
		return "", nil
	}
	first, rest, found := strings.Cut(text, ",")
	if strings.Contains(first, "=") {
		return "", readTag(text)
	}
	if found {
		options = readTag(rest)
	}
	return first, options
}

func (b *builder) readMarkerOptions(c *cap.Capability, options []tagOption) {
	for key, value := range b.each(c.ContractType(), options, "idempotency", "maxbody") {
		switch key {
		case "idempotency":
			b.readIdempotency(c, value)
		default:
			b.readMaxBody(c, value)
		}
	}
}

func (b *builder) readIdempotency(c *cap.Capability, value string) {
	switch {
	case value != "required":
		b.problem(c.ContractType(), "http idempotency "+quote(value)+" means nothing", "say idempotency=required, or nothing: a key is always taken")
	case c.Effect() == cap.EffectRead:
		b.problem(c.ContractType(), "http option \"idempotency\" is for what changes something", "a read can always be sent again")
	default:
		b.keyed[c.Name()] = true
	}
}

func (b *builder) readMaxBody(c *cap.Capability, value string) {
	limit, err := strconv.ParseInt(value, 10, 64)
	if err != nil || limit < 1 {
		b.problem(c.ContractType(), "http maxbody "+quote(value)+" is no number of bytes", "write it like maxbody=65536")
		return
	}
	b.maxBody[c.Name()] = limit
}

// readPattern reads the text of a marker's tag: a method and a path.
func (b *builder) readPattern(a *alias, text string) {
	where := a.capability.ContractType()
	method, pattern, _ := strings.Cut(text, " ")
	a.method, a.pattern = method, strings.TrimSpace(pattern)
	if !slices.Contains(aliasMethods, method) {
		b.problem(where, "http tag "+quote(text)+" does not begin with a method", "write it like GET /orders/{order}; the methods are "+strings.Join(aliasMethods, ", "))
		return
	}
	if !strings.HasPrefix(a.pattern, "/") {
		b.problem(where, "http tag "+quote(text)+" has no path", "write it like GET /orders/{order}")
		return
	}
	for i, segment := range strings.Split(a.pattern[1:], "/") {
		switch {
		case i == 0 && slices.Contains(reservedSegments, segment):
			b.problem(where, "path "+quote(a.pattern)+" begins with "+quote(segment)+", which the adapter serves itself", "begin it with another word")
		case isWildcard(segment):
			if name := strings.Trim(segment, "{}"); segment != "{"+name+"}" || name == "" || strings.HasSuffix(name, "...") {
				b.problem(where, "path "+quote(a.pattern)+" has the wildcard "+quote(segment), "write it like {order}: one segment, named like a field")
			}
		case !isPlainSegment(segment):
			b.problem(where, "path "+quote(a.pattern)+" has the segment "+quote(segment), "use letters, digits, -, ., _ and ~, and no slash at the end")
		}
	}
	switch effect := a.capability.Effect(); {
	case method == http.MethodGet && effect != cap.EffectRead:
		b.problem(where, "GET is for reads, but this is a "+string(effect), "use POST, PUT, PATCH or DELETE")
	case method != http.MethodGet && method != http.MethodPost && effect == cap.EffectRead:
		b.problem(where, method+" is for what changes something, but this is a read", "use GET, or POST where the input is too large for a query")
	}
}

// placeWildcards finds the field of each wildcard.
func (b *builder) placeWildcards(a *alias, fields []*cap.Field) {
	where := a.capability.ContractType()
	var seen []string
	for segment := range strings.SplitSeq(a.pattern[1:], "/") {
		if !isWildcard(segment) {
			continue
		}
		name := strings.Trim(segment, "{}")
		i := slices.IndexFunc(fields, func(f *cap.Field) bool { return f.Name() == name })
		switch {
		case slices.Contains(seen, name):
			b.problem(where, "path "+quote(a.pattern)+" has the wildcard {"+name+"} twice", "use a field once")
		case i < 0:
			b.problem(where, "path "+quote(a.pattern)+" has the wildcard {"+name+"}, but the input has no field of that name", "name wildcards like the fields in JSON")
		case !fields[i].Required() || !isText(fields[i]):
			b.problem(where, "field "+name+" cannot stand in a path", "only required texts, numbers and booleans can")
		default:
			a.path = append(a.path, param{field: fields[i], in: inPath, key: name})
		}
		seen = append(seen, name)
	}
}

// placeField finds the place of a field, and reports one that cannot stand there.
func (b *builder) placeField(a *alias, f *cap.Field) {
	where := a.capability.ContractType() + ": field " + f.Name()
	header := b.readFieldTag(where, f)
	inPattern := slices.ContainsFunc(a.path, func(p param) bool { return p.key == f.Name() })
	if header == "" && !inPattern && f.Version() && a.method != http.MethodGet && a.method != http.MethodPost {
		header = headerIfMatch
	}
	switch {
	case inPattern && header != "":
		b.problem(where, "comes in the path and in a header", "choose one")
	case inPattern:
		b.checkVisible(where, f)
	case header != "":
		b.placeHeader(a, where, f, header)
	case a.hasBody():
	case !isText(f) && (f.Kind() != cap.FieldArray || !isText(f.Elem())):
		b.problem(where, "cannot stand in a query, because its JSON is of the kind "+string(f.Kind()), "use POST, PUT or PATCH, or only texts, numbers, booleans and lists of them")
	default:
		b.checkVisible(where, f)
		a.query = append(a.query, param{field: f, in: inQuery, key: f.Name()})
	}
}

func (b *builder) placeHeader(a *alias, where string, f *cap.Field, header string) {
	switch {
	case !isText(f):
		b.problem(where, "cannot stand in a header, because its JSON is of the kind "+string(f.Kind()), "only texts, numbers and booleans can")
	case slices.ContainsFunc(a.headers, func(p param) bool { return p.key == header }):
		b.problem(where, "header "+quote(header)+" is taken by another field", "use another header")
	default:
		a.headers = append(a.headers, param{field: f, in: inHeader, key: header})
		b.parameterHeaders = append(b.parameterHeaders, strings.ToLower(header))
	}
}

// readFieldTag reads the http tag of a field: the header that it comes in, or "".
func (b *builder) readFieldTag(where string, f *cap.Field) (header string) {
	text, ok := f.Tag("http")
	if !ok {
		return ""
	}
	for _, value := range b.each(where, readTag(text), "header") {
		header = textproto.CanonicalMIMEHeaderKey(value)
		if !isToken(value) {
			b.problem(where, "http header "+quote(value)+" is no name of a header", "write it like X-Region")
		} else if slices.Contains(reservedHeaders, header) {
			b.problem(where, "http header "+quote(value)+" has a meaning of its own", "use another name")
		}
	}
	return header
}

// checkVisible reports a secret that would end up in the logs of every server on the way.
func (b *builder) checkVisible(where string, f *cap.Field) {
	if f.Secret() {
		b.problem(where, "is secret, but would stand in the URL", "use POST, PUT or PATCH, or give it a header with http:\"header=…\"")
	}
}

// isText reports whether a field can be written as one plain text.
func isText(f *cap.Field) bool {
	switch f.Kind() {
	case cap.FieldString, cap.FieldInteger, cap.FieldNumber, cap.FieldBoolean:
		return true
	default:
		return false
	}
}

// isToken reports whether s can be the name of a header (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, s[i]) >= 0 {
			return false
		}
	}
	return s != ""
}
