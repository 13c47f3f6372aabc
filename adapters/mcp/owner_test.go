package capmcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// A session is its caller's: the same agent on behalf of somebody else, the same name of another kind or tenant are others.
func TestSessionOfAnotherCaller(t *testing.T) {
	t.Parallel()
	const header = "Test-Caller" // kind, tenant, id, on behalf of
	adapter := newAdapter(t, newDeskRegistry(t, newDesk(), cap.Options{}), capmcp.Options{Authenticate: func(r *http.Request) (*cap.Principal, error) {
		p := strings.Split(r.Header.Get(header), ",")
		return &cap.Principal{Kind: cap.PrincipalKind(p[0]), Tenant: p[1], ID: p[2], OnBehalfOf: p[3]}, nil
	}})
	handler := adapter.Handler()
	t.Cleanup(func() { assert.NoError(t, adapter.Close(context.Background())) })
	began := post(t, handler, "", initialize(legacy), header, "agent,red,planner,ana")
	require.Equal(t, http.StatusOK, began.Code)
	session := began.Header().Get("Mcp-Session-Id")
	require.NotEmpty(t, session)
	for who, want := range map[string]int{
		"agent,red,planner,ana": http.StatusOK, "agent,red,planner,bob": http.StatusForbidden, "human,red,planner,ana": http.StatusForbidden,
		"agent,blue,planner,ana": http.StatusForbidden, "agent,red,other,ana": http.StatusForbidden,
	} {
		w := post(t, handler, legacy, request(legacy, 1, "tools/list", "{}"), header, who, "Mcp-Session-Id", session)
		assert.Equal(t, want, w.Code, who)
	}
}
