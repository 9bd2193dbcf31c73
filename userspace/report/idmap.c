// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "idmap.h"

#define SLOTS_FIRST	256

/* The slot of a key, or the empty one where it would be; there is always one. */
static struct idmap_slot *find(const struct idmap *map, __u64 key)
{
	__u64 hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15ULL;
	__u32 at = hash >> 32 & (map->slots - 1);

	while (map->slot[at].value_plus_1 && map->slot[at].key != key)
		at = (at + 1) & (map->slots - 1);
	return &map->slot[at];
}

static int grow(struct idmap *map)
{
	struct idmap old = *map;
	__u32 i;

	map->slots = old.slots ? 2 * old.slots : SLOTS_FIRST;
	map->slot = calloc(map->slots, sizeof(*map->slot));
	if (!map->slot) {
		*map = old;
		return -ENOMEM;
	}
	for (i = 0; i < old.slots; i++)
		if (old.slot[i].value_plus_1)
			*find(map, old.slot[i].key) = old.slot[i];
	free(old.slot);
	return 0;
}

__s64 idmap_get(const struct idmap *map, __u64 key)
{
	return map->slots ? (__s64)find(map, key)->value_plus_1 - 1 : -1;
}

int idmap_set(struct idmap *map, __u64 key, __u32 value)
{
	struct idmap_slot *slot;

	if (2 * map->nr >= map->slots && grow(map))
		return -ENOMEM;
	slot = find(map, key);
	map->nr += !slot->value_plus_1;
	slot->key = key;
	slot->value_plus_1 = value + 1;
	return 0;
}

void idmap_free(struct idmap *map)
{
	free(map->slot);
	memset(map, 0, sizeof(*map));
}
