package caphttp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// TakeLittle, TakeMuch and TakeUsual differ in how long a body may be.
type TakeLittle struct {
	cap.Write[cap.None] `cap:"Take little; access=public; reversible" http:"POST /little,maxbody=20"`
	Text                string `json:"text" cap:"Any text"`
}

type TakeMuch struct {
	cap.Read[cap.None] `cap:"Take much; access=public" http:"maxbody=60"`
	Text               string `json:"text" cap:"Any text"`
}

type TakeUsual struct {
	cap.Read[cap.None] `cap:"Take what is usual; access=public"`
	Text               string `json:"text" cap:"Any text"`
}

// Describe implements cap.Describer.
func (TakeLittle) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "take", Target: cap.ObjectRef{Product: "house", Kind: "text", ID: "1"}}
}

func TestMaxBody(t *testing.T) {
	t.Parallel()
	registry := cap.New(cap.Options{Gate: openGate{}})
	require.NoError(t, registry.Register(
		cap.Func(nothing[TakeMuch]), cap.Func(nothing[TakeUsual]),
		cap.Func(func(context.Context, TakeLittle) (cap.None, error) { return cap.None{}, nil }),
	))
	h, err := caphttp.New(registry, caphttp.Options{MaxBody: 40})
	require.NoError(t, err)
	for _, tt := range []struct {
		name, target string
		limit        int
	}{
		{"by name", "/capabilities/take_little", 20},
		{"under a path of its own", "/little", 20},
		{"a preview", "/capabilities/take_little/preview", 20},
		{"more than is usual", "/capabilities/take_much", 60},
		{"what is usual", "/capabilities/take_usual", 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := `{"text":"` + strings.Repeat("x", tt.limit-len(`{"text":""}`)) + `"}`
			w := serve(h, request(t, "POST", tt.target, body, asJSON))
			assert.Equal(t, 200, w.Code, "a body of exactly the limit: %s", w.Body)
			w = serve(h, request(t, "POST", tt.target, body+" ", asJSON))
			assert.Equal(t, 413, w.Code, "a byte more")
			assert.Equal(t, caphttp.CodePayloadTooLarge, problemOf(t, w).Code)
		})
	}
}
