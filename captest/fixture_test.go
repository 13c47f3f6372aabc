package captest_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
)

// Desk is a service with a capability for each way in which a call can end. It counts what its handlers were asked.
type Desk struct {
	mu    sync.Mutex
	calls map[string]int
	// begun is told when WaitForYou runs.
	begun chan struct{}
}

func newDesk(begun chan struct{}) *Desk { return &Desk{calls: make(map[string]int), begun: begun} }

func (d *Desk) count(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[name]++
}

type Book struct {
	ID    cap.ObjectRef `json:"id" cap:"The book; cite"`
	Title string        `json:"title" cap:"Its title" validate:"max=20"`
	Pages int64         `json:"pages" cap:"How many"`
}

type FindBook struct {
	cap.Read[Book] `cap:"Find a book; title=Find; access=public; idempotent"`

	_ cap.Fails[BookNotFound]

	Number string `json:"number" cap:"Its number; example=B-1" validate:"required,startswith=B-"`
	Copies int    `json:"copies" cap:"How many; default=1" validate:"min=1"`
}

type BookNotFound struct {
	_      cap.Failure `cap:"No book has this number; retry=1m; fix=Look into the catalogue."`
	Number string      `json:"number"`
}

func (f BookNotFound) Error() string { return "There is no book " + f.Number + "." }

func (d *Desk) FindBook(_ context.Context, in FindBook) (Book, error) {
	d.count("FindBook")
	switch in.Number {
	case "B-0":
		return Book{}, BookNotFound{Number: in.Number}
	case "B-long":
		return Book{Title: "a title that is far too long"}, nil
	case "B-defect":
		return Book{}, errors.New("secret-canary: the shelf fell over")
	case "B-panic":
		panic("secret-canary")
	}
	return Book{ID: cap.ObjectRef{Product: "library", Kind: "book", ID: in.Number}, Title: "Go & <more>", Pages: 9007199254740993}, nil
}

type MyBooks struct {
	cap.Read[[]string] `cap:"The books that I have; access=authenticated; scope=books"`
}

func (d *Desk) MyBooks(ctx context.Context, _ MyBooks) ([]string, error) {
	d.count("MyBooks")
	return []string{cap.CallFrom(ctx).Principal.ID + "'s book"}, nil
}

type OpenShelf struct {
	cap.Read[cap.None] `cap:"Open the shelf of a reader; access=rule"`

	Reader string `json:"reader" cap:"Whose shelf"`
}

func (d *Desk) OpenShelf(context.Context, OpenShelf) (cap.None, error) {
	d.count("OpenShelf")
	return cap.None{}, nil
}

func (d *Desk) AllowOpenShelf(ctx context.Context, in OpenShelf) (bool, error) {
	p := cap.CallFrom(ctx).Principal
	return p != nil && p.ID == in.Reader, nil
}

type WaitForYou struct {
	cap.Read[cap.None] `cap:"Wait until the caller goes; access=public"`
}

func (d *Desk) WaitForYou(ctx context.Context, _ WaitForYou) (cap.None, error) {
	d.count("WaitForYou")
	d.begun <- struct{}{}
	<-ctx.Done()
	return cap.None{}, ctx.Err()
}

type ReadSlowly struct {
	cap.Read[cap.None] `cap:"Read until the time is up; access=public; timeout=20ms"`
}

func (d *Desk) ReadSlowly(ctx context.Context, _ ReadSlowly) (cap.None, error) {
	d.count("ReadSlowly")
	<-ctx.Done()
	return cap.None{}, ctx.Err()
}

type LendBook struct {
	cap.Write[Book] `cap:"Lend a book; access=authenticated; reversible"`

	_ cap.Fails[BookNotFound]

	Number string `json:"number" cap:"Its number"`
}

func (in LendBook) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "lend", Target: cap.ObjectRef{Product: "library", Kind: "book", ID: in.Number}}
}

func (d *Desk) LendBook(_ context.Context, in LendBook) (Book, error) {
	d.count("LendBook")
	if in.Number == "B-0" {
		return Book{}, BookNotFound{Number: in.Number}
	}
	return Book{ID: cap.ObjectRef{Product: "library", Kind: "book", ID: in.Number}, Title: "Lent"}, nil
}

type BurnBook struct {
	cap.Host[cap.None] `cap:"Burn a book; access=authenticated; irreversible; destructive"`

	Number string `json:"number" cap:"Its number"`
}

func (in BurnBook) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "burn", Target: cap.ObjectRef{Product: "library", Kind: "book", ID: in.Number}}
}

func (d *Desk) BurnBook(context.Context, BurnBook) (cap.None, error) {
	d.count("BurnBook")
	return cap.None{}, nil
}

// newGate is the real gate, whose approver may be anybody.
func newGate(t testing.TB) cap.Gate {
	t.Helper()
	gate, err := approval.New(approval.Memory(), approval.Options{
		MayDecide: func(context.Context, cap.Principal, cap.Action) (bool, error) { return true, nil },
	})
	require.NoError(t, err)
	return gate
}
