package approval_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) approval.Store { return approval.Memory() })
}

func TestForgets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		store approval.Store
		want  bool
	}{
		{"memory", approval.Memory(), true},
		{"another store", approval.NewLazy(nil), false},
	} {
		gate, err := approval.New(tt.store, approval.Options{})
		require.NoError(t, err)
		assert.Equal(t, tt.want, gate.Forgets(), tt.name)
	}
}
