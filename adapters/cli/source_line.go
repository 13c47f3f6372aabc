package capcli

import (
	"context"
	"io"
	"strings"
)

// maxLine bounds an answer at the terminal.
const maxLine = 4096

// readLine reads one line. A read cannot be cancelled, so when ctx ends it is left behind.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := lineOf(in)
		answers <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case a := <-answers:
		return a.line, a.err
	}
}

// lineOf reads byte by byte: what stands behind the line is for somebody else.
func lineOf(in io.Reader) (line string, err error) {
	defer func() {
		if recover() != nil {
			err = errStdin
		}
	}()
	var b strings.Builder
	one := make([]byte, 1)
	for b.Len() < maxLine {
		n, err := in.Read(one)
		if n == 1 && one[0] == '\n' {
			return strings.TrimSpace(b.String()), nil
		}
		if n == 1 {
			b.WriteByte(one[0])
		}
		if err != nil {
			return "", err
		}
	}
	return "", io.ErrShortBuffer
}
