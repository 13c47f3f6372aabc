package contracts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/contracts"
)

// pair is one change of a schema, of an input's and of an output's.
type pair struct{ name, before, after string }

const closed = `,"additionalProperties":false}`

// order wraps the schema of one member in an object, as contracts have them.
func order(member string) string {
	return `{"type":"object","properties":{"order":` + member + `}` + closed
}

// pairs hold every sentence about schemas.
func pairs() []pair {
	p := func(name, before, after string) pair { return pair{name, order(before), order(after)} }
	o := func(name, before, after string) pair { return pair{name, before, after} }
	return []pair{
		o("a member that may be left out", `{"type":"object","properties":{}`+closed, order(`{"type":"string"}`)),
		o("a member that is required", `{"type":"object","properties":{}`+closed, `{"type":"object","properties":{"order":{}},"required":["order"]`+closed),
		o("a member beside free ones", `{"type":"object"}`, `{"type":"object","properties":{"order":{}}}`),
		o("no longer required", `{"type":"object","properties":{"order":{}},"required":["order"]`+closed, order(`{}`)),
		o("required without being named", `{"type":"object"}`, `{"type":"object","required":["a"]}`),
		o("other members allowed", order(`{}`), `{"type":"object","properties":{"order":{}}}`),
		o("other members limited", `{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"string"}}`),
		o("other members of another type", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"integer"}}`),
		o("names of members", `{"type":"object"}`, `{"type":"object","propertyNames":{"maxLength":3}}`),
		p("another type", `{"type":"string"}`, `{"type":"integer"}`),
		p("integers and numbers", `{"type":"integer"}`, `{"type":"number"}`),
		p("one type of two", `{"type":["string","null"]}`, `{"type":"string"}`),
		p("null", `{"type":"string"}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`),
		p("null, and a shorter text", `{"type":"string"}`, `{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}`),
		p("a value of an enum", `{"type":"string","enum":["a","b"]}`, `{"type":"string","enum":["a","b","c"]}`),
		p("an enum", `{"type":"string"}`, `{"type":"string","enum":["a","b"]}`),
		p("a constant", `{"const":1}`, `{"const":2}`),
		p("a maximum", `{"type":"integer","maximum":10}`, `{"type":"integer","maximum":5}`),
		p("a minimum that leaves itself out", `{"type":"number","minimum":1}`, `{"type":"number","exclusiveMinimum":1}`),
		p("a length", `{"type":"string","minLength":2}`, `{"type":"string","minLength":1,"maxLength":10}`),
		p("numbers of elements", `{"type":"array","maxItems":3}`, `{"type":"array"}`),
		p("numbers of members", `{"type":"object","maxProperties":3}`, `{"type":"object","maxProperties":4}`),
		p("a bound that is no sensible number", `{"type":"number","maximum":1e9999}`, `{"type":"number","maximum":1e99999}`),
		p("a pattern", `{"type":"string"}`, `{"type":"string","pattern":"^SO-"}`),
		p("another pattern", `{"type":"string","pattern":"^SO-"}`, `{"type":"string","pattern":"^S-"}`),
		p("a format", `{"type":"string","format":"date"}`, `{"type":"string"}`),
		p("an encoding", `{"type":"string","contentEncoding":"base64"}`, `{"type":"string"}`),
		p("unique elements", `{"type":"array"}`, `{"type":"array","uniqueItems":true}`),
		p("elements", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string","maxLength":3}}`),
		p("elements of any kind", `{"type":"array","items":{"type":"string"}}`, `{"type":"array"}`),
		p("a member of a member", order(`{"type":"string"}`), order(`{"type":"boolean"}`)),
		p("a name with a slash", `{"type":"object","properties":{"a/b~c":{"type":"string"}}}`, `{"type":"object","properties":{"a/b~c":{"type":"integer"}}}`),
		p("a default", `{"type":"integer"}`, `{"type":"integer","default":3}`),
		p("another default", `{"type":"integer","default":4}`, `{"type":"integer","default":3}`),
		o(
			"a default instead of required", `{"type":"object","properties":{"order":{"type":"integer"}},"required":["order"]`+closed,
			order(`{"type":"integer","default":3}`),
		),
		p("a rule", `{"type":"string"}`, `{"type":"string","x-cap-rules":["luhn"],"description":"It must be a card number."}`),
		p("the words of a rule", `{"x-cap-rules":["eqfield"],"description":"Again. It must equal A."}`, `{"x-cap-rules":["eqfield"],"description":"Again. It must equal B."}`),
		p("words beside a rule", `{"x-cap-rules":["eqfield"],"description":"Again. It must equal A."}`, `{"x-cap-rules":["eqfield"],"description":"Once more. It must equal A."}`),
		p("a description", `{"description":"a"}`, `{"description":"b"}`),
		p("an example", `{"examples":["a"]}`, `{"examples":["b"]}`),
		p("deprecation", `{}`, `{"deprecated":true}`),
		p("a secret", `{}`, `{"writeOnly":true}`),
		p("a condition beside others", `{"type":"string"}`, `{"type":"string","anyOf":[{"maxLength":3},{"pattern":"a"}]}`),
		p("alternatives", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"boolean"},{"type":"null"}]}`),
		p("all of several", `{"type":"string"}`, `{"type":"string","allOf":[{"pattern":"a"}]}`),
		p("others of several", `{"allOf":[{"pattern":"a"},{"pattern":"b"}]}`, `{"allOf":[{"pattern":"c"},{"pattern":"d"}]}`),
		p("nothing at all", `true`, `false`),
		p("a keyword that nobody knows", `{"prefixItems":[{}]}`, `{"prefixItems":[{},{}]}`),
		p("a negation", `{"not":{"type":"null"}}`, `{"not":{"type":"string"}}`),
		o("a dialect", `{"$schema":"a"}`, `{"$schema":"b"}`),
		o(
			"what a reference names", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`,
			`{"properties":{"a":{"$ref":"#/$defs/B"}},"$defs":{"B":{"type":"string","maxLength":9}}}`,
		),
		o(
			"a reference instead of the schema", `{"properties":{"a":{"type":"string"}}}`,
			`{"properties":{"a":{"$ref":"#/$defs/B"}},"$defs":{"B":{"type":"string"}}}`,
		),
		o(
			"a tree", `{"$ref":"#/$defs/T","$defs":{"T":{"properties":{"kids":{"items":{"$ref":"#/$defs/T"}}}}}}`,
			`{"$ref":"#/$defs/T","$defs":{"T":{"properties":{"kids":{"items":{"$ref":"#/$defs/T"}},"n":{"type":"integer"}}}}}`,
		),
		o("a reference to nothing", `{"$ref":"#/$defs/T"}`, `{"$ref":"#/$defs/U"}`),
		o("a reference to itself", `{"$ref":"#"}`, `{"$ref":"#","description":"loop"}`),
		o("a definition that nobody needs", `{"$defs":{"A":{}}}`, `{"$defs":{"B":{}}}`),
		o("a reference inside what nobody knows", `{"if":{"$ref":"#/$defs/A"},"$defs":{"A":{}}}`, `{"if":{"$ref":"#/$defs/A"},"$defs":{"A":{"type":"string"}}}`),
		o("two keywords beside a reference", `{"$ref":"#/$defs/A","type":"string","$defs":{"A":{"type":"string"}}}`, `{"$ref":"#/$defs/A","type":"string","$defs":{"A":{"type":"integer"}}}`),
		o("the order of members", `{"properties":{"a":{},"b":{}}}`, `{"properties":{"b":{},"a":{}}}`),
		o("no schema", `{}`, `7`),
		o("no JSON", `{}`, `{`),
	}
}

