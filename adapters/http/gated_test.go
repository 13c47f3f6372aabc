package caphttp_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/approval"
)

// The principals of these tests. Ana asks, Eva decides.
const (
	asAna = principalHeader + `: {"id":"ana","kind":"human"}`
	asBot = principalHeader + `: {"id":"bot","kind":"agent","onBehalfOf":"ana"}`
	asEva = principalHeader + `: {"id":"eva","kind":"human"}`
	asTom = principalHeader + `: {"id":"tom","kind":"human","tenant":"other"}`
)

// newDesk makes the shop with a real gate, and the handler through which Eva decides.
func newDesk(t *testing.T) (shop *caphttp.Handler, desk *caphttp.ApprovalsHandler) {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	_, err = gate.AddApprover(t.Context(), cap.Principal{ID: "eva", Kind: cap.KindHuman}, "")
	require.NoError(t, err)
	desk, err = caphttp.NewApprovals(gate, caphttp.ApprovalsOptions{Authenticate: authenticateTest})
	require.NoError(t, err)
	return newShop(t, gate, caphttp.Options{}), desk
}

func TestConfirmAWrite(t *testing.T) {
	t.Parallel()
	shop, _ := newDesk(t)
	const target, body, version = "/orders/SO-1", `{"note":"n"}`, `If-Match: "41"`

	asked := serve(shop, request(t, "PUT", target, body, asJSON, asAna, version, "Cap-Reason: wanted"))
	assert.Equal(t, 428, asked.Code, "body: %s", asked.Body)
	p := problemOf(t, asked)
	require.NotNil(t, p.Confirmation)
	assert.NotEmpty(t, p.Confirmation.Challenge)
	assert.Contains(t, p.Text, `Action: change order "SO-1" of shop`)
	assert.Contains(t, p.Text, `Reason given by the caller, not checked: "wanted"`)
	assert.Equal(t, "no-store", asked.Header().Get("Cache-Control"))
	confirm := "Cap-Confirm: " + p.Confirmation.Challenge

	other := serve(shop, request(t, "PUT", target, `{"note":"other"}`, asJSON, asAna, version, confirm))
	assert.Equal(t, 412, other.Code)
	assert.Equal(t, cap.CodeConfirmationInvalid, problemOf(t, other).Code)

	done := serve(shop, request(t, "PUT", target, body, asJSON, asAna, version, confirm))
	assert.Equal(t, 200, done.Code, "body: %s", done.Body)
	assert.Equal(t, p.Confirmation.Approval, done.Header().Get("Cap-Approval"))
	assert.Empty(t, done.Header().Get("Cap-Replayed"))

	again := serve(shop, request(t, "PUT", target, body, asJSON, asAna, version, confirm))
	assert.Equal(t, 200, again.Code)
	assert.Equal(t, "true", again.Header().Get("Cap-Replayed"))
	assert.Equal(t, done.Body.String(), again.Body.String())
}

func TestApproveAHostCall(t *testing.T) {
	t.Parallel()
	shop, desk := newDesk(t)
	ask := func(headers ...string) *http.Request {
		return request(t, "DELETE", "/orders/SO-1", "", append(headers, asBot)...)
	}

	asked := serve(shop, ask())
	assert.Equal(t, 202, asked.Code, "body: %s", asked.Body)
	id := problemOf(t, asked).Confirmation.Approval
	assert.Equal(t, "../approvals/"+id, asked.Header().Get("Location"))
	assert.Equal(t, "5", asked.Header().Get("Retry-After"))
	joined := serve(shop, ask())
	assert.Equal(t, id, problemOf(t, joined).Confirmation.Approval, "an equal call joins the request")

	status := "/approvals/" + id
	assert.Contains(t, serve(shop, request(t, "GET", status, "", asBot)).Body.String(), `"state":"pending"`)
	for _, stranger := range []string{asAna, asEva, asTom, "X: y"} {
		assert.Equal(t, 404, serve(shop, request(t, "GET", status, "", stranger)).Code, "status as %s", stranger)
	}

	shown := shownOf(t, desk, id)
	for _, tt := range []struct {
		name, as, body string
		status         int
		code           cap.Code
	}{
		{"nobody", "X: y", `{"shown":"` + shown + `"}`, 401, cap.CodeUnauthenticated},
		{"an agent", asBot, `{"shown":"` + shown + `"}`, 403, cap.CodeForbidden},
		{"the one for whom it is asked", asAna, `{"shown":"` + shown + `"}`, 403, caphttp.CodeApproverRefused},
		{"another tenant", asTom, `{"shown":"` + shown + `"}`, 404, caphttp.CodeNotFound},
		{"something else was shown", asEva, `{"shown":"x"}`, 412, cap.CodeConfirmationInvalid},
		{"nothing was shown", asEva, `{}`, 412, cap.CodeConfirmationInvalid},
		{"no JSON", asEva, `{`, 400, caphttp.CodeBadRequest},
		{"a long reason", asEva, `{"reason":"` + strings.Repeat("x", 1001) + `"}`, 400, caphttp.CodeBadRequest},
	} {
		w := serve(desk, request(t, "POST", status+"/approve", tt.body, asJSON, tt.as))
		assert.Equal(t, tt.status, w.Code, tt.name)
		assert.Equal(t, tt.code, problemOf(t, w).Code, tt.name)
	}
	assert.Equal(t, 405, serve(desk, request(t, "GET", status+"/approve", "", asEva)).Code, "GET decides nothing")

	w := serve(desk, request(t, "POST", status+"/approve", `{"shown":"`+shown+`","reason":"ok"}`, asJSON, asEva))
	assert.Equal(t, 200, w.Code, "body: %s", w.Body)
	assert.Contains(t, w.Body.String(), `"state":"approved"`)

	done := serve(shop, ask("Cap-Approval: "+id))
	assert.Equal(t, 200, done.Code, "body: %s", done.Body)
	assert.Equal(t, `{}`+"\n", done.Body.String())
	closed := serve(desk, request(t, "POST", status+"/deny", `{"shown":"`+shown+`"}`, asJSON, asEva))
	assert.Equal(t, 409, closed.Code)
	assert.Equal(t, caphttp.CodeApprovalClosed, problemOf(t, closed).Code)
}

