package capmcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// mirrored is a field of an input that clients repeat in an HTTP header.
type mirrored struct {
	path   []string // names, from the root
	header string
}

const (
	maxTagDepth  = 6    // levels of an input or an output that are searched for tags
	maxTagFields = 2000 // a recursive type has endless fields
)

// anyElement stands in a path for the elements of a list or a map.
const anyElement = "*"

// mirrorHeaders finds the fields that are tagged header= and says so in the input's schema.
func (t *tool) mirrorHeaders(problems *problems) {
	found := headerTags{report: problems, tool: t, seen: make(map[string]string)}
	found.walk(t.capability.Input(), nil)
	t.mirrors = len(found.list) > 0
	for _, m := range found.list {
		annotated, ok := annotateSchema(t.inputSchema, m.path, m.header)
		if !ok {
			problems.at(t.fieldWhere("input", m.path))("a header cannot be told of in a type that is used in more than one place", "tag a field of the input itself")
		}
		t.inputSchema = annotated
	}
}

// fieldWhere names a field in a problem.
func (t *tool) fieldWhere(side string, path []string) string {
	return t.capability.ContractType() + ": " + side + " field " + strings.Join(path, ".")
}

// headerTags collects the tags of an input.
type headerTags struct {
	report *problems
	tool   *tool
	fields int
	seen   map[string]string // header in small letters: where
	list   []mirrored
}

func (h *headerTags) walk(field *cap.Field, path []string) {
	if h.fields++; h.fields > maxTagFields || len(path) > maxTagDepth {
		return
	}
	if text, ok := field.Tag("mcp"); ok {
		h.read(field, path, text)
	}
	for _, member := range field.Fields() {
		h.walk(member, append(path[:len(path):len(path)], member.Name()))
	}
	if elem := field.Elem(); elem != nil {
		h.walk(elem, append(path[:len(path):len(path)], anyElement))
	}
}

func (h *headerTags) read(field *cap.Field, path []string, text string) {
	report := h.report.at(h.tool.fieldWhere("input", path))
	for _, header := range tagOptions(text, []string{"header"}, nil, report) {
		switch {
		case !isHeaderName(header):
			report(fmt.Sprintf("mcp option header=%s is no name for a header", header), "use letters, digits and -")
		case slices.Contains(path, anyElement):
			report("a header repeats one value, and this is in a list or a map", "tag a field of the input or of an object in it")
		case !isScalar(field) || field.Nullable():
			report("a header repeats a string, an integer or a boolean that is never null", "tag another field")
		case field.Secret():
			report("a header is seen by every proxy, and this field is secret", "remove the tag")
		case h.seen[strings.ToLower(header)] != "":
			report(fmt.Sprintf("header %q is taken by %s", header, h.seen[strings.ToLower(header)]), "give one of them another")
		default:
			h.seen[strings.ToLower(header)] = strings.Join(path, ".")
			h.list = append(h.list, mirrored{path: path, header: header})
		}
	}
}

func isScalar(field *cap.Field) bool {
	switch field.Kind() {
	case cap.FieldString, cap.FieldInteger, cap.FieldBoolean:
		return true
	default:
		return false
	}
}

func isHeaderName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return name != ""
}

// annotateSchema puts x-mcp-header before all else that the schema of a property says. ok is false when the property's schema
// stands somewhere else, behind a reference.
func annotateSchema(schema []byte, path []string, header string) (annotated []byte, ok bool) {
	if len(path) == 0 {
		members, isObject := membersOf(schema)
		if !isObject {
			return schema, false
		}
		first := member{[]byte(`"x-mcp-header"`), appendString(nil, header)}
		return joinMembers(append([]member{first}, members...)), true
	}
	return editMember(schema, "properties", func(properties []byte) ([]byte, bool) {
		return editMember(properties, path[0], func(property []byte) ([]byte, bool) {
			return annotateSchema(property, path[1:], header)
		})
	})
}

// editMember changes one member of an object. ok is false when it is not there, or edit says so.
func editMember(object []byte, name string, edit func([]byte) ([]byte, bool)) (edited []byte, ok bool) {
	members, _ := membersOf(object)
	for i, m := range members {
		if text, isString := stringOf(m.name); !isString || text != name {
			continue
		}
		if members[i].value, ok = edit(m.value); !ok {
			return object, false
		}
		return joinMembers(members), true
	}
	return object, false
}
