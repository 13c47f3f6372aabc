// Package contracts keeps the contracts of a registry under version control: a lock file says what callers were promised,
// and a check classifies every difference between it and the registry as compatible or breaking, with the reason.
//
//	lock := contracts.Of(registry)
//	os.WriteFile("contracts.lock.json", lock.Bytes(), 0o644)
//
//	lock, err := contracts.Parse(data)
//	for _, change := range contracts.Check(lock, registry) {
//		fmt.Println(change)
//	}
//
// The lock holds what callers can know of a capability: name, effect, access, scopes, timeout, schemas, failures, and the
// tags that adapters read. It holds nothing of handlers. Its bytes are the same in every run, so that it can be committed and
// its diff be read.
//
// A difference that this package does not understand is breaking: it never takes a change for harmless that it cannot
// judge. The rules and their reasons are in docs/contracts.md.
package contracts