func lockOf(input, output string) *contracts.Lock {
	return &contracts.Lock{Version: 1, Capabilities: []contracts.Capability{{
		Name: "get_order", Input: json.RawMessage(input), Output: json.RawMessage(output), Digest: input + output,
	}}}
}

// Every sentence about a schema stands in the golden file, for the change and for the change back.
func TestSchemaSentences(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, p := range pairs() {
		fmt.Fprintf(&got, "-- %s --\n", p.name)
		got.WriteString(contracts.Text(contracts.Compare(lockOf(p.before, p.before), lockOf(p.after, p.after))))
		got.WriteString("and back\n")
		got.WriteString(contracts.Text(contracts.Compare(lockOf(p.after, p.after), lockOf(p.before, p.before))))
	}
	golden(t, "testdata/schemas.txtar", got.String())
}

// documents are what the schemas of pairs speak of.
func documents() []string {
	values := []string{
		`null`, `true`, `0`, `1`, `2`, `5`, `6`, `11`, `1.5`, `""`, `"a"`, `"ab"`, `"abcd"`, `"SO-1"`, `"S-1"`, `"abcdefghijklm"`, `"b"`, `"c"`,
		`[]`, `["a"]`, `["a","a"]`, `["abcd"]`, `[1,2,3,4]`, `{}`, `{"order":"a"}`, `{"order":true}`, `{"a":1,"b":2,"c":3,"d":4}`, `{"a/b~c":"x"}`, `{"a/b~c":1}`,
	}
	list := append([]string{}, values...)
	for _, v := range values {
		list = append(list, `{"order":`+v+`}`, `{"a":`+v+`}`, `{"abcd":`+v+`}`, `{"n":`+v+`}`, `{"kids":[{"n":`+v+`}]}`)
	}
	return list
}

