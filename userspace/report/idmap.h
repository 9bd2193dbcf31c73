/* SPDX-License-Identifier: GPL-2.0 */
/* Map from 64-bit keys to numbers. */
#ifndef REPORT_IDMAP_H
#define REPORT_IDMAP_H

#include <linux/types.h>

/**
 * struct idmap - the map; all zero: empty
 * @slot: private: hash table
 * @slots: private: its size, a power of two
 * @nr: keys in it
 */
struct idmap {
	struct idmap_slot {
		__u64 key;
		__u32 value_plus_1;
	} *slot;
	__u32 slots;
	__u32 nr;
};

/**
 * idmap_get() - look a key up
 * @map: the map
 * @key: the key
 *
 * Return: its number, or -1 if there is none.
 */
__s64 idmap_get(const struct idmap *map, __u64 key);

/**
 * idmap_set() - give a key a number, in place of the one it had
 * @map: the map
 * @key: the key
 * @value: the number, below ~0
 *
 * Return: 0 or -ENOMEM.
 */
int idmap_set(struct idmap *map, __u64 key, __u32 value);

/**
 * idmap_free() - forget all keys
 * @map: the map
 */
void idmap_free(struct idmap *map);

#endif /* REPORT_IDMAP_H */
