package adaptertest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-369ec62e/cap"
)

// Ana is a principal of the suite: a person.
func Ana() *cap.Principal {
	return &cap.Principal{ID: "ana", Kind: cap.KindHuman, Tenant: "acme", Scopes: []string{"read", "audit"}}
}

// Bot is a principal of the suite: an agent without the scope audit.
func Bot() *cap.Principal {
	return &cap.Principal{ID: "bot", Kind: cap.KindAgent, OnBehalfOf: "ana", Scopes: []string{"read"}}
}

func rows() []row {
	return slices.Concat(valueRows(), inputRows(), accessRows(), failureRows(), defectRows())
}

// valueRows hold that values come through as they are.
func valueRows() []row {
	const rest = `"list":[],"map":{},"fallback":7}`
	return []row{
		{
			"defaults", "echo", `{}`, nil,
			want{output: `{` + rest},
		},
		{
			"integers of 64 bits stay exact", "echo", `{"whole":-9223372036854775808,"big":18446744073709551615}`, nil,
			want{output: `{"whole":-9223372036854775808,"big":18446744073709551615,` + rest},
		},
		{
			"an integer beyond 2^53", "echo", `{"whole":9007199254740993}`, nil,
			want{output: `{"whole":9007199254740993,` + rest},
		},
		{
			"integers may be written with a fraction of zero or an exponent", "echo", `{"whole":1.0,"small":1e2}`, nil,
			want{output: `{"whole":1,"small":100,` + rest},
		},
		{
			"texts are not escaped for HTML", "echo", `{"text":"<b>&amp;\u2028 \"q\" é 😀"}`, nil,
			want{output: `{"text":"<b>&amp;` + "\u2028" + ` \"q\" é 😀",` + rest},
		},
		{
			"zero values that are sent are not replaced by defaults", "echo", `{"fallback":0,"list":["a"]}`, nil,
			want{output: `{"list":["a"],"map":{},"fallback":0}`},
		},
		{
			"null and absent are told apart", "echo", `{"maybe":null}`, nil,
			want{output: `{"maybe":null,` + rest},
		},
		{
			"texts with a form", "echo", `{"at":"2026-03-01T12:30:00Z","span":"1h30m","bytes":"AAEC"}`, nil,
			want{output: `{"at":"2026-03-01T12:30:00Z","span":"1h30m0s","bytes":"AAEC",` + rest},
		},
		{
			"objects, lists and maps", "echo", `{"item":{"id":"x","size":0},"map":{"b":2,"a":1},"flags":{"x":[true,false]}}`, nil,
			want{output: `{"list":[],"map":{"a":1,"b":2},"item":{"id":"x","size":0},"fallback":7,"flags":{"x":[true,false]}}`},
		},
		{
			"an output that is no object is wrapped", "list_ids", `{"limit":2}`, nil,
			want{output: `{"result":["a-1","<b>&` + "\u2028" + `"]}`},
		},
		{
			"a nil slice is an empty list", "list_ids", `{"limit":0}`, nil,
			want{output: `{"result":[]}`},
		},
		{
			"no output is an empty object", "touch", `{}`, nil,
			want{output: `{}`},
		},
		{
			"citations", "find_item", `{"id":"a-1"}`, nil,
			want{output: `{"id":"a-1","size":3,"ref":{"product":"store","kind":"item","id":"a-1"}}`, cites: []cap.ObjectRef{refOf("a-1")}},
		},
		{
			"a secret is taken and not given back", "echo", `{"secret":"` + Canary + `"}`, nil,
			want{output: `{` + rest},
		},
	}
}

// inputRows hold that every fault of an input is told, and where it is.
func inputRows() []row {
	return []row{
		{"a required field is absent", "find_item", `{}`, nil, invalid("/id required")},
		{"another type", "find_item", `{"id":7}`, nil, invalid("/id type")},
		{"null where there is none", "find_item", `{"id":null}`, nil, invalid("/id type")},
		{"an unknown field", "find_item", `{"id":"a","x":1}`, nil, invalid("/x unknown")},
		{"a name that matches only without case", "find_item", `{"ID":"a"}`, nil, invalid("/ID unknown", "/id required")},
		{"all issues at once", "find_item", `{"id":7,"x":1,"y":2}`, nil, invalid("/id type", "/x unknown", "/y unknown")},
		{"a name twice", "find_item", `{"id":"a","id":"b"}`, nil, invalid("/id duplicate")},
		{"a rule", "echo", `{"text":"` + strings.Repeat("x", 41) + `"}`, nil, invalid("/text max")},
		{"a rule of elements", "echo", `{"list":["ok","too long"]}`, nil, invalid("/list/1 max")},
		{"too many elements", "echo", `{"list":["a","b","c","d"]}`, nil, invalid("/list max")},
		{"a value that is not of the enum", "echo", `{"level":"LOW"}`, nil, invalid("/level oneof")},
		{"a fault inside an object", "echo", `{"item":{"id":"","size":-1}}`, nil, invalid("/item/id required", "/item/size min")},
		{"a pointer with escapes", "echo", `{"map":{"a/b~c":"x"}}`, nil, invalid("/map/a~1b~0c type")},
		{"a fraction into an integer", "echo", `{"whole":1.5}`, nil, invalid("/whole integer")},
		{"an integer out of range", "echo", `{"small":300}`, nil, invalid("/small range")},
		{"an integer that is too large for 64 bits", "echo", `{"whole":9223372036854775808}`, nil, invalid("/whole range")},
		{"a number that is too large", "echo", `{"number":1e400}`, nil, invalid("/number overflow")},
		{"negative zero", "echo", `{"number":-0}`, nil, invalid("/number negative_zero")},
		{"half of a surrogate pair", "echo", `{"text":"\ud800"}`, nil, invalid("/text surrogate")},
		{"no object", "find_item", `["a"]`, nil, invalid(" type")},
		{"values are never echoed", "echo", `{"secret":{"x":"` + Canary + `"}}`, nil, invalid("/secret type")},
		{"no such capability", "find_nothing", `{}`, nil, want{err: &cap.Error{Code: cap.CodeCapabilityNotFound}}},
	}
}

