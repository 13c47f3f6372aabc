package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/approval"
)

// CloseAccount is a Host action: somebody else than the requester approves it.
type CloseAccount struct {
	cap.Host[cap.None] `cap:"Close an account; access=authenticated; irreversible"`

	Account string `json:"account" cap:"Which account"`
	Notice  int    `json:"notice" cap:"Days of notice; default=30"`
}

func (in CloseAccount) Describe() cap.PendingAction {
	return cap.PendingAction{Verb: "close", Target: cap.ObjectRef{Product: "bank", Kind: "account", ID: in.Account}}
}

type Accounts struct{}

func (Accounts) CloseAccount(_ context.Context, in CloseAccount) (cap.None, error) {
	fmt.Println("closed", in.Account)
	return cap.None{}, nil
}

func ExampleNew() {
	ctx := context.Background()
	gate, err := approval.New(approval.Memory(), approval.Options{})
	if err != nil {
		panic(err)
	}
	registry := cap.New(cap.Options{Gate: gate})
	if err := registry.Register(Accounts{}); err != nil {
		panic(err)
	}
	// The operator names an approver, who gets a token.
	token, err := gate.AddApprover(ctx, cap.Principal{ID: "eva", Kind: cap.KindHuman}, "")
	if err != nil {
		panic(err)
	}

	// An agent asks. Nothing runs.
	agent := &cap.Principal{ID: "assistant", Kind: cap.KindAgent, OnBehalfOf: "ana"}
	args := json.RawMessage(`{"account":"A-7"}`)
	_, err = registry.Invoke(ctx, "close_account", args, cap.CallOptions{Principal: agent, Reason: "unused"})
	var asked *cap.Error
	if !errors.As(err, &asked) {
		panic(err)
	}
	fmt.Println(asked.Code)
	// The text ends in a code, by which the two can compare what they see.
	text, _, _ := strings.Cut(asked.Confirmation.Action.Text(), "Code: ")
	fmt.Print(text)

	// The approver signs in, and decides.
	eva, err := gate.Authenticate(ctx, token)
	if err != nil {
		panic(err)
	}
	decision := cap.Decision{Verdict: cap.VerdictApprove, Approver: *eva, Method: "example"}
	if _, err := gate.Decide(ctx, asked.Confirmation.Approval, decision); err != nil {
		panic(err)
	}

	// The agent repeats its call, which runs once.
	for range 2 {
		given := cap.Confirmation{Approval: asked.Confirmation.Approval}
		result, err := registry.Invoke(ctx, "close_account", args, cap.CallOptions{Principal: agent, Confirmation: given})
		if err != nil {
			panic(err)
		}
		fmt.Println("replayed:", result.Replayed)
	}
	// Output:
	// CONFIRMATION_REQUIRED
	// close_account: host, IRREVERSIBLE
	// Action: close account "A-7" of bank
	// Arguments:
	//   account: "A-7"
	//   notice (default): 30
	// Asked by: "assistant" (agent) for "ana"
	// Via: direct
	// Reason given by the caller, not checked: "unused"
	// closed A-7
	// replayed: false
	// replayed: true
}
