// SPDX-License-Identifier: GPL-2.0
/*
 * Second-level TLB. A set is an array of pages, most recently used first, as those of cache.c are.
 * It knows only pages of 4 KiB: a huge page takes an entry for each of its parts that is used.
 */
#include <stdlib.h>
#include <string.h>

#include "stlb.h"

#define PAGE_SHIFT	12
/* As Skylake's. */
#define WAYS		12
#define TGID_SHIFT	35		/* page numbers of 47-bit addresses */
#define USED		0x8000000000000000ULL

static __u64 *pages;
static unsigned int nr_sets;

bool stlb_init(unsigned int entries, unsigned int vcpus)
{
	if (!entries)
		return true;
	nr_sets = entries / WAYS;
	if (!nr_sets || nr_sets & (nr_sets - 1) || nr_sets * WAYS != entries)
		return false;
	pages = calloc((size_t)vcpus * entries, sizeof(*pages));
	return pages;
}

bool stlb_access(unsigned int vcpu, __u64 tgid, __u64 vaddr)
{
	const __u64 vpn = vaddr >> PAGE_SHIFT;
	const __u64 page = USED | tgid << TGID_SHIFT | vpn;
	unsigned int i;
	__u64 *way;
	bool hit;

	if (!pages)
		return false;
	way = &pages[((size_t)vcpu * nr_sets + vpn % nr_sets) * WAYS];
	if (way[0] == page)
		return true;
	for (i = 1; i < WAYS - 1 && way[i] != page; i++)
		;
	hit = way[i] == page;
	memmove(&way[1], &way[0], i * sizeof(*way));
	way[0] = page;
	return hit;
}
