package contracts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-369ec62e/cap"
	"github.com/seed-369ec62e/cap/contracts"
)

// The lock file is the same in every run and for every order of registration, and comes back as it was written.
func TestLockFile(t *testing.T) {
	t.Parallel()
	lock := contracts.Of(before(t))
	golden(t, "testdata/contracts.lock.json", string(lock.Bytes()))
	shuffled := contracts.Of(registryOf(t, f[SendOrder](), f[DropOrder](), f[GetOrder](), f[ListOrders](), f[CancelOrder]()))
	assert.Equal(t, string(lock.Bytes()), string(shuffled.Bytes()))

	again, err := contracts.Parse(lock.Bytes())
	require.NoError(t, err)
	assert.Equal(t, lock, again)
	assert.Empty(t, contracts.Check(again, before(t)))
	assert.Equal(t, "The contracts are as locked.\n", contracts.Text(nil))
}

// A client locks what it knows without a handler, and gets the same.
func TestLockOfContracts(t *testing.T) {
	t.Parallel()
	get, err := cap.ContractOf[GetOrder]()
	require.NoError(t, err)
	list, err := cap.ContractOf[ListOrders]()
	require.NoError(t, err)
	assert.Equal(t, contracts.Of(registryOf(t, f[GetOrder](), f[ListOrders]())), contracts.OfContracts(list, get))
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	good := string(contracts.Of(registryOf(t, f[ListOrders](), f[SendOrder]())).Bytes())
	entries := strings.SplitAfter(good, "\"digest\"")
	require.Len(t, entries, 3)
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "the lock cannot be read: EOF"},
		{"no JSON", "<", "the lock cannot be read: invalid character '<'"},
		{"another version", strings.Replace(good, `"lockVersion": 1`, `"lockVersion": 2`, 1), "the lock has version 2, this program reads 1"},
		{"an unknown member", strings.Replace(good, `"lockVersion": 1`, `"lockVersion": 1, "x": 1`, 1), "unknown field"},
		{"more than a lock", good + "{}", "something follows the lock"},
		{"an edited access", strings.Replace(good, `"authenticated"`, `"public"`, 1), `the digest of "list_orders" does not fit`},
		{"an edited schema", strings.Replace(good, `"maximum": 100`, `"maximum": 10`, 1), `the digest of "list_orders" does not fit`},
		{"an edited digest", strings.Replace(good, `"sha256:`, `"sha256:0`, 1), `the digest of "list_orders" does not fit`},
		{"a name in another case", strings.Replace(good, `"effect"`, `"Effect"`, 1), "the lock is not as it was written"},
		{"a name twice", strings.Replace(good, `"effect"`, `"effect": "host", "effect"`, 1), "the lock is not as it was written"},
		{"all of it twice", strings.Replace(good, `"capabilities"`, `"capabilities": [], "capabilities"`, 1), "the lock is not as it was written"},
		{"other blanks", strings.Replace(good, "  ", "\t", 1), "the lock is not as it was written"},
		{"no schema", `{"lockVersion":1,"capabilities":[{"name":"a"}]}`, `a schema of "a" is missing`},
	} {
		_, err := contracts.Parse([]byte(tt.text))
		require.ErrorContains(t, err, tt.want, tt.name)
	}
	_, err := contracts.Parse([]byte(strings.ReplaceAll(good, "\n", "\r\n")))
	require.NoError(t, err, "line ends of another system")
	var lock contracts.Lock
	require.NoError(t, json.Unmarshal([]byte(good), &lock))
	lock.Capabilities[0], lock.Capabilities[1] = lock.Capabilities[1], lock.Capabilities[0]
	_, err = contracts.Parse(lock.Bytes())
	require.ErrorContains(t, err, `twice or out of order`)
	lock.Capabilities[1] = lock.Capabilities[0]
	_, err = contracts.Parse(lock.Bytes())
	require.ErrorContains(t, err, `twice or out of order`)
}

// What a caller does to a lock changes nothing of the registry.
func TestLockIsACopy(t *testing.T) {
	t.Parallel()
	registry := before(t)
	want := string(contracts.Of(registry).Bytes())
	lock := contracts.Of(registry)
	clear(lock.Capabilities[0].Input)
	clear(lock.Capabilities[0].Scopes)
	assert.Equal(t, want, string(contracts.Of(registry).Bytes()))
}

// Every sentence about a capability stands in the golden file, for the change and for the change back.
func TestCheckSentences(t *testing.T) {
	t.Parallel()
	there := contracts.Check(contracts.Of(before(t)), after(t))
	back := contracts.Check(contracts.Of(after(t)), before(t))
	golden(t, "testdata/changes.txtar", "-- there --\n"+contracts.Text(there)+"-- and back --\n"+contracts.Text(back))
	assert.True(t, contracts.IsBreaking(there))
	assert.False(t, contracts.IsBreaking(contracts.Check(contracts.Of(registryOf(t, f[ListOrders]())), before(t))), "more capabilities break nobody")
	data, err := json.Marshal(there[0])
	require.NoError(t, err)
	assert.JSONEq(t, `{"class":"breaking","capability":"cancel_order","what":"was reversible, is irreversible","why":"callers that count on undoing it cannot"}`, string(data))
}

// A library under another name is another contract; its own name is free.
func TestLockOfAComposition(t *testing.T) {
	t.Parallel()
	lib := cap.NewLibrary("acme/orders", "1.4.0", f[ListOrders](), f[GetOrder]())
	registry, err := cap.Compose(cap.Options{}, lib.Select("list_orders").Rename("list_orders", "orders"))
	require.NoError(t, err)
	changes := contracts.Check(contracts.Of(registryOf(t, f[ListOrders]())), registry)
	assert.Equal(t, "breaking: list_orders: is gone (callers get CAPABILITY_NOT_FOUND)\ncompatible: orders: is new (nobody calls it yet)\n", contracts.Text(changes))
}

// FuzzParse holds that no file makes Parse panic, and that what it takes is what Bytes writes.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"lockVersion":1,"capabilities":[]}`))
	f.Add([]byte(`{"lockVersion":1,"capabilities":[{"name":"a","input":{},"output":{}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := contracts.Parse(data)
		if err != nil {
			return
		}
		again, err := contracts.Parse(lock.Bytes())
		require.NoError(t, err)
		assert.Equal(t, lock.Bytes(), again.Bytes())
	})
}

// FuzzCompare holds that no two schemas make the comparison panic or hang, that equal ones do not differ, and that
// different ones do.
func FuzzCompare(f *testing.F) {
	for _, p := range pairs() {
		f.Add(p.before, p.after)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if !json.Valid([]byte(before)) || !json.Valid([]byte(after)) {
			return
		}
		changes := contracts.Compare(lockOf(before, before), lockOf(after, after))
		assert.Equal(t, before == after, len(changes) == 0)
		for _, c := range changes {
			assert.NotEmpty(t, c.What)
			assert.NotEmpty(t, c.Why)
		}
	})
}
