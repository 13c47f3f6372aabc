package caphttp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

func TestOpenAPIGolden(t *testing.T) {
	t.Parallel()
	h := newShop(t, openGate{}, caphttp.Options{})
	compareGolden(t, "shop.openapi.json", string(h.OpenAPI()))
	compareGolden(t, "shop.openapi-3.0.json", string(h.OpenAPI30()))
	h = newTypes(t)
	compareGolden(t, "types.openapi.json", string(h.OpenAPI()))
	compareGolden(t, "types.openapi-3.0.json", string(h.OpenAPI30()))
}

func TestOpenAPIIsStable(t *testing.T) {
	t.Parallel()
	first, second := newHandler(t, caphttp.Options{}), newHandler(t, caphttp.Options{})
	assert.Equal(t, string(first.OpenAPI()), string(second.OpenAPI()))
	assert.Equal(t, string(first.OpenAPI30()), string(second.OpenAPI30()))
}

// Every reference must lead somewhere, and every component must be led to.
func TestOpenAPIReferences(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*caphttp.Handler{
		"suite": newHandler(t, caphttp.Options{}), "shop": newShop(t, openGate{}, caphttp.Options{}), "types": newTypes(t),
	} {
		for version, document := range map[string][]byte{"3.1": h.OpenAPI(), "3.0": h.OpenAPI30()} {
			var root struct {
				Components struct {
					Schemas map[string]any `json:"schemas"`
				} `json:"components"`
			}
			require.NoError(t, json.Unmarshal(document, &root))
			var all any
			require.NoError(t, json.Unmarshal(document, &all))
			found := map[string]bool{"ObjectRef": true, "Problem": true}
			references(all, found)
			for component := range root.Components.Schemas {
				assert.True(t, found[component], "%s %s: nothing refers to %s", name, version, component)
			}
			for component := range found {
				assert.Contains(t, root.Components.Schemas, component, "%s %s", name, version)
			}
		}
	}
}

// references collects the names of components that a value refers to.
func references(v any, found map[string]bool) {
	const prefix = "#/components/schemas/"
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			if ref, ok := child.(string); ok && name == "$ref" {
				found[ref[len(prefix):]] = true
			}
			references(child, found)
		}
	case []any:
		for _, child := range v {
			references(child, found)
		}
	}
}

func TestOpenAPIShowsWhatMayBeCalled(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{Filter: func(c *cap.Capability) bool { return c.Name() != "break" }})
	for _, target := range []string{"/openapi.json", "/openapi-3.0.json"} {
		anonymous := serve(h, request(t, "GET", target, ""))
		assert.Equal(t, 200, anonymous.Code)
		assert.Contains(t, anonymous.Body.String(), `"/capabilities/find_item"`)
		assert.NotContains(t, anonymous.Body.String(), `"/capabilities/whoami"`)
		assert.NotContains(t, anonymous.Body.String(), `"/capabilities/break"`)
		known := serve(h, request(t, "GET", target, "", asAna))
		assert.Contains(t, known.Body.String(), `"/capabilities/whoami"`)
		again := serve(h, request(t, "GET", target, "", asAna, "If-None-Match: "+known.Header().Get("ETag")))
		assert.Equal(t, 304, again.Code)
	}
}

