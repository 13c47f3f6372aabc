package capmcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// listed is one tool as a client sees it.
type listed struct {
	Name         string                     `json:"name"`
	Title        string                     `json:"title"`
	Description  string                     `json:"description"`
	InputSchema  json.RawMessage            `json:"inputSchema"`
	OutputSchema json.RawMessage            `json:"outputSchema"`
	Annotations  map[string]any             `json:"annotations"`
	Meta         map[string]json.RawMessage `json:"_meta"`
}

type toolList struct {
	Tools      []listed `json:"tools"`
	TTL        int      `json:"ttlMs"`
	CacheScope string   `json:"cacheScope"`
	ResultType string   `json:"resultType"`
	NextCursor string   `json:"nextCursor"`
}

func (l toolList) names() []string {
	names := []string{}
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func (l toolList) tool(t *testing.T, name string) listed {
	t.Helper()
	for _, tool := range l.Tools {
		if tool.Name == name {
			return tool
		}
	}
	require.Fail(t, "no such tool", name)
	return listed{}
}

func listOver(t testing.TB, handler http.Handler, version string, headers ...string) toolList {
	t.Helper()
	r := replyIn(t, post(t, handler, version, request(version, 1, "tools/list", ""), headers...))
	require.Nil(t, r.Error)
	var list toolList
	require.NoError(t, json.Unmarshal(r.Result, &list))
	return list
}

func TestListIsTheRegistry(t *testing.T) {
	t.Parallel()
	registry := newDeskRegistry(t, newDesk(), cap.Options{})
	handler := newAdapter(t, registry, capmcp.Options{}).Handler()
	for _, version := range []string{legacy, modern} {
		list := listOver(t, handler, version)
		assert.Equal(t, []string{"measure", "plan", "route", "follow", "store", "burn", "flush"}, list.names(), "registration order")
		assert.Empty(t, list.NextCursor)
		assert.Equal(t, "public", list.CacheScope)
		assert.Positive(t, list.TTL)
		for _, tool := range list.Tools {
			c, ok := registry.Lookup(tool.Name)
			require.True(t, ok)
			assert.Equal(t, string(c.OutputSchema()), string(tool.OutputSchema), "output schema of %s, byte for byte", tool.Name)
			if tool.Name != "route" {
				assert.Equal(t, string(c.InputSchema()), string(tool.InputSchema), "input schema of %s, byte for byte", tool.Name)
			}
		}
	}
	assert.Equal(t, "complete", listOver(t, handler, modern).ResultType)
	assert.Empty(t, listOver(t, handler, legacy).ResultType, "the older era has no such member")
}

func TestListedTool(t *testing.T) {
	t.Parallel()
	list := listOver(t, newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{}).Handler(), modern)

	rows := []struct {
		tool string
		want map[string]any
	}{
		{"measure", map[string]any{"title": "Measure", "readOnlyHint": true, "idempotentHint": true, "destructiveHint": false, "openWorldHint": true}},
		{"plan", map[string]any{"readOnlyHint": true, "idempotentHint": true, "destructiveHint": false, "openWorldHint": false}},
		{"store", map[string]any{"readOnlyHint": false, "idempotentHint": false, "destructiveHint": true, "openWorldHint": false}},
		{"flush", map[string]any{"readOnlyHint": false, "idempotentHint": false, "destructiveHint": false, "openWorldHint": false}},
	}
	for _, r := range rows {
		assert.Equal(t, r.want, list.tool(t, r.tool).Annotations, "annotations of %s", r.tool)
	}
	burn, flush := list.tool(t, "burn"), list.tool(t, "flush")
	assert.Equal(t, "Give back odd values", list.tool(t, "measure").Description)
	assert.Equal(t, "Burn a parcel\n\nA person confirms each call. It cannot be undone. Fails with: NoParcel.", burn.Description)
	assert.Equal(t, "Store a parcel\n\nA person confirms each call.", list.tool(t, "store").Description)
	assert.Equal(t, "Plan a journey\n\nStops are visited in *order*.", list.tool(t, "plan").Description)
	assert.Equal(t, "Flush the store\n\nDeprecated: use burn\n\nAnother person approves each call.", flush.Description)
	assert.JSONEq(t, `[{"tag":"NoParcel","description":"There is no such parcel","fix":"Look at the <label> & try again."}]`, string(burn.Meta["cap/failures"]))
	assert.JSONEq(t, `"host"`, string(flush.Meta["cap/effect"]))
	assert.JSONEq(t, `["host"]`, string(flush.Meta["cap/scopes"]))
}

