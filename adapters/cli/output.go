package capcli

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/seed-369ec62e/cap"
)

// Formats are what --output takes: json is the output exactly as every front gives it; result is the whole answer, with what
// it cites; yaml is for people and programs; table and text are for people and may change.
var formats = []string{"json", "result", "yaml", "table", "text"}

// format is what --output says; people get a table and everybody else JSON.
func (r *run) format() string {
	switch {
	case len(r.output) > 0:
		return r.output[0]
	case r.streams.OutTerminal:
		return "table"
	default:
		return "json"
	}
}

// write puts the answer on standard output.
func (r *run) write(result *cap.Result) error {
	switch r.format() {
	case "json":
		return r.writeOut(append(slices.Clone(result.Output), '\n'))
	case "result":
		return r.writeValue(result)
	}
	root, err := parseNode(result.Output)
	if err != nil {
		return err
	}
	return r.writeNode(root)
}

// writeValue writes a value as one line of JSON.
func (r *run) writeValue(value any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return r.writeOut(b.Bytes())
}

// writeAny writes a value in the format that was asked for.
func (r *run) writeAny(value any) error {
	if f := r.format(); f == "json" || f == "result" {
		return r.writeValue(value)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	root, err := parseNode(data)
	if err != nil {
		return err
	}
	return r.writeNode(root)
}

// writeNode writes in a format for people, or YAML.
func (r *run) writeNode(root *node) error {
	if r.format() != "yaml" && root.isEmpty() {
		r.note("done: there is nothing to show")
		return nil
	}
	return r.writeOut([]byte(r.render(root)))
}

// writeLong is writeAny for what may be long: a person reads it in the pager.
func (r *run) writeLong(value any) error {
	if f := r.format(); f != "table" && f != "text" {
		return r.writeAny(value)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	root, err := parseNode(data)
	if err != nil || root.isEmpty() {
		return err
	}
	return r.page(r.render(root))
}

func (r *run) render(root *node) string {
	switch r.format() {
	case "yaml":
		return root.yaml()
	case "text":
		return root.plainText()
	}
	width := 0
	if r.streams.OutTerminal {
		width = r.streams.Width
	}
	colours, _ := r.painters()
	return root.table(width, colours)
}

// note tells a person something that is no result.
func (r *run) note(text string) {
	if r.streams.ErrTerminal {
		_, _ = r.streams.Err.Write([]byte(text + "\n"))
	}
}

// page writes text that may be long: through the pager where a person reads it.
func (r *run) page(text string) error {
	if r.streams.Page != nil && !r.says("--no-pager") && !r.isDumb() && r.streams.Page([]byte(text)) {
		return nil
	}
	return r.writeOut([]byte(text))
}

// writeOut writes to standard output.
func (r *run) writeOut(data []byte) error {
	if _, err := r.streams.Out.Write(data); err != nil {
		return &writeError{err}
	}
	return nil
}
