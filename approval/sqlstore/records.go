package sqlstore

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-369ec62e/cap/approval"
)

// Get implements [approval.Tx].
func (t *tx) Get(id string) (approval.Record, error) {
	var data string
	err := t.row("SELECT record FROM cap_approval WHERE id = $1", id).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return approval.Record{}, approval.ErrNoRecord
	}
	if err != nil {
		return approval.Record{}, err
	}
	var r approval.Record
	err = json.Unmarshal([]byte(data), &r)
	return r, err
}

// Find implements [approval.Tx].
func (t *tx) Find(query approval.Query) ([]approval.Record, error) {
	conditions, args := conditionsOf(query)
	statement := "SELECT record FROM cap_approval"
	if len(conditions) > 0 {
		statement += " WHERE " + strings.Join(conditions, " AND ")
	}
	statement += " ORDER BY n DESC"
	if query.Limit > 0 {
		statement += fmt.Sprintf(" LIMIT %d", query.Limit)
	}
	return decodeAll[approval.Record](t, statement, args...)
}

// conditionsOf writes a query as SQL. No value of it becomes part of the text.
func conditionsOf(query approval.Query) (conditions []string, args []any) {
	where := func(condition string, arg any) {
		args = append(args, arg)
		conditions = append(conditions, fmt.Sprintf(condition, len(args)))
	}
	among := func(column string, count int, value func(int) string) {
		var marks []string
		for i := range count {
			args = append(args, value(i))
			marks = append(marks, fmt.Sprintf("$%d", len(args)))
		}
		if count > 0 {
			conditions = append(conditions, column+" IN ("+strings.Join(marks, ", ")+")")
		}
	}
	among("state", len(query.States), func(i int) string { return string(query.States[i]) })
	among("audience", len(query.Audiences), func(i int) string { return query.Audiences[i] })
	if query.Binding != "" {
		where("binding = $%d", query.Binding)
	}
	if query.Requester != "" {
		where("requester = $%d", query.Requester)
	}
	if query.Tenant != "" {
		where("tenant = $%d", query.Tenant)
	}
	if !query.Due.IsZero() {
		where("expires <= $%d", query.Due.UnixMicro())
	}
	return conditions, args
}

// decodeAll reads every row of a statement that selects one column of JSON.
func decodeAll[T any](t *tx, statement string, args ...any) ([]T, error) {
	rows, err := t.tx.QueryContext(t.ctx, t.bound(statement), args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		var data string
		if err := rows.Scan(&data); err != nil {
			return nil, err
		}
		var one T
		if err := json.Unmarshal([]byte(data), &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Put implements [approval.Tx].
func (t *tx) Put(r approval.Record) error {
	before := r.Version
	r.Version++
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	requester := r.Action.Requester
	if before == 0 {
		return t.write(approval.ErrConflict, `INSERT INTO cap_approval (id, version, state, audience, binding, requester, tenant, expires, record)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
			r.ID, r.Version, string(r.State), r.Audience, r.Binding, requester.ID, requester.Tenant, r.Expires.UnixMicro(), string(data))
	}
	return t.write(approval.ErrConflict, `UPDATE cap_approval SET version = $1, state = $2, audience = $3, binding = $4, requester = $5,
		tenant = $6, expires = $7, record = $8 WHERE id = $9 AND version = $10`,
		r.Version, string(r.State), r.Audience, r.Binding, requester.ID, requester.Tenant, r.Expires.UnixMicro(), string(data), r.ID, before)
}

// Approvers implements [approval.Tx].
func (t *tx) Approvers() ([]approval.Approver, error) {
	return decodeAll[approval.Approver](t, "SELECT approver FROM cap_approver ORDER BY id")
}

// PutApprover implements [approval.Tx].
func (t *tx) PutApprover(a approval.Approver) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return t.write(approval.ErrConflict, `INSERT INTO cap_approver (id, approver) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET approver = excluded.approver`, a.ID, string(data))
}

// Log implements [approval.Tx].
func (t *tx) Log(after int64, limit int) ([]approval.Entry, error) {
	return decodeAll[approval.Entry](t, "SELECT entry FROM cap_audit WHERE seq > $1 ORDER BY seq LIMIT $2", after, max(limit, 0))
}

// Head implements [approval.Tx].
func (t *tx) Head() (approval.Entry, error) {
	entries, err := decodeAll[approval.Entry](t, "SELECT entry FROM cap_audit ORDER BY seq DESC LIMIT 1")
	if err != nil || len(entries) == 0 {
		return approval.Entry{}, err
	}
	return entries[0], nil
}

// Append implements [approval.Tx].
func (t *tx) Append(e approval.Entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return t.write(approval.ErrConflict, "INSERT INTO cap_audit (seq, entry) VALUES ($1, $2) ON CONFLICT DO NOTHING", e.Seq, string(data))
}
