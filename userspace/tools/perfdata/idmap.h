/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Map from 64-bit keys to numbers.
 *
 * Keys come from files whose writer may have chosen colliding keys, so the hash depends on
 * a secret of the process.
 */
#ifndef PERFDATA_IDMAP_H
#define PERFDATA_IDMAP_H

#include <stddef.h>
#include <linux/types.h>

/**
 * struct idmap - the map; all zero: empty
 * @slot: private: hash table
 * @slots: private: its size, a power of two
 * @nr: keys in it
 * @steps: slots visited by all changes of the map so far
 */
struct idmap {
	struct idmap_slot {
		__u64 key;
		__u32 value_plus_1;
	} *slot;
	__u32 slots;
	__u32 nr;
	__u64 steps;
};

/**
 * idmap_hash() - make a key from bytes
 * @bytes: the bytes
 * @len: number of bytes
 *
 * Return: the key. Only this process can find other bytes with the same key.
 */
__u64 idmap_hash(const void *bytes, size_t len);

/**
 * idmap_get() - look up a key
 * @map: the map
 * @key: the key
 *
 * Return: its number, or -1 if there is none.
 */
__s64 idmap_get(const struct idmap *map, __u64 key);

/**
 * idmap_set() - set the number of a key, replacing an earlier one
 * @map: the map
 * @key: the key
 * @value: the number, below ~0
 *
 * Return: 0 or -ENOMEM.
 */
int idmap_set(struct idmap *map, __u64 key, __u32 value);

/**
 * idmap_remove() - remove a key
 * @map: the map
 * @key: the key; need not be in the map
 */
void idmap_remove(struct idmap *map, __u64 key);

/**
 * idmap_free() - remove all keys, free the memory
 * @map: the map
 */
void idmap_free(struct idmap *map);

#endif /* PERFDATA_IDMAP_H */
