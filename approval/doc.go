// Package approval is the gate of a registry: it keeps what people agreed to, and lets each action run at most once.
//
//	gate, err := approval.New(approval.Memory(), approval.Options{})
//	registry := cap.New(cap.Options{Gate: gate})
//
// # What holds
//
// An approval is for one exact action: capability, contract, input, preconditions, what was shown, requester and tenant. It
// is taken, in one transaction with its audit entry, before the handler runs. A crash after that leaves an approval that
// is started, later unknown, and never one that can be used again.
//
// Nobody decides by a field of a request. A [cap.Decision] names an approver that an authenticator found; an agent, or
// anybody who acts for somebody else, is refused. A Host action needs an approver of the gate's directory who is neither
// the requester nor the one whom the requester acts for. A Write may also be agreed to by the requesting person: through
// [Gate.Decide], or by sending back the challenge that came with the refusal.
//
// # States
//
//	pending  -> approved, denied, expired, cancelled
//	approved -> started, expired, cancelled
//	started  -> succeeded, failed, unknown
//	unknown  -> succeeded, failed
//
// Denied, expired, cancelled, succeeded and failed are final. A call that names a finished approval gets the stored answer.
//
// # What is stored
//
// A record holds the action with its arguments, secrets masked, the decisions, and the outcome: output or failure, unless its
// type has fields that are tagged secret. Of an input that holds secrets there is an HMAC under the key of the gate. The
// log holds names and digests only, and what approvers gave as their reasons.
//
// # What does not hold
//
// The store, its clock and the process are trusted: whoever writes to the database can approve anything, though
// [Gate.Verify] finds out. Preconditions are read just before an action begins, so what changes while the handler runs is
// the handler's business. Memory forgets when the process ends; SQLite and PostgreSQL live in approval/sqlstore.
package approval
