package capcli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Streams is what a program reads from and writes to, and what it may know of its surroundings. Tests hand in buffers.
type Streams struct {
	// Program is what the program was started as, which is what texts tell people to type. Empty means the name of the program.
	Program string

	In       io.Reader
	Out, Err io.Writer
	// LookupEnv reads the environment; nil means it is empty.
	LookupEnv func(name string) (string, bool)
	// InTerminal, OutTerminal and ErrTerminal report which of the streams a person is looking at.
	InTerminal, OutTerminal, ErrTerminal bool
	// Width is the width of the terminal in characters; 0 means 80.
	Width int
	// Page shows long text to the person at the terminal, and reports whether it could. Nil means that text is just written.
	Page func(text []byte) bool
}

// Standard returns the streams of the process.
func Standard() Streams {
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, LookupEnv: os.LookupEnv, Program: startedAs()}
	_, s.InTerminal = terminalWidth(os.Stdin)
	s.Width, s.OutTerminal = terminalWidth(os.Stdout)
	errWidth, errTerminal := terminalWidth(os.Stderr)
	s.ErrTerminal = errTerminal
	if s.Width == 0 {
		s.Width = errWidth
	}
	if s.InTerminal && s.OutTerminal {
		s.Page = pagerOf(os.Stdout)
	}
	return s
}

// startedAs is the name under which people started the process. One that a shell would not take as it is is none.
func startedAs() string {
	if len(os.Args) == 0 {
		return ""
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if shellQuote(name) != name {
		return ""
	}
	return name
}

// complete fills in what a caller left out.
func (s Streams) complete() Streams {
	if s.In == nil {
		s.In = eofReader{}
	}
	if s.Out == nil {
		s.Out = io.Discard
	}
	if s.Err == nil {
		s.Err = io.Discard
	}
	if s.LookupEnv == nil {
		s.LookupEnv = func(string) (string, bool) { return "", false }
	}
	if s.Width <= 0 {
		s.Width = defaultWidth
	}
	return s
}

const defaultWidth = 80

type eofReader struct{}

func (eofReader) Read([]byte) (int, error) { return 0, io.EOF }
