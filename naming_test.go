package cap

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The names of capabilities are part of every client's program: this table pins them.
func TestSnakeCase(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ typeName, want string }{
		{"GetOrder", "get_order"},
		{"GetPRByIDRequest", "get_pr_by_id"},
		{"OAuth2Token", "oauth2_token"},
		{"RefreshOAuthToken", "refresh_oauth_token"},
		{"ListIDs", "list_ids"},
		{"ListPRsByAuthor", "list_prs_by_author"},
		{"HTTPServer", "http_server"},
		{"GetHTTPServerURL", "get_http_server_url"},
		{"ID", "id"},
		{"A", "a"},
		{"GetA", "get_a"},
		{"SHA256Sum", "sha256_sum"},
		{"GetV2", "get_v2"},
		{"Get2FACode", "get2_fa_code"},
		{"IPv4Lookup", "ipv4_lookup"},
		{"SyncGitHubIssues", "sync_github_issues"},
		{"RunGraphQL", "run_graphql"},
		{"CreateOrderInput", "create_order"},
		{"CreateOrderParams", "create_order"},
		{"CreateOrderArgs", "create_order"},
		{"Input", "input"},
		{"Request", "request"},
		{"RequestInput", "request"},
		{"Get_Order", "get_order"},
		{"Übersicht", "übersicht"}, // refused later: a name is ASCII
	} {
		t.Run(tt.typeName, func(t *testing.T) {
			t.Parallel()
			got := snakeCase(handlerName(tt.typeName))
			assert.Equalf(t, tt.want, got, "snakeCase(%q)", tt.typeName)
		})
	}
}

func TestIsName(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(namePattern)
	for _, s := range []string{"", "a", "get_order", "Get-Order-2", "ação", "a b", "a/b", strings.Repeat("a", 64), strings.Repeat("a", 65), "a\n", "\xff"} {
		assert.Equalf(t, pattern.MatchString(s), isName(s), "isName(%q)", s)
	}
}
