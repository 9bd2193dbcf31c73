-- SPDX-License-Identifier: GPL-2.0
-- What the shop asks its database: each request by id, then by the item's name.
-- The file is mapped, so that its pages are what the processor reads.
PRAGMA mmap_size = 268435456;
PRAGMA temp_store = MEMORY;

DROP TABLE IF EXISTS temp.served;
CREATE TEMP TABLE served (item INTEGER PRIMARY KEY, times INTEGER);

SELECT count(*), sum(length(description))
FROM request JOIN item ON item.id = request.item;

SELECT count(*)
FROM request AS r JOIN item AS i ON i.id = r.item
     JOIN item AS same ON same.name = i.name;

INSERT INTO served
SELECT item, 1 FROM request WHERE true
ON CONFLICT DO UPDATE SET times = times + 1;

SELECT item, times FROM served ORDER BY times DESC LIMIT 3;
