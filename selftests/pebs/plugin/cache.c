// SPDX-License-Identifier: GPL-2.0
/*
 * Last-level cache model. A set is an array of lines, most recently used first,
 * so that LRU needs no clock and the usual hit is one comparison.
 */
#include <stdlib.h>
#include <string.h>

#include "cache.h"

/* A line is stored as its number plus one: 0 is an empty way. */
static __u64 *lines;
static __u8 *locks;		/* one for each set, taken only if shared */
static __u64 nr_sets;
static unsigned int nr_ways;
static bool is_shared;

bool cache_init(__u64 size, unsigned int ways, bool shared)
{
	if (!size)
		return true;
	if (!ways || ways > 64)
		return false;
	nr_sets = (size >> CACHE_LINE_SHIFT) / ways;
	if (!nr_sets || nr_sets & (nr_sets - 1) ||
	    (nr_sets * ways) << CACHE_LINE_SHIFT != size)
		return false;
	nr_ways = ways;
	is_shared = shared;
	lines = calloc(nr_sets * ways, sizeof(*lines));
	locks = calloc(nr_sets, sizeof(*locks));
	return lines && locks;
}

static void lock_set(__u64 set)
{
	/* Pairs with the release in unlock_set(). */
	while (is_shared && __atomic_test_and_set(&locks[set], __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock_set(__u64 set)
{
	/* Pairs with the acquire in lock_set(). */
	if (is_shared)
		__atomic_clear(&locks[set], __ATOMIC_RELEASE);
}

bool cache_access(__u64 phys)
{
	__u64 line = (phys >> CACHE_LINE_SHIFT) + 1;
	__u64 set, *way;
	unsigned int i;
	bool hit;

	if (!lines)
		return false;
	set = (line - 1) & (nr_sets - 1);
	way = &lines[set * nr_ways];
	/* If the line is the most recent one already, nothing changes, and no lock is needed. */
	if (__atomic_load_n(&way[0], __ATOMIC_RELAXED) == line)
		return true;

	lock_set(set);
	for (i = 0; i < nr_ways - 1 && way[i] != line; i++)
		;
	hit = way[i] == line;
	memmove(&way[1], &way[0], i * sizeof(*way));
	__atomic_store_n(&way[0], line, __ATOMIC_RELAXED);
	unlock_set(set);
	return hit;
}