// shownOf reads what Eva was shown.
func shownOf(t *testing.T, desk http.Handler, id string) string {
	t.Helper()
	w := serve(desk, request(t, "GET", "/approvals/"+id, "", asEva))
	require.Equal(t, 200, w.Code, "body: %s", w.Body)
	var approval cap.Approval
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &approval))
	return approval.Action.Shown
}

func TestPreview(t *testing.T) {
	t.Parallel()
	shop, desk := newDesk(t)
	for _, tt := range []struct {
		name, target, body string
		headers            []string
		status             int
		want               string
	}{
		{"a write", "change_order", `{"order":"SO-1","version":1}`, []string{asJSON}, 200, `"text":"change_order: write, reversible\nAction: change order`},
		{"a host call", "drop_order", `{"order":"SO-1"}`, []string{asJSON, asAna}, 200, `"arguments":[{"name":"order","json":"SO-1"}]`},
		{"a fault of the input", "change_order", `{"order":7}`, []string{asJSON}, 422, `"pointer":"/order"`},
		{"no principal", "drop_order", `{"order":"SO-1"}`, []string{asJSON}, 401, `"UNAUTHENTICATED"`},
		{"a read", "get_order", `{"order":"SO-1"}`, []string{asJSON}, 404, `"NOT_FOUND"`},
		{"none", "nothing", `{}`, []string{asJSON}, 404, `"NOT_FOUND"`},
	} {
		w := serve(shop, request(t, "POST", "/capabilities/"+tt.target+"/preview", tt.body, tt.headers...))
		assert.Equal(t, tt.status, w.Code, tt.name)
		assert.Contains(t, w.Body.String(), tt.want, tt.name)
	}
	w := serve(desk, request(t, "GET", "/approvals", "", asEva))
	assert.JSONEq(t, `{"approvals":[]}`, w.Body.String(), "a preview asks nobody")
}

func TestConfirmationHeaders(t *testing.T) {
	t.Parallel()
	shop, _ := newDesk(t)
	for _, tt := range []struct {
		name    string
		headers []string
	}{
		{"two challenges", []string{"Cap-Confirm: a", "Cap-Confirm: b"}},
		{"two approvals", []string{"Cap-Approval: a", "Cap-Approval: b"}},
		{"a long reason", []string{"Cap-Reason: " + strings.Repeat("x", 1001)}},
		{"a reason that is no UTF-8", []string{"Cap-Reason: \xff"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := serve(shop, request(t, "PUT", "/orders/x", "{}", append(tt.headers, asJSON, `If-Match: "1"`)...))
			assert.Equal(t, 400, w.Code)
			assert.Equal(t, caphttp.CodeBadRequest, problemOf(t, w).Code)
		})
	}
}

const asBrowser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

// formOf reads the hidden fields of a page, as a browser does.
func formOf(t *testing.T, page string) url.Values {
	t.Helper()
	values := url.Values{}
	for _, field := range regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		values.Set(field[1], field[2])
	}
	require.Len(t, values, 2, "hidden fields of %s", page)
	return values
}