// The slow twin: whatever the comparison takes for compatible is so for every document, between any two of the schemas.
func TestCompatibleIsCompatible(t *testing.T) {
	t.Parallel()
	type judged struct {
		text     string
		verdicts []bool
	}
	var schemas []judged
	for _, p := range pairs() {
		for _, text := range []string{p.before, p.after} {
			if verdicts, ok := validate(t, text); ok {
				schemas = append(schemas, judged{text, verdicts})
			}
		}
	}
	require.Greater(t, len(schemas), 80)
	docs, compatible := documents(), 0
	for _, before := range schemas {
		for _, after := range schemas {
			input := contracts.Compare(lockOf(before.text, `{}`), lockOf(after.text, `{}`))
			output := contracts.Compare(lockOf(`{}`, before.text), lockOf(`{}`, after.text))
			inputFits, outputFits := !contracts.IsBreaking(input), !contracts.IsBreaking(output)
			for i, doc := range docs {
				if inputFits && before.verdicts[i] && !after.verdicts[i] {
					assert.Failf(t, "input", "%s: %s\nto %s\nis compatible:\n%s", doc, before.text, after.text, contracts.Text(input))
				}
				if outputFits && after.verdicts[i] && !before.verdicts[i] {
					assert.Failf(t, "output", "%s: %s\nto %s\nis compatible:\n%s", doc, before.text, after.text, contracts.Text(output))
				}
			}
			if inputFits {
				compatible++
			}
		}
	}
	assert.Greater(t, compatible, 2*len(schemas), "some changes are compatible")
}

// validate gives the verdict on every document; ok is false for what is no schema.
func validate(t *testing.T, text string) (verdicts []bool, ok bool) {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil || strings.Contains(text, `"$schema"`) || strings.Contains(text, "1e9999") || strings.Contains(text, `"$ref":"#"`) {
		return nil, false
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.AssertContent()
	if compiler.AddResource("test.json", root) != nil {
		return nil, false
	}
	compiled, err := compiler.Compile("test.json")
	if err != nil {
		return nil, false
	}
	for _, doc := range documents() {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(doc)))
		require.NoError(t, err)
		verdicts = append(verdicts, compiled.Validate(value) == nil)
	}
	return verdicts, true
}
