// SPDX-License-Identifier: GPL-2.0
/*
 * Buckets of one cache line, 5 entries each, with 32-bit keys: enough for the pages
 * of this benchmark, though not for those of a machine. A full bucket passes an
 * entry on to the next.
 */
#include "bench.h"

#define ENTRIES	5

struct bucket {
	u32 tag[ENTRIES];	/* plus 1; 0: unused */
	struct bench_cell cell[ENTRIES];
	u32 spare;
} __aligned(64);

struct map {
	struct bucket *bucket;
	u64 mask;
	u32 shift;
};

#include "keyed.h"

static struct map *map_open(u64 pages)
{
	struct map *map = malloc(sizeof(*map));
	u64 buckets = roundup_pow_of_two(pages / 3);

	map->bucket = bench_alloc(buckets * sizeof(struct bucket));
	map->mask = buckets - 1;
	map->shift = 64 - ilog2(buckets);
	return map;
}

static inline void map_fetch(const struct map *map, u64 key)
{
	prefetchw(&map->bucket[keyed_hash(key) >> map->shift]);
}

static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	u64 i = keyed_hash(key) >> map->shift;
	u32 tag = (u32)(key ^ key >> 31) + 1, j;

	for (;; i = (i + 1) & map->mask) {
		struct bucket *bucket = &map->bucket[i];

		for (j = 0; j < ENTRIES; j++) {
			if (bucket->tag[j] && bucket->tag[j] != tag)
				continue;
			*known = bucket->tag[j];
			bucket->tag[j] = tag;
			return &bucket->cell[j];
		}
	}
}

static u64 map_bytes(const struct map *map)
{
	return (map->mask + 1) * sizeof(struct bucket);
}

static void map_close(struct map *map)
{
	bench_free(map->bucket, map_bytes(map));
	free(map);
}

BENCH_STORE(bench_bucket64, "bucket64");
