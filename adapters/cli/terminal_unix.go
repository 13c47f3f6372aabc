//go:build unix

package capcli

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalWidth reports whether file is a terminal, and how wide it is. Only a terminal has a window size.
func terminalWidth(file *os.File) (width int, isTerminal bool) {
	connection, err := file.SyscallConn()
	if err != nil {
		return 0, false
	}
	_ = connection.Control(func(fd uintptr) {
		size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		if err == nil {
			width, isTerminal = int(size.Col), true
		}
	})
	return width, isTerminal
}
