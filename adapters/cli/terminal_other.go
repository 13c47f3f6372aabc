//go:build !unix && !windows

package capcli

import "os"

// terminalWidth knows no terminals here: output is what it is in a pipe, and nothing is asked.
func terminalWidth(*os.File) (width int, isTerminal bool) { return 0, false }
