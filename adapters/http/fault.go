package caphttp

import (
	"net/http"

	"github.com/seed-369ec62e/cap"
)

// Codes of what goes wrong before a call begins. They stand beside the codes of package cap.
const (
	CodeNotFound             cap.Code = "NOT_FOUND"
	CodeMethodNotAllowed     cap.Code = "METHOD_NOT_ALLOWED"
	CodeBadRequest           cap.Code = "BAD_REQUEST"
	CodeNotAcceptable        cap.Code = "NOT_ACCEPTABLE"
	CodeRequestTimeout       cap.Code = "REQUEST_TIMEOUT"
	CodePayloadTooLarge      cap.Code = "PAYLOAD_TOO_LARGE"
	CodeUnsupportedMediaType cap.Code = "UNSUPPORTED_MEDIA_TYPE"
	CodePreconditionRequired cap.Code = "PRECONDITION_REQUIRED"
	CodeUnavailable          cap.Code = "UNAVAILABLE"
)

// fault is an error of the transport: what the caller is told, and with which headers.
type fault struct {
	status  int
	code    cap.Code
	message string
	issues  []ProblemIssue
	header  http.Header
}

func (f *fault) Error() string { return string(f.code) + ": " + f.message }

// with adds a header.
func (f *fault) with(name, value string) *fault {
	if f.header == nil {
		f.header = make(http.Header)
	}
	f.header.Add(name, value)
	return f
}

func notFound() *fault {
	return &fault{status: http.StatusNotFound, code: CodeNotFound, message: "Nothing is served at this path."}
}

func badRequest(message string) *fault {
	return &fault{status: http.StatusBadRequest, code: CodeBadRequest, message: message}
}

func unsupported(message string) *fault {
	return (&fault{status: http.StatusUnsupportedMediaType, code: CodeUnsupportedMediaType, message: message}).with("Accept", typeJSON)
}
