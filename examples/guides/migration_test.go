package guides

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	caphttp "github.com/seed-369ec62e/cap/adapters/http"
)

// Rooms is the service of this guide.
type Rooms struct{}

// docs:before
// bookRoom is the handler as it was: decoding, checks and errors by hand, and described once more in openapi.yaml.
func (s *Rooms) bookRoom(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Room   string `json:"room"`
		People int    `json:"people"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	if in.Room == "" || in.People < 1 || in.People > 20 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	booking, err := s.book(r.Context(), in.Room, in.People)
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(booking)
}

// docs:end

// docs:after
// BookRoom says the same, and more, for every front.
type BookRoom struct {
	cap.Write[Booking] `cap:"Book a room; title=Book room; access=public; reversible" http:"POST /bookings"`

	_ cap.Fails[RoomTaken]

	Room   string `json:"room"   cap:"Which room; example=Oak"      validate:"required"`
	People int    `json:"people" cap:"How many will come; example=4" validate:"min=1,max=20"`
}

// Describe says what a person agrees to.
func (in BookRoom) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "book", Target: cap.ObjectRef{Product: "rooms", Kind: "room", ID: in.Room}}
}

// RoomTaken was the text of a 409.
type RoomTaken struct {
	_    cap.Failure `cap:"Somebody else has the room; fix=Choose another room." http:"status=409"`
	Room string      `json:"room"`
}

func (f RoomTaken) Error() string { return f.Room + " is taken." }

// BookRoom is what is left of the handler.
func (s *Rooms) BookRoom(ctx context.Context, in BookRoom) (Booking, error) {
	return s.book(ctx, in.Room, in.People)
}

// docs:end

// Booking is what both return.
type Booking struct {
	Room   string `json:"room" cap:"Which room"`
	People int    `json:"people" cap:"How many will come" validate:"min=0,max=20"`
}

func (s *Rooms) book(_ context.Context, room string, people int) (Booking, error) {
	if room == "Elm" {
		return Booking{}, RoomTaken{Room: room}
	}
	return Booking{Room: room, People: people}, nil
}

// docs:both
// bothWays serves the old path beside the new ones, until nobody calls it any more.
func bothWays(rooms *Rooms, registry *cap.Registry) (http.Handler, error) {
	api, err := caphttp.New(registry, caphttp.Options{})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/book", rooms.bookRoom)
	mux.Handle("/", api)
	return mux, nil
}

// docs:end

func TestMigration(t *testing.T) {
	t.Parallel()
	rooms := new(Rooms)
	registry := cap.New(cap.Options{Gate: newGate(t)})
	require.NoError(t, registry.Register(rooms))
	handler, err := bothWays(rooms, registry)
	require.NoError(t, err)
	post := func(path, body string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	status, _ := post("/v1/book", `{"room":"Oak","people":3,"peopel":4}`)
	assert.Equal(t, http.StatusOK, status, "the old path takes what it does not know")
	status, body := post("/bookings", `{"room":"Oak","people":3,"peopel":4}`)
	assert.Equal(t, http.StatusUnprocessableEntity, status)
	assert.Contains(t, body, `did you mean \"people\"?`)
	status, _ = post("/bookings", `{"room":"Oak","people":3}`)
	assert.Equal(t, http.StatusPreconditionRequired, status)
}
