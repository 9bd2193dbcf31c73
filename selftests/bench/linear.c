// SPDX-License-Identifier: GPL-2.0
/* Linear probing, 16-byte slots, at most 3/4 full. */
#include "bench.h"

struct slot {
	u64 key;	/* plus 1; 0: unused */
	struct bench_cell cell;
};

struct map {
	struct slot *slot;
	u64 mask;
	u32 shift;
};

static struct map *map_open(u64 pages);
static inline void map_fetch(const struct map *map, u64 key);
static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known);
static u64 map_bytes(const struct map *map);
static void map_close(struct map *map);

#include "keyed.h"

static struct map *map_open(u64 pages)
{
	struct map *map = malloc(sizeof(*map));
	u64 slots = roundup_pow_of_two(pages / 3 * 4);

	map->slot = bench_alloc(slots * sizeof(struct slot));
	map->mask = slots - 1;
	map->shift = 64 - ilog2(slots);
	return map;
}

static inline void map_fetch(const struct map *map, u64 key)
{
	prefetchw(&map->slot[keyed_hash(key) >> map->shift]);
}

static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	u64 i = keyed_hash(key) >> map->shift;

	while (map->slot[i].key && map->slot[i].key != key + 1)
		i = (i + 1) & map->mask;
	*known = map->slot[i].key;
	map->slot[i].key = key + 1;
	return &map->slot[i].cell;
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

BENCH_STORE(bench_linear, "linear-probing");
