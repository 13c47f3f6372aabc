package capmcp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capmcp "github.com/seed-369ec62e/cap/adapters/mcp"
)

// Scan has an output of several contents.
type Scan struct {
	cap.Read[Scanned] `cap:"Scan a parcel; access=public"`

	Silent bool `json:"silent,omitempty" cap:"Without words"`
}

// Scanned is the output of [Scan].
type Scanned struct {
	Words  string        `json:"words,omitempty" cap:"What is seen" mcp:"text"`
	Image  []byte        `json:"image"           cap:"A picture"    mcp:"image=image/png"`
	Sound  []byte        `json:"sound"           cap:"A sound"      mcp:"audio=audio/wav"`
	File   *ScannedFile  `json:"file,omitempty"  cap:"A file"       mcp:"resource"`
	Parcel cap.ObjectRef `json:"parcel"          cap:"The parcel; cite"`
}

// ScannedFile is an embedded resource.
type ScannedFile struct {
	URI  string `json:"uri"      cap:"Address"`
	MIME string `json:"mimeType" cap:"Type"`
	Text string `json:"text"     cap:"Text"`
}

func scan(_ context.Context, in Scan) (Scanned, error) {
	out := Scanned{Image: []byte("png"), Sound: []byte("wav"), Parcel: cap.ObjectRef{Product: "desk", Kind: "parcel", ID: "p-1"}}
	if !in.Silent {
		out.Words, out.File = "A <box>.", &ScannedFile{URI: "desk://p-1", MIME: "text/plain", Text: "label"}
	}
	return out, nil
}

func TestContents(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{})
	require.NoError(t, registry.Register(cap.Func(scan)))
	adapter := newAdapter(t, registry, capmcp.Options{Link: func(ref cap.ObjectRef) string {
		return "https://desk.example.com/" + ref.Kind + "/" + ref.ID
	}})
	handler := adapter.Handler()
	const (
		image = `{"type":"image","data":"cG5n","mimeType":"image/png"},{"type":"audio","data":"d2F2","mimeType":"audio/wav"}`
		link  = `{"type":"resource_link","uri":"https://desk.example.com/parcel/p-1","name":"parcel p-1","description":"parcel of desk"}`
		words = `{"type":"text","text":"A <box>."}`
		file  = `{"type":"resource","resource":{"uri":"desk://p-1","mimeType":"text/plain","text":"label"}}`
	)
	w := post(t, handler, modern, callOf(modern, 1, "scan", `{}`))
	assert.Contains(t, w.Body.String(), `"content":[`+words+","+image+","+file+","+link+`]`)
	assert.JSONEq(t, `[{"product":"desk","kind":"parcel","id":"p-1"}]`, string(replyIn(t, w).tool(t).Meta["cap/cites"]))
	w = post(t, handler, legacy, callOf(legacy, 1, "scan", `{"silent":true}`))
	assert.Contains(t, w.Body.String(), `"content":[`+image+","+link+`]`, "what is absent is no content")
	w = post(t, handler, "2025-03-26", callOf("2025-03-26", 1, "scan", `{"silent":true}`))
	assert.Contains(t, w.Body.String(), `"content":[`+image+`]`, "links came later than that revision")
}
