package caphttp

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-369ec62e/cap"
)

// statusClientGone is what logs show for a caller that went away before the answer. Nobody reads it.
const statusClientGone = 499

// ReasonShutdown is the reason of a CANCELLED error where the server ended the call because it shuts down.
const ReasonShutdown = "shutdown"

// failureStatuses are the statuses that a declared failure may have. The others have a meaning of their own for callers,
// proxies or this package.
var failureStatuses = []int{400, 402, 403, 404, 409, 410, 412, 422, 423, 424, 429, 451, 502, 503, 504}

// documentRules are the rules of an input that is no JSON document, or not one that can be read in one way only. They answer
// 400; everything else answers 422.
var documentRules = []string{"syntax", "duplicate", "utf8", "surrogate", "depth", "size"}

// statusOf is the one source of an error's status.
func (s *site) statusOf(failed *cap.Error) int {
	switch failed.Code {
	case cap.CodeCapabilityNotFound:
		return http.StatusNotFound
	case cap.CodeInputInvalid:
		return inputStatus(failed.Issues)
	case cap.CodeUnauthenticated:
		return http.StatusUnauthorized
	case cap.CodeForbidden:
		return http.StatusForbidden
	case cap.CodeConfirmationRequired:
		if isPending(failed) {
			return http.StatusAccepted
		}
		return http.StatusPreconditionRequired
	case cap.CodeConfirmationInvalid:
		return http.StatusPreconditionFailed
	case cap.CodeCapabilityFailed:
		return s.failureStatus(failed.Capability, failed.Tag)
	case cap.CodeCancelled:
		return cancelledStatus(failed)
	default:
		return http.StatusInternalServerError
	}
}

func inputStatus(issues []cap.Issue) int {
	status := http.StatusUnprocessableEntity
	for _, issue := range issues {
		switch {
		case issue.Rule == "size":
			return http.StatusRequestEntityTooLarge
		case slices.Contains(documentRules, issue.Rule), issue.Pointer == "" && issue.Rule == "type":
			status = http.StatusBadRequest
		}
	}
	return status
}

func cancelledStatus(failed *cap.Error) int {
	switch failed.Reason {
	case cap.ReasonTimeout:
		return http.StatusGatewayTimeout
	case ReasonShutdown:
		return http.StatusServiceUnavailable
	default:
		return statusClientGone
	}
}

// failureStatus is what the failure's tag says, or 422.
func (s *site) failureStatus(capability, tag string) int {
	if status := s.failures[failureKey{capability, tag}]; status != 0 {
		return status
	}
	return http.StatusUnprocessableEntity
}

type failureKey struct{ capability, tag string }

// readFailure reads the http tag of a declared failure.
func (b *builder) readFailure(c *cap.Capability, f cap.FailureInfo) {
	text, ok := f.Lookup("http")
	if !ok {
		return
	}
	where := c.ContractType() + ": failure " + f.Tag
	for _, value := range b.each(where, readTag(text), "status") {
		status, err := strconv.Atoi(value)
		if err != nil || !slices.Contains(failureStatuses, status) {
			b.problem(where, "http status "+quote(value)+" is none that a failure may have", "use one of 400, 402-404, 409, 410, 412, 422-424, 429, 451, 502-504")
			continue
		}
		b.failures[failureKey{c.Name(), f.Tag}] = status
	}
}
