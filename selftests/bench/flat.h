/* SPDX-License-Identifier: GPL-2.0 */
/* A C++ library's flat hash map as a store; the file that includes it defines flat. */
#include "bench.h"

struct map {
	flat cells;
};

static struct map *map_open(u64)
{
	return new map;
}

static inline void map_fetch(const struct map *, u64)
{
}

static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	auto found = map->cells.try_emplace(key);

	*known = !found.second;
	return &found.first->second;
}

/* Slots of 16 bytes, with a byte of metadata each. */
static u64 map_bytes(const struct map *map)
{
	return map->cells.bucket_count() * (sizeof(flat::value_type) + 1);
}

static void map_close(struct map *map)
{
	delete map;
}

#include "keyed.h"
