/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A map of 16-byte slots in one array, a power of two of at least SLOTS(pages). The
 * file that includes it defines SLOTS, and map_cell() by its way of probing.
 */
#ifndef HTMM_SELFTESTS_BENCH_SLOTS_H
#define HTMM_SELFTESTS_BENCH_SLOTS_H

#include "bench.h"
#include "keyed.h"

struct slot {
	u64 key;	/* plus 1; 0: unused */
	struct bench_cell cell;
};

struct map {
	struct slot *slot;
	u64 mask;
	u32 shift;
};

static struct map *map_open(u64 pages)
{
	struct map *map = malloc(sizeof(*map));
	u64 slots = roundup_pow_of_two(SLOTS(pages));

	map->slot = bench_alloc(slots * sizeof(struct slot));
	map->mask = slots - 1;
	map->shift = 64 - ilog2(slots);
	return map;
}

static inline void map_fetch(const struct map *map, u64 key)
{
	prefetchw(&map->slot[keyed_hash(key) >> map->shift]);
}

static u64 map_bytes(const struct map *map)
{
	return (map->mask + 1) * sizeof(struct slot);
}

static void map_close(struct map *map)
{
	bench_free(map->slot, map_bytes(map));
	free(map);
}

#endif /* HTMM_SELFTESTS_BENCH_SLOTS_H */
