package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/seed-369ec62e/cap/approval"
)

//go:embed schema.sql
var schema string

// Store keeps the orders in one SQLite file. The file is opened, and made and filled when it is missing, at the first
// call. It is safe for concurrent use once Path is set.
type Store struct {
	Path string

	mu sync.Mutex
	db *sql.DB

	approvals *approval.Lazy // nil where nobody asks for any
}

// open returns the database.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	location := url.URL{Scheme: "file", Opaque: url.PathEscape(s.Path), RawQuery: url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "foreign_keys(1)"},
		"_txlock": {"immediate"},
	}.Encode()}
	db, err := sql.Open("sqlite", location.String())
	if err != nil {
		return nil, err
	}
	if err := fill(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("orders: %s: %w", s.Path, err), db.Close())
	}
	s.db = db
	return db, nil
}

// Close closes the files that were opened.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var failed error
	if s.db != nil {
		failed = s.db.Close()
	}
	if s.approvals != nil {
		failed = errors.Join(failed, s.approvals.Close())
	}
	return failed
}

// fill makes the tables and the first orders, unless they are there.
func fill(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		var version int
		if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil || version > 0 {
			return err
		}
		_, err := tx.ExecContext(ctx, schema)
		return err
	})
}

// inTx runs do in a transaction, which is undone if do fails.
func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// change opens the database and runs do in a transaction.
func (s *Store) change(ctx context.Context, do func(*sql.Tx) error) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	return inTx(ctx, db, do)
}

// querier is met by a database and by a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// List returns the latest orders; an empty status means any.
func (s *Store) List(ctx context.Context, status string, limit int) ([]OrderLine, error) {
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `SELECT number, status, customer, total, placed FROM orders
		WHERE ?1 = '' OR status = ?1 ORDER BY id DESC LIMIT ?2`, status, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var lines []OrderLine
	for rows.Next() {
		var line OrderLine
		var placed string
		if err := rows.Scan(&line.Order, &line.Status, &line.Customer, &line.Total, &placed); err != nil {
			return nil, err
		}
		if line.Placed, err = time.Parse(time.RFC3339, placed); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

// Get returns one order, or an [OrderNotFound].
func (s *Store) Get(ctx context.Context, number string) (Order, error) {
	db, err := s.open(ctx)
	if err != nil {
		return Order{}, err
	}
	return get(ctx, db, number)
}

func get(ctx context.Context, db querier, number string) (Order, error) {
	o := Order{Order: number}
	var placed string
	row := db.QueryRowContext(ctx, `SELECT status, customer, total, refunded, carrier, placed FROM orders WHERE number = ?`, number)
	err := row.Scan(&o.Status, &o.Customer, &o.Total, &o.Refunded, &o.Carrier, &placed)
	if errors.Is(err, sql.ErrNoRows) {
		return Order{}, OrderNotFound{Order: number}
	}
	if err != nil {
		return Order{}, err
	}
	if o.Placed, err = time.Parse(time.RFC3339, placed); err != nil {
		return Order{}, err
	}
	o.Items, err = items(ctx, db, number)
	return o, err
}

func items(ctx context.Context, db querier, number string) ([]Item, error) {
	rows, err := db.QueryContext(ctx, `SELECT sku, quantity FROM items WHERE number = ? ORDER BY id`, number)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Item
	for rows.Next() {
		var item Item
		if err := rows.Scan(&item.SKU, &item.Quantity); err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

// Create takes the pieces from stock and places an order, or neither. Too few pieces are an [OutOfStock].
func (s *Store) Create(ctx context.Context, customer string, list []Item) (Order, error) {
	var made Order
	err := s.change(ctx, func(tx *sql.Tx) error {
		var total int64
		for _, item := range list {
			price, err := take(ctx, tx, item)
			if err != nil {
				return err
			}
			total += price * int64(item.Quantity)
		}
		number, err := insert(ctx, tx, customer, total, list)
		if err != nil {
			return err
		}
		made, err = get(ctx, tx, number)
		return err
	})
	return made, err
}

// take takes pieces of one product from stock and returns the price of one. A product that nobody knows is out of stock.
func take(ctx context.Context, tx *sql.Tx, item Item) (price int64, err error) {
	var left int
	err = tx.QueryRowContext(ctx, `SELECT price, stock FROM products WHERE sku = ?`, item.SKU).Scan(&price, &left)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	if left < item.Quantity {
		return 0, OutOfStock{SKU: item.SKU, Wanted: item.Quantity, Left: left}
	}
	_, err = tx.ExecContext(ctx, `UPDATE products SET stock = stock - ? WHERE sku = ?`, item.Quantity, item.SKU)
	return price, err
}

func insert(ctx context.Context, tx *sql.Tx, customer string, total int64, list []Item) (number string, err error) {
	placed := time.Now().UTC().Format(time.RFC3339)
	err = tx.QueryRowContext(ctx, `INSERT INTO orders (number, status, customer, total, placed)
		SELECT 'SO-' || (1000 + coalesce(max(id), 0) + 1), 'placed', ?, ?, ? FROM orders RETURNING number`,
		customer, total, placed).Scan(&number)
	if err != nil {
		return "", err
	}
	for _, item := range list {
		_, err := tx.ExecContext(ctx, `INSERT INTO items (number, sku, quantity) VALUES (?, ?, ?)`, number, item.SKU, item.Quantity)
		if err != nil {
			return "", err
		}
	}
	return number, nil
}

// Cancel cancels an order, puts its pieces back and returns what is paid back. An order that has left is an
// [AlreadyShipped]; one that was cancelled before stays so.
func (s *Store) Cancel(ctx context.Context, number string) (refunded int64, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		order, err := get(ctx, tx, number)
		if err != nil || order.Status == "cancelled" {
			return err
		}
		if order.Status == "shipped" {
			return AlreadyShipped{Order: number, Carrier: order.Carrier}
		}
		refunded = order.Total - order.Refunded
		for _, item := range order.Items {
			if _, err := tx.ExecContext(ctx, `UPDATE products SET stock = stock + ? WHERE sku = ?`, item.Quantity, item.SKU); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE orders SET status = 'cancelled', refunded = total WHERE number = ?`, number)
		return err
	})
	return refunded, err
}

// Refund pays back what was not paid back yet.
func (s *Store) Refund(ctx context.Context, number string) (refunded int64, err error) {
	err = s.change(ctx, func(tx *sql.Tx) error {
		order, err := get(ctx, tx, number)
		if err != nil {
			return err
		}
		refunded = order.Total - order.Refunded
		_, err = tx.ExecContext(ctx, `UPDATE orders SET refunded = total WHERE number = ?`, number)
		return err
	})
	return refunded, err
}
