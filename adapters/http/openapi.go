package caphttp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-369ec62e/cap"
)

// Versions of OpenAPI that a document can be written in.
const (
	openAPI31 = "3.1.0"
	openAPI30 = "3.0.3"
)

// OpenAPI writes the document of all capabilities that the handler serves, in OpenAPI 3.1. The bytes are the same in every
// run. What /openapi.json answers leaves out what its caller may not call.
func (h *Handler) OpenAPI() []byte { return h.writeOpenAPI(openAPI31, h.capabilities) }

// OpenAPI30 writes the document in OpenAPI 3.0.3, for tools that know no later one; see [Handler.OpenAPI].
func (h *Handler) OpenAPI30() []byte { return h.writeOpenAPI(openAPI30, h.capabilities) }

// documents keeps what was written, by version and by what the caller may call. Callers come in a few sorts only.
type documents struct {
	mu      sync.Mutex
	written map[string][]byte
}

const maxDocuments = 32

// serveOpenAPI answers with a document of what the caller may call.
func (h *Handler) serveOpenAPI(version string) func(*exchange) error {
	return func(x *exchange) error { return h.replyOpenAPI(x, version, typeJSON) }
}

// replyOpenAPI answers with one version to a caller who accepts one of the types.
func (h *Handler) replyOpenAPI(x *exchange, version string, types ...string) error {
	if err := checkAccept(x.r.Header, types...); err != nil {
		return err
	}
	visible := slices.DeleteFunc(slices.Clone(h.capabilities), func(c *cap.Capability) bool { return !mayCall(x.principal, c) })
	body := h.document(version, visible)
	x.replyTagged(digestTag(body), body)
	return nil
}

// serveWantedOpenAPI answers with the version that the caller asks for, as in
// Accept: application/vnd.oai.openapi+json;version=3.0. Who names none gets the newer one.
func (h *Handler) serveWantedOpenAPI(x *exchange) error {
	version := openAPI31
	for mediaType, parameters := range mediaRanges(x.r.Header.Values("Accept")) {
		if !slices.Contains(openAPITypes, mediaType) || isZeroQuality(parameters["q"]) {
			continue
		}
		if wanted := parameters["version"]; wanted == "3.0" || strings.HasPrefix(wanted, "3.0.") {
			version = openAPI30
		}
		break
	}
	return h.replyOpenAPI(x, version, openAPITypes...)
}

// openAPITypes are the media types of a document, by which a caller may name a version. The last two are common and not
// registered.
var openAPITypes = []string{typeJSON, "application/openapi+json", "application/vnd.oai.openapi+json"}

func (h *Handler) document(version string, visible []*cap.Capability) []byte {
	key := version
	for _, c := range visible {
		key += " " + c.Name()
	}
	h.documents.mu.Lock()
	defer h.documents.mu.Unlock()
	if body, ok := h.documents.written[key]; ok {
		return body
	}
	body := h.writeOpenAPI(version, visible)
	if h.documents.written == nil || len(h.documents.written) >= maxDocuments {
		h.documents.written = make(map[string][]byte)
	}
	h.documents.written[key] = body
	return body
}

// documentWriter writes one document.
type documentWriter struct {
	*Handler
	version    string
	components *components
	paths      *tree
}

func (h *Handler) writeOpenAPI(version string, capabilities []*cap.Capability) []byte {
	w := &documentWriter{Handler: h, version: version, components: newComponents(), paths: object()}
	w.addCommon()
	for _, c := range capabilities {
		w.addCall(c)
		if c.Effect() != cap.EffectRead {
			w.addPreview(c)
		}
		if a, ok := h.aliases[c.Name()]; ok {
			w.addAlias(a)
		}
	}
	if version == openAPI30 {
		for _, m := range w.components.schemas.members {
			toOpenAPI30(m.value)
		}
		for _, m := range w.components.schemas.members {
			typeNullables(m.value, w.components.schemas)
		}
	}
	title, number := h.registry.Name(), h.registry.Version()
	if title == "" {
		title = "Capabilities"
	}
	if number == "" {
		number = "0"
	}
	all := object("schemas", w.components.schemas)
	if scheme := h.securityScheme(); scheme != nil {
		all.set("securitySchemes", object(securityName, scheme))
	}
	document := object(
		"openapi", version, "info", object("title", title, "version", number),
		"servers", array(object("url", ".")), "paths", w.paths, "components", all,
	)
	return append(document.append(nil, 0), '\n')
}

const securityName = "credentials"

// securityScheme is how callers say who they are, or nil.
func (h *Handler) securityScheme() *tree {
	if !h.Authenticates() {
		return nil
	}
	scheme, _, _ := strings.Cut(h.options.Challenge, " ")
	return object("type", "http", "scheme", strings.ToLower(scheme))
}

