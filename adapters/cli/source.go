package capcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// maxDocument bounds what is read from a file or from standard input. The call has a limit of its own, which is lower
// unless its operator raised it.
const maxDocument = 64 << 20

// sources reads what a command line points to: @file, and - or @- for standard input.
type sources struct {
	in     io.Reader
	reader string // which flag has read standard input
}

// errStdin ends a program whose standard input breaks. The reason is not shown: it may speak of anything.
var errStdin = &ExitError{Code: ExitFailed, Err: errors.New("standard input could not be read")}

// pointsAway reports whether text names a file or standard input.
func pointsAway(text string) bool { return text == "-" || strings.HasPrefix(text, "@") }

// read reads what text points to. The error is errStdin, or that of ctx.
func (s *sources) read(ctx context.Context, where, text string) ([]byte, fault, error) {
	if name, isFile := strings.CutPrefix(text, "@"); isFile && name != "-" {
		return patiently(ctx, func() ([]byte, fault, error) {
			data, wrong := readFile(name)
			return data, wrong, nil
		})
	}
	if s.reader != "" {
		return nil, fault{"standard input is read by " + s.reader + " already", "name a file as @file"}, nil
	}
	s.reader = where
	return readAll(ctx, s.in)
}

func readFile(name string) ([]byte, fault) {
	if name == "" {
		return nil, fault{"names no file", "write @ and the name of the file"}
	}
	file, err := os.Open(name) //nolint:gosec // naming a file is what the flag is for
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
	if err != nil {
		return nil, unreadable(name, err)
	}
	return data, tooLarge(data)
}

func unreadable(name string, err error) fault {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err // it names the file again
	}
	return fault{what: fmt.Sprintf("names %q, which cannot be read: %v", name, err)}
}

func tooLarge(data []byte) fault {
	if len(data) > maxDocument {
		return fault{what: fmt.Sprintf("is larger than %d MiB", maxDocument>>20)}
	}
	return fault{}
}

// readAll reads standard input.
func readAll(ctx context.Context, in io.Reader) ([]byte, fault, error) {
	return patiently(ctx, func() ([]byte, fault, error) {
		data, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
		if err != nil {
			return nil, fault{}, errStdin
		}
		return data, tooLarge(data), nil
	})
}

// patiently waits for a read. None can be cancelled, nor can opening a pipe that nobody writes to, so when ctx ends it is
// left behind.
func patiently(ctx context.Context, read func() ([]byte, fault, error)) ([]byte, fault, error) {
	type answer struct {
		data  []byte
		wrong fault
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		defer func() {
			if recover() != nil {
				answers <- answer{err: errStdin}
			}
		}()
		data, wrong, err := read()
		answers <- answer{data, wrong, err}
	}()
	select {
	case <-ctx.Done():
		return nil, fault{}, ctx.Err()
	case a := <-answers:
		return a.data, a.wrong, a.err
	}
}

// document reads --input: JSON, @file or -.
func (s *sources) document(ctx context.Context, text string) (json.RawMessage, fault, error) {
	data := []byte(text)
	if pointsAway(text) {
		read, wrong, err := s.read(ctx, "--input", text)
		if err != nil || wrong != (fault{}) {
			return nil, wrong, err
		}
		data = read
	}
	raw, wrong := jsonValue(data)
	return raw, wrong, nil
}

// value makes JSON of the text of one value of a leaf, following what it points to. A secret must point away, so that it
// stands in no list of processes and no shell history.
func (s *sources) value(ctx context.Context, l *leaf, where, text string) (json.RawMessage, fault, error) {
	if l.secret {
		return s.secret(ctx, l, where, text)
	}
	away := l.form == formJSON && pointsAway(text) || l.form == formBytes && strings.HasPrefix(text, "@")
	if !away {
		raw, wrong := l.form.convert(text)
		return raw, wrong, nil
	}
	data, wrong, err := s.read(ctx, where, text)
	if err != nil || wrong != (fault{}) {
		return nil, wrong, err
	}
	if l.form == formBytes {
		return jsonBytes(data), fault{}, nil
	}
	raw, wrong := jsonValue(data)
	return raw, wrong, nil
}

func (s *sources) secret(ctx context.Context, l *leaf, where, text string) (json.RawMessage, fault, error) {
	if !pointsAway(text) {
		return nil, fault{"is a secret, which must not stand on the command line", secretHint(l)}, nil
	}
	data, wrong, err := s.read(ctx, where, text)
	if err != nil || wrong != (fault{}) {
		return nil, wrong, err
	}
	if l.form == formBytes {
		return jsonBytes(data), fault{}, nil
	}
	raw, wrong := l.form.convert(trimLine(string(data)))
	return raw, wrong.withoutValue(), nil
}

func secretHint(l *leaf) string {
	hint := "name a file as @file, or - for standard input"
	if l.env != "" {
		hint += ", or set " + l.env
	}
	return hint
}

// withoutValue drops what a fault repeats of a value.
func (f fault) withoutValue() fault {
	if what, _, found := strings.Cut(f.what, ": "); found {
		f.what = what
	}
	return f
}

// trimLine takes away the one line end that editors and echo put at the end.
func trimLine(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}