func TestPages(t *testing.T) {
	t.Parallel()
	shop, desk := newDesk(t)
	asked := serve(shop, request(t, "DELETE", "/orders/%3Cscript%3Ealert%281%29", "", asBot))
	id := problemOf(t, asked).Confirmation.Approval

	list := serve(desk, request(t, "GET", "/approvals", "", asEva, asBrowser))
	assert.Equal(t, "text/html; charset=utf-8", list.Header().Get("Content-Type"))
	assert.Contains(t, list.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-")
	assert.Contains(t, list.Body.String(), `<a href="approvals/`+id+`">drop order &#34;&lt;script&gt;alert(1)&#34; of shop</a>`)
	assert.NotContains(t, list.Body.String(), "<script", "what a caller wrote stays text")

	page := serve(desk, request(t, "GET", "/approvals/"+id, "", asEva, asBrowser))
	assert.Contains(t, page.Body.String(), "<pre>drop_order: host, IRREVERSIBLE\n")
	form := formOf(t, page.Body.String())

	post := func(form url.Values, headers ...string) int {
		headers = append(headers, asBrowser, "Content-Type: application/x-www-form-urlencoded")
		return serve(desk, request(t, "POST", "/approvals/"+id+"/approve", form.Encode(), headers...)).Code
	}
	changed := func(name, value string) url.Values {
		copied := url.Values{}
		for key := range form {
			copied.Set(key, form.Get(key))
		}
		copied.Set(name, value)
		return copied
	}
	assert.Equal(t, 403, post(changed("token", ""), asEva), "no token")
	assert.Equal(t, 403, post(changed("token", "99999999999."+strings.Repeat("x", 43)), asEva), "a token of nobody")
	assert.Equal(t, 403, post(form, asTom), "a token of another person")
	assert.Equal(t, 403, post(form, asEva, "Sec-Fetch-Site: cross-site"), "from another site")
	assert.Equal(t, 403, post(form, asEva, "Origin: https://evil.example"), "from another origin")
	assert.Equal(t, 412, post(changed("shown", "x"), asEva), "something else was shown")
	assert.Equal(t, 401, post(form), "signed out")

	w := serve(desk, request(t, "POST", "/approvals/"+id+"/approve", changed("reason", "fine").Encode(),
		asEva, asBrowser, "Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin"))
	assert.Equal(t, 303, w.Code, "body: %s", w.Body)
	assert.Equal(t, "../"+id, w.Header().Get("Location"))

	page = serve(desk, request(t, "GET", "/approvals/"+id, "", asEva, asBrowser))
	assert.Contains(t, page.Body.String(), "State: <b>approved</b>")
	assert.Contains(t, page.Body.String(), "eva: approve,")
	assert.NotContains(t, page.Body.String(), "<form", "there is nothing left to decide")

	signedOut := serve(desk, request(t, "GET", "/approvals", "", asBrowser))
	assert.Equal(t, 401, signedOut.Code)
	assert.Equal(t, `Basic realm="approvals", charset="UTF-8"`, signedOut.Header().Get("WWW-Authenticate"))
	assert.Contains(t, signedOut.Body.String(), "<h1>Authentication is required.</h1>")
}

func TestApprovalLists(t *testing.T) {
	t.Parallel()
	shop, desk := newDesk(t)
	for _, as := range []string{asAna, asTom} {
		serve(shop, request(t, "DELETE", "/orders/SO-1", "", as))
	}
	list := func(query, as string) string {
		return serve(desk, request(t, "GET", "/approvals"+query, "", as)).Body.String()
	}
	assert.Equal(t, 1, strings.Count(list("", asEva), `"verb":"drop"`), "a person without a tenant sees no other tenant")
	assert.Equal(t, 1, strings.Count(list("?state=pending&state=approved", asEva), `"verb":"drop"`))
	assert.JSONEq(t, `{"approvals":[]}`, list("?state=denied", asEva))
	assert.Contains(t, list("?state=x", asEva), `"BAD_REQUEST"`)
	assert.Contains(t, list("", asTom), `"tenant":"other"`)
	assert.NotContains(t, list("", asTom), `"id":"ana"`)
}

func TestNewApprovalsReportsProblems(t *testing.T) {
	t.Parallel()
	_, err := caphttp.NewApprovals(nil, caphttp.ApprovalsOptions{Key: []byte("short"), Prefix: "x"})
	require.EqualError(t, err, strings.Join([]string{
		`cap: 4 problems`,
		`  caphttp.ApprovalsOptions: there are no approvals to decide (pass the gate of package approval)`,
		`  caphttp.ApprovalsOptions: Authenticate is nil, so anybody could agree (say who decides, by another credential than the callers')`,
		`  caphttp.ApprovalsOptions: Key is shorter than 32 bytes (make one with crypto/rand)`,
		`  caphttp.ApprovalsOptions: Prefix "x" is no plain path (write it like /api or /v1/orders)`,
	}, "\n"))
}

func TestTokens(t *testing.T) {
	t.Parallel()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	require.NoError(t, err)
	token, err := gate.AddApprover(t.Context(), cap.Principal{ID: "eva", Kind: cap.KindHuman}, "")
	require.NoError(t, err)
	authenticate := caphttp.Tokens(gate.Authenticate)
	for _, tt := range []struct {
		name   string
		set    func(*http.Request)
		id     string
		denied bool
	}{
		{"none", func(*http.Request) {}, "", false},
		{"as bearer", func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }, "eva", false},
		{"as password", func(r *http.Request) { r.SetBasicAuth("", token) }, "eva", false},
		{"a wrong one", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, "", true},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Digest x") }, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request(t, "GET", "/", "")
			tt.set(r)
			p, err := authenticate(r)
			if tt.denied {
				require.ErrorIs(t, err, caphttp.ErrUnauthenticated)
				return
			}
			require.NoError(t, err)
			if tt.id == "" {
				assert.Nil(t, p)
				return
			}
			require.NotNil(t, p)
			assert.Equal(t, tt.id, p.ID)
		})
	}
}
