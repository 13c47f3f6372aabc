package caphttp

import (
	"net/http"
	"slices"

	"github.com/seed-369ec62e/cap"
)

// addCommon adds the schemas that every document has.
func (w *documentWriter) addCommon() {
	w.components.put("ObjectRef", "", rawSchema(`{
		"type": "object",
		"description": "One object of a product.",
		"properties": {"product": {"type": "string"}, "kind": {"type": "string"}, "id": {"type": "string"}},
		"required": ["product", "kind", "id"]
	}`))
	w.components.put("ProblemIssue", "", rawSchema(`{
		"type": "object",
		"description": "One fault of an input.",
		"properties": {
			"in": {"type": "string", "description": "Where it is: body, query, path or header."},
			"pointer": {"type": "string", "description": "JSON Pointer (RFC 6901) of the value; empty for the whole input."},
			"rule": {"type": "string", "description": "What was broken."},
			"param": {"type": "string", "description": "The parameter of the rule."},
			"message": {"type": "string", "description": "The same for people."}
		},
		"required": ["pointer", "rule", "message"]
	}`))
	w.components.put("Problem", "", rawSchema(`{
		"type": "object",
		"description": "What every error looks like (RFC 9457). The type tells one kind from another.",
		"properties": {
			"type": {"type": "string"},
			"title": {"type": "string"},
			"status": {"type": "integer"},
			"detail": {"type": "string"},
			"code": {"type": "string", "description": "The same on every front."},
			"capability": {"type": "string"},
			"requestId": {"type": "string"},
			"effect": {"type": "string", "description": "If it is unknown, do not repeat the call blindly."}
		},
		"required": ["type", "title", "status", "code", "requestId"]
	}`))
}

// variant is one kind of problem that a status may have.
type variant struct {
	status int
	name   string // of the component
	uri    string // its type
	schema *tree  // what it says beside what every problem says
}

// responses are all answers of an operation: the good one, what the core and the contract declare, and the transport's.
func (w *documentWriter) responses(c *cap.Capability, answer *tree) *tree {
	responses := object("200", answer)
	if c.Effect() == cap.EffectHost {
		v := w.confirmationVariant(http.StatusAccepted, "PendingProblem")
		responses.set("202", object("description", "Somebody else is being asked; Location says where to look.", "content", content(typeJSON, refTo(w.addVariant(v)))))
	}
	return w.addProblems(responses, slices.Concat(w.coreVariants(c), w.failureVariants(c)))
}

// addProblems adds the problems to the good answers, by status.
func (w *documentWriter) addProblems(responses *tree, variants []variant) *tree {
	byStatus := make(map[int][]variant)
	for _, v := range variants {
		byStatus[v.status] = append(byStatus[v.status], v)
	}
	for status := 300; status < 600; status++ {
		if variants := byStatus[status]; len(variants) > 0 {
			responses.set(statusText(status), w.problemResponse(status, variants))
		}
	}
	responses.set("default", object("description", "Anything else that went wrong.", "content", content(typeProblem, refTo("Problem"))))
	return responses
}

// problemResponse is one variant, or a choice of several that their type tells apart.
func (w *documentWriter) problemResponse(status int, variants []variant) *tree {
	description := http.StatusText(status) + "."
	if len(variants) == 1 {
		return object("description", description, "content", content(typeProblem, refTo(w.addVariant(variants[0]))))
	}
	choice, mapping := array(), object()
	for _, v := range variants {
		name := w.addVariant(v)
		choice.items = append(choice.items, refTo(name))
		mapping.set(v.uri, treeOf(componentPrefix+name))
	}
	schema := object("oneOf", choice, "discriminator", object("propertyName", "type", "mapping", mapping))
	return object("description", description, "content", content(typeProblem, schema))
}

// addVariant adds the component of a variant. What is one value is written as an enum of one, which both versions know.
func (w *documentWriter) addVariant(v variant) string {
	schema := object("allOf", array(refTo("Problem"), v.schema))
	return w.components.put(v.name, v.uri+" "+string(v.schema.append(nil, -1)), schema)
}

func (w *documentWriter) plainVariant(status int, name string, code cap.Code) variant {
	uri := w.typeOf(code, "")
	return variant{status, name, uri, object("type", "object", "properties", object(
		"type", oneValue(uri), "code", oneValue(string(code)), "status", object("type", "integer", "enum", array(status)),
	), "required", []string{"type"})}
}

func oneValue(text string) *tree { return object("type", "string", "enum", []string{text}) }