func TestOpenAPIByAccept(t *testing.T) {
	t.Parallel()
	h := newHandler(t, caphttp.Options{})
	for accept, want := range map[string]string{
		"": "3.1.0", "*/*": "3.1.0", "application/*": "3.1.0", "application/json": "3.1.0", "application/openapi+json": "3.1.0",
		"application/vnd.oai.openapi+json;version=3.1": "3.1.0", "application/vnd.oai.openapi+json;version=3.0": "3.0.3",
		"application/openapi+json; version=3.0.3": "3.0.3", "application/json;version=3.0": "3.0.3",
		"text/html, application/openapi+json;version=3.0, */*;q=0.1":                         "3.0.3",
		"application/openapi+json;version=3.0;q=0, application/json":                         "3.1.0",
		"application/vnd.oai.openapi+json;version=3.1, application/openapi+json;version=3.0": "3.1.0",
	} {
		var headers []string
		if accept != "" {
			headers = append(headers, "Accept: "+accept)
		}
		w := serve(h, request(t, "GET", "/openapi", "", headers...))
		require.Equal(t, 200, w.Code, accept)
		var document struct {
			OpenAPI string `json:"openapi"`
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &document))
		assert.Equal(t, want, document.OpenAPI, accept)
		assert.Contains(t, w.Header().Values("Vary"), "Authorization, Accept")
	}
	assert.Equal(t, 406, serve(h, request(t, "GET", "/openapi", "", "Accept: application/yaml")).Code)
}

type (
	sendParcel struct {
		cap.Write[cap.None] `cap:"Send a parcel; access=public; irreversible"`
		ID                  string `json:"id" cap:"Id"`
	}
	sendParcelPreview struct {
		cap.Read[cap.None] `cap:"Look at a parcel; access=public"`
		ID                 string `json:"id" cap:"Id"`
	}
)

func (sendParcel) Describe() cap.PendingAction { return cap.PendingAction{Verb: "send"} }

// Two operations of one id would make a document that no generator takes.
func TestOpenAPINamesOfPreviews(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(
		cap.Func(func(context.Context, sendParcel) (cap.None, error) { return cap.None{}, nil }),
		cap.Func(func(context.Context, sendParcelPreview) (cap.None, error) { return cap.None{}, nil }),
	))
	_, err := caphttp.New(registry, caphttp.Options{})
	require.ErrorContains(t, err, `caphttp_test.sendParcelPreview: name "send_parcel_preview" is that of the preview of send_parcel (give it another with name=)`)
}

// Types of every shape.
type (
	treeNode struct {
		Name   string               `json:"name"             cap:"Name"`
		Left   *treeNode            `json:"left"             cap:"Left"`
		Kids   []treeNode           `json:"kids"             cap:"Kids"`
		ByName map[string]*treeNode `json:"byName,omitempty" cap:"By name"`
	}
	owner struct {
		ID string `json:"id" cap:"Id"`
	}
	widget struct {
		Owner  *owner  `json:"owner"  cap:"The owner, or null"`
		Second owner   `json:"second" cap:"Another owner"`
		Price  float64 `json:"price"  cap:"Above nothing" validate:"gt=0,lt=10"`
		Kind   string  `json:"kind"   cap:"One value"     validate:"eq=widget"`
		Image  []byte  `json:"image"  cap:"Picture"`
		Maybe  *string `json:"maybe"  cap:"Text or null"`
	}
	growTree struct {
		cap.Read[treeNode] `cap:"Grow a tree; access=public"`
		Root               treeNode       `json:"root"             cap:"Root"`
		Extra              map[string]any `json:"extra,omitempty"  cap:"Anything"`
	}
	getWidget struct {
		cap.Read[widget] `cap:"Get a widget; access=public"`
		ID               string `json:"id" cap:"Id; example=w-1" validate:"required"`
	}
	listOwners struct {
		cap.Read[[]owner] `cap:"List owners; access=public; deprecated=Use get_widget."`
		ID                string `json:"id,omitempty" cap:"Id"`
	}
)

func newTypes(t *testing.T) *caphttp.Handler {
	t.Helper()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(
		cap.Func(func(_ context.Context, in growTree) (treeNode, error) { return in.Root, nil }),
		cap.Func(func(context.Context, getWidget) (widget, error) { return widget{}, nil }),
		cap.Func(func(context.Context, listOwners) ([]owner, error) { return nil, nil }),
	))
	h, err := caphttp.New(registry, caphttp.Options{})
	require.NoError(t, err)
	return h
}
