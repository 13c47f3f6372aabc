package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/go-playground/validator/v10"

	"github.com/seed-369ec62e/cap/benchmarks/job"
)

// hand is what one writes without a framework: encoding/json, validator, a call.
type hand struct{ validate *validator.Validate }

func newHandler() hand {
	return hand{validator.New(validator.WithRequiredStructEnabled())}
}

func newHand() (Caller, error) { return newHandler(), nil }

func (h hand) Call(body []byte) ([]byte, error) {
	in, err := h.read(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return json.Marshal(job.Add(in))
}

func (h hand) Close() {}

// read decodes and judges. A body that is refused is refused with every fault that validator finds.
func (h hand) read(body io.Reader) (*job.Order, error) {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	in := new(job.Order)
	if err := decoder.Decode(in); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the value")
	}
	if err := h.validate.Struct(in); err != nil {
		return nil, errors.Join(ErrRefused, err)
	}
	return in, nil
}

// handHTTP is the same behind net/http.
func handHTTP() (http.Handler, error) {
	h := newHandler()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		in, err := h.read(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		answer, err := json.Marshal(job.Add(in))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
	return mux, nil
}

const maxBody = 1 << 20
