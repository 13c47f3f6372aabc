CREATE TABLE products (
	sku   TEXT PRIMARY KEY,
	price INTEGER NOT NULL CHECK (price >= 0), -- cents
	stock INTEGER NOT NULL CHECK (stock >= 0)
) STRICT;

CREATE TABLE orders (
	id       INTEGER PRIMARY KEY,
	number   TEXT NOT NULL UNIQUE,
	status   TEXT NOT NULL CHECK (status IN ('placed', 'shipped', 'cancelled')),
	customer TEXT NOT NULL,
	total    INTEGER NOT NULL CHECK (total >= 0),              -- cents
	refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded >= 0), -- cents
	carrier  TEXT NOT NULL DEFAULT '',
	placed   TEXT NOT NULL                                     -- RFC 3339
) STRICT;

CREATE TABLE items (
	id       INTEGER PRIMARY KEY,
	number   TEXT NOT NULL REFERENCES orders (number),
	sku      TEXT NOT NULL REFERENCES products (sku),
	quantity INTEGER NOT NULL CHECK (quantity > 0)
) STRICT;

INSERT INTO products (sku, price, stock) VALUES
	('TEA-01', 450, 40),
	('TEA-02', 620, 3),
	('POT-01', 3900, 5),
	('CUP-01', 1250, 0);

INSERT INTO orders (number, status, customer, total, refunded, carrier, placed) VALUES
	('SO-1001', 'placed', 'ana', 1350, 0, '', '2026-11-02T09:15:00Z'),
	('SO-1002', 'shipped', 'ben', 3900, 0, 'Post', '2026-11-03T14:40:00Z'),
	('SO-1003', 'cancelled', 'ana', 620, 620, '', '2026-11-05T18:05:00Z'),
	('SO-1004', 'placed', 'carla', 4800, 0, '', '2026-11-09T07:30:00Z');

INSERT INTO items (number, sku, quantity) VALUES
	('SO-1001', 'TEA-01', 3),
	('SO-1002', 'POT-01', 1),
	('SO-1003', 'TEA-02', 1),
	('SO-1004', 'POT-01', 1),
	('SO-1004', 'TEA-01', 2);

PRAGMA user_version = 1;
