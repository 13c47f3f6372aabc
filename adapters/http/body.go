package caphttp

import (
	"errors"
	"io"
	"iter"
	"math"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readAhead bounds what is set aside for a body on the word of its Content-Length alone.
const readAhead = 64 << 10

// trusted is how many times what has come may be set aside for what is to come.
const trusted = 8

// readJSON reads a JSON body, after its headers say that it is one that we take.
func (s *site) readJSON(x *exchange) ([]byte, error) {
	if err := checkContentType(x.r.Header); err != nil {
		return nil, err
	}
	if err := checkAccept(x.r.Header, typeJSON); err != nil {
		return nil, err
	}
	return s.readBody(x)
}

// readBody reads at most one byte more than the limit, so that a body of exactly the limit passes.
func (s *site) readBody(x *exchange) ([]byte, error) {
	limit := min(s.bodyLimit(x.called), math.MaxInt64-1) // there is room for one byte more
	if x.r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Now().Add(s.options.ReadTimeout)) // a writer that cannot is a test's
	body, err := readAll(io.LimitReader(x.r.Body, limit+1), int(max(x.r.ContentLength, 0)))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &fault{status: http.StatusRequestTimeout, code: CodeRequestTimeout, message: "The body did not arrive in time."}
	case err != nil:
		return nil, badRequest("The body could not be read to its end.")
	case int64(len(body)) > limit:
		return nil, tooLarge(limit)
	}
	// The deadline must not end the call, nor the next request on this connection.
	_ = control.SetReadDeadline(time.Time{})
	x.consumed = true
	return body, nil
}

// readAll reads r to its end, which is expected after so many bytes: at first that is taken on trust as far as readAhead, and
// then as far as what has come makes it likely.
func readAll(r io.Reader, expected int) ([]byte, error) {
	body := make([]byte, 0, min(expected, readAhead)+1) // one more, for the read that finds the end
	for {
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return body, err
		case len(body) == cap(body):
			more := len(body)
			if left := expected + 1 - len(body); left > 0 && left < trusted*len(body) {
				more = left
			}
			body = slices.Grow(body, more)
		}
	}
}

func tooLarge(limit int64) *fault {
	return &fault{
		status: http.StatusRequestEntityTooLarge, code: CodePayloadTooLarge,
		message: "The body is larger than " + strconv.FormatInt(limit, 10) + " bytes.",
	}
}

// checkContentType wants exactly one Content-Type, which must be JSON: a request without one could come from any page in a
// browser, with the cookies of whoever looks at it.
func checkContentType(header http.Header) error {
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return unsupported("The body must not be compressed.").with("Accept-Encoding", "identity")
	}
	values := header.Values("Content-Type")
	if len(values) != 1 {
		return unsupported("The Content-Type must be application/json, and be there once.")
	}
	mediaType, parameters, err := parseMedia(values[0])
	if err != nil || mediaType != typeJSON {
		return unsupported("The Content-Type must be application/json.")
	}
	if charset, ok := parameters["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return unsupported("The charset must be UTF-8.")
	}
	return nil
}

// parseMedia reads a media type, at once if it is the one that nearly all requests name.
func parseMedia(text string) (mediaType string, parameters map[string]string, err error) {
	if text == typeJSON {
		return text, nil, nil
	}
	return mime.ParseMediaType(text)
}

// checkAccept reports whether the caller takes one of the types that can be sent.
func checkAccept(header http.Header, types ...string) error {
	for _, t := range types {
		if accepts(header, t) {
			return nil
		}
	}
	return &fault{
		status: http.StatusNotAcceptable, code: CodeNotAcceptable,
		message: "The answer can be " + strings.Join(types, " or ") + " only.",
	}
}

// accepts reports whether the Accept headers let mediaType through: the most specific range that fits it decides
// (RFC 9110 section 12.5.1).
func accepts(header http.Header, mediaType string) bool {
	values := header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	main, _, _ := strings.Cut(mediaType, "/")
	best, taken := 0, false
	for mediaRange, parameters := range mediaRanges(values) {
		specific := 0
		switch mediaRange {
		case mediaType:
			specific = 3
		case main + "/*":
			specific = 2
		case "*/*":
			specific = 1
		}
		if specific > best {
			best, taken = specific, !isZeroQuality(parameters["q"])
		}
	}
	return taken
}

// mediaRanges yields the ranges of Accept headers with their parameters. What is none is left out.
func mediaRanges(values []string) iter.Seq2[string, map[string]string] {
	return func(yield func(string, map[string]string) bool) {
		for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
			mediaRange, parameters, err := parseMedia(strings.TrimSpace(item))
			if err == nil && !yield(mediaRange, parameters) {
				return
			}
		}
	}
}

func isZeroQuality(q string) bool {
	value, err := strconv.ParseFloat(q, 64)
	return err == nil && value <= 0
}
