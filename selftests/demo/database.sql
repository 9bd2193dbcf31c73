-- SPDX-License-Identifier: GPL-2.0
-- A shop's database: 60,000 items with a description each, and 150,000 requests
-- for them. What is new sells: 17 requests in 20 are for the newest fifth of the
-- items, the others for any.
PRAGMA page_size = 4096;
PRAGMA journal_mode = OFF;

CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, description TEXT);
CREATE TABLE request (number INTEGER PRIMARY KEY, item INTEGER);

WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999)
INSERT INTO item
SELECT i, printf('item-%08x', (i * 2654435761) & 0xffffffff),
       printf('%.*c', 300 + i % 200, 'x')
FROM n;

CREATE INDEX item_name ON item (name);

-- Multiples of a large prime run through the items in an order without pattern.
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
INSERT INTO request
SELECT i, CASE WHEN i % 20 < 17 THEN 48000 + i * 15485863 % 12000
               ELSE i * 32452843 % 60000 END
FROM n;