// refusals are the problems of a call before anything runs.
func (w *documentWriter) refusals(c *cap.Capability) []variant {
	variants := []variant{
		w.inputVariant(http.StatusBadRequest, "InputUnreadableProblem"),
		w.plainVariant(http.StatusBadRequest, "BadRequestProblem", CodeBadRequest),
		w.inputVariant(http.StatusUnprocessableEntity, "InputInvalidProblem"),
		w.plainVariant(http.StatusInternalServerError, "ExecutionFailedProblem", cap.CodeExecutionFailed),
	}
	if w.Authenticates() || c.Access() != cap.AccessPublic {
		variants = append(variants, w.plainVariant(http.StatusUnauthorized, "UnauthenticatedProblem", cap.CodeUnauthenticated))
	}
	if c.Access() == cap.AccessRule || len(c.Scopes()) > 0 {
		variants = append(variants, w.plainVariant(http.StatusForbidden, "ForbiddenProblem", cap.CodeForbidden))
	}
	return variants
}

// coreVariants are the problems that the core may answer with.
func (w *documentWriter) coreVariants(c *cap.Capability) []variant {
	variants := append(w.refusals(c), w.plainVariant(http.StatusInternalServerError, "OutputInvalidProblem", cap.CodeOutputInvalid))
	if w.keyed[c.Name()] {
		variants = append(variants, w.plainVariant(http.StatusBadRequest, "IdempotencyKeyRequiredProblem", CodeIdempotencyKeyRequired))
	}
	if a, ok := w.aliases[c.Name()]; ok && a.needsVersion() {
		variants = append(variants, w.plainVariant(http.StatusPreconditionRequired, "PreconditionRequiredProblem", CodePreconditionRequired))
	}
	if c.Timeout() > 0 {
		variants = append(variants, w.plainVariant(http.StatusGatewayTimeout, "TimeoutProblem", cap.CodeCancelled))
	}
	if c.Effect() != cap.EffectRead {
		variants = append(variants,
			w.confirmationVariant(http.StatusPreconditionRequired, "ConfirmationRequiredProblem"),
			w.plainVariant(http.StatusConflict, "IdempotencyInProgressProblem", CodeIdempotencyInProgress),
			w.plainVariant(http.StatusUnprocessableEntity, "IdempotencyKeyReusedProblem", CodeIdempotencyKeyReused),
			w.plainVariant(http.StatusInternalServerError, "CutOffProblem", cap.CodeCancelled), // for who comes back to it
			w.plainVariant(http.StatusPreconditionFailed, "ConfirmationInvalidProblem", cap.CodeConfirmationInvalid),
		)
	}
	return variants
}

func (w *documentWriter) inputVariant(status int, name string) variant {
	v := w.plainVariant(status, name, cap.CodeInputInvalid)
	v.schema.get("properties").set("errors", object("type", "array", "items", refTo("ProblemIssue")))
	v.schema.get("properties").set("omittedErrors", object("type", "integer", "description", "How many more there are."))
	return v
}

func (w *documentWriter) confirmationVariant(status int, name string) variant {
	v := w.plainVariant(status, name, cap.CodeConfirmationRequired)
	properties := v.schema.get("properties")
	properties.set("text", object("type", "string", "description", "What has to be agreed to, word for word."))
	properties.set("next", object("type", "string", "description", "What the caller can do."))
	properties.set("approveAt", object("type", "string", "description", "Where an approver decides."))
	properties.set("confirmation", rawSchema(`{
		"type": "object",
		"properties": {
			"action": {"type": "object", "description": "What would run.", "additionalProperties": true},
			"approval": {"type": "string", "description": "The id of the request for agreement."},
			"challenge": {"type": "string", "description": "What the person's own client sends back as Cap-Confirm."},
			"expires": {"type": "string", "format": "date-time"}
		},
		"required": ["action"]
	}`))
	return v
}

// failureVariants are the failures that the contract declares.
func (w *documentWriter) failureVariants(c *cap.Capability) []variant {
	var variants []variant
	for _, f := range c.Failures() {
		status := w.failureStatus(c.Name(), f.Tag)
		v := w.plainVariant(status, f.Tag+"Problem", cap.CodeCapabilityFailed)
		v.uri = w.typeOf(cap.CodeCapabilityFailed, f.Tag)
		properties := v.schema.get("properties")
		properties.set("type", oneValue(v.uri))
		properties.set("tag", oneValue(f.Tag))
		properties.set("reason", object("type", "string"))
		properties.set("fix", object("type", "string", "description", "What the caller can do."))
		properties.set("retryAfter", object("type", "string", "description", "When trying again may help, such as 2s."))
		properties.set("failure", refTo(w.components.add(f.Tag, f.Schema)))
		v.schema.set("description", treeOf(f.Description))
		v.schema.set("required", treeOf([]string{"type", "tag", "reason", "fix", "failure"}))
		variants = append(variants, v)
	}
	return variants
}
