package capcli

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalWidth reports whether file is a console, and how wide it is. A console that can is told to read the escapes that
// colours are.
func terminalWidth(file *os.File) (width int, isTerminal bool) {
	connection, err := file.SyscallConn()
	if err != nil {
		return 0, false
	}
	_ = connection.Control(func(fd uintptr) {
		handle := windows.Handle(fd)
		var mode uint32
		if windows.GetConsoleMode(handle, &mode) != nil {
			return
		}
		isTerminal = true
		var info windows.ConsoleScreenBufferInfo
		if windows.GetConsoleScreenBufferInfo(handle, &info) == nil { // an output
			width = int(info.Window.Right-info.Window.Left) + 1
			_ = windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
		}
	})
	return width, isTerminal
}
