package guides

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

func authenticateAna(*http.Request) (*cap.Principal, error) {
	return &cap.Principal{ID: "ana", Kind: cap.KindHuman, Scopes: []string{"notes"}}, nil
}

func TestClient(t *testing.T) {
	t.Parallel()
	api, err := caphttp.New(newRegistry(t, cap.Options{}), caphttp.Options{Authenticate: authenticateAna})
	require.NoError(t, err)
	server := httptest.NewServer(api)
	defer server.Close()
	note, err := readOverHTTP(t.Context(), server.URL, "n1")
	require.NoError(t, err)
	assert.Equal(t, "Buy tea", note)
	note, err = readOverHTTP(t.Context(), server.URL, "n2")
	require.NoError(t, err)
	assert.Equal(t, "no note n2", note)
}

func readOverHTTP(ctx context.Context, url, id string) (string, error) {
	// docs:client
	client, err := caphttp.NewClient(url, caphttp.ClientOptions{Authorize: caphttp.BearerToken("notes_…")})
	if err != nil {
		return "", err
	}
	note, err := caphttp.Call(ctx, client, ReadNote{ID: id}) // note is a Note
	if missing, ok := errors.AsType[NoteNotFound](err); ok {
		return "no note " + missing.ID, nil // a declared failure comes back as its Go type
	}
	// docs:end
	return note.Text, err
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t, cap.Options{Name: "notes"})
	// docs:openapi
	api, err := caphttp.New(registry, caphttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	document := api.OpenAPI() // 3.1; OpenAPI30 writes 3.0.3
	// docs:end
	assert.Contains(t, string(document), `"/notes/{id}"`)
}

func TestMount(t *testing.T) {
	t.Parallel()
	handler, err := mount(newRegistry(t, cap.Options{Name: "notes", Version: "1.0.0", Gate: newGate(t)}))
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()

	response, err := http.Get(server.URL + "/api/notes/n1") //nolint:noctx // it is a test
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusOK, response.StatusCode)

	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"}, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, session.Close()) }()
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	names := make([]string, len(tools.Tools))
	for i, tool := range tools.Tools {
		names[i] = tool.Name
	}
	assert.ElementsMatch(t, []string{"read_note", "count_notes"}, names)
}

// docs:mount
// mount serves a registry on a mux that has other things on it too.
func mount(registry *cap.Registry) (http.Handler, error) {
	api, err := caphttp.New(registry, caphttp.Options{Prefix: "/api", Authenticate: authenticateAna})
	if err != nil {
		return nil, err
	}
	tools, err := capmcp.New(registry, capmcp.Options{
		Authenticate: authenticateAna,
		Filter:       func(c *cap.Capability) bool { return c.Effect() == cap.EffectRead }, // agents only read
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/api/", api)
	mux.Handle("/mcp", tools.Handler())
	return mux, nil
}

// docs:end

func TestOAuth(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t, cap.Options{Name: "notes"})
	noCredentials := func(*http.Request) (*cap.Principal, error) { return nil, nil }
	// docs:oauth
	tools, err := capmcp.New(registry, capmcp.Options{
		Authenticate: noCredentials, // yours: it reads the bearer token
		OAuth: &capmcp.OAuth{
			Resource: "https://notes.example.com/mcp",
			Servers:  []string{"https://login.example.com"},
		},
		ApprovalURL: func(id string) string { return "https://notes.example.com/review/approvals/" + id },
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", tools.Handler())
	mux.Handle(tools.Metadata())
	// docs:end
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://notes.example.com/.well-known/oauth-protected-resource/mcp", http.NoBody))
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), `"https://login.example.com"`)
}
