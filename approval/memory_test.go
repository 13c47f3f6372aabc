package approval_test

import (
	"testing"

	"github.com/seed-369ec62e/cap/approval"
	"github.com/seed-369ec62e/cap/approval/storetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) approval.Store { return approval.Memory() })
}
