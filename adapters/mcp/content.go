package capmcp

import (
	"fmt"
	"mime"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// content is a field of an output that is shown as itself, not as part of the JSON text: a picture, a sound, words.
type content struct {
	name string // of the field
	kind string // text, image, audio or resource
	mime string
}

// contentsOf reads the tags of an output. Only its own fields can be contents: what lies deeper has no order that a reader
// would expect.
func contentsOf(c *cap.Capability, problems *problems) []content {
	var contents []content
	for _, field := range c.Output().Fields() {
		report := problems.at(c.ContractType() + ": output field " + field.Name())
		if text, ok := field.Tag("mcp"); ok {
			if found, ok := parseContent(field, text, report); ok {
				contents = append(contents, found)
			}
		}
		if path := deepTag(field, nil, 0); path != nil {
			report("the tag mcp on "+strings.Join(path, ".")+" has no meaning there", "tag a field of the output itself")
		}
	}
	return contents
}

// deepTag finds a tag below a field. It gives up on types that refer to themselves.
func deepTag(field *cap.Field, path []string, depth int) []string {
	if depth > maxTagDepth {
		return nil
	}
	for _, member := range field.Fields() {
		at := append(path[:len(path):len(path)], member.Name())
		if _, ok := member.Tag("mcp"); ok {
			return at
		}
		if found := deepTag(member, at, depth+1); found != nil {
			return found
		}
	}
	if elem := field.Elem(); elem != nil {
		return deepTag(elem, append(path[:len(path):len(path)], anyElement), depth+1)
	}
	return nil
}

func parseContent(field *cap.Field, text string, report reporter) (found content, ok bool) {
	found.name = field.Name()
	for key, value := range tagOptions(text, []string{"image", "audio"}, []string{"text", "resource"}, report) {
		found.kind, found.mime = key, value
		switch fault := contentFault(field, key, value); {
		case fault != "":
			report(fmt.Sprintf("mcp option %s %s", key, fault), "change the field or remove the tag")
		case ok:
			report("a field is one content", "keep one option")
		default:
			ok = true
		}
	}
	return found, ok
}

// contentFault says why a field cannot be a content of a kind, or "".
func contentFault(field *cap.Field, kind, value string) string {
	switch kind {
	case "text":
		if field.Kind() != cap.FieldString || field.Format() == formatBytes {
			return "is for a string"
		}
	case "resource":
		if field.Kind() != cap.FieldObject || !hasURI(field) {
			return "is for an object with uri, and text or blob"
		}
	default:
		media, params, err := mime.ParseMediaType(value)
		if err != nil || len(params) > 0 || !strings.HasPrefix(media, kind+"/") {
			return "has the value " + value + ", which is no media type of that kind"
		}
		if field.Kind() != cap.FieldString || field.Format() != formatBytes {
			return "is for bytes"
		}
	}
	if field.Secret() {
		return "would show a secret"
	}
	return ""
}

// formatBytes is what a field of bytes says of itself.
const formatBytes = "base64"

func hasURI(field *cap.Field) bool {
	var uri, body bool
	for _, member := range field.Fields() {
		uri = uri || member.Name() == "uri" && member.Required()
		body = body || member.Name() == "text" || member.Name() == "blob"
	}
	return uri && body
}

// blocks writes the contents of an output. What is absent or null is no content.
func (t *tool) blocks(output []byte) [][]byte {
	members, _ := membersOf(output)
	var blocks [][]byte
	for _, c := range t.contents {
		i := onlyMember(members, c.name)
		if i < 0 || isNull(members[i].value) {
			continue
		}
		value := members[i].value
		block := appendMember([]byte("{"), "type", appendString(nil, c.kind))
		switch c.kind {
		case "text", "resource":
			block = appendMember(block, c.kind, value)
		default:
			block = appendMember(block, "data", value)
			block = appendMember(block, "mimeType", appendString(nil, c.mime))
		}
		blocks = append(blocks, append(block, '}'))
	}
	return blocks
}

// links writes what an output cites as links, where the program has addresses for it.
func (a *Adapter) links(cites []cap.ObjectRef) [][]byte {
	if a.options.Link == nil {
		return nil
	}
	var blocks [][]byte
	for _, ref := range cites {
		uri := a.options.Link(ref)
		if uri == "" {
			continue
		}
		block := appendMember([]byte("{"), "type", []byte(`"resource_link"`))
		block = appendMember(block, "uri", appendString(nil, uri))
		block = appendMember(block, "name", appendString(nil, ref.Kind+" "+ref.ID))
		blocks = append(blocks, append(appendMember(block, "description", appendString(nil, ref.Kind+" of "+ref.Product)), '}'))
	}
	return blocks
}
