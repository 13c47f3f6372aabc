package captest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// fakeT stands in for a test that is expected to fail. What it embeds answers for the rest.
type fakeT struct {
	testing.TB
	text   strings.Builder
	fatal  bool
	failed bool
}

func (f *fakeT) Helper() {}

func (f *fakeT) Context() context.Context { return context.Background() }

func (f *fakeT) Logf(string, ...any) {}

func (f *fakeT) Errorf(format string, args ...any) {
	f.failed = true
	fmt.Fprintf(&f.text, format+"\n", args...)
}

func (f *fakeT) Fatalf(format string, args ...any) {
	f.fatal = true
	f.Errorf(format, args...)
	runtime.Goexit()
}

// failing runs a test that may fail, and gives what it said.
func failing(t *testing.T, test func(testing.TB)) *fakeT {
	t.Helper()
	fake := &fakeT{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(fake)
	}()
	<-done
	return fake
}
