// SPDX-License-Identifier: GPL-2.0
/*
 * Hash tables with open addressing, the best rivals that were found: an array of slots of 16
 * bytes, the counts of pages and of regions side by side.
 */
#include <stdlib.h>

#include "bench.h"

/* Samples ahead of which a slot is prefetched. */
#define AHEAD	32

/* Regions have keys of their own, from here on. */
#define REGION_KEY	0x4000000000000000ULL

struct slot {
	u64 key;	/* plus 1; 0: unused */
	u32 count;
	u32 epoch;
};

struct map {
	struct htmm_hist hist[HTMM_UNITS];
	struct slot *slot;
	u64 mask;
	u32 shift;
	u32 epoch;
};

static void *map_open(const struct bench_space *space, u32 numerator, u32 denominator)
{
	u64 regions = space->spaces * (bench_space_span(space) / HTMM_REGION_PAGES + 1);
	u64 slots = roundup_pow_of_two((space->pages + regions) / denominator * numerator);
	struct map *map = calloc(1, sizeof(*map));

	map->slot = bench_alloc(slots * sizeof(struct slot));
	map->mask = slots - 1;
	map->shift = 64 - ilog2(slots);
	return map;
}

static u64 map_bytes(void *store)
{
	const struct map *map = store;

	return (map->mask + 1) * sizeof(struct slot);
}

static void map_close(void *store)
{
	struct map *map = store;

	bench_free(map->slot, map_bytes(map));
	free(map);
}

static void map_cool(void *store)
{
	struct map *map = store;

	map->epoch++;
	htmm_hist_cool(&map->hist[HTMM_UNIT_PAGE]);
	htmm_hist_cool(&map->hist[HTMM_UNIT_REGION]);
}

static const struct htmm_hist *map_hist(void *store)
{
	return ((struct map *)store)->hist;
}

static inline u64 home(const struct map *map, u64 key)
{
	return (key * 0x9e3779b97f4a7c15ULL) >> map->shift;
}

static inline void count(struct map *map, enum htmm_unit unit, struct slot *slot, u64 key,
			 u32 weight)
{
	struct htmm_hist *hist = &map->hist[unit];

	if (!slot->key) {
		slot->key = key + 1;
		slot->count = 0;
		slot->epoch = map->epoch;
	}
	if (slot->epoch != map->epoch) {
		slot->count = htmm_count_cooled(slot->count, map->epoch - slot->epoch);
		hist->bin[0] -= !slot->count;
		slot->epoch = map->epoch;
	}
	bench_count(hist, &slot->count, weight);
}

/* @find returns the slot that has @key, or an unused one for it. */
static __always_inline void
map_add(void *store, const struct htmm_table_sample *s, u32 n,
	struct slot *(*find)(struct map *map, u64 key))
{
	struct map *map = store;
	u64 region;
	u32 i;

	for (i = 0; i < n; i++) {
		if (i + AHEAD < n)
			prefetchw(&map->slot[home(map, s[i + AHEAD].page)]);
		region = REGION_KEY + s[i].page / HTMM_REGION_PAGES;
		count(map, HTMM_UNIT_PAGE, find(map, s[i].page), s[i].page, s[i].weight);
		count(map, HTMM_UNIT_REGION, find(map, region), region, s[i].weight);
	}
}

/* Linear probing, at most 3/4 full. */
static inline struct slot *linear_find(struct map *map, u64 key)
{
	u64 i = home(map, key);

	while (map->slot[i].key && map->slot[i].key != key + 1)
		i = (i + 1) & map->mask;
	return &map->slot[i];
}

static void *linear_open(const struct bench_space *space)
{
	return map_open(space, 4, 3);
}

static void linear_add(void *store, const struct htmm_table_sample *s, u32 n)
{
	map_add(store, s, n, linear_find);
}

static inline u64 distance(const struct map *map, u64 i)
{
	return (i - home(map, map->slot[i].key - 1)) & map->mask;
}

/* Move on all from @i to the next unused slot. */
static void make_way(struct map *map, u64 i)
{
	struct slot moved = map->slot[i], next;

	map->slot[i].key = 0;
	while (moved.key) {
		i = (i + 1) & map->mask;
		next = map->slot[i];
		map->slot[i] = moved;
		moved = next;
	}
}

/* Robin Hood hashing: an entry far from home takes the slot of one nearer. */
static inline struct slot *robin_find(struct map *map, u64 key)
{
	u64 i = home(map, key), d = 0;

	while (map->slot[i].key && map->slot[i].key != key + 1 && distance(map, i) >= d) {
		i = (i + 1) & map->mask;
		d++;
	}
	if (map->slot[i].key != key + 1)
		make_way(map, i);
	return &map->slot[i];
}

static void *robin_open(const struct bench_space *space)
{
	return map_open(space, 9, 8);
}

static void robin_add(void *store, const struct htmm_table_sample *s, u32 n)
{
	map_add(store, s, n, robin_find);
}

const struct bench_store bench_linear = {
	.name = "linear-probing",
	.open = linear_open,
	.add = linear_add,
	.cool = map_cool,
	.hist = map_hist,
	.bytes = map_bytes,
	.close = map_close,
};

const struct bench_store bench_robin_hood = {
	.name = "robin-hood",
	.open = robin_open,
	.add = robin_add,
	.cool = map_cool,
	.hist = map_hist,
	.bytes = map_bytes,
	.close = map_close,
};
