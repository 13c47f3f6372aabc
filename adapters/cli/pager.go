package capcli

import (
	"bytes"
	"os"
	"os/exec"
)

// pagerOf returns what shows long text in the user's pager. It reports false where there is none to show it: the variable
// PAGER is set to nothing or to cat, or the pager cannot be started.
func pagerOf(out *os.File) func(text []byte) bool {
	return func(text []byte) bool {
		command, isSet := os.LookupEnv("PAGER")
		var pager *exec.Cmd
		switch {
		case isSet && (command == "" || command == "cat"):
			return false
		case isSet:
			pager = exec.Command("sh", "-c", command) //nolint:gosec // the user's own words
		default:
			pager = exec.Command("less", "-FIRX") // ends by itself if all fits on the screen
		}
		pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(text), out, os.Stderr
		if err := pager.Start(); err != nil {
			return false
		}
		_ = pager.Wait() // what a pager ends with says nothing about the text
		return true
	}
}
