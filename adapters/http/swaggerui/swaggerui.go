// Package swaggerui shows an OpenAPI document with Swagger UI, whose files are part of the program: it works offline. Hand
// it to the HTTP adapter:
//
//	api, err := caphttp.New(registry, caphttp.Options{Docs: swaggerui.New(swaggerui.Options{})})
//
// The page is then at /docs/, under whatever prefix the adapter is mounted. Its policy lets it load nothing from elsewhere.
package swaggerui

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/swaggest/swgui/v5/static"
)

// Options sets up the page. The zero value works.
type Options struct {
	// Title is the title of the page. Empty means "API documentation".
	Title string
	// Document is the URL of the OpenAPI document, relative to the page. Empty means "../openapi.json".
	Document string
	// ReadOnly takes the buttons away with which readers try calls out.
	ReadOnly bool
}

// policy lets the page load its own files and talk to its own server. Swagger UI has pictures as data.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

//go:embed index.html
var indexHTML string

//go:embed start.js
var startJS []byte

// assets are the files of Swagger UI that the page loads, by their types.
var assets = map[string]string{
	"swagger-ui.css":       "text/css; charset=utf-8",
	"swagger-ui-bundle.js": "text/javascript; charset=utf-8",
}

// New returns a handler of the page at / and its files beside it.
func New(options Options) http.Handler {
	if options.Title == "" {
		options.Title = "API documentation"
	}
	if options.Document == "" {
		options.Document = "../openapi.json"
	}
	return &handler{index: index(options)}
}

type handler struct{ index []byte }

// index writes the page. What the script needs to know stands in it as data, since the policy forbids scripts in pages.
func index(options Options) []byte {
	settings, err := json.Marshal(map[string]any{"url": options.Document, "readOnly": options.ReadOnly})
	if err != nil {
		settings = []byte("{}")
	}
	var page bytes.Buffer
	parsed, err := template.New("index").Parse(indexHTML)
	if err == nil {
		err = parsed.Execute(&page, map[string]string{"Title": options.Title, "Settings": string(settings)})
	}
	if err != nil {
		return []byte("<!doctype html><title>" + http.StatusText(http.StatusInternalServerError) + "</title>")
	}
	return page.Bytes()
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "This page can only be read.", http.StatusMethodNotAllowed)
		return
	}
	switch name := strings.TrimPrefix(r.URL.Path, "/"); {
	case name == "":
		reply(w, "text/html; charset=utf-8", h.index)
	case name == "start.js":
		reply(w, "text/javascript; charset=utf-8", startJS)
	case assets[name] != "":
		serveAsset(w, r, name)
	default:
		http.NotFound(w, r)
	}
}

func reply(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // a reader that went away needs no page
}

// serveAsset sends a file as it is kept, which is compressed, to those who take that.
func serveAsset(w http.ResponseWriter, r *http.Request, name string) {
	data, err := static.FS.ReadFile(name + ".gz")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		reply(w, assets[name], data)
		return
	}
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", assets[name])
	_, _ = io.Copy(w, reader) // a reader that went away needs no file
}
