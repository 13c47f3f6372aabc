package caphttp

import (
	"encoding/json"
	"strconv"
	"strings"
)

// components are the named schemas of a document. A schema that is added twice is there once; two schemas of one name get
// names of their own, in the order in which they come.
type components struct {
	schemas *tree
	keys    map[string]string // name to what it was made of
}

func newComponents() *components {
	return &components{schemas: object(), keys: make(map[string]string)}
}

const componentPrefix = "#/components/schemas/"

func refTo(name string) *tree { return object("$ref", componentPrefix+name) }

// add adds a schema as the core renders it, and returns its name: the one that is wanted, or one after it.
func (c *components) add(wanted string, schema json.RawMessage) string {
	root, err := parseTree(schema)
	if err != nil {
		return c.put(wanted, string(schema), object())
	}
	name, fresh := c.claim(wanted, string(schema))
	if fresh {
		c.schemas.set(name, root) // keeps the place before its definitions
		c.hoist(root, name, nil)
	}
	return name
}

// put adds a finished schema under its name, unless it is there already.
func (c *components) put(wanted, key string, schema *tree) string {
	name, fresh := c.claim(wanted, key)
	if fresh {
		c.schemas.set(name, schema)
	}
	return name
}

// claim finds a free name, or the name of an equal schema.
func (c *components) claim(wanted, key string) (name string, fresh bool) {
	wanted = componentName(wanted)
	for n := 1; ; n++ {
		name = wanted
		if n > 1 {
			name += strconv.Itoa(n)
		}
		taken, ok := c.keys[name]
		if !ok {
			c.keys[name] = key
			return name, true
		}
		if taken == key {
			return name, false
		}
	}
}

// componentName leaves the letters that a component's name may have.
func componentName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isUnreserved(byte(r)) && r != '~' {
			return r
		}
		return '_'
	}, name)
}

// scope is what references of a schema mean: its definitions, by the names that they got here.
type scope struct {
	root  string
	names map[string]string
}

// hoist makes components of the definitions of a schema, and turns the references to them.
func (c *components) hoist(t *tree, root string, in *scope) {
	if defs := t.get("$defs"); defs != nil || in == nil {
		in = &scope{root: root, names: make(map[string]string)}
		if defs != nil {
			c.hoistDefinitions(defs, in)
		}
	}
	t.drop("$schema", "$id", "$defs")
	if ref := t.get("$ref").text(); ref != "" {
		t.set("$ref", treeOf(in.resolve(ref)))
	}
	eachSchema(t, func(child *tree) { c.hoist(child, root, in) })
}

// hoistDefinitions adds definitions. They may refer to each other, so all get their names first. What a definition means
// depends on the others, so all of them are its key.
func (c *components) hoistDefinitions(defs *tree, in *scope) {
	all := string(defs.append(nil, -1))
	var fresh []member
	for _, m := range defs.members {
		name, isFresh := c.claim(m.name, m.name+" of "+all)
		in.names[m.name] = name
		if isFresh {
			c.schemas.set(name, m.value)
			fresh = append(fresh, member{name, m.value})
		}
	}
	for _, m := range fresh {
		c.hoist(m.value, m.name, in)
	}
}

func (in *scope) resolve(ref string) string {
	if ref == "#" {
		return componentPrefix + in.root
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		if known, ok := in.names[unescapePointer(name)]; ok {
			return componentPrefix + known
		}
	}
	return ref
}

// Keywords of JSON Schema that hold schemas, by how they hold them.
var (
	schemaKeywords     = []string{"items", "additionalProperties", "not", "propertyNames", "contains", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems"}
	schemaListKeywords = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	schemaMapKeywords  = []string{"properties", "patternProperties", "dependentSchemas", "$defs"}
)

// eachSchema visits the schemas directly below t.
func eachSchema(t *tree, visit func(*tree)) {
	for _, name := range schemaKeywords {
		if child := t.get(name); child != nil && child.kind == '{' {
			visit(child)
		}
	}
	for _, name := range schemaListKeywords {
		if list := t.get(name); list != nil {
			for _, child := range list.items {
				visit(child)
			}
		}
	}
	for _, name := range schemaMapKeywords {
		if children := t.get(name); children != nil {
			for _, m := range children.members {
				visit(m.value)
			}
		}
	}
}
