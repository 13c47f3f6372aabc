package caphttp

import (
	"slices"
	"strings"
)

// toOpenAPI30 turns a schema of draft 2020-12 into one of OpenAPI 3.0.3, in place. What 3.0.3 cannot say is left out: such a
// schema takes more than the service does, never less.
func toOpenAPI30(t *tree) {
	eachSchema(t, toOpenAPI30)
	t.drop(
		"$schema", "$id", "$defs", "patternProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains",
		"minContains", "maxContains", "dependentRequired", "dependentSchemas", "if", "then", "else", "contentMediaType",
	)
	if examples := t.get("examples"); examples != nil && len(examples.items) > 0 {
		t.rename("examples", "example")
		t.set("example", examples.items[0])
	}
	if t.get("contentEncoding") != nil {
		t.drop("contentEncoding")
		t.set("format", treeOf("byte"))
	}
	if value := t.get("const"); value != nil {
		t.rename("const", "enum")
		t.set("enum", array(value))
	}
	if tuple := t.get("prefixItems"); tuple != nil {
		t.drop("prefixItems")
		if t.get("items") == nil || t.get("items").kind != '{' {
			t.set("items", object())
		}
	}
	boundTo30(t, "exclusiveMinimum", "minimum")
	boundTo30(t, "exclusiveMaximum", "maximum")
	nullTo30(t)
	refTo30(t)
}

// boundTo30 turns a bound of its own into the mark of a bound.
func boundTo30(t *tree, exclusive, inclusive string) {
	bound := t.get(exclusive)
	if bound == nil {
		return
	}
	if t.get(inclusive) == nil {
		t.rename(exclusive, inclusive)
	} else {
		t.drop(exclusive)
		t.set(inclusive, bound)
	}
	t.set(exclusive, treeOf(true))
}

// nullTo30 turns null among several schemas into the mark nullable.
func nullTo30(t *tree) {
	isNull := func(s *tree) bool { return s.get("nullable") != nil && s.get("type") == nil && s.get("enum") != nil }
	if t.get("type").text() == "null" {
		t.drop("type")
		t.set("nullable", treeOf(true))
		t.set("enum", array(treeOf(nil)))
		return
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		list := t.get(name)
		if list == nil || !slices.ContainsFunc(list.items, isNull) {
			continue
		}
		list.items = slices.DeleteFunc(list.items, isNull)
		t.set("nullable", treeOf(true))
		if len(list.items) != 1 {
			continue
		}
		only := list.items[0]
		if only.get("$ref") != nil {
			t.rename(name, "allOf")
			continue
		}
		t.drop(name)
		for _, m := range only.members {
			if t.get(m.name) == nil {
				t.set(m.name, m.value)
			}
		}
	}
}

// typeNullables gives each nullable reference the type of what it refers to: 3.0.3 takes no notice of nullable without one.
func typeNullables(t, schemas *tree) {
	eachSchema(t, func(child *tree) { typeNullables(child, schemas) })
	all := t.get("allOf")
	if t.get("nullable") == nil || t.get("type") != nil || all == nil {
		return
	}
	name := strings.TrimPrefix(all.items[0].get("$ref").text(), componentPrefix)
	if kind := schemas.get(name).get("type"); kind != nil {
		t.set("type", kind)
	}
}

// refTo30 puts a reference apart from what stands beside it, which 3.0.3 would ignore.
func refTo30(t *tree) {
	ref := t.get("$ref")
	if ref == nil || len(t.members) == 1 {
		return
	}
	t.drop("$ref")
	all := t.get("allOf")
	if all == nil {
		all = array()
		t.set("allOf", all)
	}
	all.items = append([]*tree{object("$ref", ref)}, all.items...)
}