// security says who may call, as the core enforces it.
func (w *documentWriter) security(c *cap.Capability) *tree {
	if !w.Authenticates() {
		return nil
	}
	scopes := array()
	if w.version == openAPI31 {
		scopes = treeOf(append([]string{}, c.Scopes()...))
	}
	signedIn := object(securityName, scopes)
	switch {
	case c.Access() == cap.AccessPublic:
		return array()
	case c.Access() == cap.AccessRule && len(c.Scopes()) == 0:
		return array(object(), signedIn)
	default:
		return array(signedIn)
	}
}

// addCall adds the path under which every capability can be called.
func (w *documentWriter) addCall(c *cap.Capability) {
	name := goName(c.Name())
	output := w.components.add(name+"Output", c.OutputSchema())
	answer := object(
		"type", "object",
		"properties", object(
			"output", refTo(output),
			"cites", object("type", "array", "items", refTo("ObjectRef"), "description", "The objects that the answer speaks of."),
		),
		"required", []string{"output", "cites"},
	)
	answerName := w.components.put(name+"Answer", "answer of "+output, answer)
	operation := w.operation(c, c.Name())
	operation.set("parameters", w.headers(c))
	operation.set("requestBody", body(refTo(w.components.add(name+"Input", c.InputSchema()))))
	operation.set("responses", w.responses(c, object("description", "The answer.", "headers", answerHeaders(c, nil), "content", content(typeJSON, refTo(answerName)))))
	w.paths.set("/capabilities/"+c.Name(), object("post", operation))
}

// addPreview adds the path that shows what a person would be asked to agree to.
func (w *documentWriter) addPreview(c *cap.Capability) {
	schema := w.components.put("Preview", "preview of an action", rawSchema(`{
		"type": "object",
		"description": "What would run, and how a person is shown it.",
		"properties": {
			"action": {"type": "object", "description": "What would run.", "additionalProperties": true},
			"text": {"type": "string", "description": "The action, word for word as a person is shown it."}
		},
		"required": ["action", "text"]
	}`))
	operation := object("operationId", c.Name()+previewSuffix, "summary", "Preview: "+summaryOf(c),
		"description", "Shows what a person would be asked to agree to. Nothing runs, and nobody is asked.")
	if security := w.security(c); security != nil {
		operation.set("security", security)
	}
	operation.set("requestBody", body(refTo(w.components.add(goName(c.Name())+"Input", c.InputSchema()))))
	answer := object("description", "The action.", "content", content(typeJSON, refTo(schema)))
	operation.set("responses", w.addProblems(object("200", answer), w.refusals(c)))
	w.paths.set("/capabilities/"+c.Name()+"/preview", object("post", operation))
}

// previewSuffix makes the operation of a preview.
const previewSuffix = "_preview"

// addAlias adds the path of a capability's own.
func (w *documentWriter) addAlias(a *alias) {
	c := a.capability
	operation := w.operation(c, c.Name()+aliasSuffix)
	parameters, rest := w.parameters(a)
	parameters.items = append(parameters.items, w.headers(c).items...)
	operation.set("parameters", parameters)
	if a.hasBody() {
		operation.set("requestBody", body(refTo(w.components.put(goName(c.Name())+"Body", "body of "+c.Name(), rest))))
	}
	output := w.components.add(goName(c.Name())+"Output", c.OutputSchema())
	operation.set("responses", w.responses(c, object("description", "The output.", "headers", answerHeaders(c, a), "content", content(typeJSON, refTo(output)))))
	item := w.paths.get(a.pattern)
	if item == nil {
		item = object()
		w.paths.set(a.pattern, item)
	}
	item.set(strings.ToLower(a.method), operation)
}

// aliasSuffix makes the operation of a capability's own path.
const aliasSuffix = "_rest"

// summaryOf is what a capability is called in a line.
func summaryOf(c *cap.Capability) string {
	if c.Title() != "" {
		return c.Title()
	}
	return c.Description()
}

// operation says what both paths of a capability say.
func (w *documentWriter) operation(c *cap.Capability, id string) *tree {
	summary := summaryOf(c)
	texts := []string{c.Description()}
	for _, text := range []string{c.Doc(), c.Deprecated()} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	operation := object("operationId", id, "summary", summary)
	if description := strings.Join(texts, "\n\n"); description != summary {
		operation.set("description", treeOf(description))
	}
	if c.Deprecated() != "" {
		operation.set("deprecated", treeOf(true))
	}
	if security := w.security(c); security != nil {
		operation.set("security", security)
	}
	operation.set("x-cap-effect", treeOf(string(c.Effect())))
	operation.set("x-cap-access", treeOf(string(c.Access())))
	if c.Effect() != cap.EffectRead {
		operation.set("x-cap-reversible", treeOf(c.Reversible()))
	}
	for _, mark := range []struct {
		name string
		set  bool
	}{{"x-cap-idempotent", c.Idempotent()}, {"x-cap-destructive", c.Destructive()}, {"x-cap-open-world", c.OpenWorld()}} {
		if mark.set {
			operation.set(mark.name, treeOf(true))
		}
	}
	return operation
}

