// Command pulls reads pull requests and posts comments on them: the sample of the TypeScript system that this framework
// began from, in Go. A comment is posted only after a person has agreed to its words.
//
//	go run ./examples/pulls get-pull-request shop 7
//	go run ./examples/pulls post-comment shop 7 --body "Looks good."
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"sync"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/app"
	"github.com/seed-369ec62e/cap/approval"
)

// GetPullRequestInput is the contract of get_pull_request: without the suffix, its name would lose the word Request.
type GetPullRequestInput struct {
	cap.Read[PullRequest] `cap:"Read one pull request; title=Get pull request; access=public" http:"GET /repositories/{repository}/pulls/{number}"`

	_ cap.Fails[PullRequestNotFound]

	Repository string `json:"repository" cap:"Name of the repository; example=shop"   cli:"arg" validate:"required"`
	Number     int    `json:"number"     cap:"Number of the pull request; example=7" cli:"arg" validate:"min=1,max=1000000"`
}

// PostComment is the contract of post_comment.
type PostComment struct {
	cap.Write[Comment] `cap:"Comment on a pull request; title=Post comment; access=authenticated; irreversible; openworld" http:"POST /repositories/{repository}/pulls/{number}/comments"`

	_ cap.Fails[PullRequestNotFound]
	_ cap.Fails[ConversationLocked]

	Repository string `json:"repository" cap:"Name of the repository; example=shop"   cli:"arg" validate:"required"`
	Number     int    `json:"number"     cap:"Number of the pull request; example=7" cli:"arg" validate:"min=1,max=1000000"`
	Body       string `json:"body"       cap:"What to say; example=Looks good."       validate:"required,max=4000"`
}

// Describe implements [cap.Describer]: a person agrees to this comment on this pull request.
func (in PostComment) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "comment_on", Target: refOf(in.Repository, in.Number)}
}

// PullRequest is the output of [GetPullRequestInput].
type PullRequest struct {
	Pull   cap.ObjectRef `json:"pull"   cap:"The pull request; cite"`
	Title  string        `json:"title"  cap:"What it is called"`
	Author string        `json:"author" cap:"Who wrote it"`
	State  string        `json:"state"  cap:"Where it stands" validate:"oneof=open merged closed"`
	Locked bool          `json:"locked" cap:"Whether nobody may comment"`
}

// Comment is the output of [PostComment].
type Comment struct {
	Pull   cap.ObjectRef `json:"pull"   cap:"The pull request; cite"`
	Number int           `json:"number" cap:"Number of the comment" validate:"min=1,max=1000000"`
	Author string        `json:"author" cap:"Who is named as its author"`
}

// PullRequestNotFound says that there is no such pull request.
type PullRequestNotFound struct {
	_          cap.Failure `cap:"No pull request has this number; fix=Look the number up in the repository." http:"status=404"`
	Repository string      `json:"repository"`
	Number     int         `json:"number"`
}

func (f PullRequestNotFound) Error() string {
	return fmt.Sprintf("There is no pull request %d in %s.", f.Number, f.Repository)
}

// ConversationLocked says that nobody may comment.
type ConversationLocked struct {
	_ cap.Failure `cap:"The conversation is locked; fix=Ask a maintainer to unlock it." http:"status=409"`
}

func (ConversationLocked) Error() string { return "The conversation is locked." }

// Pulls is the service. It is safe for concurrent use.
type Pulls struct {
	mu       sync.Mutex
	pulls    map[cap.ObjectRef]PullRequest
	comments []PostComment
}

// NewPulls returns a service with two pull requests.
func NewPulls() *Pulls {
	open := PullRequest{Pull: refOf("shop", 7), Title: "Count the change", Author: "ana", State: "open"}
	locked := PullRequest{Pull: refOf("shop", 8), Title: "Rename everything", Author: "ben", State: "closed", Locked: true}
	return &Pulls{pulls: map[cap.ObjectRef]PullRequest{open.Pull: open, locked.Pull: locked}}
}

// GetPullRequest handles [GetPullRequestInput].
func (p *Pulls) GetPullRequest(_ context.Context, in GetPullRequestInput) (PullRequest, error) {
	pull, found := p.pulls[refOf(in.Repository, in.Number)]
	if !found {
		return PullRequest{}, PullRequestNotFound{Repository: in.Repository, Number: in.Number}
	}
	return pull, nil
}

// PostComment handles [PostComment].
func (p *Pulls) PostComment(ctx context.Context, in PostComment) (Comment, error) {
	pull, err := p.GetPullRequest(ctx, GetPullRequestInput{Repository: in.Repository, Number: in.Number})
	if err != nil {
		return Comment{}, err
	}
	if pull.Locked {
		return Comment{}, ConversationLocked{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.comments = append(p.comments, in)
	return Comment{Pull: pull.Pull, Number: len(p.comments), Author: cap.CallFrom(ctx).Principal.ID}, nil
}

func refOf(repository string, number int) cap.ObjectRef {
	return cap.ObjectRef{Product: "git", Kind: "pull_request", ID: fmt.Sprintf("%s#%d", repository, number)}
}

func newRegistry(pulls *Pulls, gate cap.Gate) (*cap.Registry, error) {
	registry := cap.New(cap.Options{Name: "pulls", Version: "1.0.0", Gate: gate})
	return registry, registry.Register(pulls)
}

// docs:main
func main() {
	gate, err := approval.New(approval.Memory(), approval.Options{Audience: "pulls"})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := newRegistry(NewPulls(), gate)
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(app.Main(registry, app.Options{Summary: "Pull requests, and comments on them"}))
}

// docs:end