// accessRows hold who may call.
func accessRows() []row {
	unauthenticated, forbidden := want{err: &cap.Error{Code: cap.CodeUnauthenticated}}, want{err: &cap.Error{Code: cap.CodeForbidden}}
	none := want{output: `{}`}
	return []row{
		{"the principal arrives", "whoami", `{}`, Ana(), want{output: `{"id":"ana","tenant":"acme","scopes":["read","audit"]}`}},
		{"authenticated without a principal", "whoami", `{}`, nil, unauthenticated},
		{"identity comes before the input", "whoami", `{"x":1}`, nil, unauthenticated},
		{"a scope that the principal has", "audit_items", `{}`, Ana(), none},
		{"a scope that the principal lacks", "audit_items", `{}`, Bot(), forbidden},
		{"scopes come before the input", "audit_items", `{"x":1}`, Bot(), forbidden},
		{"a scope without a principal", "audit_items", `{}`, nil, unauthenticated},
		{"a rule that allows", "open_drawer", `{"owner":"ana"}`, Ana(), none},
		{"a rule that refuses", "open_drawer", `{"owner":"bot"}`, Ana(), forbidden},
		{"a rule that refuses a stranger", "open_drawer", `{"owner":"ana"}`, nil, unauthenticated},
		{"the input comes before the rule", "open_drawer", `{}`, nil, invalid("/owner required")},
		{"a rule that errs never allows", "open_drawer", `{"owner":"error"}`, Ana(), defect("")},
		{"a rule that panics never allows", "open_drawer", `{"owner":"panic"}`, Ana(), defect("")},
		{"a declared failure of a rule passes", "open_drawer", `{"owner":"nobody"}`, Ana(), notFound("nobody")},
	}
}

// failureRows hold that declared failures arrive whole.
func failureRows() []row {
	return []row{
		{"a declared failure", "find_item", `{"id":"missing"}`, nil, notFound("missing")},
		{"a declared failure that is wrapped", "find_item", `{"id":"wrapped"}`, nil, notFound("wrapped")},
		{"a declared failure by pointer, with a fix of its own", "find_item", `{"id":"broken"}`, nil, want{err: &cap.Error{
			Code: cap.CodeCapabilityFailed, Tag: "ItemBroken", Reason: "Item <broken> is broken.", Message: "Item <broken> is broken.",
			Fix: "Replace 2 parts & try again.", Failure: json.RawMessage(`{"id":"broken","parts":[9007199254740993,-1]}`),
		}}},
	}
}

// defectRows hold that a defect says nothing.
func defectRows() []row {
	outputInvalid := want{err: &cap.Error{Code: cap.CodeOutputInvalid, Message: "Capability output is invalid."}}
	return []row{
		{"an error", "break", `{"how":"error"}`, nil, defect("")},
		{"a panic", "break", `{"how":"panic"}`, nil, defect("")},
		{"an error that is declared elsewhere", "break", `{"how":"undeclared"}`, nil, defect("")},
		{"another deadline than the capability's", "break", `{"how":"deep"}`, nil, defect("")},
		{"an error that looks like ours", "break", `{"how":"foreign"}`, nil, defect("")},
		{"neither output nor error", "break", `{"how":"nil"}`, nil, outputInvalid},
		{"a number that JSON has not", "break", `{"how":"infinite"}`, nil, outputInvalid},
		{"a citation that names nothing", "break", `{"how":"cite"}`, nil, outputInvalid},
		{"a timeout", "break", `{"how":"slow"}`, nil, want{err: &cap.Error{
			Code: cap.CodeCancelled, Reason: cap.ReasonTimeout, Message: "Capability execution was cancelled.",
		}}},
	}
}

// invalid expects INPUT_INVALID with these issues, each a pointer and a rule.
func invalid(faults ...string) want {
	failed := &cap.Error{Code: cap.CodeInputInvalid}
	for _, fault := range faults {
		pointer, rule, _ := strings.Cut(fault, " ")
		failed.Issues = append(failed.Issues, cap.Issue{Pointer: pointer, Rule: rule})
	}
	return want{err: failed}
}

// defect expects EXECUTION_FAILED with its one message.
func defect(effect string) want {
	return want{err: &cap.Error{Code: cap.CodeExecutionFailed, Message: "Capability execution failed.", Effect: effect}}
}

func notFound(id string) want {
	reason := "There is no item " + id + "."
	return want{err: &cap.Error{
		Code: cap.CodeCapabilityFailed, Tag: "ItemNotFound", Reason: reason, Message: reason,
		Fix: "List the items and pick one.", Failure: json.RawMessage(`{"id":"` + id + `"}`),
	}}
}
