package caphttp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
	"github.com/seed-369ec62e/cap/approval"
)

type postLetter struct {
	cap.Write[cap.None] `cap:"Post a letter; access=authenticated; irreversible; timeout=10s"`
}

func (postLetter) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "post", Target: cap.ObjectRef{Product: "desk", Kind: "letter", ID: "1"}}
}

// Who comes back to an action that was cut off must read that nobody knows its effect, whatever had cut it off.
func TestCallersThatComeBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		header []string
		status int
	}{
		{"the caller had gone", nil, 499},
		{"the time was up", []string{"Cap-Timeout-Ms: 1"}, 504},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			gate, err := approval.New(approval.Memory(), approval.Options{})
			require.NoError(t, err)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			registry := cap.New(cap.Options{Gate: gate})
			require.NoError(t, registry.Register(cap.Func(func(ctx context.Context, _ postLetter) (cap.None, error) {
				if tt.status == 499 {
					leave()
				}
				<-ctx.Done()
				return cap.None{}, ctx.Err()
			})))
			h, err := caphttp.New(registry, caphttp.Options{Authenticate: authenticateTest})
			require.NoError(t, err)
			const target = "/capabilities/post_letter"
			asked := problemOf(t, serve(h, request(t, "POST", target, "{}", asJSON, asAna)))
			require.NotNil(t, asked.Confirmation, "%+v", asked)
			confirm := "Cap-Confirm: " + asked.Confirmation.Challenge

			headers := append([]string{asJSON, asAna, confirm}, tt.header...)
			require.Equal(t, tt.status, serve(h, request(t, "POST", target, "{}", headers...).WithContext(ctx)).Code)

			again := serve(h, request(t, "POST", target, "{}", asJSON, asAna, confirm))
			assert.Equal(t, 500, again.Code)
			p := problemOf(t, again)
			assert.Equal(t, cap.CodeCancelled, p.Code)
			assert.Equal(t, cap.EffectUnknown, p.Effect)
			assert.Equal(t, 500, p.Status)
		})
	}
}
