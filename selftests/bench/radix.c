// SPDX-License-Identifier: GPL-2.0
/*
 * A walk down four levels of 512, like a page table with counts at its end. Each address space
 * has a root of its own.
 */
#include "bench.h"

#define FANOUT	512
/* Address spaces, whose numbers are below it. */
#define SPACES	64

struct map {
	void *root[SPACES];
	u64 bytes;
};

#include "keyed.h"

static struct map *map_open(u64 pages)
{
	struct map *map = calloc(1, sizeof(*map));

	(void)pages;
	map->bytes = sizeof(*map);
	return map;
}

static inline void map_fetch(const struct map *map, u64 key)
{
	(void)map;
	(void)key;
}

static inline void *level(struct map *map, void **slot, size_t size)
{
	if (!*slot) {
		*slot = calloc(FANOUT, size);
		map->bytes += FANOUT * size;
	}
	return *slot;
}

/* Regions' cells lie in another half of the tree. */
static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	bool region = key >= BENCH_REGION;
	u32 half = region ? FANOUT / 2 : 0;
	u32 space = key >> (HTMM_VPN_BITS - (region ? HTMM_REGION_ORDER : 0)) & (SPACES - 1);
	struct bench_cell *cell;
	void **table;

	table = level(map, &map->root[space], sizeof(void *));
	table = level(map, &table[half + (key >> 27) % (FANOUT / 2)],
		      sizeof(void *));
	table = level(map, &table[key >> 18 & (FANOUT - 1)], sizeof(void *));
	cell = level(map, &table[key >> 9 & (FANOUT - 1)], sizeof(*cell));
	cell += key & (FANOUT - 1);
	*known = cell->count || cell->epoch;
	return cell;
}

static u64 map_bytes(const struct map *map)
{
	return map->bytes;
}

static void free_level(void **table, u32 levels)
{
	u32 i;

	for (i = 0; levels && i < FANOUT; i++) {
		if (!table[i])
			continue;
		free_level(table[i], levels - 1);
		free(table[i]);
	}
}

static void map_close(struct map *map)
{
	u32 i;

	for (i = 0; i < SPACES; i++) {
		if (!map->root[i])
			continue;
		free_level(map->root[i], 3);
		free(map->root[i]);
	}
	free(map);
}

BENCH_STORE(bench_radix, "radix-walk");
