package capcli

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/seed-369ec62e/cap"
)

// formats are what --output takes. json is the output exactly as every front gives it, result is the whole answer with
// what it cites.
var formats = []string{"json", "result"}

// write puts the answer on standard output.
func (r *run) write(result *cap.Result) error {
	if len(r.output) == 0 || r.output[0] == "json" {
		return r.writeOut(append(slices.Clone(result.Output), '\n'))
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return err
	}
	return r.writeOut(b.Bytes())
}
