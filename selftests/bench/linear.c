// SPDX-License-Identifier: GPL-2.0
/* Linear probing, 16-byte slots, at most 3/4 full. */
#define SLOTS(pages) ((pages) / 3 * 4)

#include "slots.h"

static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	u64 i = keyed_hash(key) >> map->shift;

	while (map->slot[i].key && map->slot[i].key != key + 1)
		i = (i + 1) & map->mask;
	*known = map->slot[i].key;
	map->slot[i].key = key + 1;
	return &map->slot[i].cell;
}

BENCH_STORE(bench_linear, "linear-probing");
