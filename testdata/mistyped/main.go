// Package mistyped does not compile: a typed call knows its contract, its input and its output.
package mistyped

import (
	"context"

	"github.com/seed-369ec62e/cap"
)

type note struct{}

type getNote struct {
	cap.Read[note] `cap:"Read a note; access=public"`

	Note string `json:"note"`
}

func calls(ctx context.Context, registry *cap.Registry, handle func(context.Context, getNote) (string, error)) {
	_, _ = cap.Invoke(ctx, registry, note{})
	_, _ = cap.Invoke(ctx, registry, getNote{ID: "N-1"})
	_ = getNote{Note: 1}
	var text string
	text, _ = cap.Invoke(ctx, registry, getNote{})
	text, _ = cap.InvokeAs(ctx, registry, "read_note", getNote{})
	_ = cap.Func(handle)
	_ = text
}
