package caphttp

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/seed-369ec62e/cap"
)

//go:embed pages
var pageFiles embed.FS

// pages are the templates of the approvals. They are read when the first page is asked for.
func pages() (*template.Template, error) {
	return template.New("").Funcs(template.FuncMap{
		"when":  func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04:05 MST") },
		"style": func() template.CSS { return template.CSS(pageStyle()) }, //nolint:gosec // it is ours
		"first": firstLine,
	}).ParseFS(pageFiles, "pages/*.html")
}

func pageStyle() string {
	style, err := pageFiles.ReadFile("pages/style.css")
	if err != nil {
		return ""
	}
	return string(style)
}

// pagePolicy lets a page show itself and send its own forms, and nothing else.
func pagePolicy() string {
	sum := sha256.Sum256([]byte(pageStyle()))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}

type listPage struct {
	Approvals []cap.Approval
	Person    string
}

type onePage struct {
	Approval cap.Approval
	Person   string
	Open     bool
	Token    string
}

// firstLine gives the line of a text that says what will be done.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if action, ok := strings.CutPrefix(line, "Action: "); ok {
			return strings.TrimSpace(action)
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// wantsPage reports whether the caller is a browser: HTML is named, and JSON is not.
func (x *exchange) wantsPage() bool {
	values := strings.Join(x.r.Header.Values("Accept"), ",")
	return strings.Contains(values, "text/html") && !strings.Contains(values, typeJSON)
}

func render(name string, data any) ([]byte, error) {
	templates, err := pages()
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := templates.ExecuteTemplate(&body, name+".html", data); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// replyPage answers with a page.
func (h *ApprovalsHandler) replyPage(x *exchange, name string, data any) error {
	body, err := render(name, data)
	if err != nil {
		return err
	}
	x.pageHeaders()
	x.reply(http.StatusOK, typeHTML, body)
	return nil
}

func (x *exchange) pageHeaders() {
	header := x.w.Header()
	header.Set("Content-Security-Policy", pagePolicy())
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Vary", "Accept")
}

// problemPage writes a problem for a person.
func (h *ApprovalsHandler) problemPage(x *exchange, problem Problem) []byte {
	if !x.wantsPage() {
		return nil
	}
	body, err := render("problem", problem)
	if err != nil {
		h.report(x.r, err)
		return nil
	}
	x.pageHeaders()
	return body
}
