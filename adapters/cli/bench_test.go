package capcli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	capcli "github.com/seed-369ec62e/cap/adapters/cli"
)

// fiftyMain is a program of fifty capabilities of ten fields.
func fiftyMain() int {
	registry := cap.New(cap.Options{Name: "fifty"})
	if err := registry.Register(Fifty{}); err != nil {
		return capcli.ExitDefect
	}
	program, err := capcli.New(registry, capcli.Options{Authenticate: principalFrom})
	if err != nil {
		return capcli.ExitDefect
	}
	return program.Main()
}

// bareMain is what somebody would write by hand: fifty commands of ten flags, with cobra alone. It is in the same binary, so
// it links the same libraries.
func bareMain() int {
	root := &cobra.Command{Use: "bare", SilenceUsage: true}
	for i := range 50 {
		command := &cobra.Command{
			Use: fmt.Sprintf("task%02d", i+1), Short: "Do a task",
			RunE: func(c *cobra.Command, _ []string) error {
				_, err := fmt.Fprintln(c.OutOrStdout(), "{}")
				return err
			},
		}
		flags := command.Flags()
		for _, name := range []string{"a", "f", "h", "i"} {
			flags.String(name, "", "A text")
		}
		flags.Int("b", 0, "B")
		flags.Bool("c", false, "C")
		flags.Float64("d", 0, "D")
		flags.StringArray("e", nil, "E")
		flags.Int64("g", 0, "G")
		flags.IntSlice("j", nil, "J")
		root.AddCommand(command)
	}
	if err := root.Execute(); err != nil {
		return 1
	}
	return 0
}

// registeredMain is bareMain in a program that registers the same service, as one that serves HTTP besides does.
func registeredMain() int {
	registry := cap.New(cap.Options{Name: "fifty"})
	if err := registry.Register(Fifty{}); err != nil {
		return capcli.ExitDefect
	}
	return bareMain()
}

// BenchmarkStartUp runs one command of fifty as a process: with capcli, with cobra alone, and with cobra alone in a program
// that registers the same service. It takes them by turns and reports the medians: ratio is against cobra alone, and
// adapter/ratio is what the adapter by itself adds.
func BenchmarkStartUp(b *testing.B) {
	self, err := os.Executable()
	require.NoError(b, err)
	dir := b.TempDir()
	once := func(name string) time.Duration {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil {
			require.NoError(b, os.Symlink(self, path))
		}
		started := time.Now()
		out, err := exec.Command(path, "task25", "--a", "x").Output()
		took := time.Since(started)
		require.NoError(b, err)
		require.Equal(b, "{}\n", string(out))
		return took
	}
	names := []string{"fifty", "bare", "registered"}
	took := make(map[string][]time.Duration)
	for _, name := range names {
		once(name) // the first run reads the binary
	}
	for b.Loop() {
		for _, name := range names {
			took[name] = append(took[name], once(name))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2])
	}
	b.ReportMetric(median("fifty")/1e6, "ms/capcli")
	b.ReportMetric(median("bare")/1e6, "ms/cobra")
	b.ReportMetric(median("fifty")/median("bare"), "ratio")
	b.ReportMetric(median("fifty")/median("registered"), "adapter/ratio")
}
