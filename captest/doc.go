// Package captest helps to test capabilities: it calls them in process as a principal, requires a failure by its type, holds
// the contracts against their lock file, and runs the same calls over every front to see that all of them tell their
// callers the same.
//
//	order := captest.Call(t, registry, captest.Person("ana", "orders.read"), GetOrder{Order: "SO-1042"})
//
//	_, err := captest.Try(t, registry, nil, GetOrder{Order: "SO-9"})
//	notFound := captest.RequireFailure[OrderNotFound](t, err)
//
//	captest.Locked(t, registry, "contracts.lock.json")
//
// [Parity] imports no adapter: the fronts are handed in.
package captest
