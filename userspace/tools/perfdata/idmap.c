// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include "idmap.h"

#define SLOTS_FIRST	256

/* Odd numbers without a pattern. */
#define MULTIPLIER_1	0x9e3779b97f4a7c15ULL
#define MULTIPLIER_2	0xd6e8feb86659fd93ULL

/* Both halves of the product: each bit depends on all bits of @a. */
static __u64 mix(__u64 a, __u64 b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (__u64)product ^ (__u64)(product >> 64);
}

/* The secret is from the 16 random bytes that the kernel gives each program (AT_RANDOM). */
static __u64 hash_with_secret(__u64 key, __u64 more)
{
	__u64 secret[2];

	memcpy(secret, (const void *)getauxval(AT_RANDOM), sizeof(secret));
	return mix(mix(key ^ secret[0], MULTIPLIER_1) ^ more ^ secret[1], MULTIPLIER_2);
}

__u64 idmap_hash(const void *bytes, size_t len)
{
	__u64 hash = hash_with_secret(len, 0);
	const char *at = bytes;

	while (len) {
		const size_t step = len < sizeof(__u64) ? len : sizeof(__u64);
		__u64 word = 0;

		memcpy(&word, at, step);
		hash = hash_with_secret(word, hash);
		at += step;
		len -= step;
	}
	return hash;
}

static __u32 home_of(const struct idmap *map, __u64 key)
{
	return hash_with_secret(key, 0) & (map->slots - 1);
}

/* Finds the slot of a key, or the empty slot for it; there always is one. */
static struct idmap_slot *find(const struct idmap *map, __u64 key, __u64 *steps)
{
	__u32 at = home_of(map, key);

	for (++*steps; map->slot[at].value_plus_1 && map->slot[at].key != key; ++*steps)
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
			*find(map, old.slot[i].key, &map->steps) = old.slot[i];
	free(old.slot);
	return 0;
}

__s64 idmap_get(const struct idmap *map, __u64 key)
{
	__u64 steps = 0;

	return map->slots ? (__s64)find(map, key, &steps)->value_plus_1 - 1 : -1;
}

int idmap_set(struct idmap *map, __u64 key, __u32 value)
{
	struct idmap_slot *slot;

	if (2 * map->nr >= map->slots && grow(map))
		return -ENOMEM;
	slot = find(map, key, &map->steps);
	map->nr += !slot->value_plus_1;
	slot->key = key;
	slot->value_plus_1 = value + 1;
	return 0;
}

/* Entries behind the key move up, but not before their home slot. */
void idmap_remove(struct idmap *map, __u64 key)
{
	const __u32 mask = map->slots - 1;
	__u32 hole, at;

	if (idmap_get(map, key) < 0)
		return;
	hole = find(map, key, &map->steps) - map->slot;
	for (at = (hole + 1) & mask; map->slot[at].value_plus_1; at = (at + 1) & mask) {
		if (((at - home_of(map, map->slot[at].key)) & mask) < ((at - hole) & mask))
			continue;
		map->slot[hole] = map->slot[at];
		hole = at;
	}
	map->slot[hole] = (struct idmap_slot) {};
	map->nr--;
}

void idmap_free(struct idmap *map)
{
	free(map->slot);
	memset(map, 0, sizeof(*map));
}