// Clients refuse a whole list for one schema that they do not like.
func TestSchemasArePortable(t *testing.T) {
	t.Parallel()
	list := listOver(t, newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{}).Handler(), modern)
	for _, tool := range list.Tools {
		for _, schema := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			var root map[string]any
			require.NoError(t, json.Unmarshal(schema, &root))
			assert.Equal(t, "object", root["type"], "root of %s", tool.Name)
			assert.Contains(t, root, "properties", "of %s", tool.Name)
			for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
				assert.NotContains(t, root, keyword, "root of %s", tool.Name)
			}
			checkPortable(t, tool.Name, root)
		}
	}
}

func checkPortable(t *testing.T, at string, schema map[string]any) {
	t.Helper()
	if _, isList := schema["type"].([]any); isList {
		assert.Fail(t, "a list of types", at)
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name, property := range properties {
			object, isObject := property.(map[string]any)
			if assert.True(t, isObject, "%s/%s is a boolean schema", at, name) {
				checkPortable(t, at+"/"+name, object)
			}
		}
	}
	for keyword, value := range schema {
		if nested, ok := value.(map[string]any); ok && keyword != "properties" {
			checkPortable(t, at+"/"+keyword, nested)
		}
	}
}

func TestFilterAndVisible(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{
		Authenticate: authenticate,
		Filter:       func(c *cap.Capability) bool { return c.Name() != "measure" },
		Visible: func(p *cap.Principal, c *cap.Capability) bool {
			return c.Access() == cap.AccessPublic || p != nil && p.ID == "ana"
		},
	})
	handler := adapter.Handler()
	const ana = `{"id":"ana"}`
	assert.Equal(t, []string{"plan", "route", "follow"}, listOver(t, handler, modern).names())
	assert.Equal(t, []string{"plan", "route", "follow", "store", "burn", "flush"}, listOver(t, handler, modern, principalHeader, ana).names())
	assert.Equal(t, "private", listOver(t, handler, modern).CacheScope, "the list depends on the caller")

	for _, name := range []string{"measure", "burn", "nothing"} {
		r := replyIn(t, post(t, handler, modern, callOf(modern, 1, name, `{"parcel":"x"}`)))
		require.NotNil(t, r.Error, name)
		assert.Equal(t, -32602, r.Error.Code)
		assert.Equal(t, fmt.Sprintf("unknown tool %q", name), r.Error.Message, "a hidden tool is like one that is not there")
	}
	r := replyIn(t, post(t, handler, modern, callOf(modern, 1, "burm", `{}`), principalHeader, ana))
	assert.Equal(t, `unknown tool "burm" (did you mean "burn"?)`, r.Error.Message)
}

func TestHeaderInSchema(t *testing.T) {
	t.Parallel()
	handler := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{}).Handler()
	var schema struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(listOver(t, handler, modern).tool(t, "route").InputSchema, &schema))
	assert.Equal(t, "Region", schema.Properties["region"]["x-mcp-header"])
	assert.NotContains(t, schema.Properties["level"], "x-mcp-header")

	body := callOf(modern, 1, "route", `{"region":"north"}`)
	assert.False(t, replyIn(t, post(t, handler, modern, body, "Mcp-Param-Region", "north")).tool(t).IsError)
	for _, region := range []string{"", "south"} {
		w := post(t, handler, modern, body, "Mcp-Param-Region", region)
		assert.Equal(t, http.StatusBadRequest, w.Code)
		assert.Equal(t, -32020, replyIn(t, w).Error.Code, "header %q", region)
	}
}

// Approving is never a tool, and neither is anything else that the registry does not name.
func TestToolsAreOnlyCapabilities(t *testing.T) {
	t.Parallel()
	registry := newDeskRegistry(t, newDesk(), cap.Options{Gate: newGate(t)})
	adapter := newAdapter(t, registry, capmcp.Options{ApprovalURL: func(id string) string { return "https://desk.example.com/approvals/" + id }})
	assert.Len(t, listOver(t, adapter.Handler(), modern).Tools, registry.Len())
}

func TestToolsOfTheServerAreListedToo(t *testing.T) {
	t.Parallel()
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{})
	adapter.Server().AddTool(&mcp.Tool{Name: "zero", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	names := listOver(t, adapter.Handler(), legacy).names()
	assert.Equal(t, "zero", names[len(names)-1])
}
