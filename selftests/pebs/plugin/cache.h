/* SPDX-License-Identifier: GPL-2.0 */
/* Last-level cache model, shared by all vCPUs. */
#ifndef PEBS_CACHE_H
#define PEBS_CACHE_H

#include <stdbool.h>
#include <linux/types.h>

#define CACHE_LINE_SHIFT	6

/**
 * cache_init() - build a physically indexed, write-allocate cache with true LRU
 * @size: bytes, a power of two times @ways lines; 0 for no cache
 * @ways: associativity, 1 to 64
 * @shared: more than one vCPU will call cache_access()
 *
 * Return: false if the geometry is impossible or there is no memory.
 */
bool cache_init(__u64 size, unsigned int ways, bool shared);

/**
 * cache_access() - look up a line, and add it if it is missing
 * @phys: guest-physical address of the access's first byte
 *
 * Context: any vCPU thread.
 * Return: true for a hit. Without a cache nothing hits.
 */
bool cache_access(__u64 phys);

#endif /* PEBS_CACHE_H */