// parameters gives the parameters of an alias, and the schema of what is left of the input.
func (w *documentWriter) parameters(a *alias) (parameters, rest *tree) {
	// The schema is added as a component first, so that its definitions are there, and then taken apart.
	name := w.components.add(goName(a.capability.Name())+"Input", a.capability.InputSchema())
	rest = w.components.schemas.get(name).clone()
	properties := rest.get("properties")
	parameters = array()
	for _, p := range slices.Concat(a.path, a.headers, a.query) {
		schema := properties.get(p.field.Name())
		properties.drop(p.field.Name())
		if schema == nil {
			schema = object()
		}
		schema = schema.clone()
		if w.version == openAPI30 {
			toOpenAPI30(schema)
		}
		parameter := object("name", p.key, "in", p.in, "required", p.field.Required())
		if text := schema.get("description"); text != nil {
			schema.drop("description")
			parameter.set("description", text)
		}
		if p.field.Kind() == cap.FieldArray {
			parameter.set("style", treeOf("form"))
			parameter.set("explode", treeOf(true))
		}
		parameter.set("schema", schema)
		parameters.items = append(parameters.items, parameter)
	}
	dropRequired(rest, properties)
	return parameters, rest
}

// dropRequired takes names out of required that are no properties any more.
func dropRequired(schema, properties *tree) {
	required := schema.get("required")
	if required == nil {
		return
	}
	required.items = slices.DeleteFunc(required.items, func(name *tree) bool { return properties.get(name.text()) == nil })
	if len(required.items) == 0 {
		schema.drop("required")
	}
}

// headers are the request headers that a capability understands.
func (w *documentWriter) headers(c *cap.Capability) *tree {
	text := object("type", "string")
	headers := array()
	if c.Effect() == cap.EffectRead {
		return headers
	}
	for _, h := range []struct{ name, description string }{
		{headerIdempotencyKey, "Makes the call safe to send again: it runs once, and the answer is given again."},
		{headerConfirm, "The challenge of the 428 before, once a person has agreed."},
		{headerApproval, "The id of the approval that was decided elsewhere."},
		{headerReason, "Why this is wanted; an approver sees it as unchecked."},
	} {
		headers.items = append(headers.items, object("name", h.name, "in", "header", "required", h.name == headerIdempotencyKey && w.keyed[c.Name()], "description", h.description, "schema", text.clone()))
	}
	return headers
}

// answerHeaders are the headers of an answer; a is nil for a call by name.
func answerHeaders(c *cap.Capability, a *alias) *tree {
	header := func(description string) *tree {
		return object("description", description, "schema", object("type", "string"))
	}
	headers := object(headerRequestID, header("The id of the request."))
	if a != nil {
		headers.set("Link", header("The objects that the answer speaks of, with rel=\"cite\"."))
		if a.method == http.MethodGet {
			headers.set("Etag", header("The version of the answer, for If-None-Match."))
		}
	}
	if c.Effect() != cap.EffectRead {
		headers.set(headerApproval, header("The approval under which the call ran."))
		headers.set(headerReplayed, header("Whether this is the stored answer of a call that ran before."))
	}
	return headers
}

func body(schema *tree) *tree {
	return object("required", true, "content", content(typeJSON, schema))
}

func content(mediaType string, schema *tree) *tree {
	return object(mediaType, object("schema", schema))
}

// goName writes a capability's name as generators name types: get_order is GetOrder.
func goName(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		if r == '_' || r == '-' {
			up = true
			continue
		}
		if up {
			b.WriteString(strings.ToUpper(string(r)))
		} else {
			b.WriteRune(r)
		}
		up = false
	}
	return b.String()
}

// checkOperations reports names that would make two operations of one id.
func (b *builder) checkOperations() {
	for _, c := range b.capabilities {
		base, ok := strings.CutSuffix(c.Name(), aliasSuffix)
		if _, taken := b.aliases[base]; ok && taken {
			b.problem(c.ContractType(), "name "+quote(c.Name())+" is that of "+base+" under its path", "give it another with name=")
		}
		base, ok = strings.CutSuffix(c.Name(), previewSuffix)
		if other, served := b.served(base); ok && served && other.Effect() != cap.EffectRead {
			b.problem(c.ContractType(), "name "+quote(c.Name())+" is that of the preview of "+base, "give it another with name=")
		}
	}
}

// statusText names a status in a document.
func statusText(status int) string { return strconv.Itoa(status) }

// rawSchema is a schema that is written by hand.
func rawSchema(text string) *tree { return treeOf(json.RawMessage(text)) }
