package main

import (
	"fmt"
	"os"
)

func run(s settings) error {
	r, err := collectAll(s)
	if err != nil {
		return err
	}
	text := r.markdown()
	if s.out == "-" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(s.out, []byte(text), 0o644)
}

// progress says what is being done: a whole run takes a while.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
