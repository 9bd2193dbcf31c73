// SPDX-License-Identifier: GPL-2.0
/* uthash, from the system's header. */
#include <uthash.h>

#include "bench.h"

struct entry {
	u64 key;
	struct bench_cell cell;
	UT_hash_handle hh;
};

struct map {
	struct entry *entries;
};

#include "keyed.h"

static struct map *map_open(u64 pages)
{
	(void)pages;
	return calloc(1, sizeof(struct map));
}

static inline void map_fetch(const struct map *map, u64 key)
{
	(void)map;
	(void)key;
}

static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	struct entry *entry;

	HASH_FIND(hh, map->entries, &key, sizeof(key), entry);
	*known = entry;
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		entry->key = key;
		HASH_ADD(hh, map->entries, key, sizeof(key), entry);
	}
	return &entry->cell;
}

static u64 map_bytes(const struct map *map)
{
	return HASH_OVERHEAD(hh, map->entries) +
	       HASH_COUNT(map->entries) * offsetof(struct entry, hh);
}

static void map_close(struct map *map)
{
	struct entry *entry = map->entries, *next;

	HASH_CLEAR(hh, map->entries);
	for (; entry; entry = next) {
		next = entry->hh.next;
		free(entry);
	}
	free(map);
}

BENCH_STORE(bench_uthash, "uthash");
