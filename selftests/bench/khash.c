// SPDX-License-Identifier: GPL-2.0
/*
 * As khash does it: keys, values and two-bit flags in arrays of their own,
 * triangular probing, the size doubled when 77 % are used.
 */
#include "bench.h"

struct map {
	u64 *key;
	struct bench_cell *cell;
	u32 *used;	/* one bit per slot; nothing is ever deleted */
	u64 slots;
	u64 len;
};

#include "keyed.h"

static void map_size(struct map *map, u64 slots)
{
	map->slots = slots;
	map->len = 0;
	map->key = bench_alloc(slots * sizeof(*map->key));
	map->cell = bench_alloc(slots * sizeof(*map->cell));
	map->used = bench_alloc(slots / 8 + 64);
}

static void map_unsize(struct map *map)
{
	bench_free(map->key, map->slots * sizeof(*map->key));
	bench_free(map->cell, map->slots * sizeof(*map->cell));
	bench_free(map->used, map->slots / 8 + 64);
}

static struct map *map_open(u64 pages)
{
	struct map *map = malloc(sizeof(*map));

	(void)pages;
	map_size(map, 1024);
	return map;
}

static inline void map_fetch(const struct map *map, u64 key)
{
	(void)map;
	(void)key;
}

static inline bool is_used(const struct map *map, u64 i)
{
	return map->used[i / 32] >> i % 32 & 1;
}

/* The slot of @key, or the unused one where it belongs. */
static inline u64 map_find(const struct map *map, u64 key)
{
	u64 i = (keyed_hash(key) >> 32 ^ key) & (map->slots - 1), step = 0;

	while (is_used(map, i) && map->key[i] != key)
		i = (i + ++step) & (map->slots - 1);
	return i;
}

static struct bench_cell *map_put(struct map *map, u64 i, u64 key)
{
	map->used[i / 32] |= 1U << i % 32;
	map->key[i] = key;
	map->len++;
	return &map->cell[i];
}

static void map_grow(struct map *map)
{
	struct map old = *map;
	u64 i;

	map_size(map, old.slots * 2);
	for (i = 0; i < old.slots; i++) {
		if (is_used(&old, i))
			*map_put(map, map_find(map, old.key[i]), old.key[i]) =
				old.cell[i];
	}
	map_unsize(&old);
}

static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	u64 i = map_find(map, key);

	*known = is_used(map, i);
	if (*known)
		return &map->cell[i];
	if (map->len >= map->slots / 100 * 77) {
		map_grow(map);
		i = map_find(map, key);
	}
	return map_put(map, i, key);
}

static u64 map_bytes(const struct map *map)
{
	return map->slots * (sizeof(*map->key) + sizeof(*map->cell)) +
	       map->slots / 8;
}

static void map_close(struct map *map)
{
	map_unsize(map);
	free(map);
}

BENCH_STORE(bench_khash, "khash");
