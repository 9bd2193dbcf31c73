// SPDX-License-Identifier: GPL-2.0
/* Robin Hood hashing: an entry far from home takes the slot of one nearer. */
#define SLOTS(pages) ((pages) / 8 * 9)

#include "slots.h"

static inline u64 distance(const struct map *map, u64 i)
{
	return (i - (keyed_hash(map->slot[i].key - 1) >> map->shift)) & map->mask;
}

/* Move on all from @i to the next unused slot. */
static void make_way(struct map *map, u64 i)
{
	struct slot moved = map->slot[i], next;

	while (moved.key) {
		i = (i + 1) & map->mask;
		next = map->slot[i];
		map->slot[i] = moved;
		moved = next;
	}
}

static inline struct bench_cell *map_cell(struct map *map, u64 key, bool *known)
{
	u64 i = keyed_hash(key) >> map->shift, d = 0;

	while (map->slot[i].key && map->slot[i].key != key + 1 &&
	       distance(map, i) >= d) {
		i = (i + 1) & map->mask;
		d++;
	}
	*known = map->slot[i].key == key + 1;
	if (!*known) {
		make_way(map, i);
		map->slot[i].key = key + 1;
	}
	return &map->slot[i].cell;
}

BENCH_STORE(bench_robin_hood, "robin-hood");
